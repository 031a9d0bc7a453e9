"""Several processes at work on a long list of pieces, of which only a few are in memory at a time."""

import gc
import itertools
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Self, TypeVar

from pipeline.errors import UserError

Result = TypeVar("Result")


class Workers:
    """Processes that call a function for piece after piece. With one, or for a single piece, this process does it.

    They are started anew, not forked: a fork of a process with threads may hang.
    """

    def __init__(self, processes: int | None) -> None:
        """`processes` is how many, or None for one per core."""
        self.processes = processes or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def each(self, function: Callable[..., Result], pieces: Iterable[tuple[Any, ...]]) -> Iterator[Result]:
        """The function's results for the arguments of every piece, in the order of the pieces.

        Other processes begin with the first of them at once, and go on as results are taken.
        Raises what the function raises, for the first piece that fails; UserError where a process was killed.
        """
        if self.processes == 1:
            return itertools.starmap(function, pieces)
        rest = iter(pieces)
        first = list(itertools.islice(rest, 2 * self.processes))
        if len(first) < 2:
            return itertools.starmap(function, first)
        if self._pool is None:
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.processes, spawn, initializer=_begin)
        waiting = deque(self._pool.submit(function, *piece) for piece in first)
        return self._results(self._pool, function, waiting, rest)

    def _results(
        self,
        pool: ProcessPoolExecutor,
        function: Callable[..., Result],
        waiting: deque[Future[Result]],
        rest: Iterator[tuple[Any, ...]],
    ) -> Iterator[Result]:
        try:
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(pool.submit(function, *piece) for piece in itertools.islice(rest, 1))
                yield result
        except BrokenProcessPool:
            raise UserError(
                "a process that did a part of the work was killed, most likely for want of memory; "
                f"set hardware.processes to fewer than {self.processes}"
            ) from None


def _begin() -> None:
    """Has this process end when the one that started it does, also by a signal; else it would wait for ever."""
    gc.disable()  # it takes a tenth of the time, and thousands of records hold no circle that only it could free
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker was started by another process"

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
