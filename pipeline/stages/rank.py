"""`predict` for a recommender: the impressions of a split, ranked as MIND's leaderboard takes them. No DVC stage."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from lightning_fabric.utilities.apply_func import move_data_to_device
from numpy.typing import NDArray

from pipeline import paths
from pipeline.device import uses_gpu
from pipeline.errors import UserError
from pipeline.models.recommender import RecommenderOptions, build_recommender
from pipeline.params import Hardware
from pipeline.prediction.run_folder import read_built, read_weights
from pipeline.submission import NAME, writing_submission
from pipeline.tasks.news_data import NewsTable, RankDataset
from pipeline.tasks.ranker import Ranker
from pipeline.tasks.recommendation import ENCODER
from pipeline.text import impressions, ragged
from pipeline.text.impressions import HISTORIES, Impressions
from pipeline.text.ragged import Ragged

PORTION = 10_000
"""Impressions that are written at a time."""


def run(folder: Path, split: str, output: Path, hardware: Hardware) -> None:
    """Ranks the split's impressions with a run's best weights into `output`: prediction.txt, and its zip.

    Scores lie in a temporary file, so that memory is bounded by the news and by a portion of the impressions. Raises
    UserError for a split that isn't there, or data prepared anew since the training.
    """
    dataset = folder.resolve().parts[-3]
    prepared = paths.prepared(dataset)
    info = impressions.read_info(prepared)
    if split not in info.splits:
        raise UserError(
            f"--split: {dataset} has no split {split}; there are {', '.join(info.splits)}, and "
            f"data.{dataset}.source.unlabelled names the one of a submission"
        )
    options = RecommenderOptions.from_dict(read_built(folder)["model"])
    known = (options.text.vocabulary_size, options.max_history)
    if known != (info.vocabulary_size, info.max_history):
        raise UserError(
            f"{prepared}: has {info.vocabulary_size:,} words and histories of {info.max_history}, and the model of "
            f"{folder} knows {known[0]:,} and {known[1]}; `dvc repro` trains it on the data as they are now"
        )
    torch.set_num_threads(hardware.threads)
    model = build_recommender(options, pretrained=prepared / ENCODER, weights=False)
    model.load_state_dict(read_weights(folder))
    found = impressions.read(prepared, split)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=output) as file:
        scores = np.memmap(file, dtype=np.float32, mode="w+", shape=(max(len(found.candidates.ids), 1),))
        ranker = Ranker(model.eval(), NewsTable(prepared, options.news))
        device = torch.device("cuda" if uses_gpu(hardware) else "cpu")
        score(ranker, found, ragged.read(prepared, HISTORIES), scores, device)
        write(output, found, Ragged(scores, np.asarray(found.candidates.offsets)))
    print(f"{output / NAME}, and its zip: {len(found):,} impressions of {dataset}'s split {split}, ranked")


@torch.inference_mode()
def score(
    ranker: Ranker, split: Impressions, histories: Ragged, scores: NDArray[np.float32], device: torch.device
) -> None:
    """Fills in the score of every candidate."""
    ranker.model.to(device)
    ranker.encode(device)
    batches = RankDataset(split, histories)
    for number in range(len(batches)):
        batch = move_data_to_device(batches[number], device)
        scores[split.candidates.places(batch.impressions.cpu().numpy())] = ranker.scores(batch).cpu().numpy()


def write(output: Path, split: Impressions, scores: Ragged) -> None:
    """The submission, in the order of the ids."""
    order = np.argsort(split.id, kind="stable")
    with writing_submission(output) as submission:
        for start in range(0, len(order), PORTION):
            numbers = order[start : start + PORTION]
            rows = scores.rows(numbers)
            submission.add(split.id[numbers], rows.ids, rows.offsets)
