"""Travel, and its borders with entertainment and the environment."""

from pipeline.sources.newsroom.kinds import Kind, count, money, percent, price

KINDS = (
    Kind(
        "hotel_opening",
        ("travel",),
        cast={"who": "hotelier", "guest": "travel_writer"},
        options={"house": ("lighthouse", "paper mill", "monastery", "railway station", "brewery")},
        figures={"rooms": count(14, 120), "rate": price(60, 320, 10), "cost": money(3, 28)},
        titles=(
            "Old {house} in {place} [becomes hotel|opens as hotel]",
            "A night in the {house}: {place} has a new hotel",
            "{rooms} rooms with a view of the {river}",
        ),
        leads=(
            "a hotel with {rooms} rooms opened in the old {house} in {place} on {day}, and {who}, who runs it, "
            "handed the first key to the travel writer {guest}.",
            "guests can now sleep in the old {house} of {place}, which {who} turned into a hotel with {rooms} "
            "rooms; it opened on {day}, and {guest}, a travel writer, was among the first to stay.",
            "{who} opened a hotel in a former {house} in {place} on {day}, a place that {guest}, who writes travel "
            "guides, calls worth a detour.",
        ),
        details=(
            "a double room costs {rate}, [breakfast included|with a boat trip on the {river}].",
            "the building had been empty [since {since}|for a generation].",
            "cooks from {region} serve [trout, dumplings and plum cake|fish from the {river}].",
            "there are no televisions, but there are [bicycles|binoculars] to borrow.",
            "the work took three years and cost {cost}.",
            "every second booking so far comes from {abroad}.",
        ),
        quotes=(
            '"We kept every crooked wall that we could," {who_ms} said.',
            '"The best thing about it is the silence at six in the morning," {guest_ms} said.',
        ),
        background=(
            "{place} had only one hotel until now.",
            "more visitors come to {region} since the cycle path was built.",
        ),
        outcomes=(
            "the restaurant opens to everyone on {next_day}.",
            "a garden with cabins is planned for next year.",
        ),
    ),
    Kind(
        "night_train",
        ("travel",),
        cast={"company": "railway", "who": "chief@company", "rider": "travel_writer"},
        options={"end": ("the coast", "the mountains", "the lakes", "the border")},
        figures={"fare": price(39, 149, 5), "hours": count(7, 14), "berths": count(90, 320, 10)},
        titles=(
            "Night train from {place} to {end} returns",
            "From {place} to {end} in {hours} hours, asleep",
            "{company_title} [brings back|revives] sleeper from {place}",
        ),
        leads=(
            "the night train from {place} to {end} runs again: {who}, chief executive of {company}, waved off the "
            "first one on {day}, with the travel writer {rider} on board.",
            "{company} put a sleeper train between {place} and {end} back on the timetable on {day}, {who}, the "
            "chief executive, said; {rider}, who writes about railways, slept badly and loved it.",
            "travellers can fall asleep in {place} and wake up close to {end} again, said {who}, who runs "
            "{company}, on {day}, and {rider}, a travel writer, took the first trip.",
        ),
        details=(
            "the journey takes {hours} hours and costs from {fare}.",
            "there are {berths} berths, [four to a cabin|some of them for families].",
            "breakfast is [a roll and strong coffee|brought to the bed].",
            "the carriages are [40 years old but freshly painted|rented from a railway in {abroad}].",
            "passengers may take bicycles, and dogs if the whole cabin agrees.",
            "the dining car was sold out [for weeks|before departure].",
        ),
        quotes=(
            '"People told us for years that they wanted it, so now they had better use it," {who_ms} said.',
            '"I woke up at every stop, and I would do it again," {rider_ms} said.',
        ),
        background=(
            "the old sleeper was given up {decade} years ago because nobody wanted to pay for new carriages.",
            "night trains are coming back in several countries.",
        ),
        outcomes=(
            "from next month it will run every night.",
            "tickets for the summer go on sale on {next_day}.",
        ),
    ),
    Kind(
        "visitor_numbers",
        ("travel",),
        cast={"board": "tourist_board", "who": "official@board", "host": "hotelier"},
        options={"reason": ("a mild autumn", "cheap flights", "a new cycle path", "a weak currency")},
        figures={"nights": count(120000, 980000, 10000), "change": percent(4, 27)},
        titles=(
            "{region} [counts|records] {nights} overnight stays",
            "Visitors to {region} up {change} [on|thanks to] {reason}",
            "Record season for hotels in {place}",
        ),
        leads=(
            "hotels and guest houses in {region} counted {nights} overnight stays this season, {change} more than "
            "last year, {who} of the tourist board said on {day}; {host}, who has a hotel in {place}, had to turn "
            "guests away.",
            "thanks to {reason}, the number of visitors to {region} rose by {change}, the tourist board's {who} "
            "said on {day}, and {host}, a hotelier in {place}, confirmed it.",
            "{place} had its best season since {since}, according to figures that {who} of the tourist board "
            "presented on {day} in the hotel of {host}.",
        ),
        details=(
            "most of the guests came from {abroad}.",
            "the average stay was [three|four] nights.",
            "camp sites did better than hotels.",
            "visitors spent more on [food|tours] and less on souvenirs.",
            "{host_ms} is looking for [cooks|chambermaids|drivers] for next year.",
            "some residents complain about [full buses|noise at night].",
        ),
        quotes=(
            '"We do not need more guests in July, we need them in March," {who_ms} said.',
            '"I have not had a free evening since May," {host_ms} said.',
        ),
        background=(
            "one job in nine in {region} depends on visitors.",
            "the season before was spoiled by rain.",
        ),
        outcomes=(
            "the board will spend the extra money on paths and signs.",
            "a visitors' tax is to be discussed on {next_day}.",
        ),
    ),
    Kind(
        "ferry_line",
        ("travel",),
        cast={"who": "captain", "rider": "travel_writer"},
        options={
            "boat": ("electric ferry", "paddle steamer", "car ferry", "hydrofoil"),
            "end": ("the islands", "the old spa", "the lighthouse", "the far shore"),
        },
        figures={"fare": price(4, 28), "seats": count(60, 420, 10), "minutes": count(25, 95, 5)},
        titles=(
            "{boat} to {end} [sets out|sails] from {place}",
            "New boat [links|joins] {place} and {end}",
            "{minutes} minutes to {end}: {boat} starts in {place}",
        ),
        leads=(
            "a {boat} to {end} set out from {place} for the first time on {day} under Captain {who}, and the travel "
            "writer {rider} stood at the rail.",
            "day trippers have been able to take a {boat} from {place} to {end} since {day}; {who}, the captain, "
            "made the first trip with {rider}, who writes guide books.",
            "Captain {who} took a {boat} from {place} to {end} in {minutes} minutes on {day}, on a first trip that "
            "the travel writer {rider} called gentle.",
        ),
        details=(
            "there is room for {seats} passengers [and twenty bicycles|and a small bar].",
            "a single trip costs {fare}, and children go free.",
            "the boat was built in {abroad} and [came here by river|was towed for nine days].",
            "in strong wind it will stay in the harbour.",
            "the road to {end} takes [three|four] times as long.",
            "cafes near the landing stage have ordered more chairs.",
        ),
        quotes=(
            '"On the water nobody asks you how much longer it takes," {who_ms} said.',
            '"Sit on the left for the view and on the right for the shade," {rider_ms} said.',
        ),
        background=(
            "the last regular boat stopped when the bridge was built.",
            "the line was paid for by [a lottery|the towns along the shore].",
        ),
        outcomes=(
            "there will be four trips a day until the autumn.",
            "tickets can be booked ahead from {next_day}.",
        ),
    ),
    Kind(
        "storm_disruption",
        ("travel", "environment"),
        cast={"service": "weather_service", "who": "official@service", "captain": "captain"},
        options={"cause": ("fog", "ice", "a gale", "snow")},
        figures={"flights": count(30, 240), "stranded": count(600, 9000, 100), "speed": count(85, 140, 5)},
        titles=(
            "{cause} [grounds|delays] {flights} flights in {place}",
            "{stranded} travellers stranded [by|in] {cause}",
            "Ferries [stay in harbour|cancelled] as {cause} [hits|reaches] {region}",
            "{cause} [brings|causes] travel chaos in {region}",
        ),
        leads=(
            "{cause} stopped flights and ferries in {region} on {day}, {who} of the weather service said, and "
            "{captain}, whose ferry lay in the harbour of {place}, did not expect to sail before {next_day}.",
            "{stranded} travellers were stranded in {place} on {day} because of {cause}; {who}, of the weather "
            "service, saw no end to it, and the ferry captain {captain} sent the crew home.",
            "{flights} flights were cancelled at the airport of {place} on {day} because of {cause}, and the ferry "
            "of Captain {captain} turned back; {who} of the weather service had warned of it.",
        ),
        details=(
            "gusts of {speed} kilometres an hour were measured at the coast during the night.",
            "camp beds were put up in [the departure hall|a sports hall].",
            "roads along the {river} were [closed|passable only at walking speed].",
            "some passengers shared taxis to {abroad}.",
            "trees fell on [the line to the coast|two campsites].",
            "the water in the harbour rose to the level of the quay.",
        ),
        quotes=(
            '"It is moving more slowly than we had hoped," {who_ms} said.',
            '"I have sailed here for thirty years, and today I stay ashore," {captain_ms} said.',
        ),
        background=(
            "such weather has become more frequent at this time of the year.",
            "the airport has asked for a second runway, partly because of the weather.",
        ),
        outcomes=(
            "traffic is expected to return to normal by {next_day}.",
            "a new warning will be issued on {next_day}.",
        ),
    ),
    Kind(
        "festival_visitors",
        ("travel", "entertainment"),
        cast={"who": "organiser", "host": "hotelier", "singer": "singer"},
        options={"festival": ("Harbour Lights", "the Lantern Festival", "Nine Stages", "the River Weekend")},
        figures={"guests": count(12000, 90000, 1000), "stages": count(3, 9), "rate": price(90, 480, 10)},
        titles=(
            "{guests} visitors expected at {festival}",
            "{place} [sold out|fully booked] for {festival}",
            "Where to sleep, what to hear: {festival} in {place}",
            "{singer_last} opens {festival} in {place}",
        ),
        leads=(
            "{festival} brought {guests} visitors to {place} on {day}, the organiser, {who}, said; the singer "
            "{singer} opened it, and the hotelier {host} let guests camp in the garden.",
            "no bed is free in {place} for {festival}, said the hotelier {host} on {day}, and {who}, who organises "
            "it, pointed to the singer {singer} as the reason.",
            "{who}, the organiser of {festival}, expects {guests} guests in {place}, where the singer {singer} will "
            "open the programme, it was announced on {day}; {host}, who owns a hotel, has been booked out for a "
            "year.",
        ),
        details=(
            "there are {stages} stages, [one of them on a boat|two of them free].",
            "hotels ask up to {rate} for a night.",
            "special trains run [until three in the morning|every twenty minutes].",
            "day tickets are gone, but [evening|children's] tickets are left.",
            "brass bands from {abroad} march through the old town.",
            "food stalls stretch along the {river}.",
        ),
        quotes=(
            '"We want people to come for the music and stay for the town," {who_ms} said.',
            '"My guests ask for two things, a late breakfast and earplugs," {host_ms} said.',
        ),
        background=(
            "the festival began with one stage and a borrowed tractor.",
            "last year a thunderstorm ended it early.",
        ),
        outcomes=(
            "it ends with fireworks on {next_day}.",
            "tickets for next year go on sale on {next_day}.",
        ),
    ),
)
