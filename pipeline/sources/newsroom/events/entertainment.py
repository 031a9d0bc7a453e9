"""Entertainment."""

from pipeline.sources.newsroom.kinds import Kind, count, money, price

KINDS = (
    Kind(
        "film_premiere",
        ("entertainment",),
        cast={"studio": "studio", "who": "director", "actor": "actor", "critic": "critic"},
        options={
            "film": ("The Salt Road", "Winter Guests", "A Key for Nora", "Low Water", "The Second Bell"),
            "genre": ("thriller", "comedy", "drama", "love story"),
        },
        figures={"minutes": count(84, 176), "budget": money(3, 88)},
        titles=(
            "{film}: [a quiet triumph|a slow burn|better than its trailer]",
            "{actor_last} [shines|disappoints] in {film}",
            "Premiere of {film} in {place} ends with [long applause|boos and cheers]",
        ),
        leads=(
            "the {genre} {film}, by the director {who}, had its premiere in {place} on {day}; {actor} plays the "
            "lead, and the critic {critic} saw a film that takes its time.",
            "{film}, a {genre} that {who} made for {studio}, opened in {place} on {day} with {actor} in the main "
            "part, and the critic {critic} stayed until the last credit.",
            "{actor} walked up the stairs with the director {who} on {day} for the first night of {film} in "
            "{place}, a {genre} that {critic}, a critic, has praised.",
        ),
        details=(
            "it runs for {minutes} minutes, [without a dull one|of which twenty are silent].",
            "{studio} spent {budget} on it, much of that on [costumes|rain machines].",
            "most scenes were shot in {region}, [in the dead of winter|at night].",
            "{actor_ms} learned to [play the cello|drive a tram|cut hair] for the part.",
            "the music is by a composer of nineteen.",
            "one scene on a bridge over the {river} needed thirty takes.",
        ),
        quotes=(
            '"I wanted to make a film in which nobody explains anything," {who_ms} said.',
            '"You leave the cinema a little taller than you came," {critic_ms} wrote.',
        ),
        background=(
            "{who_ms} made advertisements before turning to the cinema.",
            "{actor_ms} had not been seen on screen since {since}.",
        ),
        outcomes=(
            "the film opens in cinemas on {next_day}.",
            "it will compete for the main prize at a festival in {abroad}.",
        ),
    ),
    Kind(
        "album_tour",
        ("entertainment",),
        cast={"who": "singer", "critic": "critic"},
        options={"album": ("Paper Boats", "Half the Moon", "Rooms", "Slow Traffic", "Letters Home")},
        figures={"songs": count(8, 14), "cities": count(7, 34), "ticket": price(25, 110, 5)},
        titles=(
            "{who_last} announces {album} and {cities} concerts",
            "{album}: {songs} songs by {who_last}, [none too long|two too many]",
            "{who_last} [returns|comes home] with {album}",
        ),
        leads=(
            "the singer {who} released {album} on {day}, {songs} songs about [small towns|lost friends|the sea], "
            "and the critic {critic} heard a new voice in them.",
            "{who} will sing in {cities} cities this year, it was announced on {day} together with the album "
            "{album}; {critic}, a music critic, has heard it already.",
            "with {album}, out on {day}, {who} returns after a silence of four years, and {critic}, who writes "
            "about music, was moved.",
        ),
        details=(
            "it was recorded [in a church|in a farmhouse|on a boat] near {place}.",
            "tickets cost from {ticket} and sold out in [minutes|an hour] in three cities.",
            "the drummer of the old band plays on [two songs|every song].",
            "{who_ms} wrote the title song [in a single night|on a train].",
            "fans slept outside the record shop in {place}.",
            "a video shows the singer swimming across the {river}.",
        ),
        quotes=(
            '"I had nothing to say for a while, so I said nothing," {who_ms} said.',
            '"The fourth song alone is worth the wait," {critic_ms} wrote.',
        ),
        background=(
            "the first album by {who_ms} sold more than any other that year.",
            "an illness had forced {who_ms} to give up the last tour.",
        ),
        outcomes=(
            "the tour begins in {place} in the spring.",
            "a live recording is to follow at the end of the year.",
        ),
    ),
    Kind(
        "award_night",
        ("entertainment",),
        cast={"who": "actor", "director": "director", "host": "presenter"},
        options={
            "film": ("The Glass Harbour", "Nobody's Sister", "Field of Crows", "The Tenant Upstairs"),
            "prize": ("Golden Heron", "Silver Lantern", "Critics' Laurel"),
        },
        figures={"prizes": count(3, 8), "viewers": count(2, 11)},
        titles=(
            "{who_last} wins {prize} for {film}",
            "{film} takes {prizes} prizes at {prize} night",
            "Tears, jokes and a long speech: the {prize} night in {place}",
        ),
        leads=(
            "{who} won the {prize} for a part in {film} by the director {director} in {place} on {day}, on an "
            "evening led by {host}.",
            "{film}, by the director {director}, took {prizes} prizes at the {prize} ceremony on {day}, one of them "
            "for its star, {who}; {host} led through the evening.",
            "the presenter {host} opened the last envelope of the {prize} night in {place} on {day}, and it held "
            "the name of {who}, the star of {film} by {director}.",
        ),
        details=(
            "the speech lasted [nine minutes|eleven seconds].",
            "{viewers} million people watched on television.",
            "{director_ms} forgot to thank the camera team and [came back on stage|apologised later].",
            "a tribute to dubbing actors brought the hall to its feet.",
            "the favourite went home with nothing.",
            "the dress code was [ignored by half the hall|black and yellow].",
        ),
        quotes=(
            '"I kept a place on my shelf free, and then I filled it with cookery books," {who_ms} said.',
            '"A film belongs to those who are named last," {director_ms} said.',
        ),
        background=(
            "the {prize} has been awarded since {since}.",
            "{who_ms} was nominated three times before.",
        ),
        outcomes=(
            "{film} returns to cinemas on {next_day}.",
            "the next ceremony will be held in {abroad}.",
        ),
    ),
    Kind(
        "series_end",
        ("entertainment",),
        cast={"studio": "studio", "who": "chief@studio", "actor": "actor"},
        options={"series": ("Harbour Watch", "The Night Shift", "Mill Lane", "Doctor Orlin", "Three Floors Up")},
        figures={"seasons": count(3, 14), "viewers": count(2, 9), "signed": count(20000, 240000, 10000)},
        titles=(
            "{series} to end after {seasons} seasons",
            "Fans [mourn|fight for] {series}",
            "{actor_last} says goodbye to {series}",
        ),
        leads=(
            "the series {series} will end after {seasons} seasons, {who}, who runs {studio}, said on {day}; its "
            "star, {actor}, learned of it on set.",
            "{studio} is ending {series}, the company's head, {who}, said on {day}, and {actor}, who has been in it "
            "from the first episode, thanked the viewers.",
            "after {seasons} seasons the cameras will stop for {series}, {who} of {studio} announced on {day}, and "
            "the actor {actor} posted a picture of an empty set.",
        ),
        details=(
            "{viewers} million people watched the last season, [fewer than before|half as many as once].",
            "a petition to save it has {signed} names.",
            "the sets near {place} will be [sold|turned into a museum].",
            "the writers have [two endings in a drawer|asked for one more episode].",
            "{actor_ms} was paid more for one episode than [the first season cost|a minister earns in a year].",
            "a spin-off about [the landlady|the young inspector] is being discussed.",
        ),
        quotes=(
            '"It is better to leave while people still ask you to stay," {who_ms} said.',
            '"I have spent more evenings on that sofa than on my own," {actor_ms} said.',
        ),
        background=(
            "{series} began as a replacement for a quiz show.",
            "viewers have moved to streaming services, where they watch when they like.",
        ),
        outcomes=(
            "the last episode will be shown on {next_day}.",
            "the final season is to be filmed in the summer.",
        ),
    ),
)
