"""Politics, and its borders with business, health, crime and the environment."""

from pipeline.sources.newsroom.kinds import Kind, count, money, percent, price

KINDS = (
    Kind(
        "bill_vote",
        ("politics",),
        cast={"ministry": "justice_ministry", "who": "minister@ministry", "rival": "lawmaker"},
        options={"bill": ("rent", "inheritance", "data protection", "broadcasting", "land registry", "jury service")},
        figures={"votes": count(96, 140), "against": count(41, 95)},
        titles=(
            "Parliament passes {bill} bill by {votes} votes to {against}",
            "{who_last} wins [close|late-night|disputed] vote on {bill} bill",
            "[Lawmakers back|Parliament backs] {bill} bill after [two-day|heated|marathon] debate",
            "{rival_last} and allies fail to stop {bill} bill",
        ),
        leads=(
            "parliament [approved|passed] a [long-awaited|disputed|much-amended] {bill} bill on {day}, handing "
            "{who}, the {who_role}, [a clear victory|a rare win] over critics led by {rival}, a lawmaker from "
            "{place}.",
            "by {votes} votes to {against}, lawmakers on {day} backed a {bill} bill drawn up by {who}, the "
            "{who_role}, over the objections of {rival}, who speaks for {place} in parliament.",
            "the {bill} bill put forward by {who}, the {who_role}, cleared parliament on {day} [after months of "
            "argument|after a debate that ran past midnight], and lawmaker {rival} promised to fight on.",
        ),
        details=(
            "[Several|A handful of] lawmakers from the governing side [stayed away|abstained], and the final count "
            "was {votes} to {against}.",
            "{rival_ms} had asked for the {bill} rules to be tried out in {region} first, but the amendment fell.",
            "under the bill, [local councils|regional offices] will have two years to put the new rules in place.",
            "{ministry} says the change will cost [little|less than the present system] once it is up and running.",
            "the public gallery was full for the debate, and the session was [halted twice by shouting|suspended "
            "once].",
            "an earlier version was [withdrawn|sent back to committee] last year after complaints from {region}.",
        ),
        quotes=(
            '"This is [a good day|the right result] for everyone who has waited [too long|years] for a fair {bill} '
            'law," {who_ms} said after the vote.',
            '"They [rushed this through|wrote this law on the back of an envelope], and families will pay for it," '
            "{rival_ms} told the chamber.",
        ),
        background=(
            "the present {bill} law is older than most of the lawmakers who voted on it.",
            "{who_ms} made the {bill} bill a [centrepiece|test] of the government's programme when parliament opened.",
        ),
        outcomes=(
            "the bill now goes to the upper house, which is expected to vote on it before the summer.",
            "the new rules will take effect at the start of next year.",
            "the head of state is expected to sign the bill within ten days.",
        ),
    ),
    Kind(
        "election_poll",
        ("politics",),
        cast={"party": "party", "who": "leader@party", "rival": "lawmaker"},
        options={"issue": ("housing", "wages", "schools", "pensions", "roads")},
        figures={"share": percent(31, 44), "lead": count(2, 9), "asked": count(1000, 2400, 100)},
        titles=(
            "{party_title} [pulls ahead|takes the lead] as election nears",
            "Poll puts {who_last} {lead} points in front",
            "{who_last} [courts|seeks] votes in {place} with promise on {issue}",
        ),
        leads=(
            "{party} of {who} has [moved ahead of|overtaken] the governing coalition, according to a poll published "
            "on {day} that puts its support at {share}.",
            "{who}, leader of {party}, told a [crowded|noisy] rally in {place} on {day} that the election would be "
            "decided on {issue}, as a poll gave the party a lead of {lead} points.",
            "with the election weeks away, a survey released on {day} shows {party}, led by {who}, on {share}.",
        ),
        details=(
            "{asked} voters were asked; among those under 30 the lead was [twice as large|even wider].",
            "support has [slipped|fallen] most in {region}, where the governing coalition won every seat last time.",
            "one voter in five said {issue} mattered more than anything else.",
            "{rival}, a lawmaker for the coalition, said that [polls had been wrong before|most voters decide late].",
            "the party plans [a bus tour|rallies] through {region} and along the {river} before polling day.",
            "turnout is expected to be [high|the highest in a generation].",
        ),
        quotes=(
            '"People in {place} do not ask me about polls, they ask me about {issue}," {who_ms} said.',
            '"We have not won anything yet," {who_ms} told supporters. "[Knock on one more door|Make one more call] '
            'tonight."',
        ),
        background=(
            "{party} has been out of government for [eight|eleven|twelve] years.",
            "the last election was settled by fewer than 9,000 votes in {region}.",
        ),
        outcomes=(
            "the two leaders will meet for a televised debate on {next_day}.",
            "a final round of polls is due on {next_day}, after which none may be published.",
        ),
    ),
    Kind(
        "minister_resigns",
        ("politics",),
        cast={"ministry": "ministry", "who": "minister@ministry", "rival": "lawmaker"},
        options={"reason": ("a leaked letter", "a quarrel about spending", "a botched reform", "an unpopular decree")},
        figures={"months": count(5, 30)},
        titles=(
            "{who_role} {who_last} [quits|resigns|steps down] over {reason}",
            "{who_last} [quits|leaves] government after {months} months",
            "Calls for reshuffle as {who_last} [walks out|steps down]",
        ),
        leads=(
            "{who} [resigned|stepped down] as {who_role} on {day}, [bowing to pressure|giving in to critics] after "
            "{reason}.",
            "after {months} months in office, {who_role} {who} has left the government over {reason}, it was "
            "announced on {day}.",
            "the government lost its {who_role} on {day} when {who} [handed in|offered] a resignation [prompted "
            "by|that followed] {reason}.",
        ),
        details=(
            "the opposition had called for the resignation [every week since the spring|as soon as the affair broke].",
            "colleagues said the decision was taken [at a short meeting|over the weekend].",
            "staff at {ministry_noun} learned of the news [from the radio|in a two-line message].",
            "{who_ms} will keep the seat in parliament, and the pay that comes with it.",
            "it is the third departure from the cabinet in a year.",
        ),
        quotes=(
            '"I had become the story, and that helps nobody," {who_ms} said outside the ministry.',
            '"One resignation does not [mend|fix] a policy," said {rival}, an opposition lawmaker.',
        ),
        background=(
            "{who_ms} was once seen as a future party leader.",
            "the affair began when [a newspaper in {place}|an auditor] asked for papers that the ministry withheld.",
        ),
        outcomes=(
            "a successor will be named on {next_day}.",
            "a deputy will run {ministry} until parliament returns.",
        ),
    ),
    Kind(
        "foreign_talks",
        ("politics",),
        cast={"who": "minister@foreign_ministry", "envoy": "envoy"},
        options={
            "matter": ("fishing rights", "a shared border post", "student visas", "a gas pipeline", "customs rules")
        },
        figures={"hours": count(3, 11), "years": count(2, 9)},
        titles=(
            "{country} and {abroad} [reach accord|agree] on {matter}",
            "Talks with {abroad} [make progress|end in handshake] in {place}",
            "{who_last} hails deal with {abroad} on {matter}",
        ),
        leads=(
            "{who}, the {who_role}, and {envoy}, the envoy of {abroad}, [reached an understanding|settled their "
            "differences] on {matter} in {place} on {day}.",
            "{country} and {abroad} have agreed on {matter} after {years} years of on-and-off talks, {who}, the "
            "{who_role}, announced on {day} beside the envoy {envoy}.",
            "an agreement with {abroad} on {matter} was signed in {place} on {day} by {who}, the {who_role}, and "
            "the envoy {envoy}.",
        ),
        details=(
            "the final round of talks lasted {hours} hours, [with a single break|most of it behind closed doors].",
            "{envoy_ms} arrived in {place} [a day early|without the usual delegation], which diplomats took as a "
            "good sign.",
            "officials declined to publish the text before both parliaments have seen it.",
            "fishermen and hauliers in {region} have asked for [clear rules|an end to the quarrel] for years.",
            "a protest outside the talks [drew a few dozen people|passed off quietly].",
        ),
        quotes=(
            '"Neither side got all that it wanted, which is what a [fair|decent] agreement looks like," {who_ms} said.',
            '"We were neighbours before we were negotiators," {envoy_ms} said.',
        ),
        background=(
            "relations with {abroad} cooled {years} years ago, when both countries called their ambassadors home.",
            "the two countries trade less today than they did a generation ago.",
        ),
        outcomes=(
            "both parliaments must ratify the agreement before it takes effect.",
            "a joint commission will meet for the first time next month.",
        ),
    ),
    Kind(
        "tax_plan",
        ("politics", "business"),
        cast={"company": "retailer", "who": "chief@company", "minister": "minister@finance_ministry"},
        options={"levy": ("payroll levy", "packaging levy", "tax on empty shops", "tax on warehouses")},
        figures={"rate": percent(2, 9), "cost": money(3, 28), "yield": money(220, 900, 10)},
        titles=(
            "[Row over|Anger at|Doubts about] plan for {levy} of {rate}",
            "{company_title} says {levy} would cost it {cost}",
            "{minister_last} [defends|stands by] {levy} as companies protest",
            "Companies [brace|prepare] for {levy}",
        ),
        leads=(
            "a plan by {minister}, the {minister_role}, to bring in a {levy} of {rate} [met resistance|drew "
            "protests] on {day} from employers, among them {who}, chief executive of {company}.",
            "{company} would pay {cost} a year under a {levy} proposed by {minister}, the {minister_role}, the "
            "company's chief executive, {who}, said on {day}.",
            "the government wants to introduce a {levy} of {rate}, {minister}, the {minister_role}, said on {day}, "
            "and {who}, who runs {company}, answered that prices would rise.",
        ),
        details=(
            "the {levy} would bring in {yield} in its first year, by the government's own count.",
            "firms with fewer than 20 [staff|employees] would be [spared|exempt].",
            "{minister_ms} said that larger firms had paid less than their share [for years|for too long].",
            "shares in {company_short} [fell slightly|lost ground|dipped] after the plan was made public.",
            "chambers of commerce in {region} have asked for [a delay|a meeting with the government].",
            "several lawmakers said they would [wait for the small print|vote for a lower rate].",
        ),
        quotes=(
            '"Every dollar that goes to the {levy} is a dollar that does not go to [wages|new shops]," {who_ms} said.',
            '"We have listened to business, and we have listened to voters, and the rate is fair," {minister_ms} said.',
        ),
        background=(
            "a similar {levy} was dropped {decade} years ago after companies threatened to leave {region}.",
            "company taxes have been cut twice since the last election.",
        ),
        outcomes=(
            "parliament will vote on the {levy} in the autumn.",
            "the government promised to publish a study of the effects by {next_day}.",
        ),
    ),
    Kind(
        "hospital_funding",
        ("politics", "health"),
        cast={"hospital": "hospital", "who": "director@hospital", "minister": "minister@health_ministry"},
        options={"unit": ("maternity ward", "emergency department", "stroke unit", "children's ward")},
        figures={"sum": money(6, 48), "beds": count(14, 60), "signed": count(4000, 19000, 500)},
        titles=(
            "{hospital} [to keep|saves] {unit} with {sum} from government",
            "{minister_last} promises {sum} for {hospital}",
            "[Relief|Cautious welcome] in {place} as {unit} is spared",
            "Future of {unit} in {place} [settled|secured] for now",
        ),
        leads=(
            "the government will give {hospital} {sum} to keep its {unit} open, {minister}, the {minister_role}, "
            "said on {day} during a visit with the hospital's director, {who}.",
            "the {unit} at {hospital} will not close after all, its director, {who}, said on {day}, after "
            "{minister}, the {minister_role}, found {sum} for it.",
            "{minister}, the {minister_role}, [pledged|promised] {sum} on {day} for {hospital}, where {who}, the "
            "director, had warned that the {unit} would have to shut.",
        ),
        details=(
            "the {unit} has {beds} beds and serves [most of|the whole of] {region}.",
            "a petition to save it was signed by {signed} people.",
            "nurses had been told to prepare for [transfers|a closure] by the end of the year.",
            "the money comes from [a reserve|a fund for rural services] that parliament must renew each year.",
            "the next nearest {unit} is an hour away [by road|on the far side of the {river}].",
            "opposition lawmakers asked why the decision [took so long|came so soon before the elections].",
        ),
        quotes=(
            '"This buys us time; it does not [buy us doctors|solve the shortage of nurses]," {who_ms} said.',
            '"Nobody in {place} should have to [travel for an hour|cross the region] in an emergency," '
            "{minister_ms} said.",
        ),
        background=(
            "{hospital} has run at a loss for [four|five|six] years in a row.",
            "three small hospitals in {region} have closed since the last reform.",
        ),
        outcomes=(
            "the first part of the money will be paid next month.",
            "a review of all wards in {region} is due before the end of the year.",
        ),
    ),
    Kind(
        "bribery_inquiry",
        ("politics", "crime"),
        cast={"suspect": "mayor", "who": "prosecutor", "company": "builder"},
        options={"contract": ("a school roof", "a bypass", "a tram depot", "a town hall extension", "street lighting")},
        figures={"sum": price(18000, 95000, 1000), "boxes": count(12, 40)},
        titles=(
            "[Mayor|City hall] faces inquiry over contract for {contract}",
            "Prosecutors search office of {suspect_last}",
            "{suspect_last} [denies taking|rejects claim of] bribes over {contract}",
            "Inquiry into {company_title} contract [widens|reaches city hall]",
        ),
        leads=(
            "prosecutors have opened an inquiry into whether {suspect}, a long-serving mayor in {region}, took "
            "{sum} from {company} over a contract for {contract}, {who}, who leads the case, said on {day}.",
            "police searched the office of the mayor {suspect} on {day} in an inquiry into a contract for "
            "{contract} that went to {company}, the prosecutor {who} said.",
            "{who}, a prosecutor in {place}, [confirmed|said] on {day} that {suspect}, a mayor in {region}, is "
            "under investigation over a contract with {company} for {contract}.",
        ),
        details=(
            "officers [carried|took] {boxes} boxes of papers out of the city hall.",
            "{company_short} won the contract although [two cheaper offers|a lower bid] had been made.",
            "investigators are looking at [a payment|several payments] of {sum} in all.",
            "{suspect_ms} denies any wrongdoing and has not been charged.",
            "opposition councillors [called for|demanded] a special sitting of the council.",
            "{company_short} said that it was [helping the inquiry|working with investigators].",
        ),
        quotes=(
            '"We follow the money, whoever it leads to," {who_ms} said.',
            '"I have nothing to hide, and I will stay in office," {suspect_ms} told reporters.',
        ),
        background=(
            "it is the second inquiry into public contracts in {region} within a year.",
            "{suspect_ms} was first elected on a promise to clean up the city's finances.",
        ),
        outcomes=(
            "a judge will decide on {next_day} whether the case goes ahead.",
            "the council suspended the contract until the inquiry is over.",
        ),
    ),
    Kind(
        "clean_air_zone",
        ("politics", "environment"),
        cast={"who": "mayor", "critic": "campaigner"},
        options={"vehicle": ("older diesel cars", "heavy lorries", "delivery vans", "coaches")},
        figures={"fee": price(4, 16), "streets": count(14, 60), "drop": percent(8, 27)},
        titles=(
            "{place} [to charge|plans to charge] {vehicle} {fee} a day",
            "Council in {place} [backs|approves] clean air zone",
            "{who_last} [pushes ahead|presses on] with clean air zone",
            "Campaigners [welcome|split over] {fee} charge on {vehicle}",
        ),
        leads=(
            "the council of {place} voted on {day} to charge {vehicle} {fee} a day in a clean air zone of {streets} "
            "streets, a plan that {who}, the mayor, [has pursued for years|put to voters], and that {critic}, a "
            "campaigner, called overdue.",
            "{vehicle} will pay {fee} to enter the centre of {place} under a clean air plan that {who}, the mayor, "
            "presented on {day} with the campaigner {critic}.",
            "{who}, the mayor, won the council's approval on {day} for a clean air zone in {place}, where {critic}, "
            "a campaigner, has measured exhaust fumes for years.",
        ),
        details=(
            "the city expects [fumes|nitrogen dioxide levels] to fall by {drop} within two years.",
            "residents with a permit will [pay half|be exempt for the first year].",
            "traders in {streets} streets say that [deliveries|their customers] will suffer.",
            "cameras at the bridges over the {river} will read number plates.",
            "the vote was close, and [two councillors changed sides|the debate lasted into the evening].",
            "{critic_ms} said that the zone should [reach the ring road|include the harbour].",
        ),
        quotes=(
            '"Children in this city breathe what our [engines|exhausts] leave behind," {who_ms} said.',
            '"It is a start, and it comes ten years late," {critic_ms} said.',
        ),
        background=(
            "the air in {place} has been [over the legal limit|worse than the law allows] for six years in a row.",
            "a first attempt at such a zone was stopped by a court.",
        ),
        outcomes=(
            "the charge will be collected from the first of January.",
            "the government must still [approve|sign off] the plan.",
        ),
    ),
    Kind(
        "transport_strike",
        ("politics", "business", "travel"),
        cast={"company": "railway", "who": "unionist", "boss": "chief@company"},
        options={"staff": ("drivers", "signal workers", "conductors", "maintenance crews")},
        figures={"offer": percent(2, 4), "claim": percent(6, 11), "trains": count(120, 480, 10)},
        titles=(
            "{staff} at {company_title} [walk out|strike] over pay",
            "Strike halts {trains} trains [across|in] {region}",
            "No trains to {place} as {staff} walk out",
            "{boss_last} and union [trade blame|dig in] as strike [begins|bites]",
        ),
        leads=(
            "{staff} at {company} walked out on {day} in a dispute over pay, and {who}, leader of their union, said "
            "that the strike could last for weeks; {boss}, the chief executive, called it needless.",
            "a strike by {staff} stopped {trains} trains on {day}, leaving platforms in {place} [empty|deserted], "
            "as {company}, run by {boss}, and the union of {who} failed to agree on pay.",
            "talks between {company} and its {staff} broke down on {day}, and the union leader {who} called a "
            "strike that {boss}, the chief executive, had tried to avert.",
        ),
        details=(
            "the union wants {claim} more pay; the company has offered {offer}.",
            "{trains} trains were cancelled on the first day alone.",
            "buses between {place} and the coast were [full by seven in the morning|overcrowded].",
            "the government said that it would [not step in|watch the talks closely].",
            "hotels and factories in {region} reported [late staff|empty desks].",
            "{boss_ms} said that the claim would add [millions|a fortune] to the cost of tickets.",
        ),
        quotes=(
            '"Our members kept this country moving, and now they cannot pay [their rent|their bills]," {who_ms} said.',
            '"The offer on the table is the [best|most] we can afford," {boss_ms} said.',
        ),
        background=(
            "the last long strike on the railways ended with a law that obliges both sides to talk.",
            "pay at {company_short} has risen more slowly than prices for three years.",
        ),
        outcomes=(
            "a mediator has asked both sides to return to the table on {next_day}.",
            "a further walkout is planned for {next_day} unless the offer improves.",
        ),
    ),
)
