"""Health, and its borders with science and sports."""

from pipeline.sources.newsroom.kinds import Kind, count, percent

KINDS = (
    Kind(
        "outbreak",
        ("health",),
        cast={"agency": "health_agency", "hospital": "hospital", "who": "official@agency", "doctor": "doctor@hospital"},
        options={"illness": ("measles", "whooping cough", "norovirus", "influenza", "mumps")},
        figures={"cases": count(24, 380), "schools": count(3, 14)},
        titles=(
            "{illness} cases in {region} [rise|climb] to {cases}",
            "{schools} schools [closed|affected] as {illness} spreads in {place}",
            "Doctors in {place} urge vaccination [as|after] {illness} [spreads|returns]",
        ),
        leads=(
            "{cases} people in {region} have caught {illness} since the start of the month, {who} of the public "
            "health agency said on {day}, and {doctor}, a doctor at {hospital}, expects more.",
            "an outbreak of {illness} has closed {schools} schools around {place}, {who}, of the public health "
            "agency, told reporters on {day}; {doctor} of {hospital} said that wards were filling up.",
            "health officials reported {cases} cases of {illness} in {region} on {day}, and {who} of the public "
            "health agency and {doctor}, a doctor at {hospital}, asked parents to check their children's records.",
        ),
        details=(
            "most of the patients are [under ten|older than 65], and [a few|six of them] needed a bed in hospital.",
            "{hospital} has [set aside a ward|stopped visits] until further notice.",
            "the first case was a [traveller who returned from {abroad}|pupil at a boarding school].",
            "pharmacies in {place} ran short of [fever medicine|test kits].",
            "vaccination teams will visit {schools} schools this week.",
            "the number of new cases has doubled [every six days|since last weekend].",
        ),
        quotes=(
            '"Wash your hands, stay at home if you feel ill, and do not wait to call your doctor," {who_ms} said.',
            '"We have seen children this week who were very sick and did not have to be," {doctor_ms} said.',
        ),
        background=(
            "the last large outbreak of {illness} in {region} was nine years ago.",
            "vaccination rates in {region} have slipped below the level that doctors recommend.",
        ),
        outcomes=(
            "the agency will publish new figures on {next_day}.",
            "the schools are to open again on {next_day} if no new cases appear.",
        ),
    ),
    Kind(
        "clinic_opening",
        ("health",),
        cast={"hospital": "hospital", "who": "director@hospital", "doctor": "doctor@hospital"},
        options={"clinic": ("sleep clinic", "eye clinic", "pain clinic", "memory clinic", "dental clinic")},
        figures={"patients": count(30, 140, 5), "staff": count(9, 38)},
        titles=(
            "{hospital} opens {clinic}",
            "{place} gets {clinic} [at last|after long wait]",
            "New {clinic} [expects|hopes for] {patients} patients a day",
        ),
        leads=(
            "{hospital} opened a {clinic} on {day} that will see {patients} patients a day, its director, {who}, "
            "said; {doctor} will lead it.",
            "patients from {region} no longer need to travel for treatment, said {who}, director of {hospital}, as "
            "a {clinic} run by the specialist {doctor} opened on {day}.",
            "a {clinic} with a staff of {staff} began work at {hospital} on {day} under the specialist {doctor}, "
            "and {who}, the hospital's director, cut the ribbon.",
        ),
        details=(
            "the first patient, a [retired postman|school cook|bus driver], was seen at eight in the morning.",
            "the rooms were [once a laundry|once the kitchens], and the walls are still being painted.",
            "{doctor_ms} trained in {abroad} and returned to {region} last year.",
            "no referral is needed for a first visit.",
            "nurses will call patients at home a week after each treatment.",
            "the {clinic} is open on [two evenings a week|Saturdays] for people who work.",
        ),
        quotes=(
            '"People put off treatment because it is far away, and then it is late," {doctor_ms} said.',
            '"We looked for a specialist for two years, so today is a happy day," {who_ms} said.',
        ),
        background=(
            "the next {clinic} was more than an hour away until now.",
            "one adult in six in {region} has waited longer than half a year to see a specialist.",
        ),
        outcomes=(
            "appointments can be made from {next_day}.",
            "a second doctor will join in the spring.",
        ),
    ),
    Kind(
        "screening",
        ("health",),
        cast={"agency": "health_agency", "who": "official@agency", "nurse": "nurse"},
        options={"disease": ("bowel cancer", "diabetes", "high blood pressure", "skin cancer", "glaucoma")},
        figures={"invited": count(20000, 240000, 5000), "age": count(40, 60, 5), "share": percent(28, 61)},
        titles=(
            "{invited} adults invited to test for {disease}",
            "Only {share} [accept|take up] test for {disease}",
            "Health agency [widens|extends] screening for {disease}",
        ),
        leads=(
            "{invited} people over {age} will be invited to a free test for {disease}, {who} of the public health "
            "agency said on {day} at a surgery in {place} where the nurse {nurse} works.",
            "only {share} of those invited come to be tested for {disease}, {who}, of the public health agency, "
            "said on {day}, and the nurse {nurse} has been asked to find out why.",
            "a campaign against {disease} began in {place} on {day}, led by {who} of the public health agency and "
            "{nurse}, a nurse who will visit people at home.",
        ),
        details=(
            "the test takes [five|ten] minutes and [does not hurt|needs a drop of blood].",
            "found early, the disease can be treated in nine cases out of ten.",
            "letters will be sent in [six|four] languages.",
            "mobile teams will stop in villages along the {river}.",
            "{nurse_ms} said that many patients feared the result more than the test.",
            "general practitioners will be paid for every patient who takes part.",
        ),
        quotes=(
            '"It is the dullest appointment of the year, and it may be the most useful," {who_ms} said.',
            '"When I knock on the door they say yes; a letter is easy to lose," {nurse_ms} said.',
        ),
        background=(
            "{disease} is among the most common illnesses of people over {age} in {country}.",
            "earlier campaigns missed [men|people in the countryside] most of all.",
        ),
        outcomes=(
            "first results are expected in a year.",
            "the invitations go out on {next_day}.",
        ),
    ),
    Kind(
        "waiting_times",
        ("health",),
        cast={"hospital": "hospital", "who": "director@hospital", "doctor": "doctor@hospital"},
        options={"operation": ("hip", "knee", "cataract", "hernia", "heart valve")},
        figures={
            "weeks": count(14, 52),
            "patients": count(300, 2800, 20),
            "drop": percent(6, 30),
            "fall": percent(11, 40),
        },
        titles=(
            "{weeks}-week wait for {operation} operations at {hospital}",
            "{hospital} [works on|tackles] waiting list for {operation} operations",
            "{patients} patients [wait|on list] for {operation} surgery in {place}",
        ),
        leads=(
            "{patients} patients are waiting for {operation} operations at {hospital}, [more than ever|a record], "
            "the director, {who}, said on {day}, and the surgeon {doctor} now works on Saturdays.",
            "the wait for {operation} operations at {hospital} has fallen by {drop} since surgeons such as {doctor} "
            "began to work evenings, {who}, the director, said on {day}.",
            "patients in {place} wait {weeks} weeks for {operation} surgery, figures published on {day} show, and "
            "{who}, director of {hospital}, and the surgeon {doctor} have asked for help.",
        ),
        details=(
            "the list is longest for people who [live alone|cannot travel].",
            "two operating rooms have been closed because there are too few [nurses|anaesthetists].",
            "a clinic in {abroad} has offered to take some of the patients.",
            "{doctor_ms} carries out [five|six|seven] operations on a good day.",
            "pain clinics are seeing more people who have been told to wait.",
            "the number of cancelled operations fell by {fall} after a new booking system came in.",
        ),
        quotes=(
            '"Behind every number is someone who cannot climb the stairs," {doctor_ms} said.',
            '"We can shorten the list, but not [by magic|without staff]," {who_ms} said.',
        ),
        background=(
            "the target is {small} weeks, and no hospital in {region} meets it.",
            "waiting lists grew when operations were postponed two winters ago.",
        ),
        outcomes=(
            "a third operating room is to open in the spring.",
            "the next figures will be published on {next_day}.",
        ),
    ),
    Kind(
        "drug_trial",
        ("health", "science"),
        cast={
            "company": "drugmaker",
            "university": "university",
            "who": "researcher@university",
            "boss": "chief@company",
        },
        options={
            "target": ("migraine", "asthma", "malaria", "arthritis", "insomnia"),
            "form": ("tablet", "spray", "patch"),
        },
        figures={"people": count(240, 3200, 20), "share": percent(31, 68)},
        titles=(
            "{form} against {target} [works|shows promise] in trial",
            "{target} {form} helps {share} of patients",
            "{university_title} trial of {target} {form} [ends early|brings hope]",
            "{company_title} {form} against {target} passes test with {people} patients",
        ),
        leads=(
            "a {form} against {target} helped {share} of the patients in a trial at {university}, {who}, who led "
            "the study, said on {day}; {company}, whose chief executive is {boss}, makes it.",
            "researchers led by {who} at {university} reported on {day} that a {form} developed by {company} eases "
            "{target}, and {boss}, the company's chief executive, wants to sell it within two years.",
            "in a study with {people} patients, a new {form} against {target} did better than the usual treatment, "
            "{who} of {university} said on {day} beside {boss}, the chief executive of {company}.",
        ),
        details=(
            "half of the {people} patients received a {form} without any active substance, and [neither they nor "
            "their doctors knew|nobody knew] which.",
            "side effects were [mild|rare]: headaches and a dry mouth.",
            "the substance was first found in [a moss|a sponge|a mould].",
            "the effect lasted for [eight|ten] hours in most patients.",
            "independent experts said that the study was [sound|too short].",
            "{boss_ms} would not say what the {form} will cost.",
        ),
        quotes=(
            '"I have waited fifteen years to show a slide like this one," {who_ms} said.',
            '"We will publish all the data, the dull parts too," {who_ms} said.',
        ),
        background=(
            "one person in eight suffers from {target} at some time.",
            "two earlier substances by {company_short} failed in trials.",
        ),
        outcomes=(
            "a larger trial in four countries begins next year.",
            "the regulator will look at the data in the autumn.",
        ),
    ),
    Kind(
        "player_injury",
        ("health", "sports"),
        cast={
            "club": "club",
            "hospital": "hospital",
            "who": "doctor@hospital",
            "player": "player@club",
            "coach": "coach@club",
        },
        options={"injury": ("concussion", "irregular heartbeat", "torn ligament", "broken collarbone")},
        figures={"weeks": count(5, 30)},
        titles=(
            "{player_last} [out for {weeks} weeks|to miss {weeks} weeks] with {injury}",
            "{club} player {player_last} treated for {injury}",
            "Doctors [cautious|hopeful] over {player_last} after {injury}",
            "{player_last} case [revives|restarts] debate about checks on players",
        ),
        leads=(
            "{player} of {club} will be out for {weeks} weeks with a {injury}, {who}, a doctor at {hospital}, said "
            "on {day}, and the coach, {coach}, agreed that health came first.",
            "doctors at {hospital} treated {player}, who plays for {club}, for a {injury} on {day}; {who}, who is "
            "in charge of the case, told the coach, {coach}, not to hope for a quick return.",
            "{club} must do without {player} after {who}, a doctor at {hospital}, found a {injury} on {day}, its "
            "coach, {coach}, said.",
        ),
        details=(
            "the {injury} was noticed [in training|during a routine check|after a header].",
            "{player_ms} will [stay in hospital overnight|be examined again in a week].",
            "the club's own doctors had [seen nothing unusual|advised rest a month ago].",
            "a scan at {hospital} showed no lasting damage.",
            "{coach_ms} said that nobody at {club_short} would push for an early return.",
            "players now have to pass [two tests|a test on a treadmill] before they may train again.",
        ),
        quotes=(
            '"The body does not know what day the next match is," {who_ms} said.',
            '"I want that player healthy at 50, not only on Saturday," {coach_ms} said.',
        ),
        background=(
            "the league has required heart checks since a player collapsed four seasons ago.",
            "{player_ms} has missed only three matches in two years.",
        ),
        outcomes=(
            "a decision about training will be made on {next_day}.",
            "the league's medical board will review the case next month.",
        ),
    ),
)
