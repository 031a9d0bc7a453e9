"""`predict`: what a trained model says of texts of the user's own. No stage of dvc.yaml."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from pipeline.errors import UserError
from pipeline.files import write_text, writing
from pipeline.prediction.run_folder import task_of
from pipeline.prediction.summarizer import TrainedSummarizer
from pipeline.prediction.trained import Answer, TrainedClassifier
from pipeline.report import attention_page
from pipeline.sources.cleaning import clean

BATCH = 64
SHOWN = 20
"""Texts on the page of attention maps: the first ones."""


def run(folder: Path, source: BinaryIO, output: TextIO, attention: Path | None) -> None:
    """Writes a JSON line for each line of `source`, cleaned as training texts are; notes go to stderr.

    A line without tokens has the label or the summary null. `attention` is the path of a page with attention maps.
    Raises UserError where the folder isn't that of a run, as run_folder.py does, and if maps are asked of a model that
    has none.
    """
    if task_of(folder) == "summarization":
        summarize(folder, source, output, attention)
    else:
        classify(folder, source, output, attention)


def summarize(folder: Path, source: BinaryIO, output: TextIO, attention: Path | None) -> None:
    """The sentences of a summary for each line, which is an article."""
    if attention is not None:
        raise UserError(f"--attention: {folder} is of a summarizer, for which there is no page of maps; leave it out")
    summarizer = TrainedSummarizer.of_run(folder)
    counts: Counter[str] = Counter()
    for texts in batches(source):
        for text, summary in zip(texts, summarizer.summaries(texts), strict=True):
            counts["texts"] += 1
            counts["empty"] += summary is None
            counts["cut"] += summary is not None and summary.cut > 0
            told = {"text": text, "summary": summary.sentences if summary else None}
            output.write(json.dumps(told, ensure_ascii=False) + "\n")
    print(note(counts, summarizer.longest, "summary"), file=sys.stderr)


def classify(folder: Path, source: BinaryIO, output: TextIO, attention: Path | None) -> None:
    """The label of each line, with the probability of every label."""
    classifier = TrainedClassifier.of_run(folder)
    if attention is not None and classifier.options.attention != "fastformer":
        raise UserError(
            f"--attention: {folder} has attention {classifier.options.attention}, which has no alpha and beta; name a "
            "run whose variant has attention fastformer"
        )
    counts: Counter[str] = Counter()
    shown: list[attention_page.Text] = []
    for texts in batches(source):
        answers = classifier.answers(texts, maps=attention is not None and len(shown) < SHOWN)
        for text, answer in zip(texts, answers, strict=True):
            counts["texts"] += 1
            output.write(json.dumps(row(text, answer, classifier.labels), ensure_ascii=False) + "\n")
            if answer is None:
                counts["empty"] += 1
                continue
            counts["cut"] += answer.cut > 0
            if answer.maps and len(shown) < SHOWN:
                label, share = best(answer, classifier.labels)
                shown.append(attention_page.Text(label, share, answer.tokens, answer.maps))
    if attention is not None:
        write_text(attention, attention_page.render(folder.as_posix(), shown))
    print(note(counts, classifier.options.mixer.max_length, "label"), file=sys.stderr)


@contextmanager
def opened(output: str) -> Iterator[TextIO]:
    """The standard output for -, else a file that is whole or not there."""
    if output == "-":
        yield sys.stdout
        return
    with writing(Path(output)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def batches(source: BinaryIO) -> Iterator[list[str]]:
    """The lines of a UTF-8 file, cleaned, BATCH at a time; what isn't UTF-8 becomes U+FFFD, as in training texts."""
    batch = []
    # Only LF ends a line, as everywhere here: U+0085 and U+2028 are text.
    for number, line in enumerate(source):
        batch.append(clean(line.decode("utf-8" if number else "utf-8-sig", "surrogateescape"))[0])
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def row(text: str, answer: Answer | None, labels: list[str]) -> dict[str, object]:
    """One line of the output."""
    if answer is None:
        return {"text": text, "label": None, "probability": None}
    shares = dict(zip(labels, (round(float(share), 6) for share in answer.probability), strict=True))
    return {"text": text, "label": best(answer, labels)[0], "probability": shares}


def best(answer: Answer, labels: list[str]) -> tuple[str, float]:
    """The likeliest label, and its probability."""
    number = int(answer.probability.argmax())
    return labels[number], float(answer.probability[number])


def note(counts: Counter[str], longest: int, answer: str) -> str:
    """What was read, and what of it not or not wholly."""
    parts = [f"{counts['texts']:,} text(s)"]
    if counts["empty"]:
        parts.append(f"{counts['empty']:,} without a token, which got no {answer}")
    if counts["cut"]:
        parts.append(f"{counts['cut']:,} cut at {longest:,} tokens")
    return "; ".join(parts)
