"""Business, and its borders with technology, travel, crime, sports and health."""

from pipeline.sources.newsroom.kinds import Kind, count, money, percent, price

KINDS = (
    Kind(
        "earnings",
        ("business",),
        cast={"company": "company", "who": "chief@company", "analyst": "analyst"},
        options={"cause": ("higher prices", "strong demand abroad", "lower energy bills", "a good holiday season")},
        figures={
            "profit": money(42, 870),
            "rise": percent(4, 29),
            "sales": money(1200, 9400, 100),
            "growth": percent(2, 9),
        },
        titles=(
            "{company_title} profit [rises|climbs|jumps] {rise}",
            "{company_title} [beats|tops] forecasts on {cause}",
            "{who_last} [upbeat|cautious] as {company_title} earns {profit}",
        ),
        leads=(
            "{company} [reported|posted] a profit of {profit} for the quarter on {day}, {rise} more than a year "
            "earlier, which {who}, its chief executive, put down to {cause}.",
            "profit at {company} rose by {rise} on {cause}, the company's chief executive, {who}, said on {day}.",
            "helped by {cause}, {company} earned {profit} in the quarter, [more than analysts had expected|well "
            "above forecasts], chief executive {who} announced on {day}.",
        ),
        details=(
            "sales [came to|reached] {sales}, and the number of customers grew in every market but one.",
            "investors [had expected less|will want to see it repeated].",
            "the shares [gained|added] {small} percent in early trading.",
            "costs rose as well, mostly for [wages|freight|raw materials].",
            "{company_short} will [raise|leave unchanged] its dividend.",
            "debt fell to its lowest level since {since}.",
        ),
        quotes=(
            '"We sold more, we wasted less, and it shows," {who_ms} said.',
            '"One quarter is not a trend," said {analyst}, [a market analyst|an analyst]. "The next one will be '
            '[harder|the test]."',
        ),
        background=(
            "{company_short} had warned in the spring that the year would be difficult.",
            "it was the [third|fourth|fifth] quarter in a row with a rise in profit.",
        ),
        outcomes=(
            "the company now expects sales to grow by {growth} in the full year.",
            "shareholders will vote on the dividend next month.",
        ),
    ),
    Kind(
        "layoffs",
        ("business",),
        cast={"company": "company", "who": "chief@company", "union": "unionist"},
        options={"site": ("plant", "head office", "distribution centre", "call centre")},
        figures={"jobs": count(180, 2400, 20), "share": percent(5, 18)},
        titles=(
            "{company_title} to cut {jobs} jobs",
            "{site} in {place} [hit|worst hit] as {company_title} sheds jobs",
            "{who_last} [defends|explains] job cuts at {company_title}",
        ),
        leads=(
            "{company} will cut {jobs} jobs, most of them at its {site} in {place}, chief executive {who} told "
            "staff on {day}.",
            "about {share} of the workforce of {company} will lose their jobs, the chief executive, {who}, said on "
            "{day}, blaming weak orders.",
            "workers at the {site} of {company} in {place} were told on {day} that {jobs} jobs will go, a step that "
            "{who}, the chief executive, called painful.",
        ),
        details=(
            "staff had learned of the plan [by email|from a newspaper], their union complained.",
            "the {site} will [work one shift instead of two|move to a smaller building].",
            "no other site in {region} is affected, the company said.",
            "{company_short} promised training and [six months'|a year's] pay to those who leave early.",
            "shops near the {site} fear for their [lunchtime trade|customers].",
            "the cuts affect {share} of the workforce.",
        ),
        quotes=(
            '"I would rather make {company_short} smaller now than lose it altogether," {who_ms} said.',
            '"The people who pay for this are not the ones who [made the mistakes|drew up the plan]," said {union}, '
            "who leads the union.",
        ),
        background=(
            "{company_short} has been losing orders to rivals in {abroad}.",
            "it is the second round of cuts at the {site} in three years.",
        ),
        outcomes=(
            "talks with the union begin on {next_day}.",
            "the first jobs will go in the spring.",
        ),
    ),
    Kind(
        "shop_opening",
        ("business",),
        cast={"company": "retailer", "who": "chief@company", "trader": "shopkeeper"},
        options={"street": ("the market square", "the old post office", "the harbour front", "the railway yard")},
        figures={"shops": count(8, 45), "staff": count(40, 220, 5), "cost": money(3, 40)},
        titles=(
            "{company_title} to open {shops} shops",
            "{company_title} [comes|returns] to {place}",
            "Traders in {place} [uneasy|divided] over new {company_title} shop",
        ),
        leads=(
            "{company} will open {shops} shops this year, the first of them at {street} in {place}, {who}, its "
            "chief executive, said on {day}.",
            "the retailer {company} [opened|unveiled] a shop at {street} in {place} on {day}, and {who}, the chief "
            "executive, said that {shops} more would follow.",
            "{place} will get a {company} shop after all: chief executive {who} said on {day} that work at {street} "
            "would begin within weeks.",
        ),
        details=(
            "the shop will employ {staff} people, [half of them part-time|most of them from {region}].",
            "{company_short} is spending {cost} on the project.",
            "owners of small shops nearby expect [more passers-by|hard times].",
            "planners asked for [fewer parking spaces|a smaller sign] before they agreed.",
            "rents around {street} have risen by a tenth.",
        ),
        quotes=(
            '"People still like to touch a thing before they buy it," {who_ms} said.',
            '"I have seen big names come and go on this street," said {trader}, who has a [bakery|bookshop|hardware '
            "store] there.",
        ),
        background=(
            "{company_short} closed a third of its shops when customers went online.",
            "{street} in {place} has stood empty since {since}.",
        ),
        outcomes=(
            "the doors open to customers next month.",
            "further sites will be named on {next_day}.",
        ),
    ),
    Kind(
        "takeover",
        ("business",),
        cast={"company": "company", "target": "rival@company", "who": "chief@company", "other": "chief@target"},
        figures={"price": money(320, 4900, 10), "premium": percent(14, 42)},
        titles=(
            "{company_title} to buy {target_title} for {price}",
            "{target_title} [accepts|agrees to] offer from {company_title}",
            "{company_title} bid [values|puts] {target_title} at {price}",
        ),
        leads=(
            "{company} has agreed to buy {target} for {price}, the two companies said on {day}; {who} will lead the "
            "merged group, with {other} as deputy.",
            "{target}, run by {other}, accepted a takeover offer of {price} from {company} on {day}, in what {who}, "
            "the buyer's chief executive, called a meeting of equals.",
            "a {price} offer by {company} for {target} was [sealed|settled] on {day} after talks between their "
            "chief executives, {who} and {other}.",
        ),
        details=(
            "the price is {premium} above the value of the shares a week ago.",
            "both brands will [keep their names|stay on sale].",
            "the deal needs the approval of the competition authority, [which has blocked two mergers this "
            "year|which may take months].",
            "{company_short} will borrow [half|a third] of the money.",
            "the merged group will have its head office in {place}.",
            "{other_ms} owns [a tenth|a fifth] of {target_short} and will sell.",
        ),
        quotes=(
            '"Together we can do what neither of us could pay for alone," {who_ms} said.',
            '"I built {target_short} to last, and this is how it lasts," {other_ms} said.',
        ),
        background=(
            "{company_short} and {target_short} have talked about a merger at least once before.",
            "takeovers have picked up since interest rates came down.",
        ),
        outcomes=(
            "shareholders of {target_short} will vote on the offer on {next_day}.",
            "the companies hope to close the deal by the end of the year.",
        ),
    ),
    Kind(
        "chip_plant",
        ("business", "technology"),
        cast={"company": "chipmaker", "who": "chief@company", "mayor": "mayor"},
        options={"product": ("sensors", "memory chips", "car processors", "power chips")},
        figures={"cost": money(400, 3600, 100), "jobs": count(300, 1900, 50)},
        titles=(
            "{company_title} to build {cost} plant near {place}",
            "{place} [wins|lands] {company_title} plant for {product}",
            "{who_last} [picks|chooses] {place} for new {product} line",
        ),
        leads=(
            "{company} will build a plant for {product} near {place} at a cost of {cost}, {who}, its chief "
            "executive, said on {day} beside the mayor, {mayor}.",
            "the chipmaker {company} has chosen {place} for a {cost} factory, its chief executive, {who}, told "
            "reporters on {day}, and the mayor, {mayor}, spoke of {jobs} jobs.",
            "work on a {cost} plant where {company} will make {product} began near {place} on {day} in the presence "
            "of {who}, the chief executive, and the mayor, {mayor}.",
        ),
        details=(
            "the plant will employ {jobs} people, [a third of them engineers|many of them straight from college].",
            "its machines will etch circuits [thinner than anything made in {country} so far|two generations ahead].",
            "{product} have been in short supply since last year, and delivery times have doubled.",
            "the site will draw its water from the {river} and return most of it [clean|filtered].",
            "{mayor_ms} said that the city would pay for [a road|a tram stop] to the gates.",
            "customers include carmakers and the makers of telephones.",
        ),
        quotes=(
            '"A chip that is designed here should be made here," {who_ms} said.',
            '"We offered land, water and [good schools|a promise], and they said yes," {mayor_ms} said.',
        ),
        background=(
            "{company_short} has made {product} in {abroad} until now.",
            "four regions had competed for the plant.",
        ),
        outcomes=(
            "the first {product} are to leave the plant in two years.",
            "a decision on a second hall is due by the end of the year.",
        ),
    ),
    Kind(
        "airline_routes",
        ("business", "travel"),
        cast={"company": "airline", "who": "chief@company", "airport": "official"},
        options={"season": ("summer", "winter", "autumn", "spring")},
        figures={"routes": count(4, 14), "planes": count(3, 9), "fare": price(29, 89, 5)},
        titles=(
            "{company_title} to [add|launch|open] {routes} routes from {place}",
            "{company_title} [bets on|expands at] {place} airport",
            "Flights from {place} at {fare} as {company_title} grows",
        ),
        leads=(
            "{company} will fly {routes} new routes from {place} this {season}, chief executive {who} said on "
            "{day}, with {airport}, who manages the airport.",
            "the airline {company} is to base {planes} planes in {place} and open {routes} routes, {who}, the chief "
            "executive, said on {day}; {airport}, the airport's manager, spoke of a turning point.",
            "{who}, chief executive of {company}, announced {routes} routes from {place} on {day}, with fares from "
            "{fare}, after a year of talks with {airport}, manager of the airport.",
        ),
        details=(
            "tickets go on sale at {fare}, [bags not included|for a single flight].",
            "{abroad} is among the destinations, [for the first time in ten years|with daily flights].",
            "{company_short} filled [nine seats in ten|more seats than its rivals] last {season}.",
            "the airport will [lower its landing fees|add a second security lane].",
            "hotels in {region} have asked for [later|weekend] flights for years.",
            "{planes} planes and their crews will be stationed there.",
        ),
        quotes=(
            '"We go where people want to travel and where the costs make sense," {who_ms} said.',
            '"Passengers from {region} have had to start their holidays on a bus," {airport_ms} said.',
        ),
        background=(
            "two airlines have left {place} since {since}.",
            "{company_short} began with a single leased plane.",
        ),
        outcomes=(
            "the first flight leaves in time for the {season} holidays.",
            "bookings open on {next_day}.",
        ),
    ),
    Kind(
        "fraud_trial",
        ("business", "crime"),
        cast={"company": "bank", "who": "prosecutor", "accused": "banker", "lawyer": "lawyer"},
        options={"paper": ("invoices", "loan files", "audit reports", "customer accounts")},
        figures={"loss": money(14, 260), "years": count(3, 9)},
        titles=(
            "Former {company_title} manager [on trial|in court] over missing {loss}",
            "{accused_last} trial opens with claims of forged {paper}",
            "Court hears how {company_title} lost {loss}",
            "{accused_last} [denies|disputes] role in {loss} loss at {company_title}",
        ),
        leads=(
            "{accused}, a former manager of {company}, went on trial in {place} on {day} over {loss} that the "
            "prosecutor {who} said had vanished behind forged {paper}.",
            "forged {paper} cost {company} {loss}, the prosecutor {who} told a court in {place} on {day} at the "
            "start of the trial of {accused}, once a manager there.",
            "a court in {place} began hearing the case against {accused} on {day}, whom the prosecutor {who} "
            "accuses of hiding losses of {loss} at {company}.",
        ),
        details=(
            "the defence says that the accused [followed orders|hid nothing].",
            "the judge was shown {paper} that [bore the same signature|had been written in a single afternoon].",
            "shareholders of {company_short} filled the public seats.",
            "if convicted, {accused_ms} faces up to {years} years in prison.",
            "auditors at {company_short} noticed the gap only when [a clerk fell ill|a branch was closed].",
            "the bank has set aside {loss} for the affair.",
        ),
        quotes=(
            '"These {paper} were not mistakes, they were a method," {who_ms} told the court.',
            '"My client trusted the wrong people," said {lawyer}, who speaks for the defence.',
        ),
        background=(
            "the shares of {company_short} lost a quarter of their value when the case became known.",
            "{accused_ms} left the bank {decade} months ago.",
        ),
        outcomes=(
            "a verdict is expected in the spring.",
            "the trial continues on {next_day}, when the first auditor will speak.",
        ),
    ),
    Kind(
        "club_sale",
        ("business", "sports"),
        cast={"club": "club", "who": "chair@club", "investor": "investor"},
        options={"plan": ("a new stand", "a youth academy", "a women's team", "a training ground")},
        figures={"price": money(24, 310), "stake": percent(51, 90)},
        titles=(
            "{club} [sold|changes hands] for {price}",
            "{investor_last} [buys|takes control of] {club}",
            "Fans [wary|hopeful] as {investor_last} takes over at {club}",
        ),
        leads=(
            "the investor {investor} has bought {stake} of {club} for {price}, the club's chair, {who}, said on {day}.",
            "{club} was sold on {day} to {investor}, an investor, for {price}, ending months of talks led by {who}, "
            "the chair.",
            "{who}, chair of {club}, confirmed on {day} that {investor}, an investor, will take over the club in a "
            "deal worth {price}.",
        ),
        details=(
            "{investor_ms} promised to pay for {plan}.",
            "the club's debts, [run up over a decade|most of them owed to a bank], will be cleared.",
            "a supporters' group [holds|will keep] one share and a seat on the board.",
            "season tickets will [cost the same next year|not become dearer for two years].",
            "accounts show that {club_short} lost money in all but one of the past six seasons.",
            "the league must [check|approve] every new owner.",
        ),
        quotes=(
            '"A football club is not a toy, and I have not bought one," {investor_ms} said.',
            '"We looked for a buyer who would still be here after [a bad season|relegation]," {who_ms} said.',
        ),
        background=(
            "{club_short} has had three owners in ten years.",
            "{investor_ms} made a fortune in [packaging|shipping|car parts].",
        ),
        outcomes=(
            "the sale will be complete once the league has approved it.",
            "the new board meets for the first time on {next_day}.",
        ),
    ),
    Kind(
        "food_recall",
        ("business", "health"),
        cast={"company": "foodmaker", "who": "chief@company", "doctor": "official@health_agency"},
        options={"food": ("yoghurt", "fruit salad", "smoked fish", "baby food", "muesli")},
        figures={"packs": count(12000, 90000, 1000), "ill": count(6, 48)},
        titles=(
            "{company_title} recalls {food} after {ill} fall ill",
            "[Shops clear shelves of|Warning over] {company_title} {food}",
            "{who_last} [apologises|says sorry] for tainted {food}",
        ),
        leads=(
            "{company} is recalling {packs} packs of {food} after {ill} people fell ill, {who}, its chief "
            "executive, said on {day}; {doctor} of the public health agency advised customers to throw them away.",
            "{packs} packs of {food} made by {company} were taken off the shelves on {day} on the advice of "
            "{doctor}, of the public health agency, and {who}, the chief executive, apologised.",
            "the food company {company} asked customers on {day} to return its {food}, which {doctor} of the public "
            "health agency linked to {ill} cases of illness; the chief executive, {who}, promised refunds.",
        ),
        details=(
            "the {food} was made at a plant near {place}, [where the line has been stopped|which was closed at once].",
            "most of the {ill} patients have [recovered|left hospital].",
            "tests point to [a cleaning fault|a broken seal|a faulty pump].",
            "shares in {company_short} lost [a tenth|a fifth] of their value.",
            "{doctor_ms} said that the risk was [highest for small children|low for healthy adults].",
            "supermarkets in {region} have [cut their orders|put up notices].",
        ),
        quotes=(
            '"We let our customers down, and we will find out why," {who_ms} said.',
            '"If in doubt, [do not eat it|throw it away]," {doctor_ms} said.',
        ),
        background=(
            "{company_short} sells {food} in four countries.",
            "recalls of food have become more frequent since testing was tightened.",
        ),
        outcomes=(
            "the plant will stay closed until inspectors have been there twice.",
            "results of further tests are expected on {next_day}.",
        ),
    ),
)
