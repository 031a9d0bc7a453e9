"""The real samples of REAL_DATA_DIR against its PROVENANCE.md: linked, prepared, and a little trained on.

None of them is part of this project. Without the environment variable nothing of this runs.
"""

import csv
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.files import read_json
from pipeline.metrics import rouge
from pipeline.params import Params
from pipeline.sources.base import SPLITS, Document
from pipeline.sources.chosen import source_of
from pipeline.sources.cnn_dailymail import CnnDailymail, CnnDailymailOptions, Tables, parsed_story
from pipeline.sources.local import link
from pipeline.sources.mind_behaviors import behaviors_of
from pipeline.sources.mind_news import news_of
from pipeline.sources.pubmed import articles_of
from pipeline.sources.tabular import rows
from pipeline.stages import baseline, embed, fetch, prepare
from pipeline.text import impressions

REAL = os.environ.get("REAL_DATA_DIR")
pytestmark = pytest.mark.skipif(not REAL, reason="REAL_DATA_DIR names no folder of real samples")


@pytest.fixture
def real(workspace: Path) -> Path:
    """The samples' folder, with an empty workspace as the current folder."""
    assert Path.cwd() == workspace
    return Path(str(REAL)).resolve()


def chosen(dataset: str, source: dict[str, Any] | None = None, max_length: int | None = None) -> Params:
    """The shipped params on a CPU, tracking nothing, with other options for one data set and a tiny model."""
    values = pipeline_params.load().model_dump(exclude_unset=True)
    data = values["data"][dataset]
    data["source"] |= source or {}
    if max_length:
        data["text"] |= {"max_length": max_length}
    data["model"] = {"dim": 16, "heads": 2, "layers": 2, "feedforward_dim": 16, "dropout": 0.2}
    data["training"] = {"batch_size": 32, "lr": 1e-2, "max_epochs": 1}
    values |= {"datasets": [dataset], "variants": ["random_vectors"], "ablations": {"datasets": [], "variants": []}}
    values["hardware"] |= {"accelerator": "cpu", "progress": "never"}
    values["tracking"] |= {"mode": "disabled"}
    return Params.model_validate(values)


def records(params: Params, dataset: str) -> tuple[list[Document], Counter[str]]:
    """Fetches, and reads all records, before any is dropped."""
    fetch.run(params, dataset)
    skipped: Counter[str] = Counter()
    return list(source_of(params, dataset).read(paths.raw(dataset), skipped)), skipped


def prepared(params: Params, dataset: str) -> dict[str, Any]:
    """Fetches and prepares; the report, whose counts must add up."""
    fetch.run(params, dataset)
    prepare.run(params, dataset)
    report: dict[str, Any] = read_json(paths.prepared(dataset) / "report.json")
    assert report["texts"] + sum(report["skipped"].values()) == report["rows"]
    assert sum(split["texts"] for split in report["splits"].values()) == report["texts"]
    return report


