"""Sports, and its border with entertainment."""

from pipeline.sources.newsroom.kinds import Kind, count, money, price

KINDS = (
    Kind(
        "match",
        ("sports",),
        cast={"club": "club", "guest": "club", "who": "coach@club", "player": "player@club", "loser": "coach@guest"},
        options={"score": ("1-0", "2-0", "2-1", "3-1", "3-2", "4-1"), "round": ("league", "cup", "play-off")},
        figures={"crowd": count(8000, 46000, 500), "minute": count(51, 89)},
        titles=(
            "{club} [beats|sees off|edges past] {guest} {score}",
            "{player_last} [strikes|scores] as {club} wins {score}",
            "{guest} [stumbles|slips up] at {club}",
            "{loser_last} [rues|laments] missed chances after {score} defeat",
        ),
        leads=(
            "{player} scored in minute {minute} as {club} beat {guest} {score} in the {round} on {day}, and the "
            "home coach, {who}, hugged every player; {loser}, the visitors' coach, left at once.",
            "{club} won {score} against {guest} in a {round} match on {day} that {player} settled in minute "
            "{minute}, to the delight of the coach, {who}, and the dismay of {loser} on the other bench.",
            "before a crowd of {crowd} in {place}, {club} defeated {guest} {score} on {day}; {player} scored the "
            "decisive goal, the coach, {who}, praised the defence, and {loser}, the coach of the visitors, did not.",
        ),
        details=(
            "{guest_short} had the better of the first half and [hit the post twice|missed a penalty].",
            "{player_ms} came on only [at half-time|ten minutes before the goal].",
            "the referee was surrounded by players after [a handball that went unseen|a late tackle].",
            "rain turned the pitch into [a bog|a slide] towards the end.",
            "{club_short} is now [third|second|fifth] in the table, [two|four] points behind the leaders.",
            "the crowd of {crowd} stayed on to sing.",
        ),
        quotes=(
            '"We were not better, we were more patient," {who_ms} said.',
            '"If you do not take your chances, you go home with [nothing|a long face]," {loser_ms} said.',
        ),
        background=(
            "{club_short} had not beaten this opponent since {since}.",
            "both clubs lost in the previous round of matches.",
        ),
        outcomes=(
            "{club_short} plays away on {next_day}.",
            "the two clubs meet again in the spring.",
        ),
    ),
    Kind(
        "transfer",
        ("sports",),
        cast={"club": "club", "seller": "club", "player": "player@seller", "who": "coach@club"},
        options={"position": ("striker", "goalkeeper", "winger", "centre-back")},
        figures={"fee": money(2, 48), "years": count(2, 5)},
        titles=(
            "{club} [signs|lands] {player_last} for {fee}",
            "{player_last} [leaves|swaps] {seller} for {club}",
            "{fee} {position} {player_last} [joins|moves to] {club}",
        ),
        leads=(
            "{club} has signed the {position} {player} from {seller} for {fee}, the coach, {who}, said on {day}.",
            "the {position} {player} left {seller} for {club} on {day} and was given a shirt by the coach, {who}.",
            "after weeks of haggling, {player}, a {position}, moved from {seller} to {club} on {day} for {fee}, and "
            "the coach, {who}, spoke of the missing piece.",
        ),
        details=(
            "the contract runs for {years} years.",
            "{player_ms} passed a medical check [in the morning|late at night].",
            "{seller_short} had turned down two lower offers.",
            "supporters waited at the gates [in the rain|until dark].",
            "{player_ms} will wear the number [seven|nine|fourteen].",
            "a clause gives {seller_short} a tenth of any later fee.",
        ),
        quotes=(
            '"I did not look at the fee, I looked at the [first five metres|first touch]," {who_ms} said.',
            '"My mother still has the scarf from my first visit here," {player_ms} said.',
        ),
        background=(
            "{club_short} has not spent as much on one player before.",
            "injuries have left {club_short} short of players.",
        ),
        outcomes=(
            "a first appearance is possible on {next_day}.",
            "the transfer window closes on {next_day}.",
        ),
    ),
    Kind(
        "coach_sacked",
        ("sports",),
        cast={"club": "club", "coach": "coach@club", "who": "chair@club"},
        figures={"defeats": count(4, 9), "months": count(5, 30)},
        titles=(
            "{club} [parts company with|sacks] coach {coach_last}",
            "{coach_last} out after {defeats} defeats",
            "{club} [looks for|seeks] new coach",
        ),
        leads=(
            "{club} dismissed its coach, {coach}, on {day} after {defeats} defeats in a row, the chair, {who}, said.",
            "{coach} is no longer coach of {club}, it was announced on {day} by the chair, {who}, after {defeats} "
            "defeats.",
            "after {months} months, {club} and the coach {coach} went their separate ways on {day}; {who}, who "
            "chairs the club, thanked the coach for a good first season.",
        ),
        details=(
            "the players were told [at breakfast|before training] and left without a word.",
            "the last match was lost by [four|five] goals.",
            "{coach_ms} had a contract until [the end of next season|the summer].",
            "an assistant will take training for now.",
            "fans had [called for a change|whistled at the bench] for weeks.",
            "{club_short} is only one place above the relegation zone.",
        ),
        quotes=(
            '"It was the hardest telephone call I have made," {who_ms} said.',
            '"I leave with my head up and my desk empty," {coach_ms} said.',
        ),
        background=(
            "{club_short} has had [four|five|six] coaches in as many years.",
            "{coach_ms} played more than 200 matches for {club_short}.",
        ),
        outcomes=(
            "a successor is to be named before the match on {next_day}.",
            "the assistant will be in charge until the winter break.",
        ),
    ),
    Kind(
        "race_record",
        ("sports",),
        cast={"who": "athlete", "rival": "athlete", "trainer": "trainer"},
        options={"race": ("800 metres", "marathon", "triathlon", "time trial", "steeplechase")},
        figures={"old": count(6, 29), "seconds": count(2, 12)},
        titles=(
            "{who_last} breaks national record in {race}",
            "{who_last} wins {race} in {place} by {seconds} seconds",
            "{old}-year-old record falls in {place}",
        ),
        leads=(
            "{who} broke the national record in the {race} in {place} on {day}, {seconds} seconds ahead of {rival}; "
            "the trainer {trainer} cried at the finish.",
            "a record that had stood for {old} years fell on {day} when {who} won the {race} in {place} before "
            "{rival}, a result that the trainer, {trainer}, had written on a slip of paper in the morning.",
            "{who}, trained by {trainer}, won the {race} in {place} on {day}, leaving {rival} {seconds} seconds "
            "behind.",
        ),
        details=(
            "the wind dropped [just before the start|halfway through].",
            "{rival_ms} led for most of the way.",
            "{who_ms} had been out with a sore [heel|knee|back] all winter.",
            "thousands stood along the course by the {river}.",
            "the old record was set by [a postman|a schoolteacher] {old} years ago.",
            "samples have been taken for the usual doping tests.",
        ),
        quotes=(
            '"I only looked at the clock when I could not [breathe|stand] any more," {who_ms} said.',
            '"I ran the best race of my life and saw nothing but somebody\'s heels," {rival_ms} said.',
        ),
        background=(
            "{who_ms} began the sport only at the age of [19|22|24].",
            "{country} has not won a medal in the {race} since {since}.",
        ),
        outcomes=(
            "both have qualified for the championships in {abroad}.",
            "the record must still be confirmed by the federation.",
        ),
    ),
    Kind(
        "stadium_concert",
        ("sports", "entertainment"),
        cast={"club": "club", "who": "chair@club", "singer": "singer"},
        options={"worry": ("the turf", "the noise", "the traffic", "the fixture list")},
        figures={"crowd": count(18000, 52000, 1000), "nights": count(2, 5), "ticket": price(45, 120, 5)},
        titles=(
            "{singer_last} to [play|fill] {club} stadium",
            "{club} stadium [hosts|gets] {nights} nights of {singer_last}",
            "{crowd} [seats|tickets] for {singer_last} at {club} ground",
            "{club} [moves match|changes plans] for {singer_last} concert",
        ),
        leads=(
            "the singer {singer} will give {nights} concerts in the stadium of {club}, the club's chair, {who}, "
            "said on {day}.",
            "{crowd} people will hear {singer} sing in the stadium of {club}, it was announced on {day}, and the "
            "club's chair, {who}, will be among them.",
            "{club} has rented out its stadium for {nights} nights to the singer {singer}, {who}, who chairs the "
            "club, said on {day}.",
        ),
        details=(
            "a match was moved to [a Monday|another ground] to make room for the stage.",
            "tickets cost {ticket}, and holders of season tickets could buy [first|two].",
            "neighbours are worried about {worry}.",
            "the stage is [as high as a six-storey house|built over the north stand].",
            "the rent pays for [a youth team|new floodlights].",
            "{singer_ms} wore a [club scarf|goalkeeper's shirt] at the rehearsal.",
        ),
        quotes=(
            '"A stadium that is empty five days a week is a waste," {who_ms} said.',
            '"My father took me here when I was six, to the cheap seats," {singer_ms} said.',
        ),
        background=(
            "the last concert there left marks on the pitch for months.",
            "{singer_ms} grew up in {region}.",
        ),
        outcomes=(
            "the turf will be replaced before the next match.",
            "an extra night may be added if the council agrees.",
        ),
    ),
)
