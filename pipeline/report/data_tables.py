"""What is to be known of the data behind a table of results."""

from dataclasses import dataclass
from typing import Any

from pipeline.report.collect import DataSet
from pipeline.report.tables import Table, percent, whole

Report = dict[str, Any]
"""The report.json of a prepared data set."""


@dataclass(frozen=True)
class DataTables:
    """For the page: tables, and sentences below them."""

    tables: list[Table]
    sentences: list[str]


def of_data(task: str, data: Report) -> DataTables:
    """What a data report says, for the page."""
    if task == "recommendation":
        return DataTables(
            [impressions_table(data), categories_table(data)], [f"{line}." for line in recommendation_lines(data)]
        )
    if task == "summarization":
        return DataTables([articles_table(data)], [f"{line}." for line in summarization_lines(data)])
    vocabulary, repeated = data["vocabulary"], data["repeated_texts"]
    return DataTables(
        [splits_table(data), labels_table(data)],
        [
            f"Skipped: {skipped(data)}.",
            f"Vocabulary: {vocabulary['words']:,} of {vocabulary['word_types_in_training']:,} different words in "
            "training.",
            f"Repeated texts: {repeated['within_a_split']} within a split, {repeated['across_splits']} across splits.",
        ],
    )


def lines(dataset: DataSet) -> list[str]:
    """The same in a few lines, for results.md."""
    if dataset.data is None:
        return ["data: no data report there"]
    return [
        *LINES[dataset.task](dataset.data),
        *(
            f"vectors {one.report.get('file', one.report['vectors'])}: "
            f"{percent(one.report['coverage']['types'])} of the words, "
            f"{percent(one.report['coverage']['tokens'])} of the training tokens ({', '.join(one.variants)})"
            for one in dataset.coverage
            if "coverage" in one.report
        ),
    ]


def classification_lines(data: Report) -> list[str]:
    splits: dict[str, dict[str, Any]] = data["splits"]
    unknown = " / ".join(percent(split["unknown_token_share"]) for split in splits.values())
    return [
        f"texts ({' / '.join(splits)}): {each(data, 'texts')}; truncated: {each(data, 'truncated')}; "
        f"unknown tokens: {unknown}",
        f"skipped: {skipped(data)}",
    ]


def recommendation_lines(data: Report) -> list[str]:
    splits: dict[str, dict[str, Any]] = data["splits"]
    news = data["news"]
    seen = f"impressions ({' / '.join(splits)}): {each(data, 'impressions')}; clicks: {each(data, 'clicks')}"
    return [
        f"{seen}; empty histories: {each(data, 'empty_histories')}; cut to the newest clicks: "
        f"{each(data, 'truncated_histories')}",
        *(f"{name}: {split['from']}{left_out(split)}" for name, split in splits.items()),
        f"news: {news['news']:,}, of which training shows {news['in_training']:,}; vocabulary: "
        f"{data['vocabulary']['words']:,} words; users: {data['users']:,}",
    ]


def summarization_lines(data: Report) -> list[str]:
    splits: dict[str, dict[str, Any]] = data["splits"]

    def of(part: str, key: str) -> str:
        return " / ".join(whole(split[part][key]) for split in splits.values())

    def shares(part: str, key: str) -> str:
        return " / ".join(percent(split[part][key]) for split in splits.values())

    return [
        f"articles ({' / '.join(splits)}): {each(data, 'articles')}; cut: {of('source', 'truncated')}; summaries cut: "
        f"{of('summary', 'truncated')}",
        f"words that the vocabulary of {data['vocabulary']['words']:,} lacks: of the articles "
        f"{shares('source', 'unknown_token_share')}; of the summaries {shares('summary', 'copied_token_share')}, which "
        f"stand in the article, and {shares('summary', 'unknown_token_share')}, which don't",
        f"skipped: {skipped(data)}",
    ]


LINES = {
    "classification": classification_lines,
    "recommendation": recommendation_lines,
    "summarization": summarization_lines,
}


def left_out(split: dict[str, Any]) -> str:
    """What a split's impressions lack, by reason."""
    counts = {f"skipped, {reason}": count for reason, count in split["skipped"].items()}
    counts |= {f"not to be ranked, {reason}": count for reason, count in split["unranked"].items()}
    return "".join(f"; {count:,} {reason}" for reason, count in counts.items() if count)


def each(data: Report, key: str) -> str:
    return " / ".join(f"{split[key]:,}" for split in data["splits"].values())


def impressions_table(data: Report) -> Table:
    """Sizes of every split of impressions."""
    head = [
        "split",
        "impressions",
        "users",
        "clicks",
        "candidates",
        "mean candidates",
        "mean history",
        "new candidates",
    ]
    body = [
        [
            name,
            *(whole(split[key]) for key in ("impressions", "users", "clicks", "candidates")),
            f"{split['candidates_per_impression']['mean']:g}",
            f"{split['history']['mean']:g}",
            percent(split["share_of_new_candidates"]),
        ]
        for name, split in data["splits"].items()
    ]
    return Table("Impressions; histories in clicks, before they are cut; new: never shown in training", head, body)


def categories_table(data: Report, limit: int = 20) -> Table:
    """News per category, the most frequent ones where there are more than `limit`."""
    counts: dict[str, int] = data["news"]["categories"]
    title = "News per category"
    names = list(counts)
    if len(names) > limit:
        title += f"; the {limit} most frequent of {len(names)} categories"
        names = sorted(names, key=lambda name: -counts[name])[:limit]
    return Table(title, ["category", "news"], [[name, whole(counts[name])] for name in names])


def articles_table(data: Report) -> Table:
    """Sizes of every split of articles."""
    parts, keys = {"source": "article", "summary": "summary"}, ("median", "mean", "p95", "max")
    columns = [(part, key) for part in parts for key in keys]
    head = ["split", "articles", *(f"{parts[part]}: {key}" for part, key in columns)]
    body = [
        [name, whole(split["articles"]), *(f"{split[part]['length'][key]:,g}" for part, key in columns)]
        for name, split in data["splits"].items()
    ]
    return Table("Articles and summaries; lengths in tokens, before they are cut", head, body)


def splits_table(data: Report) -> Table:
    """Sizes, lengths, cut texts and unknown words of every split."""
    head = [
        "split",
        "texts",
        "tokens",
        "shortest",
        "median",
        "mean",
        "95th percentile",
        "longest",
        "truncated",
        "unknown tokens",
    ]
    return Table(
        "Splits; lengths in tokens",
        head,
        [
            [
                name,
                whole(split["texts"]),
                whole(split["tokens"]),
                *(f"{split['length'][key]:,g}" for key in ("min", "median", "mean", "p95", "max")),
                whole(split["truncated"]),
                percent(split["unknown_token_share"]),
            ]
            for name, split in data["splits"].items()
        ],
    )


def labels_table(data: Report, limit: int = 20) -> Table:
    """Texts per label and split, the most frequent labels of training where there are more than `limit`."""
    splits = data["splits"]
    names = list(splits["train"]["labels"])
    title = "Texts per label"
    if len(names) > limit:
        title += f"; the {limit} most frequent of {len(names)} labels"
        names = sorted(names, key=lambda name: -splits["train"]["labels"][name])[:limit]
    body = [[name, *(whole(split["labels"].get(name, 0)) for split in splits.values())] for name in names]
    return Table(title, ["label", *splits], body)


def skipped(data: Report) -> str:
    """How many of the rows were left out, by reason."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in data["skipped"].items() if count)
    return f"{reasons or 'none'}, of {data['rows']:,} rows"
