"""Prepared recommendation data: ids, histories and clicks belong together, and the report accounts for every row."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.metrics.ranking import ranking
from pipeline.params import Params
from pipeline.sources.base import SPLITS
from pipeline.stages import fetch, prepare
from pipeline.text import impressions, ragged, vocabulary
from tests.sources import mind_files
from tests.sources.mind_files import behavior_row
from tests.stages import own

SOURCE = {"reader": "mind", "accept_licence": False, "train": "train", "test": "dev", "unlabelled": "test"}


@pytest.fixture(autouse=True)
def in_workspace(workspace: Path) -> Path:
    return workspace


def chosen(text: dict[str, Any] | None = None, **source: Any) -> Params:
    values = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
    values["data"]["mind"] |= {
        "source": SOURCE | {"max_history": 3, "abstract_length": None, "news_encoder": None} | source,
        "text": {"min_count": 1, "max_length": 4, "tokenizer": "wordpunct"} | (text or {}),
    }
    return Params.model_validate(values)


def prepared(params: Params, **changes: str) -> Path:
    mind_files.write(paths.local("mind"), **changes)
    fetch.run(params, "mind")
    prepare.run(params, "mind")
    return paths.prepared("mind")


def ids_of(folder: Path) -> list[str]:
    found: list[str] = pq.read_table(folder / "news.parquet").column("id").to_pylist()
    return found


def test_impressions_are_what_the_files_say() -> None:
    folder = prepared(chosen())
    ids, histories = ids_of(folder), ragged.read(folder, "histories")
    assert ids == ["N1", "N2", "N3", "N4", "N5"]
    told = {}
    for split in (*SPLITS, "unlabelled"):
        found = impressions.read(folder, split)
        clicks = np.split(found.clicks, found.candidates.offsets[1:-1]) if found.clicks is not None else None
        told[split] = [
            (
                int(found.id[i]),
                [ids[n] for n in histories[found.history[i]]],
                [ids[n] for n in found.candidates[i]],
                clicks[i].tolist() if clicks is not None else None,
            )
            for i in range(len(found))
        ]
        assert found.chances is None
    # N8 and N9 are in no news.tsv; what is left of impression 3 has no click.
    assert told == {
        "train": [
            (1, ["N1", "N2", "N1"], ["N3", "N4"], [True, False]),
            (2, [], ["N1", "N2", "N3"], [False, True, True]),
        ],
        "validation": [(4, ["N4"], ["N1", "N2"], [True, False])],
        "test": [(1, ["N2", "N1", "N3"], ["N5", "N4"], [True, False]), (2, ["N4"], ["N4"], [True])],
        "unlabelled": [(7, ["N1", "N2"], ["N5", "N4", "N1"], None), (8, [], ["N4"], None)],
    }
    train = impressions.read(folder, "train")
    assert train.time.tolist() == [1573376592, 1573300805]
    assert train.user[0] == impressions.read(folder, "test").user[0] != train.user[1]


def test_each_history_is_written_once_and_the_first_is_empty() -> None:
    folder = prepared(chosen())
    histories = ragged.read(folder, "histories")
    rows = [histories[i].tolist() for i in range(len(histories))]
    assert rows[0] == []
    assert len({tuple(row) for row in rows}) == len(rows) == 5
    # [N8 N4] without N8 is the history [N4] of another user.
    assert impressions.read(folder, "validation").history[0] == impressions.read(folder, "test").history[1]


def test_titles_are_encoded_with_the_words_of_news_that_training_showed() -> None:
    folder = prepared(chosen())
    words = [word for word, _ in vocabulary.read(folder / "vocabulary.json")]
    titles = ragged.read(folder, "titles")
    assert [[words[i] for i in titles[n]] for n in range(len(titles))] == [
        ["orlen", "votes"],
        ['"', "we", "won", ',"'],
        ["a", "lone", '"', "quote"],
        ["rain", "ahead"],
        ["<unk>", "<unk>", "<unk>"],
    ]
    assert "polls" not in words
    assert not (folder / "abstracts.ids.npy").exists()


def test_abstracts_are_encoded_when_asked_for() -> None:
    folder = prepared(chosen(abstract_length=2))
    words = [word for word, _ in vocabulary.read(folder / "vocabulary.json")]
    abstracts = ragged.read(folder, "abstracts")
    assert [[words[i] for i in abstracts[n]] for n in range(len(abstracts))] == [
        ["polls", "opened"],
        ["no", '"'],
        [],
        ["rain", "is"],
        [],
    ]
    assert impressions.read_info(folder).abstract_length == 2
    report = read_json(folder / "report.json")["news"]
    assert report["texts"]["abstracts"]["truncated"] == 3
    assert report["without_abstract"] == 2


def test_info_and_categories_cover_all_splits() -> None:
    folder = prepared(chosen())
    info = impressions.read_info(folder)
    assert info == impressions.RecommendationInfo(
        news=5,
        categories=["news", "snow", "sports", "weather"],
        subcategories=["newsworld"],
        vocabulary_size=info.vocabulary_size,
        max_length=4,
        abstract_length=None,
        news_encoder=None,
        max_history=3,
        tokenizer="wordpunct",
        lowercase=True,
        splits={"train": 2, "validation": 1, "test": 2, "unlabelled": 2},
    )
    assert info.vocabulary_size == len(vocabulary.read(folder / "vocabulary.json"))
    assert np.load(folder / "news.category.npy").tolist() == [0, 2, 2, 3, 1]
    assert impressions.is_prepared(folder)


def test_views_and_clicks_are_those_of_training() -> None:
    folder = prepared(chosen())
    assert np.load(folder / "news.views.npy").tolist() == [1, 1, 2, 1, 0]
    assert np.load(folder / "news.clicks.npy").tolist() == [0, 1, 2, 0, 0]


def test_the_report_counts_every_quirk() -> None:
    folder = prepared(chosen())
    report = read_json(folder / "report.json")
    assert report["news"]["skipped"] == {"repeated id": 3}
    assert (report["news"]["rows"], report["news"]["news"], report["news"]["in_training"]) == (8, 5, 4)
    assert report["news"]["texts"]["titles"]["truncated"] == 1
    train, validation, test = (report["splits"][split] for split in SPLITS)
    assert (train["rows"], train["impressions"], train["skipped"]) == (3, 2, {"none clicked": 1})
    assert train["from"] == "train before 2019-11-11"
    assert train["days"] == {"2019-11-09": 2, "2019-11-10": 1}
    counts = {
        "history_entries": 6, "unknown_history_entries": 0, "empty_histories": 1, "histories_without_known_news": 0,
        "histories_with_repeats": 2, "truncated_histories": 0, "candidates": 8, "unknown_candidates": 1, "clicks": 4,
        "single_candidates": 0, "repeated_candidates": 0, "candidates_in_history": 1,
    }  # fmt: skip
    assert {name: train[name] for name in counts} == counts
    assert train["clicks_per_impression"] == {"0": 0, "1": 2, "2": 1, "3": 0, "4": 0, "5": 0, "6 or more": 0}
    assert train["candidates_per_impression"] == {"min": 2, "median": 3.0, "mean": 2.67, "p95": 3.0, "max": 3}
    assert validation["unknown_history_entries"] == 1
    assert (test["truncated_histories"], test["single_candidates"]) == (1, 1)
    assert test["unranked"] == {"all clicked": 1}
    assert test["share_of_new_candidates"] == round(1 / 3, 6)
    assert "clicks_per_impression" not in report["splits"]["unlabelled"]
    for split in report["splits"].values():
        assert split["impressions"] + sum(split["skipped"].values()) == split["rows"] == sum(split["days"].values())


def test_what_the_report_calls_unranked_is_what_the_metrics_leave_out() -> None:
    rows = "".join(
        behavior_row(number, "U7", "11/12/2019 8:00:00 PM", "N77", shown)
        for number, shown in enumerate(("N1-0 N2-0", "N99-1", "N1-1 N2-1", "N1-1 N2-0", ""), 10)
    )
    folder = prepared(chosen(), dev_behaviors=rows)
    test = impressions.read(folder, "test")
    left_out = ranking(np.zeros(len(test.candidates.ids)), test.labels(), test.candidates.offsets).left_out
    report = read_json(folder / "report.json")["splits"]["test"]
    assert left_out == report["unranked"] == {"none clicked": 1, "no candidates": 2, "all clicked": 1}
    assert (report["histories_without_known_news"], report["repeated_ids"]) == (5, 0)


@pytest.mark.parametrize("length", [0, 1, 3, 4, 60])
def test_the_newest_clicks_of_a_history_are_kept(length: int) -> None:
    history = [f"N{1 + i % 4}" for i in range(length)]
    row = behavior_row(1, "U1", "11/12/2019 7:00:00 PM", " ".join(history), "N5-1 N4-0")
    folder = prepared(chosen(), dev_behaviors=row)
    found = ragged.read(folder, "histories")[impressions.read(folder, "test").history[0]]
    assert [ids_of(folder)[n] for n in found] == history[-3:]
    assert read_json(folder / "report.json")["splits"]["test"]["truncated_histories"] == (length > 3)


def test_clicks_that_are_not_known_are_refused_to_whoever_needs_them() -> None:
    found = impressions.read(prepared(chosen()), "unlabelled")
    with pytest.raises(UserError, match="split unlabelled has no clicks, so that it can be ranked but not measured"):
        found.labels()


def test_an_unlabelled_candidate_without_news_is_refused() -> None:
    rows = mind_files.UNLABELLED + behavior_row(9, "U1", "11/13/2019 7:00:00 PM", "", "N1 N66")
    with pytest.raises(UserError, match=r"data/local/mind/test/behaviors.tsv:3: candidate N66 isn't in news.tsv"):
        prepared(chosen(), test_behaviors=rows)
    assert not paths.prepared("mind").exists()


def test_one_id_on_two_rows_is_counted_and_refused_where_a_submission_needs_it() -> None:
    report = read_json(prepared(chosen(), dev_behaviors=mind_files.TEST * 2) / "report.json")
    assert report["splits"]["test"]["repeated_ids"] == 2
    with pytest.raises(UserError, match=r"data set mind: impression id 7 stands twice in test; .* link the file"):
        prepared(chosen(), test_behaviors=mind_files.UNLABELLED * 2)


def test_a_split_with_nothing_to_use_is_refused_with_the_reasons() -> None:
    one_day = behavior_row(1, "U1", "11/9/2019 9:03:12 AM", "N1", "N3-1 N4-0")
    with pytest.raises(UserError, match=r"no impression for train \(train before 2019-11-09\) can be used \(there is"):
        prepared(chosen(), train_behaviors=one_day)
    clicked = behavior_row(1, "U1", "11/8/2019 9:03:12 AM", "N1", "N3-1 N4-1")
    with pytest.raises(UserError, match=r"no impression for train .* can be used \(all clicked: 1\); link whole files"):
        prepared(chosen(), train_behaviors=clicked + one_day)


def test_the_same_files_give_the_same_bytes() -> None:
    first = own.hashes(prepared(chosen()))
    assert first == own.hashes(prepared(chosen()))


def test_generated_clicks_have_chances_and_are_prepared_alike() -> None:
    params = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
    params["data"]["newsroom_clicks"]["source"] |= {"news": 400, "readers": 60, "impressions": 30}
    made = Params.model_validate(params)
    fetch.run(made, "newsroom_clicks")
    prepare.run(made, "newsroom_clicks")
    folder = paths.prepared("newsroom_clicks")
    test, train = (impressions.read(folder, split) for split in ("test", "train"))
    assert train.chances is None
    assert test.chances is not None
    assert len(test.chances) == len(test.candidates.ids) == len(test.labels())
    assert ((test.chances > 0) & (test.chances < 1)).all()
    report = read_json(folder / "report.json")
    assert all(not split["unranked"] and not split["skipped"] for split in report["splits"].values())
    for one, other in itertools.pairwise(SPLITS):
        assert impressions.read(folder, one).time.max() < impressions.read(folder, other).time.min()


def test_news_rows_keep_their_text() -> None:
    table = pq.read_table(prepared(chosen()) / "news.parquet").to_pydict()
    assert table["title"][1] == '"We won," she said'
    assert table["abstract"][0] == "Polls opened on Sunday."
