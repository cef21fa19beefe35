"""Seeds that came to their end stay where a repetition ends before the last of them."""

import json
import signal
from pathlib import Path

import pytest

from floatgate import exits
from floatgate.errors import Ended
from floatgate.runs.repeat import Repeated, repeat
from floatgate.shell import console
from test_memory import plan

SEEDS = 4


def ended(out: Path, at: float, *, by_signal: bool = False) -> Repeated:
    """One seed after the other, until so much of all is done."""
    parts = [0.0]

    def told(part: float) -> None:
        parts.append(part)
        if by_signal and part > at:
            raise Ended(128 + signal.SIGTERM)

    return repeat(plan(), SEEDS, out, report=False, workers=1, progress=told, stopped=lambda: max(parts) > at)


@pytest.mark.parametrize("by_signal", [False, True])
def test_what_came_to_its_end_is_kept(by_signal: bool, tmp_path: Path) -> None:
    done = ended(tmp_path / "out", 0.5, by_signal=by_signal)
    there = [json.loads(path.read_text()) for path in sorted((tmp_path / "out").glob("seed-*/run.json"))]
    assert [document["seed"] for document in there] == list(done.seeds)
    assert not any(document["interrupted"] for document in there)
    assert 2 <= done.finished < SEEDS
    written = json.loads((tmp_path / "out" / "repeat.json").read_text())
    assert written["interrupted"]
    assert (written["seeds_asked"], written["seeds_finished"]) == (SEEDS, done.finished)
    assert written["metrics"]["waf"]["samples"] == done.finished
    assert isinstance(done.ended, Ended) == by_signal


def test_without_one_that_came_to_its_end_each_leaves_what_it_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = ended(tmp_path / "out", -1.0)
    assert (done.finished, done.interrupted) == (0, True)
    assert len(list((tmp_path / "out").glob("seed-*/run.json"))) == SEEDS
    console.print_repeated(done)
    assert "0 of 4 seeds finished; what each did until then: 1 to 4" in capsys.readouterr().out


def test_a_signal_before_the_first_end_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Ended):
        ended(tmp_path / "out", -1.0, by_signal=True)
    assert not list(tmp_path.iterdir())


def test_it_says_how_many_of_how_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = ended(tmp_path / "out", 0.5)
    console.print_repeated(done)
    assert f"{done.finished} of 4 seeds finished: 1, 2" in capsys.readouterr().out.replace("1 to 3", "1, 2")
    code = console.run_farewell(done.interrupted, tmp_path, False, what=f"{done.finished} of 4 seeds")
    assert code == exits.INTERRUPTED
    assert f"holds {done.finished} of 4 seeds" in capsys.readouterr().err
