"""How fast word vectors are read, beside gensim: python -m benchmarks.vectors FILE [ROWS] [PAIRS].

FILE, if it isn't there, is made with ROWS rows of 300 numbers; glove.840B.300d has 2,196,017. `read_rows` takes 60,000
words that are spread over all of it; gensim's loader, which would need gigabytes for all rows, its first 20,000. They
run in turn in one process, `read_rows` first, so that the most memory told is its own.
"""

import resource
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from pipeline.embeddings.vector_files import read_rows

DIM = 300
WORDS = 60_000
GENSIM_ROWS = 20_000


def make(path: Path, rows: int) -> None:
    """Words are numbered, the numbers those of 2,000 rows again and again, with five digits as in GloVe's files."""
    drawn = np.random.default_rng(1).normal(0, 0.35, (2_000, DIM))
    lines = [" ".join(f"{value:.5g}" for value in row) for row in drawn]
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{rows} {DIM}\n")
        file.writelines(f"w{number} {lines[number % len(lines)]}\n" for number in range(rows))


def main(path: Path, rows: int, pairs: int) -> None:
    if not path.exists():
        make(path, rows)
    words = [f"w{number}" for number in np.linspace(0, rows - 1, WORDS).astype(int)]
    ratios = []
    for pair in range(pairs):
        seconds, cpu = time.perf_counter(), time.process_time()
        found = read_rows(path, words)
        seconds, cpu = time.perf_counter() - seconds, time.process_time() - cpu
        if not pair:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"{peak * 1024 / 1e6:.0f} MB at most", flush=True)
            from gensim.models import KeyedVectors  # here, since it takes memory of its own
        by_gensim, cpu_of_gensim = time.perf_counter(), time.process_time()
        loaded = KeyedVectors.load_word2vec_format(str(path), limit=GENSIM_ROWS)
        by_gensim, cpu_of_gensim = time.perf_counter() - by_gensim, time.process_time() - cpu_of_gensim
        for index, word in enumerate(words):
            if word in loaded.key_to_index and not np.array_equal(found.rows[index], loaded[word]):
                sys.exit(f"{word}: gensim has another row")
        assert (len(found.rows), found.lines) == (WORDS, rows + 1)
        ratios.append((by_gensim / GENSIM_ROWS) / (seconds / rows))
        print(
            f"{rows:,} rows: {seconds:.1f} s, {cpu:.1f} s of CPU; gensim, {GENSIM_ROWS:,} rows: {by_gensim:.1f} s, "
            f"{cpu_of_gensim:.1f} s of CPU; per row {ratios[-1]:.0f} times as fast, of CPU "
            f"{(cpu_of_gensim / GENSIM_ROWS) / (cpu / rows):.0f}",
            flush=True,
        )
    print(f"{statistics.median(ratios):.0f} times as fast ({pairs} pairs)")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        int(sys.argv[2]) if len(sys.argv) > 2 else 2_196_017,
        int(sys.argv[3]) if len(sys.argv) > 3 else 3,
    )
