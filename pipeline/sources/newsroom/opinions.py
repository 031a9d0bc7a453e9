"""What buyers of cordless machines need, and what they say of them, in words that name neither need nor verdict."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Aspect:
    """One thing that a buyer may need above all.

    `needs` are sentences that ask for it without naming it. `clauses` are main clauses in the present tense, by value:
    -2 very bad, -1 bad, 1 good, 2 very good. `subject` is the question whose answer it is ("how long it runs").
    """

    subject: str
    needs: tuple[str, ...]
    clauses: dict[int, tuple[str, ...]]


ASPECTS = {
    "battery": Aspect(
        subject="how long it runs",
        needs=(
            "I work in places where the nearest socket is half an hour away",
            "[every summer|most weekends] we take it out on the boat, and there is no mains on board",
            "there is no electricity in the shed where it has to do its work",
            "my rounds take from breakfast to supper, and I can't stop to plug anything in",
        ),
        clauses={
            2: (
                "it runs for days on one charge",
                "it is still going when everybody else has packed up",
                "I plug it in twice a month at most",
            ),
            1: (
                "it gets me through a working day",
                "a spare pack stays in its box until evening",
                "I have about five hours before the light blinks",
            ),
            -1: (
                "it needs a charge by early afternoon",
                "the gauge drops faster than it should",
                "I have to plan my breaks around the charger",
            ),
            -2: (
                "it is empty before lunch",
                "it dies after ten minutes",
                "I spend more time at the socket than at work",
            ),
        },
    ),
    "noise": Aspect(
        subject="how loud it is",
        needs=(
            "I start at five in the morning, when [the house|everybody else] is still asleep",
            "the walls of our flat are thin, and the people next door have complained before",
            "the baby's cot stands in the next room",
            "my husband is on the telephone with customers all day, two steps from where I use it",
        ),
        clauses={
            2: (
                "I hear the kitchen clock over it",
                "you forget that it is switched on",
                "it purrs like a cat on a cushion",
            ),
            1: (
                "it hums at a level that I can live with",
                "a closed door is enough to shut it out",
                "the radio needn't be turned up for it",
            ),
            -1: (
                "it whines a little at full speed",
                "we have to raise our voices",
                "the rattle carries through to the hall",
            ),
            -2: (
                "it screams like a jet on the runway",
                "I wear ear plugs, and so would the cat if it could",
                "the whole street knows when I switch it on",
            ),
        },
    ),
    "weight": Aspect(
        subject="what it weighs",
        needs=(
            "I carry it up four flights of stairs every day",
            "my wrist has never been right since the operation",
            "it has to fly with me in hand luggage",
            "I hold it above my head for an hour at a time",
        ),
        clauses={
            2: (
                "I lift it with two fingers",
                "my bag feels empty with it inside",
                "a child could carry it all day",
            ),
            1: (
                "it sits easily in one hand",
                "I can hold it out at arm's length for a while",
                "it is a bit lighter than it looks",
            ),
            -1: (
                "it pulls at the arm after a while",
                "I need both hands to guide it",
                "most of its bulk hangs at the front",
            ),
            -2: (
                "it feels like a sack of cement",
                "I can barely get it off the floor",
                "my arm is numb in five minutes",
            ),
        },
    ),
    "sturdiness": Aspect(
        subject="how much it can take",
        needs=(
            "it rides in the back of a van over bad roads",
            "with three boys in the house nothing gets to grow old",
            "I am clumsy, and things slip out of my hands",
            "we hire it out, and customers treat it as you would expect",
        ),
        clauses={
            2: (
                "it has fallen off a roof and shows no mark",
                "you could drive a tractor over it",
                "each joint is as tight as on the first day",
            ),
            1: (
                "the housing feels solid enough",
                "its seams have held so far",
                "a few scratches are all that it has to show",
            ),
            -1: (
                "the lid has worked loose",
                "a corner has chipped already",
                "the plastic creaks when I grip it",
            ),
            -2: (
                "it came apart in my hands",
                "it is held together with tape by now",
                "the casing cracks if you look at it",
            ),
        },
    ),
}

NEED_FRAMES = (
    "{need}",
    "{need}",
    "you should know that {need}",
    "I should say first that {need}",
    "to explain why I bought one: {need}",
    "in my case {need}",
)

DENIALS = (
    "I can't honestly say that {clause}",
    "nobody could claim that {clause}",
    "it would be wrong to say that {clause}",
    "I wouldn't go so far as to tell you that {clause}",
    "it is simply not the case that {clause}",
)

CONTRASTS = (
    "{elsewhere} {set_aside}, but {in_use} {clause}",
    "{elsewhere} {set_aside}; {in_use}, however, {clause}",
    "one might think that {elsewhere} {set_aside}, yet {in_use} {clause}",
)

CONCESSIONS = (
    "even though {elsewhere} {set_aside}, {in_use} {clause}",
    "{in_use} {clause}, although {elsewhere} {set_aside}",
    "while it may be that {elsewhere} {set_aside}, {in_use} {clause}",
)

ELSEWHERE = (
    "in the shop",
    "on the first day",
    "at a friend's house",
    "with the old attachment",
    "in cold weather",
    "at the trade fair",
)

IN_USE = ("in daily use", "in real life", "at our place", "nearly always", "in the long run")

BOTH_WAYS = (
    "on some days {good}, on others {bad}",
    "half of the time {good}, and half of the time {bad}",
    "one week {good}, the next {bad}",
)

OTHER_MAKES = (
    'my neighbour has one by {other}. "{clause}," she says',
    'my brother bought the {other} one instead. "{clause}," he reports',
    'a friend from work owns one by {other} and told me: "{clause}."',
    'somebody wrote here about the one by {other}: "{clause}."',
)

INDIFFERENCE = (
    "{subject} is all the same to me",
    "{subject} has never been a worry of mine",
    "I don't much care {subject}",
    "others may ask {subject}; I don't",
)

VERDICTS = {
    1: (
        "all things considered I did not, in the end, send it back",
        "in spite of everything I have written, I would order it again",
        "I thought about returning it and then didn't",
        "when all is said and done I am not sorry that I bought it",
        "when the shop offered to take it back, I said no",
    ),
    -1: (
        "all things considered I did, in the end, send it back",
        "in spite of everything I have written, I wouldn't order it again",
        "I thought about keeping it and then didn't",
        "when all is said and done I am sorry that I bought it",
        "when the shop offered to take it back, I said yes",
    ),
}
