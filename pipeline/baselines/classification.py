"""Majority label, and TF-IDF with logistic regression, beside which every model stands."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import write_json, writing_folder
from pipeline.metrics.classification import accuracy_and_f1, confusion_matrix
from pipeline.params import CEILING
from pipeline.sources.base import SPLITS
from pipeline.text import corpus
from pipeline.text.tokenizer import tokenizer

INVERSE_PENALTIES = (0.1, 1.0, 10.0)


def run(dataset: str) -> None:
    """Majority label, and logistic regression on TF-IDF of 1- and 2-grams, its C chosen on validation.

    Both see what the models see: the same tokens, cut at the same length. Where the texts were generated, `ceiling` is
    the answer of who knows how: no model can expect to do better.
    """
    folder = paths.prepared(dataset)
    info = corpus.read_info(folder)
    split_words = tokenizer(info.tokenizer, lowercase=info.lowercase)
    texts = {name: column(folder / f"{name}.parquet", "text") for name in SPLITS}
    labels = {name: np.array(corpus.read(folder, name).labels) for name in SPLITS}

    started = time.perf_counter()
    vectorizer = TfidfVectorizer(
        tokenizer=lambda text: split_words(text)[: info.max_length],
        token_pattern=None,
        lowercase=False,
        ngram_range=(1, 2),
        min_df=2,
        sublinear_tf=True,
    )
    try:
        features = {"train": vectorizer.fit_transform(texts["train"])}
    except ValueError as error:
        raise UserError(f"data set {dataset}: no word stands in two training texts ({error}); add texts") from None
    features |= {name: vectorizer.transform(texts[name]) for name in SPLITS[1:]}
    fitted = [
        # newton-cg: the same optimum as the default solver in a thirtieth of the time on sparse features.
        LogisticRegression(C=c, max_iter=1000, solver="newton-cg").fit(features["train"], labels["train"])
        for c in INVERSE_PENALTIES
    ]
    chosen = max(fitted, key=lambda model: float(model.score(features["validation"], labels["validation"])))
    predicted = {
        "majority": np.full_like(labels["test"], np.bincount(labels["train"]).argmax()),
        "tfidf_logreg": chosen.predict(features["test"]),
    }
    seconds = time.perf_counter() - started
    numbers = {label: number for number, label in enumerate(info.labels)}
    best_answers = column(folder / "test.parquet", "best")
    if numbers.keys() >= set(best_answers):  # else not generated, or so few that a label has no text
        predicted[CEILING] = np.array([numbers[answer] for answer in best_answers])

    metrics = {
        name: accuracy_and_f1(confusion_matrix(labels["test"], answer, len(info.labels)))
        for name, answer in predicted.items()
    }
    names = np.array(info.labels, dtype=object)  # numpy's own text drops a NUL at the end
    columns = {"id": np.arange(len(labels["test"])), "label": names[labels["test"]]}
    columns |= {name: names[answer] for name, answer in predicted.items()}
    with writing_folder(paths.baselines(dataset)) as out:
        pq.write_table(pa.table(columns), out / "predictions.parquet")
        fit = {"c": chosen.C, "parameters": int(chosen.coef_.size + chosen.intercept_.size)}
        write_json(out / "metrics.json", metrics | {"tfidf_logreg": metrics["tfidf_logreg"] | fit})
        write_json(out / "timing.json", {"tfidf_logreg": {"train_seconds": seconds}})


def column(path: Path, name: str) -> list[Any]:
    """One column of a split's records."""
    values: list[Any] = pq.read_table(path, columns=[name]).column(name).to_pylist()
    return values
