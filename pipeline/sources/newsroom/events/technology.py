"""Technology, and its borders with crime, science and entertainment."""

from pipeline.sources.newsroom.kinds import Kind, count, money, percent, price

KINDS = (
    Kind(
        "phone_launch",
        ("technology",),
        cast={"company": "tech", "who": "chief@company", "critic": "reviewer"},
        options={
            "model": ("Arc", "Nova", "Tern", "Pico", "Lumen"),
            "feature": ("camera", "battery", "screen", "radio"),
        },
        figures={"price": price(299, 999, 50), "hours": count(19, 44)},
        titles=(
            "{company_title} [shows|unveils] {model} phone with [better|bigger] {feature}",
            "{model} phone goes on sale at {price}",
            "{company_title} {model}: {hours} hours on one charge",
        ),
        leads=(
            "{company} [unveiled|presented] a telephone called the {model} in {place} on {day}, and {who}, its "
            "chief executive, spent most of the show on the {feature}; {critic}, who reviews phones, was "
            "[impressed|not convinced].",
            "the {model}, a new phone by {company}, will cost {price} and run for {hours} hours, {who}, the chief "
            "executive, said on {day} to applause, though the reviewer {critic} missed a [headphone socket|memory "
            "slot].",
            "{who}, chief executive of {company}, held up a phone named {model} on {day} and promised {hours} hours "
            "of battery life, a figure that the reviewer {critic} wants to test.",
        ),
        details=(
            "the {feature} was developed [in secret for three years|together with a supplier in {abroad}].",
            "in tests by {critic_ms} the phone [lasted a long weekend|grew warm during calls].",
            "software updates are promised for seven years.",
            "the back cover can be removed [without tools|with a coin].",
            "it comes in [black, sand and green|four colours].",
            "orders on the first morning slowed the company's website to a crawl.",
        ),
        quotes=(
            '"We asked what people curse about, and the answer was the {feature}," {who_ms} said.',
            '"It is a good phone; whether it is a {price} phone is another matter," {critic_ms} said.',
        ),
        background=(
            "{company_short} ranks third among the makers of phones in {country}.",
            "the previous model was delayed by a lack of parts.",
        ),
        outcomes=(
            "the {model} goes on sale in {country} next month.",
            "a cheaper version will follow in the spring.",
        ),
    ),
    Kind(
        "app_update",
        ("technology",),
        cast={"company": "tech", "who": "engineer", "critic": "campaigner"},
        options={"app": ("messaging", "map", "calendar", "photo", "music")},
        figures={"users": count(3, 60), "days": count(10, 30)},
        titles=(
            "{company_title} {app} app [drops|loses] location tracking",
            "{company_title} [rewrites|overhauls] {app} app after complaints",
            "What changes in the {company_title} {app} app",
        ),
        leads=(
            "{company} released a new version of its {app} app on {day} that no longer [records where users "
            "go|reads the address book], {who}, who leads the team of engineers, said after pressure from the "
            "privacy campaigner {critic}.",
            "the {app} app by {company} will ask before it shares data, the engineer {who} said on {day}, a year "
            "after the campaigner {critic} filed a complaint.",
            "an update to the {app} app of {company}, out on {day}, deletes old data after {days} days, the "
            "engineer {who} wrote, and the campaigner {critic} called it a first step.",
        ),
        details=(
            "{users} million people use the app [at least once a week|every day].",
            "the update also [fixes a fault that drained batteries|brings back the old search box].",
            "messages are now encrypted [from end to end|by default].",
            "users of phones older than six years will not get the new version.",
            "{critic_ms} found that the old version contacted [eleven|nine|fourteen] advertising firms.",
            "the source code of the new part has been [published|opened to outsiders].",
        ),
        quotes=(
            '"We collected that data because we could, and that was the wrong reason," {who_ms} said.',
            '"A switch is no use if it is hidden [five menus deep|where nobody looks]," {critic_ms} said.',
        ),
        background=(
            "{company_short} earns most of its money with advertisements.",
            "the {app} app began as a student project.",
        ),
        outcomes=(
            "the update will reach all phones within {days} days.",
            "a version for desktop computers is planned for next year.",
        ),
    ),
    Kind(
        "outage",
        ("technology",),
        cast={"company": "tech", "who": "engineer"},
        options={"service": ("cloud storage", "email", "payment", "video call")},
        figures={"hours": count(2, 9), "customers": count(40000, 900000, 10000)},
        titles=(
            "{company_title} {service} service [down|offline] for {hours} hours",
            "[Faulty update|Cooling fault|Expired certificate] [knocks out|stops] {company_title} servers",
            "{customers} customers hit by {company_title} outage",
        ),
        leads=(
            "the {service} service of {company} was down for {hours} hours on {day}, and {who}, an engineer at the "
            "company, traced the fault to [a bad line of code|an expired certificate].",
            "{customers} customers could not use the {service} service of {company} on {day} after an update went "
            "wrong, according to {who}, the engineer in charge.",
            "a fault in a data centre near {place} took the {service} service of {company} offline on {day}, the "
            "company's engineer {who} said.",
        ),
        details=(
            "the servers [restarted in the wrong order|failed one after the other].",
            "no data was lost, according to {company_short}.",
            "shops in {region} [went back to paper|turned customers away].",
            "the status page showed green lights [for the first hour|until noon].",
            "a second data centre should have taken over but [did not|ran out of memory].",
            "engineers in {abroad} were called out of bed to help.",
        ),
        quotes=(
            '"We pushed a change to all machines at once, and we will not do that again," {who_ms} said.',
            '"Our alarm told us that all was well, so the alarm is the first thing we will mend," {who_ms} said.',
        ),
        background=(
            "it was the longest failure of the {service} service since it began.",
            "half of the web shops in {country} rely on {company_short} in some way.",
        ),
        outcomes=(
            "customers will be [paid back for|given] a month of fees.",
            "a full report will be published on {next_day}.",
        ),
    ),
    Kind(
        "delivery_robots",
        ("technology",),
        cast={"company": "tech", "who": "engineer", "mayor": "mayor"},
        options={"cargo": ("groceries", "parcels", "hot meals", "medicines")},
        figures={"robots": count(12, 80), "trips": count(900, 8000, 100)},
        titles=(
            "{robots} robots to deliver {cargo} in {place}",
            "{company_title} [sends|puts] delivery robots on streets of {place}",
            "Robots [learn|struggle] to cross the street in {place}",
        ),
        leads=(
            "{robots} robots made by {company} began delivering {cargo} in {place} on {day}, watched by {who}, the "
            "engineer who designed them, and {mayor}, the mayor.",
            "a trial with robots that carry {cargo} started in {place} on {day}; {who}, an engineer at {company}, "
            "walked behind the first one, and the mayor, {mayor}, took the first delivery.",
            "{company} has been allowed to test {robots} delivery robots in {place}, its engineer {who} said on "
            "{day} after the mayor, {mayor}, signed the permit.",
        ),
        details=(
            "each robot finds its way with [cameras and a laser|twelve small cameras].",
            "a human takes over by remote control when [a kerb is too high|the machine is stuck].",
            "in {trips} practice trips there were [two collisions, both with bins|no collisions].",
            "they travel no faster than a person walks.",
            "children have [given them names|drawn faces on two of them].",
            "the software is trained on video from the streets of {place}.",
        ),
        quotes=(
            '"The hard part is not driving, it is waiting politely," {who_ms} said.',
            '"If they block a pushchair even once, we will talk again," {mayor_ms} said.',
        ),
        background=(
            "{company_short} tested an earlier model on a university campus.",
            "two other cities have banned such machines from their pavements.",
        ),
        outcomes=(
            "the trial will last for six months.",
            "the council will decide on {next_day} about a second district.",
        ),
    ),
    Kind(
        "data_breach",
        ("technology", "crime"),
        cast={"company": "tech", "police": "police", "who": "detective@police", "engineer": "engineer"},
        options={"data": ("passwords", "home addresses", "card numbers", "private photos")},
        figures={"accounts": count(20000, 800000, 10000), "ransom": price(50000, 900000, 10000)},
        titles=(
            "Hackers steal {data} of {accounts} {company_title} customers",
            "Police hunt hackers after [theft of {data}|attack on {company_title}]",
            "{company_title} attackers [demand|ask for] {ransom}",
            "{data} of {accounts} people [leaked|for sale] after {company_title} breach",
        ),
        leads=(
            "hackers have stolen {data} of {accounts} customers of {company}, {who} of {police} said on {day}, and "
            "{engineer}, an engineer at the company, said that the gap had been closed.",
            "{police} are looking for hackers who took the {data} of {accounts} people from {company}, the officer "
            "in charge, {who}, said on {day}, after the engineer {engineer} noticed odd traffic.",
            "a group of hackers demanded {ransom} from {company} on {day} for stolen {data}; {who} of {police} "
            "advised against paying, and the engineer {engineer} is rebuilding the servers.",
        ),
        details=(
            "the attackers came in through [a forgotten test server|a supplier's account].",
            "they asked for {ransom}, [payable in a digital currency|to be paid within a week].",
            "{company_short} has [reset every password|written to all customers].",
            "some of the {data} [turned up|were offered] on a market for stolen files.",
            "officers have seized a computer in {abroad}.",
            "{engineer_ms} found traces of the attack in log files [eight|eleven|fourteen] weeks old.",
        ),
        quotes=(
            '"We know more about them than they think," {who_ms} said.',
            '"They did not break the lock; somebody had left a window open," {engineer_ms} said.',
        ),
        background=(
            "{company_short} was warned about weak passwords by a security firm last year.",
            "reports of such attacks in {region} have doubled in two years.",
        ),
        outcomes=(
            "an arrest is expected soon, according to investigators.",
            "the data protection office will decide whether to fine the company.",
        ),
    ),
    Kind(
        "computing_record",
        ("technology", "science"),
        cast={"university": "university", "who": "researcher@university", "engineer": "engineer"},
        options={"machine": ("quantum computer", "optical processor", "supercomputer", "neural chip")},
        figures={"hours": count(3, 20), "power": percent(8, 40), "grant": money(2, 30)},
        titles=(
            "{machine} at {university_title} [sets record|solves problem in {hours} hours]",
            "{university_title} team builds {machine} that uses {power} of the power",
            "New {machine} puts {place} on the map",
        ),
        leads=(
            "a {machine} at {university} has solved in {hours} hours a problem that kept others busy for weeks, "
            "{who}, who leads the project, said on {day}; the engineer {engineer} built its control system.",
            "researchers at {university} presented a {machine} on {day} that needs {power} of the power of its "
            "predecessor, according to {who}, the head of the team, and {engineer}, its chief engineer.",
            "{who}, a researcher at {university}, switched on a {machine} on {day} that was built with the engineer "
            "{engineer} and is the fastest in {country}.",
        ),
        details=(
            "the machine fills [a room in a cellar|three cupboards] and is cooled with [helium|water from the "
            "{river}].",
            "the calculation concerned the folding of [a protein|a membrane].",
            "the results, published in a journal, were checked by [two|three] other laboratories.",
            "a grant of {grant} paid for the work.",
            "software companies have asked for time on the machine.",
            "errors still [creep in every few minutes|have to be removed by repeating each step].",
        ),
        quotes=(
            '"The record is nice, but I care about what we can compute tomorrow," {who_ms} said.',
            '"Most of my job was keeping it cold," {engineer_ms} said.',
        ),
        background=(
            "{university} has worked on the {machine} for six years.",
            "laboratories in {abroad} held the record until now.",
        ),
        outcomes=(
            "the machine will be open to other research groups next year.",
            "a larger {machine} is already being planned.",
        ),
    ),
    Kind(
        "game_release",
        ("technology", "entertainment"),
        cast={"company": "gamemaker", "who": "designer", "critic": "critic"},
        options={"game": ("Lantern Road", "Salt and Iron", "Hollow Tide", "Nine Doors", "The Long Orchard")},
        figures={"copies": count(90000, 900000, 10000), "price": price(19, 69, 5), "years": count(3, 8)},
        titles=(
            "{game} sells {copies} copies in [first week|three days]",
            "{company_title} [releases|launches] {game} after {years} years",
            "{game} [charms|divides] critics",
        ),
        leads=(
            "{game}, a video game by {company}, sold {copies} copies in its first week, its lead designer, {who}, "
            "said on {day}; the critic {critic} called it the year's best so far.",
            "after {years} years of work, {company} released the game {game} on {day}, and {who}, the lead "
            "designer, watched as servers filled up; the critic {critic} praised its music.",
            "{who}, who designed {game} at {company}, answered fans on {day} as the game went on sale for {price} "
            "and the critic {critic} published an early review.",
        ),
        details=(
            "the story follows [a lighthouse keeper|two sisters|a retired courier] through [a drowned city|a "
            "country at war].",
            "players can [finish it alone or with friends|skip every fight].",
            "the graphics engine was [written from scratch|borrowed from an earlier title].",
            "an orchestra in {place} recorded the soundtrack.",
            "on older consoles the game [stutters|takes a minute to load].",
            "a television series based on it is [being discussed|planned].",
        ),
        quotes=(
            '"We wanted a world that goes on when you put the controller down," {who_ms} said.',
            '"I meant to play for an hour, and then it was [four in the morning|light outside]," {critic_ms} wrote.',
        ),
        background=(
            "{company_short} had to lay off staff while the game was late.",
            "games earn more than films and music together in {country}.",
        ),
        outcomes=(
            "an extra chapter is due in the autumn.",
            "a version for phones will follow next year.",
        ),
    ),
)
