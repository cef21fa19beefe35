"""`fg.Drive`: a drive that a program steps, beside the run that it must be equal to."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import floatgate as fg

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "drives" / "tiny.toml"
LOOSE: Any = fg  # calls that a type checker refuses


def _trace(path: Path, requests: int = 600) -> list[tuple[int, str, int, int]]:
    """Write a trace; return its requests as (time, op, offset, length)."""
    rows = [
        (4_300 * n, "write" if n % 3 else "read", n * 7919 % 1200 * 4096, 4096 * (1 + n % 2))
        for n in range(requests)
    ]
    text = [
        f"{128166372003061629 + time // 100},t,0,{op.title()},{at},{size},0" for time, op, at, size in rows
    ]
    path.write_text("\n".join(text) + "\n")
    return rows


def _told(run: fg.Run) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((run.folder / "run.json").read_text())
    for part in ("engine", "workload", "precondition", "invocation", "remarks", "jobs", "config_places"):
        del document[part]
    return document


def test_a_stepped_drive_has_the_figures_of_the_run(tmp_path: Path) -> None:
    rows = _trace(tmp_path / "t.csv")
    run = fg.run(TINY, tmp_path / "t.csv", layout=False, seed=3)
    times, ops, offsets, lengths = zip(*rows, strict=True)
    with fg.Drive(TINY, seed=3) as drive:
        assert drive.submit_many(times, np.array(ops), offsets, lengths) == range(600)
        drive.finish()
        assert _told(drive.statistics()) == _told(run)
        found = drive.completion_array()
    with fg.Drive(TINY, seed=3) as drive:
        one_by_one = []
        for row in rows:
            drive.submit(*row)
            drive.run_until(row[0])
            one_by_one += drive.completions()
        drive.finish()
        one_by_one += drive.completions()
        assert _told(drive.statistics()) == _told(run)
    assert [one.id for one in one_by_one] == found["id"].tolist()
    assert [one.latency_ns for one in one_by_one] == (found["completed_ns"] - found["submitted_ns"]).tolist()
    assert [sum(one.stages_ns.values()) for one in one_by_one] == [one.latency_ns for one in one_by_one]
    words = drive.words()
    assert [one.cause for one in one_by_one] == [words["cause"][code] for code in found["cause"].tolist()]
    assert {words["op"][code] for code in found["op"].tolist()} == {"read", "write"}
    assert found["stages_ns"]["array"].sum() == sum(one.stages_ns["array"] for one in one_by_one)


def test_statistics_are_those_so_far() -> None:
    drive = fg.Drive(TINY)
    drive.submit(0, "write", 0, 4096)
    done = drive.next()
    assert done is not None
    assert done.status == "success"
    assert done == done
    assert drive.statistics().host.write.requests == 1
    drive.submit(drive.now_ns, "read", 0, 4096)
    assert drive.next(drive.now_ns) is None
    assert drive.outstanding == 1
    assert repr(drive) == f"Drive({TINY.stem}, now {drive.now_ns} ns, 1 outstanding)"
    assert "cause" in repr(done)
    drive.close()
    drive.close()
    assert repr(drive) == "Drive(closed)"
    with pytest.raises(fg.InputError, match="the drive was closed"):
        drive.submit(0, "read", 0, 512)


def test_a_state_goes_from_one_drive_to_the_next(tmp_path: Path) -> None:
    with fg.Drive(TINY, precondition="fill") as drive:
        drive.submit(0, "trim", 0, 1 << 20)
        drive.save(tmp_path / "a.state")
        assert [one.op for one in drive.completions()] == ["trim"]
        with pytest.raises(fg.InputError, match="exists"):
            drive.save(tmp_path / "a.state")
    with fg.Drive(TINY, load=tmp_path / "a.state") as drive:
        drive.submit_many(0, "read", [0, 1 << 20], 4096)
        drive.finish()
        first, second = sorted(drive.completions(), key=lambda one: one.id)
    assert first.stages_ns["array"] == 0
    assert second.stages_ns["array"] > 0


def test_a_drive_is_text_with_policies() -> None:
    text = TINY.read_text()
    drive = fg.Drive("mine", toml=text, set={"ftl.op_ratio": 0.3}, policies=[fg.gc.victim.Fifo()])
    assert drive.name == "mine"
    assert drive.title == "Tiny test drive, 8 MiB, 2 channels"
    assert drive.namespaces == [drive.capacity_bytes]
    with pytest.raises(fg.InputError, match=r"^mine:\d+: ftl.op_rato.*did you mean"):
        fg.Drive("mine", toml=text.replace("op_ratio", "op_rato"))


REFUSED: list[tuple[Callable[[Any], object], str]] = [
    (lambda drive: drive.submit(999, "read", 0, 512), "time_ns = 999: before the drive's present"),
    (lambda drive: drive.submit(-1, "read", 0, 512), "time_ns = -1: expected a whole number"),
    (lambda drive: drive.submit(1000, "raed", 0, 512), 'did you mean "read"'),
    (lambda drive: drive.submit(1000, "read", 1, 512), "whole sectors of 512 bytes"),
    (lambda drive: drive.submit(1000, "read", 1 << 60, 512), "within the drive's"),
    (lambda drive: drive.submit(1000, "read", 0, 1 << 33), "length = 8589934592"),
    (lambda drive: drive.submit(1000, "append", 0, 512), "command set nvm"),
    (lambda drive: drive.submit(1000, "read", 0, 512, namespace=2), "namespace = 2: expected 0 or 1"),
    (lambda drive: drive.submit(1000, "read", 0, 512, namespace="log"), "the drive is one namespace"),
    (lambda drive: drive.run_until(5), "time_ns = 5: before the drive's present"),
    (lambda drive: drive.next(5), "until_ns = 5: before the drive's present"),
    (lambda drive: drive.submit_many([1000, 5], "read", 0, 512), "request 1: time_ns = 5: before"),
    (lambda drive: drive.submit_many([1000, -2], "read", 0, 512), "request 1: time_ns = -2: expected"),
    (lambda drive: drive.submit_many([1000.5], "read", 0, 512), "time_ns: float64 values"),
    (lambda drive: drive.submit_many([1000, 1001], "read", [0, 1, 2], 512), "arrays of one length"),
    (lambda drive: drive.submit_many([[1000]], "read", 0, 512), "expected shape"),
    (lambda drive: drive.submit_many([1000], ["wirte"], 0, 512), 'did you mean "write"'),
    (lambda drive: drive.submit_many([1000], 77, 0, 512), "request 0: op = 77: expected 0 read"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_wrong_is_refused_in_one_line(number: int) -> None:
    call, expected = REFUSED[number]
    drive = fg.Drive(TINY)
    drive.run_until(1000)
    with pytest.raises(fg.InputError) as refused:
        call(drive)
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (drive.outstanding, drive.now_ns) == (0, 1000)


def test_a_drive_that_is_none_is_refused() -> None:
    for keywords, expected in (
        ({"drive": "small-tlx"}, 'did you mean "small-tlc"'),
        ({"drive": TINY, "seed": -1}, "seed -1"),
        ({"drive": TINY, "precondition": "stedy"}, "expected one of none"),
        ({"drive": TINY, "load": "no.state"}, "no such file"),
        ({"drive": TINY, "set": {"power.cut.drawn": 1}}, "power.cut: "),
    ):
        with pytest.raises(fg.InputError, match=expected):
            LOOSE.Drive(**keywords)
    with pytest.raises(TypeError, match="time_ns"):
        LOOSE.Drive(TINY).submit("now", "read", 0, 512)


def test_drives_go_on_in_threads() -> None:
    ends: dict[int, int] = {}

    def step(seed: int) -> None:
        with fg.Drive(TINY, seed=seed) as drive:
            drive.submit_many(np.arange(3000) * 5000, "write", np.arange(3000) % 1000 * 4096, 4096)
            drive.finish()
            ends[seed] = drive.now_ns

    threads = [threading.Thread(target=step, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = dict(ends)
    for seed in range(4):
        step(seed)
    assert ends == alone
    assert len(ends) == 4


def test_the_example_steps_two_drives() -> None:
    script = ROOT / "examples" / "embed" / "mirror.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # The same model in C prints the same: crates/capi/tests.
    assert done.stdout == (ROOT / "crates" / "capi" / "tests" / "mirror.txt").read_text()
