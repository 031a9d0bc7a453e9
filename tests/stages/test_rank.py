"""A submission out of a recommender's run, from its scores to the validated zip."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from typer.testing import CliRunner

from pipeline import paths
from pipeline.__main__ import app
from pipeline.errors import UserError
from pipeline.params import Hardware
from pipeline.stages import rank
from pipeline.submission import ranks, validate
from pipeline.tasks import recommendation
from pipeline.text import impressions
from tests.tasks import clicks
from tests.tasks.test_recommendation import direct, values  # noqa: F401

UNLABELLED = 23
RUN = Path("experiments/runs/mind/fastformer/1")


@pytest.fixture
def module(
    workspace: Path,  # noqa: ARG001
    values: recommendation.Run,  # noqa: F811
    embeddings: Path,
    hardware: Hardware,
) -> recommendation.RecommendationModule:
    """A run's folder with drawn weights, and its data."""
    folder = paths.prepared("mind")
    folder.mkdir(parents=True)
    clicks.write(folder, unlabelled=UNLABELLED)
    made, _, options = recommendation.build(values, folder, embeddings, hardware)
    RUN.mkdir(parents=True)
    save_file(made.model.state_dict(), RUN / "best.safetensors")
    (RUN / "model.json").write_text(json.dumps({"task": "recommendation", "model": asdict(options)}))
    return made.eval()


def test_the_ranks_are_those_of_the_scores_in_the_order_of_the_ids(
    module: recommendation.RecommendationModule, hardware: Hardware, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank, "PORTION", 5)
    monkeypatch.setattr("pipeline.tasks.news_data.HISTORIES_AT_A_TIME", 4)
    rank.run(RUN, "unlabelled", Path("submission"), hardware)
    found = impressions.read(paths.prepared("mind"), "unlabelled")
    assert validate(Path("submission/prediction.zip"), None) == UNLABELLED
    with torch.no_grad():
        scores = [one.numpy() for one in direct(module, paths.prepared("mind"), "unlabelled")]
    lines = Path("submission/prediction.txt").read_text().splitlines()
    order = np.argsort(found.id)
    assert order.tolist() != list(range(UNLABELLED))
    for line, number in zip(lines, order, strict=True):
        expected = ranks(scores[number], np.array([0, len(scores[number])])).tolist()
        assert line == f"{found.id[number]} [{','.join(map(str, expected))}]"
    assert sorted(path.name for path in Path("submission").iterdir()) == ["prediction.txt", "prediction.zip"]


@pytest.mark.usefixtures("module")
def test_the_command_line_ranks_and_explains() -> None:
    runner = CliRunner()
    done = runner.invoke(app, ["predict", str(RUN), "--output", "there"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "23 impressions of mind's split unlabelled, ranked" in done.stdout
    for extra, message in (
        (["--input", "-"], "is a recommender, which reads no --input"),
        (["--split", "dev"], "--split: mind has no split dev; there are train, validation, test, unlabelled"),
    ):
        with pytest.raises(UserError, match=message):
            runner.invoke(app, ["predict", str(RUN), "--output", "there", *extra], catch_exceptions=False)


@pytest.mark.usefixtures("module")
def test_data_prepared_anew_with_other_words_are_refused(hardware: Hardware) -> None:
    info = json.loads((paths.prepared("mind") / impressions.INFO).read_text()) | {"vocabulary_size": 31}
    (paths.prepared("mind") / impressions.INFO).write_text(json.dumps(info))
    with pytest.raises(UserError, match=r"has 31 words and histories of 6, and the model of .* knows 30 and 6"):
        rank.run(RUN, "test", Path("there"), hardware)