def labels(report: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for split in report["splits"].values():
        found.update(split["labels"])
    return found


def dirt(documents: list[Document], split: str | None = None) -> Counter[str]:
    return Counter(name for document in documents if document.split == split for name in document.cleaned)


def trains(params: Params, dataset: str) -> None:
    """One epoch; the numbers are numbers, and a row is predicted for every test text."""
    from pipeline.stages import train  # it brings torch, which collecting these tests can do without

    embed.run(params, dataset, "random_vectors", "train")
    train.run(params, dataset, "random_vectors", 1, "train")
    out = paths.run("train", dataset, "random_vectors", 1)
    metrics = read_json(out / "metrics.json")
    assert 0 <= metrics["accuracy"] <= 1
    assert metrics["epochs"] == 1
    tests = pq.read_table(paths.prepared(dataset) / "test.parquet").column("label").to_pylist()
    assert pq.read_table(out / "predictions.parquet").column("label").to_pylist() == tests


def test_amazon_of_2018(real: Path) -> None:
    link(pipeline_params.load(), "amazon", str(real / "amazon" / "All_Beauty_5.json"))
    params = chosen("amazon", {"file": "All_Beauty_5.json", "sample": None})
    documents, skipped = records(params, "amazon")
    assert skipped == {"no reviewText": 5}
    # Of the rows with a text; PROVENANCE.md counts five more under 5 stars, those without one.
    assert Counter(d.label for d in documents) == {"5": 4649 - 5, "4": 332, "3": 109, "2": 64, "1": 115}
    assert sum("\n" in d.text for d in documents) == 571
    assert dirt(documents) == {"HTML entities": 17}
    report = prepared(params, "amazon")
    assert report["rows"] == 5269
    # 1,364 distinct values of reviewText, "missing" being one of them.
    assert report["texts"] == 1364 - 1
    assert report["skipped"] == {"no reviewText": 5, "repeated text": 5269 - 5 - 1363}
    # Seven differ from another in case or white space alone: they stay, beside the other.
    assert report["repeated_texts"] == {"within_a_split": 7, "across_splits": 0}
    assert (
        sum(
            abs(labels(report)[str(star)] - n) for star, n in zip((5, 4, 3, 2, 1), (1092, 152, 64, 26, 30), strict=True)
        )
        <= 1
    )


def test_amazon_of_2014(real: Path) -> None:
    link(pipeline_params.load(), "amazon", str(real / "amazon" / "Musical_Instruments_5.head50.json"))
    params = chosen("amazon", {"file": "Musical_Instruments_5.head50.json"})
    documents, skipped = records(params, "amazon")
    assert (len(documents), skipped) == (50, {})
    assert {d.label for d in documents} <= {"1", "2", "3", "4", "5"}


def test_amazon_trains(real: Path) -> None:
    link(pipeline_params.load(), "amazon", str(real / "amazon" / "All_Beauty_5.json"))
    params = chosen("amazon", {"file": "All_Beauty_5.json", "sample": 800}, max_length=64)
    assert prepared(params, "amazon")["texts"] == 800
    trains(params, "amazon")


def test_the_small_folder_of_imdb_maas_and_a_training(real: Path) -> None:
    made = link(pipeline_params.load(), "imdb_maas", str(real / "imdb" / "aclImdb"))
    assert len(made) == 1200
    params = chosen("imdb_maas", {"label": "rating"}, max_length=64)
    documents, skipped = records(params, "imdb_maas")
    assert skipped == {}
    ratings = ("1", "2", "3", "4", "7", "8", "9", "10")
    for split, texts, breaks, cp1252 in (("train", 100, 456, 26), ("test", 50, 239, 18)):
        assert Counter(d.label for d in documents if d.split == split) == dict.fromkeys(ratings, texts)
        assert dirt(documents, split) == {"line-break tags": breaks, "mis-decoded cp1252": cp1252}
    params = chosen("imdb_maas", max_length=64)
    report = prepared(params, "imdb_maas")
    assert report["cleaned"] == {"line-break tags": 695, "mis-decoded cp1252": 44}
    assert labels(report) == {"negative": 600, "positive": 600}
    assert report["splits"]["test"]["texts"] == 400
    trains(params, "imdb_maas")


def test_the_large_archive_of_imdb_maas(real: Path) -> None:
    link(pipeline_params.load(), "imdb_maas", str(real / "imdb" / "aclImdb_train_and_half_test.tar.xz"))
    documents, skipped = records(chosen("imdb_maas", {"label": "rating"}), "imdb_maas")
    assert skipped == {}
    of_train = [d for d in documents if d.split == "train"]
    assert (len(of_train), len(documents) - len(of_train)) == (25_000, 12_500)
    assert Counter(d.label for d in of_train) == {
        "1": 5100, "2": 2284, "3": 2420, "4": 2696, "7": 2496, "8": 3009, "9": 2263, "10": 4732,
    }  # fmt: skip
    found = dirt(documents, "train")
    assert (found["line-break tags"], found["HTML entities"]) == (14_665, 5)
    # "C1 control characters in 813 files": 810 of cp1252, and three with others.
    assert (found["mis-decoded cp1252"], found["control characters"]) == (810, 3)
    # 96 before cleaning, which makes one more pair equal.
    assert len(of_train) - len({d.text for d in of_train}) == 97


def link_ag_news(real: Path, train: int, test: int) -> None:
    """train.csv can't be had: rows of test.csv's beginning become both files."""
    lines = (real / "ag_news" / "test.head5600.csv").read_bytes().splitlines(keepends=True)
    mine = Path("mine")
    mine.mkdir()
    (mine / "train.csv").write_bytes(b"".join(lines[:train]))
    (mine / "test.csv").write_bytes(b"".join(lines[train : train + test]))
    (mine / "classes.txt").write_bytes((real / "ag_news" / "classes.txt").read_bytes())
    link(pipeline_params.load(), "ag_news", "mine")


def test_ag_news(real: Path) -> None:
    link_ag_news(real, 4000, 1600)
    params = chosen("ag_news")
    report = prepared(params, "ag_news")
    assert (report["rows"], report["skipped"]) == (5600, {})
    assert labels(report) == {"World": 1413, "Sports": 1398, "Business": 1378, "Sci/Tech": 1411}
    assert report["repeated_texts"] == {"within_a_split": 0, "across_splits": 0}
    assert set(report["cleaned"]) == {"HTML entities", "backslashes", "line-break tags"}
    tables = [pq.read_table(paths.prepared("ag_news") / f"{split}.parquet") for split in SPLITS]
    texts = [text for table in tables for text in table.column("text").to_pylist()]
    assert not any("\\" in text or "#39;" in text or "quot;" in text for text in texts)
    assert sum("AT&T" in text for text in texts) > 0


def test_ag_news_trains(real: Path) -> None:
    link_ag_news(real, 500, 200)
    params = chosen("ag_news", max_length=64)
    assert prepared(params, "ag_news")["texts"] == 700
    trains(params, "ag_news")


def test_mind_topics(real: Path) -> None:
    link(pipeline_params.load(), "mind_topics", str(real / "mind" / "mindsmall_train_sample"))
    params = chosen("mind_topics", {"files": ["news.tsv"], "min_articles": 1})
    documents, skipped = records(params, "mind_topics")
    assert (len(documents), skipped) == (2000, {})
    assert Counter(d.label for d in documents) == {
        "news": 603, "sports": 597, "finance": 115, "foodanddrink": 109, "lifestyle": 95, "weather": 84, "video": 72,
        "travel": 72, "health": 71, "autos": 68, "music": 33, "tv": 32, "movies": 28, "entertainment": 18, "kids": 3,
    }  # fmt: skip
    news = [one for _, one in news_of(paths.raw("mind_topics") / "news.tsv")]
    assert sum(not one.abstract for one in news) == 99
    # An empty abstract leaves the title alone; quotes are text, in titles and in abstracts.
    assert all(d.text.startswith(one.title.strip("\u200b\ufeff ")) for d, one in zip(documents, news, strict=True))
    assert sum('"' in one.title for one in news) == 18
    assert sum('"' in one.abstract for one in news) == 251
    assert dirt(documents) == {"zero-width characters": 5}
    assert len({one.subcategory for one in news}) == 143


def test_mind_topics_of_two_files(real: Path) -> None:
    link(pipeline_params.load(), "mind_topics", str(real / "mind" / "mindsmall_head100"))
    params = chosen("mind_topics", {"files": ["train/news.tsv", "dev/news.tsv"], "min_articles": 1})
    documents, skipped = records(params, "mind_topics")
    assert len(documents) + skipped["repeated id"] == 202
    assert skipped == {"repeated id": 79}


def test_mind_topics_trains(real: Path) -> None:
    link(pipeline_params.load(), "mind_topics", str(real / "mind" / "mindsmall_train_sample"))
    params = chosen("mind_topics", {"files": ["news.tsv"]}, max_length=32)
    report = prepared(params, "mind_topics")
    assert report["rows"] == 2000
    assert report["skipped"] == {"label of fewer than 10 articles": 3, "repeated text": 1}
    assert len(labels(report)) == 14
    trains(params, "mind_topics")


def mind(news: Path, train: Path, dev: Path) -> dict[str, Any]:
    """The report of MIND's data prepared from two files of behaviours and one of news, which both folders get."""
    for folder, behaviors in (("train", train), ("dev", dev)):
        (paths.local("mind") / folder).mkdir(parents=True)
        (paths.local("mind") / folder / "news.tsv").symlink_to(news)
        (paths.local("mind") / folder / "behaviors.tsv").symlink_to(behaviors)
    values = pipeline_params.load().model_dump(exclude_unset=True)
    values["data"]["mind"]["source"] |= {"train": "train", "test": "dev"}
    params = Params.model_validate(values)
    fetch.run(params, "mind")
    prepare.run(params, "mind")
    report: dict[str, Any] = read_json(paths.prepared("mind") / "report.json")
    for name, split in report["splits"].items():
        assert split["impressions"] + sum(split["skipped"].values()) == split["rows"] == sum(split["days"].values())
        assert len(impressions.read(paths.prepared("mind"), name)) == split["impressions"]
    return report


def test_mind(real: Path) -> None:
    sample = real / "mind" / "mindsmall_train_sample"
    dev = real / "mind" / "mindsmall_head100" / "dev" / "behaviors.tsv"
    report = mind(sample / "news.tsv", sample / "behaviors.tsv", dev)
    news, splits = report["news"], report["splits"]
    both = [splits["train"], splits["validation"]]

    def total(name: str) -> int:
        return sum(split[name] for split in both)

    assert (total("rows"), total("empty_histories"), total("clicks")) == (5000, 107, 7542)
    assert total("candidates") - total("clicks") == 181_817
    assert (total("histories_with_repeats"), total("candidates_in_history")) == (1068, 362)
    assert (total("single_candidates"), total("repeated_candidates")) == (0, 0)
    assert (total("unknown_history_entries"), total("history_entries")) == (153_641, 159_802)
    assert (total("unknown_candidates"), total("candidates")) == (184_049, 189_359)
    clicks: Counter[str] = Counter()
    for split in both:
        clicks.update(split["clicks_per_impression"])
    assert clicks == {"0": 0, "1": 3623, "2": 824, "3": 294, "4": 118, "5": 65, "6 or more": 76}
    assert max(split["history"]["max"] for split in both) == 425
    sizes = [split["candidates_per_impression"] for split in both]
    assert (min(size["min"] for size in sizes), max(size["max"] for size in sizes)) == (2, 283)
    assert [*splits["train"]["days"], *splits["validation"]["days"]] == [f"2019-11-{day:02}" for day in range(9, 15)]
    assert (splits["test"]["rows"], splits["test"]["empty_histories"]) == (101, 5)
    assert (news["rows"], news["news"], news["skipped"]) == (4000, 2000, {"repeated id": 2000})
    assert (news["without_title"], news["without_abstract"]) == (0, 99)
    assert news["cleaned"] == {"zero-width characters": 5}
    assert (len(news["categories"]), news["subcategories"]) == (15, 143)
    # Words as PROVENANCE.md counts them, at blanks; tokens are a few more.
    assert 10 <= news["texts"]["titles"]["length"]["median"] <= 12
    baseline.run("mind")
    metrics = read_json(paths.baselines("mind") / "metrics.json")
    assert {name: count for name, count in metrics["left_out"].items() if count} == splits["test"]["unranked"]


def test_mind_whose_ids_all_resolve(real: Path) -> None:
    closed = real / "mind" / "derived_closed"
    both = Path("both.tsv")
    both.write_bytes((closed / "train_behaviors.tsv").read_bytes() + (closed / "lastday_behaviors.tsv").read_bytes())
    report = mind(closed / "news.tsv", both.resolve(), closed / "lastday_behaviors.tsv")
    train, validation = report["splits"]["train"], report["splits"]["validation"]
    assert (train["rows"], validation["rows"]) == (101, 31)
    for name, expected in (("empty_histories", 50), ("candidates", 458), ("clicks", 139), ("unknown_candidates", 0)):
        assert train[name] + validation[name] == expected
    assert all(not split["skipped"] and not split["unranked"] for split in (train, validation))
    assert report["news"]["news"] == 2121


def test_mind_trains(real: Path) -> None:
    """On a hundred impressions, whose clicks can be learned by heart and tell nothing of others."""
    from pipeline.stages import train

    closed = real / "mind" / "derived_closed"
    both = Path("both.tsv")
    both.write_bytes((closed / "train_behaviors.tsv").read_bytes() + (closed / "lastday_behaviors.tsv").read_bytes())
    mind(closed / "news.tsv", both.resolve(), closed / "lastday_behaviors.tsv")
    values = chosen("mind", {"train": "train", "test": "dev"}).model_dump(exclude_unset=True)
    values["data"]["mind"]["training"] |= {"max_epochs": 8, "patience": 8, "monitor": "auc"}
    values["data"]["mind"]["model"] |= {"layers": 1, "init_std": 0.2, "positions": False, "layer_norm": False}
    params = Params.model_validate(values)
    embed.run(params, "mind", "random_vectors", "train")
    train.run(params, "mind", "random_vectors", 1, "train")
    out = paths.run("train", "mind", "random_vectors", 1)
    with (out / "history.csv").open(encoding="utf-8") as file:
        losses = [float(row["train_loss"]) for row in csv.DictReader(file)]
    assert losses[-1] < 0.8 * losses[0]
    metrics = read_json(out / "metrics.json")
    assert all(0 < metrics[name] < 1 for name in ("auc", "mrr", "ndcg5", "ndcg10"))
    assert pq.read_table(out / "predictions.parquet").num_rows == 31


def test_mind_users_have_one_history_and_its_median(real: Path) -> None:
    rows = [row for _, row in behaviors_of(real / "mind" / "mindsmall_train_sample" / "behaviors.tsv")]
    histories = {row.user: row.history for row in rows}
    assert len(histories) == 4637
    assert all(histories[row.user] == row.history for row in rows)
    assert int(np.median([len(row.history) for row in rows])) == 18
    assert int(np.median([len(row.candidates) for row in rows])) == 24
    assert [row.time for row in rows] != sorted(row.time for row in rows)


def test_cnn_dailymail(real: Path) -> None:
    folder = real / "cnn_dailymail"
    for name in ("validation.csv", "train_sample_kaggle.csv", "train_respaced_variant.csv"):
        link(pipeline_params.load(), "cnn_dailymail", str(folder / name))
    columns = {"body_column": "article", "summary_column": "highlights"}
    tables = {"train": "train_sample_kaggle.csv", "validation": "validation.csv", "test": "validation.csv"}
    options = CnnDailymailOptions.model_construct(tables=Tables.model_construct(**tables, **columns))
    source = CnnDailymail("cnn_dailymail", options)
    skipped: Counter[str] = Counter()
    articles = list(source.read(paths.local("cnn_dailymail"), skipped))
    assert skipped == {}
    of = {split: [article for article in articles if article.split == split] for split in SPLITS}
    assert {split: len(some) for split, some in of.items()} == {"train": 100, "validation": 500, "test": 500}
    lines = [line for article in of["validation"] for line in article.summary]
    assert (len(lines), sum(line.endswith(" .") for line in lines)) == (1287, 1182)
    assert {len(article.summary) for article in of["validation"]} == {1, 2, 3, 4}
    assert sum("(CNN)" in article.body[:60] for article in of["validation"]) == 484
    assert sum(article.body.startswith("By .") for article in of["train"]) == 29
    lines = [line for article in of["train"] for line in article.summary]
    assert (len(lines), sum(line.endswith(" .") for line in lines)) == (383, 362)
    assert sum(line.startswith("NEW:") for line in lines) == 4
    variant = {"body_column": "text", "summary_column": "y"}
    other = list(rows(paths.local("cnn_dailymail") / "train_respaced_variant.csv", variant))
    assert len(other) == 200


def test_a_story(real: Path) -> None:
    (path,) = (real / "cnn_dailymail" / "story").iterdir()
    body, highlights = parsed_story(path.read_text(encoding="utf-8"))
    assert len(highlights) == 5
    assert "the router, without" in body
    assert "@highlight" not in body
    assert "\n" not in body


def test_pubmed(real: Path) -> None:
    skipped: Counter[str] = Counter()
    articles = list(articles_of(real / "pubmed" / "train.txt", "train", "train.txt", skipped))
    assert (len(articles), skipped) == (80 - 3, {"empty article": 3})
    # Of each sentence both marks are counted there.
    assert max(len(" ".join(one.summary).split()) + 2 * len(one.summary) for one in articles) == 389
    assert max(len(article.body.split()) for article in articles) == 10_759
    assert not any("<S>" in sentence or "</S>" in sentence for article in articles for sentence in article.summary)


def summarizes(params: Params, dataset: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fetches, prepares, scores the baselines, trains an epoch and writes summaries; data report and test metrics."""
    from pipeline.stages import train

    fetch.run(params, dataset)
    prepare.run(params, dataset)
    baseline.run(dataset)
    embed.run(params, dataset, "random_vectors", "train")
    train.run(params, dataset, "random_vectors", 1, "train")
    report = read_json(paths.prepared(dataset) / "report.json")
    assert report["articles"] + sum(report["skipped"].values()) == report["rows"]
    out = paths.run("train", dataset, "random_vectors", 1)
    predictions = pq.read_table(out / "predictions.parquet").to_pylist()
    tests = pq.read_table(paths.prepared(dataset) / "test.parquet").to_pylist()
    assert [row["reference"] for row in predictions] == [row["summary"] for row in tests]
    metrics = read_json(out / "metrics.json")
    written = rouge.f_measures(
        [row["reference"] for row in predictions], [row["summary"] for row in predictions], processes=1
    )
    for name, value in zip(rouge.ROUGES, written.mean(axis=0), strict=True):
        assert metrics[name] == pytest.approx(value, abs=1e-12)
        assert metrics[f"{name}_low"] <= metrics[name] <= metrics[f"{name}_high"]
    assert metrics["rouge_1"] > 0
    baselines = read_json(paths.baselines(dataset) / "metrics.json")
    assert 0 < baselines["lead"]["rouge_2"] < baselines["oracle"]["rouge_2"] < 1
    return report, metrics


def small_summarizer(dataset: str, source: dict[str, Any]) -> Params:
    """As `chosen`, with a summarizer that a test can afford."""
    values = chosen(dataset, {"summary_length": 40, **source}, 400).model_dump(exclude_unset=True)
    values["data"][dataset]["model"] |= {"layers": 1, "decoder_layers": 1, "copy_words": True, "beam": 2}
    values["data"][dataset]["training"] |= {"monitor": "loss", "validation_summaries": 5}
    return Params.model_validate(values)


def test_cnn_dailymail_trains(real: Path) -> None:
    with (real / "cnn_dailymail" / "validation.csv").open(encoding="utf-8", newline="") as file:
        header, *some = list(csv.reader(file))[:41]
    Path("own").mkdir()
    for name, part in (("validation.csv", some[:20]), ("test.csv", some[20:])):
        with (Path("own") / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *part])
        link(pipeline_params.load(), "cnn_dailymail", str(Path("own", name).resolve()))
    link(pipeline_params.load(), "cnn_dailymail", str(real / "cnn_dailymail" / "train_sample_kaggle.csv"))
    tables = {"train": "train_sample_kaggle.csv", "validation": "validation.csv", "test": "test.csv"}
    params = small_summarizer(
        "cnn_dailymail", {"tables": {**tables, "body_column": "article", "summary_column": "highlights"}}
    )
    report, _ = summarizes(params, "cnn_dailymail")
    assert (report["rows"], report["skipped"]) == (140, {})
    train = report["splits"]["train"]
    assert (train["articles"], train["summary"]["sentences"]["max"]) == (100, 8)
    # Tokens here, of which there are more than the words that PROVENANCE.md counts.
    assert train["source"]["length"]["median"] > 647
    assert train["summary"]["length"]["median"] > 50


def test_pubmed_trains(real: Path) -> None:
    lines = (real / "pubmed" / "train.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("own").mkdir()
    for name, part in (("train.txt", lines[:60]), ("val.txt", lines[60:70]), ("test.txt", lines[70:])):
        (Path("own") / name).write_text("".join(part), encoding="utf-8")
        link(pipeline_params.load(), "pubmed", str(Path("own", name).resolve()))
    report, _ = summarizes(small_summarizer("pubmed", {}), "pubmed")
    assert (report["rows"], report["articles"], report["skipped"]) == (80, 77, {"empty article": 3})
    # Upstream's tokens; the tokenizer cuts some of them further.
    assert max(split["source"]["length"]["max"] for split in report["splits"].values()) >= 10_759
    assert sum(split["source"]["truncated"] for split in report["splits"].values()) > 70
