"""What kind of thing an event is, whatever its topic: the second thing that readers of the newsroom care about."""

ANGLES: dict[str, tuple[str, ...]] = {
    "openings": ("airline_routes", "clinic_opening", "ferry_line", "hotel_opening", "night_train", "shop_opening"),
    "departures": ("coach_sacked", "layoffs", "minister_resigns", "series_end", "transfer"),
    "courts": ("bribery_inquiry", "cold_case", "fraud_trial", "match_fixing", "robbery_verdict"),
    "losses": ("burglary_arrests", "data_breach", "food_recall", "outage", "smuggling"),
    "deals": ("chip_plant", "club_sale", "foreign_talks", "hospital_funding", "takeover"),
    "disruptions": ("heat_record", "storm_disruption", "storm_warning", "transport_strike", "wildfire"),
    "bodies": ("drug_trial", "outbreak", "player_injury", "screening", "waiting_times"),
    "machines": ("app_update", "computing_record", "delivery_robots", "phone_launch", "space_probe"),
    "nature": ("fossil_find", "river_cleanup", "species_survey", "telescope"),
    "wins": ("award_night", "earnings", "match", "race_record", "science_prize", "visitor_numbers"),
    "shows": ("album_tour", "festival_visitors", "film_premiere", "game_release", "stadium_concert"),
    "rules": ("bill_vote", "clean_air_zone", "election_poll", "tax_plan"),
}
"""Every kind of event has one angle; kinds of one angle belong to several topics and share few words."""

ANGLE_OF: dict[str, str] = {kind: angle for angle, kinds in ANGLES.items() for kind in kinds}
