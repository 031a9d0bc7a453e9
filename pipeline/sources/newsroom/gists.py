"""What the summary of an event says: what happened, and what comes of it.

Templates of grammar.py. Each has one place or more with two wordings, of which the first is as good as the second. What
they name, the story tells.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gist:
    """The summary's first sentence, and the second one for each of the kind's outcomes, in their order."""

    event: str
    endings: tuple[str, ...]


GISTS = {
    "earnings": Gist(
        "{company} [earned|made] {profit} in the quarter on sales of {sales}, [helped by|thanks to] {cause}.",
        (
            "the company [expects|forecasts] sales to rise by {growth} this year.",
            "its owners [vote|decide] on the dividend next month.",
        ),
    ),
    "layoffs": Gist(
        "{company} is [cutting|to cut] {jobs} jobs, {share} of its workforce, [most of them|chiefly] at the {site} in "
        "{place}.",
        ("the union [begins|starts] talks on {next_day}.", "the first people [will go|are to leave] in the spring."),
    ),
    "shop_opening": Gist(
        "{company} [plans|wants] {shops} shops, the first at {street} in {place}, with [work|jobs] for {staff} people.",
        ("customers can [come|shop there] from next month.", "more sites will be [known|announced] on {next_day}."),
    ),
    "takeover": Gist(
        "{company} is [buying|taking over] its rival {target} for {price}, {premium} more than its shares [cost|were "
        "worth].",
        (
            "the owners of {target_short} [vote|decide] on {next_day}.",
            "the deal is to be [closed|done] this year.",
        ),
    ),
    "burglary_arrests": Gist(
        "{arrests} people have been [arrested|caught] by {police} over stolen {loot} that were [bound|meant] for "
        "{abroad}.",
        ("they [face|meet] a judge on {next_day}.", "victims can [fetch|have back] their things from {next_day}."),
    ),
    "robbery_verdict": Gist(
        "{accused} [must go|goes] to prison for {years} years for [robbing|the robbery of] a {scene}, where {loot} was "
        "taken.",
        ("an appeal is [possible|open] for a week.", "the sentence [begins|starts] now."),
    ),
    "smuggling": Gist(
        "{kilos} kilos of {goods} from {abroad} were [found|discovered] in {hiding} by {officer} of the [customs|"
        "customs office].",
        ("the driver [will be|is to be] charged on {next_day}.", "the {goods} will be [burned|done away with]."),
    ),
    "cold_case": Gist(
        "{clue} and {tips} tips [led|brought] {who} to a suspect in a murder [committed|of] {years} years ago.",
        ("a judge [rules|decides] on custody on {next_day}.", "the trial may [begin|open] this year."),
    ),
    "film_premiere": Gist(
        "{film}, a {genre} by {who} with {actor} that [cost|took] {budget}, [was shown|ran] for the first time in "
        "{place}.",
        ("cinemas [show|have] it from {next_day}.", "it is [shown|entered] at a festival in {abroad}."),
    ),
    "album_tour": Gist(
        "{who} has [brought out|published] {album}, made near {place}, and [asks|charges] {ticket} for a ticket to the "
        "tour.",
        ("the [tour|first concert] is in {place} in the spring.", "a live album [follows|comes] this year."),
    ),
    "award_night": Gist(
        "{who} has [got|been given] the {prize} for {film} by {director} before {viewers} million [viewers|people].",
        ("the film [returns|is back] on {next_day}.", "{abroad} is [host|home] to the next ceremony."),
    ),
    "series_end": Gist(
        "{studio} [stops|gives up] {series} after {seasons} seasons, although {signed} people [asked|signed] for more.",
        ("the last episode [runs|is on] on {next_day}.", "the last season is [made|shot] in the summer."),
    ),
    "storm_warning": Gist(
        "{region} must [expect|prepare for] {threat} and wind of {speed} kilometres an hour, [according to|"
        "says] {who}.",
        ("the warning [holds|is valid] until {next_day}.", "it [calms down|grows calm] on {next_day}."),
    ),
    "wildfire": Gist(
        "a fire in a {wood} near {place} has [emptied|cleared] {homes} homes, and aircraft [fetch|take] water from the "
        "{river}.",
        ("people may [be home|go back] on {next_day}.", "the embers are [watched|guarded] until {next_day}."),
    ),
    "river_cleanup": Gist(
        "helpers [led by|under] {who} have [fetched|dragged] {waste} out of the {river}, as for {years} years.",
        ("another stretch [follows|comes] in the autumn.", "a bathing place is [voted|decided] on on {next_day}."),
    ),
    "heat_record": Gist(
        "{place} [had|saw] a {month} record of {degrees} degrees, and the {river} [runs|is] low.",
        ("{next_day} may [bring|see] thunderstorms.", "lawns must [stay dry|do without water] from {next_day}."),
    ),
    "outbreak": Gist(
        "{illness} has [spread to|reached] {cases} people in {region}, and {schools} schools are [visited|called on] "
        "for vaccinations.",
        ("there are [new|fresh] numbers on {next_day}.", "schools [reopen|start] on {next_day} at best."),
    ),
    "clinic_opening": Gist(
        "{hospital} has a {clinic} [now|at last], led by {doctor}, who [trained|studied] in {abroad}.",
        ("patients can [book|call] from {next_day}.", "another doctor [comes|starts] in the spring."),
    ),
    "screening": Gist(
        "people over {age} can be [tested|checked] for {disease}, also by teams that [drive|travel] along the {river}.",
        ("in a year there are [results|figures].", "letters [go out|are sent] on {next_day}."),
    ),
    "waiting_times": Gist(
        "{patients} people [need|want] {operation} operations at {hospital}, which [misses|fails] the target of "
        "{small} weeks.",
        ("one more operating room [opens|comes] in the spring.", "new figures [come|are out] on {next_day}."),
    ),
    "bill_vote": Gist(
        "the {bill} bill of {who} has [passed|got through] parliament by {votes} to {against}, [against|despite] the "
        "will of {rival}.",
        (
            "the upper house [comes next|is next] before the summer.",
            "it [becomes|is] law next year.",
            "within ten days it is to be [signed|made law].",
        ),
    ),
    "election_poll": Gist(
        "{party} of {who} [gets|has] {share} in a poll of {asked} voters, [most|many] of whom care about {issue}.",
        ("there is a debate on [television|screen] on {next_day}.", "the [last|final] polls come on {next_day}."),
    ),
    "minister_resigns": Gist(
        "{who} has [given up|left] the post of {who_role} over {reason}, which is not [enough|all] for {rival}.",
        ("{next_day} will [show|tell] who follows.", "a deputy [steps in|takes over] for now."),
    ),
    "foreign_talks": Gist(
        "{who} and {envoy} have [settled|agreed] on {matter} with {abroad} in {place}, after {hours} hours [together|"
        "at one table].",
        ("parliaments [must|have to] ratify it.", "a commission [meets|sits] next month."),
    ),
    "space_probe": Gist(
        "{probe}, a probe that [cost|took] {cost}, is [at|near] {target} with an instrument from {place}.",
        ("it [tries|attempts] to land in the spring.", "the data are [public|free] within a year."),
    ),
    "fossil_find": Gist(
        "{who} has [freed|dug out] {bones} bones of {animal} that {finder} [saw|came upon] in {spot}.",
        ("they [dig|work] until the frost.", "it [gets|bears] the name of {finder_last}."),
    ),
    "science_prize": Gist(
        "{who} of {university} [gets|receives] the science prize of {sum} for [work|studies] on {topic}.",
        ("the medal [comes|follows] in the spring.", "there is a [lecture|talk] on {next_day}."),
    ),
    "telescope": Gist(
        "{who} of {university} has [found|spotted] {object} by a telescope in {abroad}, which [pleases|convinces] "
        "{colleague}.",
        ("a space telescope [looks|checks] next year.", "the software is [free|public] from {next_day}."),
    ),
    "match": Gist(
        "{club} won [against|over] {guest} by {score} with a goal by {player}, before {crowd} [people|fans].",
        ("{club_short} [travels|is away] on {next_day}.", "they [meet|play] again in the spring."),
    ),
    "transfer": Gist(
        "{player}, a {position}, [goes|moves] from {seller} to {club} and [stays|signs] for {years} years.",
        ("a first game is [likely|possible] on {next_day}.", "transfers [end|stop] on {next_day}."),
    ),
    "coach_sacked": Gist(
        "{coach} has [lost|had to give up] the job as coach of {club} after {defeats} defeats, [says|according to] "
        "{who}.",
        (
            "there is to be a [successor|new coach] by {next_day}.",
            "an assistant [steps in|helps out] until the winter.",
        ),
    ),
    "race_record": Gist(
        "{who} [ran|finished] the {race} in {place} before {rival} and [beat|broke] a record {old} years old.",
        ("both [start|run] at the championships in {abroad}.", "the federation [checks|looks at] the record."),
    ),
    "phone_launch": Gist(
        "{company} has a [new|further] telephone, the {model}, which [lasts|runs] for {hours} hours and was tried by "
        "{critic}.",
        ("shops [have|sell] it next month.", "a cheap one [follows|is due] in the spring."),
    ),
    "app_update": Gist(
        "{company} has [changed|mended] its {app} app for {users} million [users|people], as {critic} had asked.",
        ("{days} days [on|from now] all will have it.", "desktops [follow|are next] next year."),
    ),
    "outage": Gist(
        "the {service} service of {company} [failed|broke down], {who} said, which [hit|troubled] shops in {region}.",
        ("customers [get|are given] a month of fees.", "the [reasons|causes] will be known on {next_day}."),
    ),
    "delivery_robots": Gist(
        "robots by {who} of {company} [bring|carry] {cargo} to people in {place} after {trips} [trial|practice] runs.",
        ("they [stay|drive] for six months.", "a second district is [voted on|debated] on {next_day}."),
    ),
    "hotel_opening": Gist(
        "{who} has [made|built] a hotel of a {house} in {place} for {cost}, where a [night|room] is {rate}.",
        ("its restaurant [opens|starts] on {next_day}.", "cabins [follow|come] next year."),
    ),
    "night_train": Gist(
        "{company} has a night train from {place} to {end} [again|once more], {hours} hours [long|on the way], from "
        "{fare}.",
        ("it [runs|goes] nightly from next month.", "summer tickets can be [had|bought] on {next_day}."),
    ),
    "visitor_numbers": Gist(
        "{region} had {change} more [visitors|guests], {who} of the tourist board [said|found], mostly from {abroad}.",
        ("paths and signs will [gain|profit] from it.", "a tax is [discussed|talked about] on {next_day}."),
    ),
    "ferry_line": Gist(
        "a {boat} of Captain {who} [sails|goes] from {place} to {end} with {seats} [seats|people] for {fare} each.",
        ("it [leaves|sails] four times a day.", "booking [starts|begins] on {next_day}."),
    ),
}
"""By the name of the kind; all those that belong to one topic."""
