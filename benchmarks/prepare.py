"""How fast a large file is prepared, beside a plain loop over it: python -m benchmarks.prepare FILE [PAIRS].

FILE is Amazon's JSON lines (reviews.py makes one). The plain loop reads each line with json, cuts the text by
torchtext's basic_english or by `re`, counts words with a Counter and makes lists of ids: no cleaning, no repeats, no
splits, nothing written. It and `prepare` run in turn, each in a process of its own. Told are wall time, CPU time with
that of children, and the most memory that all processes held at one time, pages that they share counted for each.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
TOKENIZERS = ("wordpunct", "basic_english")


def plain(path: Path, name: str) -> None:
    """From the file to lists of ids, the way one writes it first."""
    if name == "basic_english":
        from torchtext.data.utils import get_tokenizer

        split = get_tokenizer("basic_english")
    else:
        find = re.compile(r"\w+|[^\w\s]+").findall

        def split(text: str) -> list[str]:
            return find(text.lower())

    texts = []
    counts: Counter[str] = Counter()
    with path.open(encoding="utf-8") as file:
        for line in file:
            words = split(json.loads(line)["reviewText"])[:512]
            counts.update(words)
            texts.append(words)
    kept = sorted((-count, word) for word, count in counts.items() if count >= 2)
    ids = {word: index for index, (_, word) in enumerate(kept, 2)}
    encoded = [[ids.get(word, 1) for word in words] for words in texts]
    print(f"{len(encoded):,} texts, {len(ids):,} words")


def workspace(folder: Path, path: Path, name: str) -> None:
    """A folder with params.yaml and the file, for `python -m pipeline prepare`."""
    yaml = YAML()
    params = yaml.load(ROOT / "params.yaml")
    params["data"]["amazon"]["source"] |= {"file": "reviews.json", "sample": None}
    params["data"]["amazon"]["text"] = {"tokenizer": name, "max_length": 512}
    yaml.dump(params, folder / "params.yaml")
    (folder / "data" / "raw" / "amazon").mkdir(parents=True)
    (folder / "data" / "raw" / "amazon" / "reviews.json").symlink_to(path.resolve())


def measured(command: list[str], folder: Path) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak gigabytes of a command and its children."""
    before = os.times()
    started = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, cwd=folder, env=environment)
    peak = 0

    def watch() -> None:
        nonlocal peak
        while process.poll() is None:
            held = 0
            for one in [psutil.Process(), *psutil.Process().children(recursive=True)][1:]:
                try:
                    held += one.memory_info().rss
                except psutil.Error:
                    continue
            peak = max(peak, held)
            time.sleep(0.05)

    watching = threading.Thread(target=watch)
    watching.start()
    if process.wait():
        sys.exit(f"{command}: ended with {process.returncode}")
    wall = time.perf_counter() - started
    watching.join()
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, peak / 1e9


def main(path: Path, pairs: int) -> None:
    for name in TOKENIZERS:
        ratios = []
        for _ in range(pairs):
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                workspace(Path(folder), path, name)
                by_loop = measured([sys.executable, __file__, "--plain", str(path.resolve()), name], Path(folder))
                ours = measured([sys.executable, "-m", "pipeline", "prepare", "--dataset", "amazon"], Path(folder))
            for what, (wall, cpu, peak) in (("plain loop", by_loop), ("prepare", ours)):
                print(f"{name}: {what}: {wall:.1f} s, {cpu:.1f} s of CPU, {peak:.2f} GB at most", flush=True)
            ratios.append(by_loop[0] / ours[0])
        print(f"{name}: {statistics.median(ratios):.1f} times as fast ({pairs} pairs)")


if __name__ == "__main__":
    if sys.argv[1] == "--plain":
        plain(Path(sys.argv[2]), sys.argv[3])
    else:
        main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
