"""Environment and weather."""

from pipeline.sources.newsroom.kinds import Kind, count

KINDS = (
    Kind(
        "storm_warning",
        ("environment",),
        cast={"service": "weather_service", "who": "official@service", "farmer": "farmer"},
        options={"threat": ("heavy rain", "gales", "hail", "a cold snap")},
        figures={"speed": count(90, 150, 5), "rain": count(40, 160, 5)},
        titles=(
            "Warning of {threat} [for|in] {region}",
            "{region} [braces for|prepares for] {threat}",
            "{threat} ahead: what to expect in {place}",
        ),
        leads=(
            "the weather service warned of {threat} in {region} on {day}; {who}, who was on duty, asked people to "
            "stay at home, and the farmer {farmer} brought in the animals.",
            "{threat} will reach {region} within hours, {who} of the weather service said on {day}, and {farmer}, "
            "who farms near {place}, spent the morning tying things down.",
            "{who}, a forecaster at the weather service, issued the second highest warning for {region} on {day} "
            "because of {threat}, and {farmer}, a farmer near {place}, fears for the harvest.",
        ),
        details=(
            "up to {rain} millimetres of rain may fall by the morning.",
            "wind of {speed} kilometres an hour is possible on high ground.",
            "the fire brigade has filled [3,000|8,000] sandbags.",
            "the level of the {river} is being checked every hour.",
            "parks and cemeteries will stay closed.",
            "{farmer_ms} lost [a barn roof|half a field of barley] in the last storm.",
        ),
        quotes=(
            '"Do not go out to look at it, it will come to you," {who_ms} said.',
            '"You can insure a roof, but not a year\'s work," {farmer_ms} said.',
        ),
        background=(
            "the soil in {region} is too dry to take up much water.",
            "a storm killed two people in {region} last year.",
        ),
        outcomes=(
            "the warning stands until the evening of {next_day}.",
            "calmer weather is expected from {next_day}.",
        ),
    ),
    Kind(
        "wildfire",
        ("environment",),
        cast={"who": "fire_chief", "ranger": "ranger"},
        options={"wood": ("pine forest", "heath", "beech wood", "peat bog")},
        figures={"area": count(60, 1900, 10), "crews": count(90, 700, 10), "homes": count(14, 240)},
        titles=(
            "{crews} firefighters battle blaze near {place}",
            "{wood} fire [forces evacuation of|threatens] {homes} homes",
            "Fire near {place} [under control|still spreading] after {area} hectares burn",
        ),
        leads=(
            "a fire has burned {area} hectares of {wood} near {place}, {who}, who leads the fire brigade, said on "
            "{day}; {ranger}, a ranger, had raised the alarm.",
            "{crews} firefighters fought a fire in a {wood} near {place} on {day}, and {who}, the fire chief, had "
            "{homes} homes cleared; the ranger {ranger} guided the crews.",
            "residents of {homes} homes near {place} had to leave on {day} because of a fire in a {wood}, the fire "
            "chief, {who}, said, while the ranger {ranger} looked for walkers.",
        ),
        details=(
            "two aircraft took up water from the {river}.",
            "the smoke could be smelled in {place}.",
            "[a spark from a mower|a campfire|glass in the sun] may have started it.",
            "deer and [foxes|wild boar] were seen on the road.",
            "the wind turned [twice|during the night], and with it the flames.",
            "{ranger_ms} has not seen the ground so dry in twenty years.",
        ),
        quotes=(
            '"We can stop a fire, but we cannot stop the wind," {who_ms} said.',
            '"It will take my grandchildren\'s lifetime to grow back," {ranger_ms} said.',
        ),
        background=(
            "it has not rained in {region} for [five|six|seven] weeks.",
            "half of all such fires are caused by people.",
        ),
        outcomes=(
            "people may return to their homes on {next_day} if the wind stays low.",
            "crews will watch the embers until {next_day}.",
        ),
    ),
    Kind(
        "river_cleanup",
        ("environment",),
        cast={"who": "campaigner", "official": "official"},
        options={"waste": ("tyres", "bottles", "fishing nets", "shopping trolleys", "car batteries")},
        figures={"helpers": count(80, 900, 10), "tonnes": count(4, 38), "years": count(3, 12)},
        titles=(
            "{helpers} volunteers pull {tonnes} tonnes of waste from the {river}",
            "{waste} and more: what lay in the {river}",
            "{place} cleans its river",
        ),
        leads=(
            "{helpers} volunteers pulled {tonnes} tonnes of waste, much of it {waste}, out of the {river} near "
            "{place} on {day}, {who}, a campaigner who organised the day, said; {official}, of the water office, "
            "weighed it.",
            "the {river} near {place} is {tonnes} tonnes lighter: volunteers led by the campaigner {who} removed "
            "{waste} and other waste on {day}, and {official} of the water office counted them.",
            "{who}, a campaigner from {place}, led {helpers} people into the {river} on {day} to collect {waste}, "
            "and {official}, who works for the water office, promised to fine those who dump them.",
        ),
        details=(
            "the strangest find was [a piano|a safe, empty|a wedding dress].",
            "divers worked in pairs because of the current.",
            "the water office lent [boats and cranes|gloves and nets].",
            "tests show [less lead|more oxygen] in the water than {years} years ago.",
            "a [school class|rowing club|church choir] from {place} took part.",
            "bathing is still not allowed below the bridge.",
        ),
        quotes=(
            '"Nobody throws in the second tyre where there is no first," {who_ms} said.',
            '"The river does half of the cleaning if we let it," {official_ms} said.',
        ),
        background=(
            "such days have been held for {years} years.",
            "a tannery poured its waste into the {river} until it was closed.",
        ),
        outcomes=(
            "a second stretch will be cleaned in the autumn.",
            "the council will decide on {next_day} about a bathing place.",
        ),
    ),
    Kind(
        "heat_record",
        ("environment",),
        cast={"service": "weather_service", "who": "official@service", "farmer": "farmer"},
        options={"month": ("April", "May", "June", "September", "October")},
        figures={"degrees": count(29, 41), "days": count(14, 60), "old": count(12, 90)},
        titles=(
            "{degrees} degrees: {place} has hottest {month} day",
            "{month} heat breaks {old}-year-old record",
            "{place} [sweats|swelters] through record {month}",
        ),
        leads=(
            "{place} measured {degrees} degrees on {day}, more than on any {month} day before, {who} of the weather "
            "service said, and the farmer {farmer} has begun to water the fields.",
            "a {month} record that had stood for {old} years fell in {place} on {day}, according to {who} of the "
            "weather service; {farmer}, a farmer, looked at the sky in vain.",
            "after {days} days without rain, {place} measured {degrees} degrees on {day}, a record for {month}, "
            "{who}, of the weather service, said, and {farmer}, who grows wheat there, expects to lose a third of "
            "it.",
        ),
        details=(
            "the {river} is so low that [ships carry half loads|stones with old marks can be seen].",
            "schools sent children home at noon.",
            "the city opened [fountains|cool rooms] for old people.",
            "the ground is dry to a depth of more than a metre.",
            "{farmer_ms} pays for water by the tank.",
            "trams had to slow down because the rails had [swollen|bent].",
        ),
        quotes=(
            '"One hot day is weather; the table of the last thirty years is climate," {who_ms} said.',
            '"I have a well, and the well has its own opinion," {farmer_ms} said.',
        ),
        background=(
            "the five warmest years in {region} all lie in the past decade.",
            "measurements in {place} go back to {since}.",
        ),
        outcomes=(
            "thunderstorms are possible on {next_day}.",
            "watering lawns is forbidden from {next_day}.",
        ),
    ),
)
