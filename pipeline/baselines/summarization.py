"""The first sentences of an article, and the best of its sentences, beside which every summarizer stands."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rouge_score.tokenizers import DefaultTokenizer

from pipeline import paths
from pipeline.files import write_json, writing_folder
from pipeline.metrics import rouge
from pipeline.params import CEILING
from pipeline.text import articles
from pipeline.text.articles import Records
from pipeline.text.tokenizer import sentences

LEADS = (1, 2, 3, 4, 5, 7, 10)
"""Numbers of first sentences that are tried."""

VALIDATION = 2000
"""Articles of validation on which the number is chosen, evenly spaced."""

CHUNK = 16
"""Articles that a process gets at a time."""

Grams = Counter[tuple[str, ...]]


def run(dataset: str) -> None:
    """Summaries of the test articles, and their ROUGE.

    - `lead`: the first sentences; how many is chosen by ROUGE-2 on validation, the fewest of equally good ones.
    - `oracle`: sentences of the article that were chosen with a look at its summary, so that no extract can be expected
      to score much better (Nallapati et al. 2017, arxiv.org/abs/1611.04230, Section 3): as long as one raises the mean
      of ROUGE-1 and ROUGE-2, the one that raises it most.
    - `ceiling`, where the articles were generated: the summary of who knows how.
    """
    folder, processes = paths.prepared(dataset), os.cpu_count() or 1
    test, validation = (articles.read_records(folder, split) for split in ("test", "validation"))
    started = time.perf_counter()
    chosen = best_lead(validation, processes)
    split = [sentences(body) for body in test.body]
    outputs = {"lead": [found[:chosen] for found in split]}
    led = time.perf_counter()
    outputs["oracle"] = oracles(split, test.summary, processes)
    seconds = {"lead": led - started, "oracle": time.perf_counter() - led}
    if all(test.best):
        outputs[CEILING] = [list(best or ()) for best in test.best]
    scores = {name: rouge.f_measures(test.summary, found, processes=processes) for name, found in outputs.items()}
    metrics = {name: rouge.means(found) for name, found in scores.items()}
    with writing_folder(paths.baselines(dataset)) as out:
        write_predictions(out / "predictions.parquet", test, outputs, scores)
        sizes = {"lead": {"sentences": chosen}}
        write_json(
            out / "metrics.json",
            {name: found | sizes.get(name, {}) for name, found in metrics.items()} | {"protocol": rouge.protocol()},
        )
        write_json(out / "timing.json", {name: {"train_seconds": taken} for name, taken in seconds.items()})


def best_lead(validation: Records, processes: int) -> int:
    """How many first sentences have the best ROUGE-2."""
    sample = articles.fixed_sample(len(validation.body), VALIDATION)
    references = [validation.summary[number] for number in sample]
    split = [sentences(validation.body[number]) for number in sample]
    column = list(rouge.ROUGES).index("rouge_2")

    def score(number: int) -> float:
        found = rouge.f_measures(references, [one[:number] for one in split], processes=processes)
        return float(found[:, column].mean())

    return max(LEADS, key=score)


def oracles(split: Sequence[Sequence[str]], references: Sequence[Sequence[str]], processes: int) -> list[list[str]]:
    """The oracle's sentences of each article, in the article's order."""
    starts = range(0, len(split), CHUNK)
    chunks = [(split[start : start + CHUNK], references[start : start + CHUNK]) for start in starts]
    jobs = max(1, min(processes, len(chunks)))
    found = Parallel(n_jobs=jobs)(delayed(_oracles)(*chunk) for chunk in chunks)
    return [one for chunk in found for one in chunk]


def _oracles(split: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> list[list[str]]:
    tokenizer = DefaultTokenizer(use_stemmer=True)
    chosen = []
    for found, reference in zip(split, references, strict=True):
        words = [tokenizer.tokenize(one) for one in found]
        chosen.append([found[number] for number in oracle(words, tokenizer.tokenize(" ".join(reference)))])
    return chosen


def oracle(split: Sequence[Sequence[str]], reference: Sequence[str]) -> list[int]:
    """The numbers of the sentences that are chosen, in the article's order; of equally good ones the first."""
    wanted = [grams(reference, size) for size in (1, 2)]
    parts = [[grams(words, size) for size in (1, 2)] for words in split]
    chosen: list[int] = []
    had: list[Grams] = [Counter(), Counter()]
    best = 0.0
    while True:
        scores = [
            sum(f_measure(have + part, want) for have, part, want in zip(had, own, wanted, strict=True))
            if number not in chosen
            else -1.0
            for number, own in enumerate(parts)
        ]
        number = int(np.argmax(scores)) if scores else 0
        if not scores or scores[number] <= best:
            return sorted(chosen)
        best = scores[number]
        chosen.append(number)
        had = [have + part for have, part in zip(had, parts[number], strict=True)]


def grams(words: Sequence[str], size: int) -> Grams:
    """So many words in a row, counted."""
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))


def f_measure(found: Grams, wanted: Grams) -> float:
    """Twice what both have, of all that they have together; 0 where that is nothing."""
    total = found.total() + wanted.total()
    return 2 * (found & wanted).total() / total if total else 0.0


def write_predictions(
    path: Path, test: Records, outputs: dict[str, list[list[str]]], scores: dict[str, NDArray[np.float64]]
) -> None:
    """A row per article: its number, its summary, and of each baseline the summary and its ROUGE-2."""
    column = list(rouge.ROUGES).index("rouge_2")
    columns = {"id": pa.array(np.arange(len(test.body))), "reference": pa.array(test.summary)}
    for name, found in outputs.items():
        columns |= {name: pa.array(found, pa.list_(pa.string())), f"{name}_rouge_2": pa.array(scores[name][:, column])}
    pq.write_table(pa.table(columns), path)
