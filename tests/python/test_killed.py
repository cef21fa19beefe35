"""A process that is killed at its work costs that work at most, whichever process kills it."""

import os
import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import floatgate as fg
from conftest import Command, in_process, one_line_error
from floatgate.errors import Killed
from floatgate.workers import spread
from floatgate.workers.local import KILLED_MOST
from floatgate.workers.memory import Memory

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
MINE = """
import os, signal
from pathlib import Path
import floatgate as fg

class Always(fg.gc.victim.Policy):
    def pick(self, view):
        os.kill(os.getpid(), signal.SIGKILL)

class Once(fg.gc.victim.Policy):
    def pick(self, view):
        mark = Path(__file__).with_name("mark")
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return view.candidates[view.valid_units[view.candidates].argmin()]
"""


def _dies(what: tuple[int, Path]) -> int:
    """Be killed at the numbers below 3 as often as each of them says."""
    number, folder = what
    mark = folder / f"{number}-{len(list(folder.glob(f'{number}-*')))}"
    if len(list(folder.glob(f"{number}-*"))) < number < 3:
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_work_is_done_again_once_and_the_rest_goes_on(tmp_path: Path) -> None:
    assert spread(_dies, [(number, tmp_path) for number in (0, 1, 3, 4, 5, 6)], workers=2) == [
        0,
        1,
        9,
        16,
        25,
        36,
    ]
    assert len(list(tmp_path.glob("1-*"))) == 1


def test_work_that_is_killed_twice_says_so(tmp_path: Path) -> None:
    with pytest.raises(Killed, match="killed by signal 9, 2 times, most likely as memory ran out"):
        spread(_dies, [(number, tmp_path) for number in (3, 2, 4)], workers=2)
    assert len(list(tmp_path.glob("2-*"))) == KILLED_MOST


def test_the_memory_of_the_dead_comes_back() -> None:
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    shared = Memory(context, 10)
    shared.place = 3
    assert shared.take(10)
    shared._lock.acquire()  # it died with the lock in hand
    shared.place = 0
    shared.forget(3)
    assert shared.take(10)


def study(folder: Path) -> Path:
    (folder / "mine.py").write_text(MINE)
    path = folder / "s.toml"
    path.write_text(
        f"""
        [study]
        drive = "{TINY}"
        workload = "random-write"
        seeds = 2
        options = {{ precondition = "fill", limit_requests = 2000 }}
        [parameters]
        "ftl.gc.victim.name" = ["{folder}/mine.py:Always", "greedy", "{folder}/mine.py:Once", "fifo"]
        """
    )
    return path


def test_a_killed_run_of_a_study_is_a_row_that_says_so(tmp_path: Path) -> None:
    path = study(tmp_path)
    ended = in_process("study", str(path), "--out", str(tmp_path / "o"), "--workers", "2")
    assert ended.code == 2
    assert "floatgate: error: 2 of 8 runs failed: the process that did the work was killed" in ended.err
    assert "2 failed: the process that did the work was killed by signal 9" in ended.out
    rows = pq.read_table(tmp_path / "o" / "results.parquet").to_pylist()
    assert [row["status"] for row in rows] == ["failed"] * 2 + ["done"] * 6
    assert "bug" not in ended.err


def test_a_killed_run_of_repeat_is_one_line_and_leaves_nothing(floatgate: Command, tmp_path: Path) -> None:
    study(tmp_path)
    words = ["run", TINY, "random-write", "--limit-requests", "2000", "--precondition", "fill"]
    words += ["--repeat", "2", "--no-report"]
    ended = floatgate(*words, "--set", "ftl.gc.victim.name=mine.py:Always", "--out", "a")
    assert "killed by signal 9" in one_line_error(ended)
    assert not (tmp_path / "a").exists()
    ended = floatgate(*words, "--set", "ftl.gc.victim.name=mine.py:Once", "--out", "b")
    assert ended.returncode == 0, ended.stderr
    assert {path.name for path in (tmp_path / "b").glob("seed-*")} == {"seed-1", "seed-2"}
    assert fg.Run.open(tmp_path / "b" / "seed-1").document.seed == 1
