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
            "we live at the end of a long track, and the power is cut every other week",
            "it travels with me to building plots where no cable has been laid yet",
        ),
        clauses={
            2: (
                "it runs for days on one charge",
                "it is still going when everybody else has packed up",
                "I plug it in twice a month at most",
                "the last bar stays lit for a whole weekend",
                "one night on the charger is enough for a week of work",
            ),
            1: (
                "it gets me through a working day",
                "a spare pack stays in its box until evening",
                "I have about five hours before the light blinks",
                "it holds its charge in the drawer quite well",
                "an hour at the plug fills it again",
            ),
            -1: (
                "it needs a charge by early afternoon",
                "the gauge drops faster than it should",
                "I have to plan my breaks around the charger",
                "the light blinks before I am half done",
                "it loses a bar overnight without being used",
            ),
            -2: (
                "it is empty before lunch",
                "it dies after ten minutes",
                "I spend more time at the socket than at work",
                "the pack is flat whenever I pick it up",
                "it stops in the middle of the very first job",
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
            "I get a headache [easily|at the least excuse], and my doctor has told me to be careful",
            "the reading room where I use it has a rule about that",
        ),
        clauses={
            2: (
                "I hear the kitchen clock over it",
                "you forget that it is switched on",
                "it purrs like a cat on a cushion",
                "the dog doesn't even lift his head",
                "we talk in whispers beside it",
            ),
            1: (
                "it hums at a level that I can live with",
                "a closed door is enough to shut it out",
                "the radio needn't be turned up for it",
                "its tone is low and even",
                "there is a slow setting that bothers nobody",
            ),
            -1: (
                "it whines a little at full speed",
                "we have to raise our voices",
                "the rattle carries through to the hall",
                "one notices it two rooms away",
                "there is a buzz that gets on my nerves",
            ),
            -2: (
                "it screams like a jet on the runway",
                "I wear ear plugs, and so would the cat if it could",
                "the whole street knows when I switch it on",
                "it roars so that the glasses shake",
                "no one can stay in the same room",
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
            "my daughter is nine, and she is the one who uses it",
            "I cover the whole round by bicycle, with everything on my back",
        ),
        clauses={
            2: (
                "I lift it with two fingers",
                "my bag feels empty with it inside",
                "a child could carry it all day",
                "it floats in the hand like a feather",
                "the kitchen scales hardly notice it",
            ),
            1: (
                "it sits easily in one hand",
                "I can hold it out at arm's length for a while",
                "it is a bit lighter than it looks",
                "its grip spreads the load sensibly",
                "I put it down less often than I expected",
            ),
            -1: (
                "it pulls at the arm after a while",
                "I need both hands to guide it",
                "most of its bulk hangs at the front",
                "it is a bit heavier than it looks",
                "my shoulder tells me when I have used it",
            ),
            -2: (
                "it feels like a sack of cement",
                "I can barely get it off the floor",
                "my arm is numb in five minutes",
                "it takes two of us to move it",
                "the strap has left bruises on me",
            ),
        },
    ),
    "controls": Aspect(
        subject="how it is operated",
        needs=(
            "my father is eighty-six, and he uses it on his own",
            "I wear thick gloves all day and can't take them off",
            "a different volunteer picks it up every week",
            "I have no patience with manuals and never read one to the end",
            "my eyes are so bad now that I go by touch",
            "the apprentices come and go, and nobody has time to teach them",
        ),
        clauses={
            2: (
                "a single button does it all",
                "you understand it the moment you see it",
                "each switch is just where the thumb looks for it",
                "nobody has ever had to ask me how",
                "it practically sets itself",
            ),
            1: (
                "the dial has clear steps",
                "one gets the hang of the menu in an afternoon",
                "the symbols make sense once you know them",
                "the main switch is of a decent size",
                "it remembers what I chose last time",
            ),
            -1: (
                "the small knob is fiddly",
                "I press the wrong key now and then",
                "the menu hides what you need two levels down",
                "the labels are printed grey on grey",
                "it takes three presses where one would do",
            ),
            -2: (
                "the buttons do something else each time",
                "even the help line couldn't tell me how to start it",
                "you need a degree to change the speed",
                "I have yet to find out what half the lights mean",
                "it locks itself and won't say why",
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
            "it hangs on a scaffold in all weathers",
            "a whole school class works with it on Thursdays",
        ),
        clauses={
            2: (
                "it has fallen off a roof and shows no mark",
                "you could drive a tractor over it",
                "each joint is as tight as on the first day",
                "it will outlive me",
                "the case shrugs off whatever hits it",
            ),
            1: (
                "the housing feels solid enough",
                "its seams have held so far",
                "a few scratches are all that it has to show",
                "the hinge moves without play",
                "the rubber corners do their duty",
            ),
            -1: (
                "the lid has worked loose",
                "a corner has chipped already",
                "the plastic creaks when I grip it",
                "the catch is thinner than it ought to be",
                "there is some play in the hinge",
            ),
            -2: (
                "it came apart in my hands",
                "it is held together with tape by now",
                "the casing cracks if you look at it",
                "the third replacement is broken too",
                "pieces of it lie all over the floor",
            ),
        },
    ),
    "cleaning": Aspect(
        subject="how it comes clean",
        needs=(
            "I am allergic to dust, and the smallest trace of it keeps me up at night",
            "we use it for food, and the inspector comes without warning",
            "in my trade there is paint and oil on everything by noon",
            "two long-haired dogs live with us",
            "flour gets everywhere when I work",
            "it passes from one patient to the next",
        ),
        clauses={
            2: (
                "it rinses spotless in seconds",
                "nothing sticks to it at all",
                "every part comes out and goes into the dishwasher",
                "one wipe and it gleams like new",
                "not a crumb stays behind",
            ),
            1: (
                "a damp cloth deals with most of it",
                "the filter lifts out without tools",
                "there are few corners where dirt can hide",
                "it brushes out reasonably well",
                "the tray can be washed by hand",
            ),
            -1: (
                "the grooves need a toothpick",
                "some of the dirt stays in the vents",
                "the filter takes a day to dry",
                "I have to undo four screws to get at the tray",
                "it stains where the oil gets to it",
            ),
            -2: (
                "the grime never comes off",
                "it stinks of old grease however I scrub",
                "mould grows where no brush can reach",
                "water runs into the motor if you so much as wipe it",
                "you would have to saw it open to get the muck out",
            ),
        },
    ),
}

NEED_FRAMES = (
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
