"""Crime, and its border with sports."""

from pipeline.sources.newsroom.kinds import Kind, count, money, price

KINDS = (
    Kind(
        "burglary_arrests",
        ("crime",),
        cast={"police": "police", "who": "detective@police", "victim": "resident"},
        options={"loot": ("watches", "bicycles", "copper pipes", "power tools", "musical instruments")},
        figures={"arrests": count(2, 9), "homes": count(9, 60), "value": price(20000, 400000, 5000)},
        titles=(
            "{arrests} [arrested|held] after series of burglaries in {place}",
            "Police find stolen {loot} worth {value}",
            "[Burglars|Gang] broke into {homes} homes, police say",
        ),
        leads=(
            "{police} have arrested {arrests} people over burglaries at {homes} homes, {who}, the officer in "
            "charge, said on {day}; one of the victims, {victim}, is to get some of the {loot} back.",
            "stolen {loot} worth {value} were found in a garage near {place} on {day}, {who} of {police} said, and "
            "{victim}, whose home was broken into, came to look at them.",
            "{arrests} people were in custody on {day} after {police} searched [two flats|a warehouse] and found "
            "{loot}, {who}, who leads the inquiry, said; {victim} was among those who had been robbed.",
        ),
        details=(
            "the burglars came [by day, dressed as workmen|when families were on holiday].",
            "a neighbour had written down [a number plate|the name on a van].",
            "officers found [a list of addresses|keys to eleven houses].",
            "the oldest of the {arrests} suspects is [52|47], the youngest [19|22].",
            "the {loot} were to be sold in {abroad}.",
            "{victim_ms} has changed the locks twice since.",
        ),
        quotes=(
            '"They were careful with gloves and careless with their telephones," {who_ms} said.',
            '"You do not sleep well in a house that strangers have walked through," {victim_ms} said.',
        ),
        background=(
            "burglaries in {region} had fallen for three years before this series.",
            "the same group may be behind thefts in {abroad}.",
        ),
        outcomes=(
            "the suspects will appear before a judge on {next_day}.",
            "victims can collect what was found from {next_day}.",
        ),
    ),
    Kind(
        "robbery_verdict",
        ("crime",),
        cast={"who": "prosecutor", "accused": "suspect", "lawyer": "lawyer"},
        options={"scene": ("petrol station", "post office", "betting shop", "jeweller's shop")},
        figures={"years": count(3, 12), "loot": price(4000, 90000, 1000)},
        titles=(
            "{accused_last} gets {years} years for {scene} robbery",
            "{scene} robber [sentenced|jailed] in {place}",
            "Court in {place} [convicts|finds guilty] {accused_last}",
        ),
        leads=(
            "a court in {place} sentenced {accused} to {years} years in prison on {day} for robbing a {scene}; "
            "{who}, for the prosecution, had asked for more, and {lawyer}, for the defence, for less.",
            "{accused}, who robbed a {scene} of {loot}, was sent to prison for {years} years on {day}, a result "
            "that {who}, the prosecutor, called just and {lawyer}, the defence lawyer, harsh.",
            "judges in {place} found {accused} guilty on {day} of the robbery of a {scene}, following the "
            "prosecutor {who} and not the defence lawyer {lawyer}.",
        ),
        details=(
            "the robber had worn [a builder's helmet|a wig|a scarf of the local club] and carried [a toy pistol|a "
            "kitchen knife].",
            "the cashier, who was alone at the time, [gave evidence|wept as the verdict was read].",
            "only a part of the {loot} was ever found.",
            "a bus ticket dropped near the {scene} led police to the flat.",
            "the judge took [a full confession|two earlier convictions] into account.",
            "the trial had lasted [four|six|nine] days.",
        ),
        quotes=(
            '"A plastic gun causes real fear," {who_ms} told the court.',
            '"This was an act of despair, not of greed," {lawyer_ms} said.',
        ),
        background=(
            "the {scene} has been robbed three times in ten years.",
            "the accused had been released from prison only months before.",
        ),
        outcomes=(
            "the defence has a week to appeal.",
            "the prison term begins at once.",
        ),
    ),
    Kind(
        "smuggling",
        ("crime",),
        cast={"police": "police", "who": "detective@police", "officer": "customs_officer"},
        options={
            "goods": ("cigarettes", "cocaine", "ivory", "fake perfume", "counterfeit watches"),
            "hiding": ("a load of tiles", "crates of bananas", "hollow furniture", "a fuel tank"),
        },
        figures={"value": money(2, 38), "kilos": count(40, 900, 10)},
        titles=(
            "Customs [find|seize] {goods} worth {value}",
            "{goods} hidden in {hiding} [seized|discovered] near {place}",
            "Driver [held|arrested] after {kilos} kilos of {goods} are found",
        ),
        leads=(
            "customs officers found {goods} worth {value} in {hiding} near {place} on {day}, {officer}, who led the "
            "search, said, and {who} of {police} took the driver into custody.",
            "{who} of {police} announced the seizure of {kilos} kilos of {goods} on {day}, which {officer}, a "
            "customs officer, had discovered in {hiding}.",
            "a lorry from {abroad} carried {goods} hidden in {hiding}, the customs officer {officer} said on {day}; "
            "{who} of {police} is now looking for whoever placed the order.",
        ),
        details=(
            "a dog named [Pepper|Biscuit|Duke] gave the first sign.",
            "the driver, [34|41|58], says that the load was sealed.",
            "the papers named a firm that [does not exist|closed years ago].",
            "the {goods} weighed {kilos} kilos in all.",
            "a second lorry was [stopped|searched] on the bridge over the {river}.",
            "officers had followed the route from {abroad} for weeks.",
        ),
        quotes=(
            '"The [tiles|boxes] were too light, that was all," {officer_ms} said.',
            '"We have the driver; we want the people who [paid|sent] the driver," {who_ms} said.',
        ),
        background=(
            "it was the largest find in {region} in five years.",
            "smugglers have moved to small roads since the motorway is watched.",
        ),
        outcomes=(
            "the driver will be charged on {next_day}.",
            "the goods will be destroyed once the court has seen them.",
        ),
    ),
    Kind(
        "cold_case",
        ("crime",),
        cast={"police": "police", "who": "detective@police", "relative": "resident"},
        options={"clue": ("a letter", "a wristwatch", "a DNA trace", "an old photograph")},
        figures={"years": count(14, 38), "tips": count(20, 160)},
        titles=(
            "{years} years on, {clue} [leads to arrest|reopens case]",
            "Police [reopen|return to] {years}-year-old murder case",
            "Suspect held in murder that [shook|haunted] {place}",
        ),
        leads=(
            "{police} arrested a [66|59|71]-year-old on {day} over a murder {years} years ago, after {clue} gave "
            "detectives a new lead, {who}, who heads the inquiry, said; {relative}, the victim's cousin, wept.",
            "{clue} has led to an arrest in a murder that was committed near {place} {years} years ago, {who} of "
            "{police} said on {day} after telling {relative}, a relative of the victim.",
            "a murder case that rested for {years} years was reopened on {day} because of {clue}, {who} of {police} "
            "said, and {relative}, from the victim's family, asked witnesses to come forward.",
        ),
        details=(
            "the case files had been [kept in a cellar|damaged by water].",
            "the suspect [lived two streets away all the time|had moved to {abroad}].",
            "a television programme about the case brought {tips} tips.",
            "the arrest was made without resistance.",
            "detectives compared the evidence with [thousands of|old] fingerprints.",
            "{relative_ms} has put flowers at the spot each year.",
        ),
        quotes=(
            '"A case like this is never closed, it only waits," {who_ms} said.',
            '"I always knew that someone knew," {relative_ms} said.',
        ),
        background=(
            "the body was found on the banks of the {river} by [anglers|children].",
            "an innocent man spent eight months in prison over the case.",
        ),
        outcomes=(
            "a judge will decide on {next_day} whether the suspect stays in custody.",
            "the trial could begin before the end of the year.",
        ),
    ),
    Kind(
        "match_fixing",
        ("crime", "sports"),
        cast={"club": "club", "who": "prosecutor", "player": "player@club", "chair": "chair@club"},
        options={"signal": ("a yellow card", "a missed penalty", "a late own goal", "a slow throw-in")},
        figures={"sum": price(8000, 90000, 1000), "matches": count(3, 11)},
        titles=(
            "{club} player {player_last} [questioned|detained] over fixed matches",
            "Prosecutors look at {matches} matches of {club}",
            "[Bets|Odd bets] on {signal} [lead police to|cast shadow on] {club}",
            "{player_last} denies taking {sum} for {signal}",
        ),
        leads=(
            "prosecutors are investigating whether {player} of {club} took {sum} for {signal}, {who}, who leads the "
            "inquiry, said on {day}; the club's chair, {chair}, suspended the player.",
            "{matches} matches of {club} may have been fixed, the prosecutor {who} said on {day} after the "
            "questioning of {player}, and {chair}, who chairs the club, promised to open the books.",
            "{player}, who plays for {club}, was questioned on {day} about bets on {signal}, the prosecutor {who} "
            "said; {chair}, the club's chair, spoke of a dark day.",
        ),
        details=(
            "a betting firm in {abroad} had noticed stakes that were [ten times the usual|placed within minutes].",
            "{player_ms} denies having taken money.",
            "investigators searched the dressing room and [two flats|a sports bar].",
            "the league will [keep the results for now|look at the matches itself].",
            "team-mates were told not to [talk to reporters|use their phones].",
            "{sum} in cash was found in [a kit bag|a freezer].",
        ),
        quotes=(
            '"Whoever sells a match robs every person in the stands," {who_ms} said.',
            '"If it is true, there is no place in this club for it," {chair_ms} said.',
        ),
        background=(
            "two players of another club were banned for life over bets last season.",
            "{club_short} has fallen from third to eleventh place since the winter.",
        ),
        outcomes=(
            "a judge will hear the player on {next_day}.",
            "the league's disciplinary board meets next week.",
        ),
    ),
)
