"""Science, and its border with the environment."""

from pipeline.sources.newsroom.kinds import Kind, count, money, percent, price

KINDS = (
    Kind(
        "space_probe",
        ("science",),
        cast={
            "agency": "space_agency",
            "who": "official@agency",
            "university": "university",
            "expert": "researcher@university",
        },
        options={
            "target": ("an icy moon", "an asteroid", "a dwarf planet", "a comet"),
            "probe": ("Heron", "Lantern", "Wanderer", "Pilgrim"),
        },
        figures={"images": count(40, 600, 10), "years": count(3, 11), "cost": money(140, 900, 10)},
        titles=(
            "{probe} probe [reaches|arrives at] {target}",
            "{probe} sends [first|sharp] pictures of {target}",
            "[Cheers|Relief] as {probe} probe [calls home|wakes up]",
        ),
        leads=(
            "after a journey of {years} years, the space probe {probe} reached {target} on {day}, {who} of the "
            "space agency said, and {expert}, of {university}, saw the first pictures.",
            "the probe {probe} has sent {images} pictures of {target}, {who}, of the space agency, said on {day}; "
            "{expert}, a researcher at {university}, called them a treasure.",
            "the space agency's probe {probe} woke from its long sleep near {target} on {day}, {who} said, to the "
            "relief of {expert}, whose team at {university} built one of its instruments.",
        ),
        details=(
            "signals take [fifty|forty] minutes to reach the earth.",
            "one picture shows [a ridge taller than any mountain on the earth|a field of boulders].",
            "the mission cost {cost}, [less than planned|a little more than planned].",
            "an instrument from {place} measures [dust|magnetic fields|water vapour].",
            "engineers had [lost contact for a day|rewritten the landing program in flight].",
            "{expert_ms} expects the data to keep students busy for a decade.",
        ),
        quotes=(
            '"It was so quiet in the control room that you could hear the clock," {who_ms} said.',
            '"We have one picture that nobody can explain, and that is the best kind," {expert_ms} said.',
        ),
        background=(
            "an earlier probe fell silent a week before its goal.",
            "{probe} is the size of a [delivery van|wardrobe].",
        ),
        outcomes=(
            "a landing will be tried in the spring.",
            "all data will be published within a year.",
        ),
    ),
    Kind(
        "fossil_find",
        ("science",),
        cast={"university": "university", "who": "researcher@university", "finder": "resident"},
        options={
            "animal": ("a giant salamander", "a feathered dinosaur", "an early whale", "a sabre-toothed cat"),
            "spot": ("a quarry", "a river bank", "a road cutting", "a cliff"),
        },
        figures={"age": count(11, 140), "bones": count(18, 190)},
        titles=(
            "Bones of {animal} [found|discovered] near {place}",
            "{age}-million-year-old fossil [comes to light|found] in {region}",
            "{finder_last} went for a walk and found {animal}",
        ),
        leads=(
            "the bones of {animal} that lived {age} million years ago have been found in {spot} near {place}, "
            "{who}, a researcher at {university}, said on {day}; {finder}, who was walking a dog there, saw them "
            "first.",
            "researchers led by {who} of {university} presented {bones} bones of {animal} on {day}, which {finder}, "
            "who lives nearby, had noticed in {spot}.",
            "{finder}, a resident of {region}, stumbled over the remains of {animal} in {spot}, {who} of "
            "{university} said on {day}.",
        ),
        details=(
            "the team has freed {bones} bones from the rock [with brushes and dental tools|in two summers].",
            "the skull is [nearly complete|as long as a door].",
            "its teeth suggest that it [ate fish|hunted at night].",
            "layers of ash made it possible to date the find.",
            "the site has been fenced off to keep collectors away.",
            "a cast will be shown at a museum in {place}.",
        ),
        quotes=(
            '"Every textbook drawing of this animal will have to be redrawn," {who_ms} said.',
            '"I thought it was a [broken pipe|piece of fence]," {finder_ms} said.',
        ),
        background=(
            "{region} was covered by a warm sea at that time.",
            "only two other finds of this kind are known, both from {abroad}.",
        ),
        outcomes=(
            "digging will go on until the first frost.",
            "the species will be named after the finder.",
        ),
    ),
    Kind(
        "science_prize",
        ("science",),
        cast={"university": "university", "who": "researcher@university", "judge": "scholar"},
        options={
            "topic": (
                "the sense of smell",
                "the age of stars",
                "prime numbers",
                "the memory of bees",
                "superconductors",
            )
        },
        figures={"sum": price(50000, 400000, 10000), "years": count(12, 40)},
        titles=(
            "{who_last} wins [science|national science] prize for work on {topic}",
            "Prize for research on {topic} goes to {place}",
            "{university_title} researcher {who_last} honoured",
        ),
        leads=(
            "{who}, a researcher at {university}, has won the national science prize for work on {topic}, {judge}, "
            "who chairs the jury, said on {day}.",
            "the national science prize goes to {who} of {university}, who has studied {topic} for {years} years, "
            "the jury under {judge} announced on {day}.",
            "{years} years of research on {topic} earned {who}, of {university}, the national science prize on "
            "{day}, awarded by a jury that {judge} chairs.",
        ),
        details=(
            "the prize is worth {sum}, [free of tax|to be spent on research].",
            "early papers on {topic} were [turned down|ignored] by the leading journals.",
            "a lecture with [a bathtub|a kitchen scale|a bicycle lamp] became famous among students.",
            "{judge_ms} called the work a model of patience.",
            "former students now lead laboratories in {abroad}.",
            "the most important result was confirmed only last year.",
        ),
        quotes=(
            '"I was about to wash the dishes when they called, and then I did not," {who_ms} said.',
            '"Nobody who has read these papers will forget them," {judge_ms} said.',
        ),
        background=(
            "the prize has been awarded every year for half a century.",
            "{university} last had a winner {decade} years ago.",
        ),
        outcomes=(
            "the medal will be handed over at a ceremony in the spring.",
            "{who_ms} will give a public lecture on {next_day}.",
        ),
    ),
    Kind(
        "telescope",
        ("science",),
        cast={"university": "university", "who": "researcher@university", "colleague": "scholar"},
        options={"object": ("a pair of black holes", "a planet with rain", "a dying star", "a faint galaxy")},
        figures={"light": count(40, 900, 10), "nights": count(12, 90)},
        titles=(
            "Astronomers [find|spot] {object}",
            "{university_title} telescope sees {object}",
            "After {nights} nights, {who_last} [finds|sees] {object}",
        ),
        leads=(
            "astronomers at {university} have found {object} {light} light years away, {who}, who leads the team, "
            "said on {day}; {colleague}, who was not involved, called the data convincing.",
            "{nights} nights at the telescope were enough for {who} of {university} to find {object}, according to "
            "a study published on {day} that the astronomer {colleague} has checked.",
            "{who}, of {university}, reported on {day} that a telescope had recorded {object}, which the astronomer "
            "{colleague} had predicted.",
        ),
        details=(
            "the light that reached the mirror [left before there were people|is older than the oldest tree].",
            "a program that [sorts out clouds|searches for tiny dips in brightness] made the find possible.",
            "the telescope stands on a mountain in {abroad}.",
            "only [nine|seven] objects of this sort are known.",
            "a second team confirmed the measurement within days.",
            "the distance was measured in two ways, with the same result.",
        ),
        quotes=(
            '"We first thought that a fly had walked across the lens," {who_ms} said.',
            '"It is the kind of result that makes you check your own plots," {colleague_ms} said.',
        ),
        background=(
            "theory has predicted such objects for thirty years.",
            "{university} pays for ten nights at the telescope each year.",
        ),
        outcomes=(
            "a space telescope will look at the same spot next year.",
            "the team will publish its software on {next_day}.",
        ),
    ),
    Kind(
        "species_survey",
        ("science", "environment"),
        cast={"university": "university", "who": "researcher@university", "ranger": "ranger"},
        options={
            "species": ("otters", "wild bees", "sturgeon", "lynx", "storks"),
            "cause": ("cleaner water", "warmer winters", "fewer pesticides", "new hedges"),
        },
        figures={"number": count(60, 900, 10), "change": percent(11, 64)},
        titles=(
            "Number of {species} in {region} [up|down] {change}",
            "{species} [return|come back] to the {river}",
            "Survey [counts|finds] {number} {species} near {place}",
            "Why {species} are [back|moving north]: study points to {cause}",
        ),
        leads=(
            "researchers from {university} have counted {number} {species} in {region}, {who}, who led the survey, "
            "said on {day}; the ranger {ranger} helped to set up the cameras.",
            "a survey along the {river} found {number} {species}, {who}, of {university}, reported on {day}, and "
            "the ranger {ranger} credited {cause}.",
            "the number of {species} in {region} has changed by {change} in ten years because of {cause}, according "
            "to a study by {who} of {university} that was published on {day}; {ranger}, a ranger, collected the "
            "data.",
        ),
        details=(
            "the animals were counted [with cameras|by their tracks|by traces of their DNA in water].",
            "volunteers walked the banks of the {river} at dawn.",
            "the study puts most of the change down to {cause}.",
            "farmers in {region} have agreed to leave strips of land alone.",
            "{ranger_ms} has seen young {species} for the first time in years.",
            "the data reach back to the time before the dam.",
        ),
        quotes=(
            '"Nature does not read our plans, but sometimes it follows them," {who_ms} said.',
            '"I have walked this valley for twenty years and had almost given up on {species}," {ranger_ms} said.',
        ),
        background=(
            "{species} were thought to be gone from {region} a generation ago.",
            "the survey is repeated every five years.",
        ),
        outcomes=(
            "the results will be used to plan a new nature reserve.",
            "the next count begins in the spring.",
        ),
    ),
)
