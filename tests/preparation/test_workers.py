"""Processes that share pieces: results in order, errors of the first piece, a killed process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pipeline.errors import UserError
from pipeline.preparation.workers import Workers


def square(number: int) -> int:
    return number * number


def refuse_from(limit: int, number: int) -> int:
    if number >= limit:
        raise UserError(f"piece {number}: too large; take another")
    return number


def process_of(number: int) -> tuple[int, int]:
    return number, os.getpid()


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("processes", [1, 2, None])
def test_results_come_in_the_order_of_the_pieces(processes: int | None) -> None:
    with Workers(processes) as workers:
        assert list(workers.each(square, ((number,) for number in range(30)))) == [n * n for n in range(30)]
        assert list(workers.each(square, [(3,), (1,)])) == [9, 1]
        assert list(workers.each(square, [])) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_the_first_piece_that_fails_is_told(processes: int) -> None:
    with Workers(processes) as workers, pytest.raises(UserError, match=r"^piece 5: too large; take another$"):
        list(workers.each(refuse_from, ((5, number) for number in range(20))))


def test_a_single_piece_starts_no_process_and_several_share_them() -> None:
    with Workers(2) as workers:
        assert list(workers.each(process_of, [(1,)])) == [(1, os.getpid())]
        assert os.getpid() not in {process for _, process in workers.each(process_of, [(1,), (2,), (3,)])}


def test_no_more_pieces_are_taken_than_are_worked_on() -> None:
    taken = 0

    def pieces() -> Iterator[tuple[int]]:
        nonlocal taken
        for taken in range(1, 51):
            yield (taken,)

    with Workers(2) as workers:
        for done, _ in enumerate(workers.each(square, pieces()), 1):
            assert taken <= done + 4


def test_a_killed_process_is_told_with_a_remedy() -> None:
    with Workers(2) as workers, pytest.raises(UserError, match=r"most likely for want of memory; set hardware\.proc"):
        list(workers.each(die, [(1,), (2,), (3,)]))


WAITING = """
import os, time
from tests.preparation.test_workers import process_of
from pipeline.preparation.workers import Workers
with Workers(2) as workers:
    print(*{process for _, process in workers.each(process_of, [(1,), (2,), (3,)])}, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_one_that_started_them(how: signal.Signals, root: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITING], cwd=root, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        numbers = [int(number) for number in started.stdout.readline().split()]
        workers = [psutil.Process(number) for number in numbers]
        started.send_signal(how)
        assert workers
        assert not psutil.wait_procs(workers, timeout=30)[1]
