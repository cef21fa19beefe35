"""What a study costs beside its runs: `python benches/studies.py`, on a machine that does nothing else.

Prints the overhead of 2,000 short runs over the sum of the runs divided by the workers, the gain of a second
worker, and the time in which a study of 100,000 rows is opened and found whole.
"""

import os
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import floatgate as fg
from floatgate.study.check import check
from floatgate.study.conduct import Conductor, Listener
from floatgate.study.numbers import known
from floatgate.study.one import run as run_one
from floatgate.study.rounds import Rounds
from floatgate.study.spec import of
from floatgate.study.store import Outcome, Store

TINY = str(Path(__file__).parents[1] / "tests" / "drives" / "tiny.toml")
RUNS = 2_000
ROWS = 100_000


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def short(runs: int, requests: int) -> dict[str, Any]:
    """A study of short runs."""
    return {
        "study": {
            "drive": TINY,
            "workload": "random-write",
            "seeds": runs // 4,
            "options": {"precondition": "fill", "limit_requests": requests, "loop": 2},
        },
        "parameters": {"ftl.op_ratio": [0.2, 0.25, 0.3, 0.35]},
        "objectives": {"waf": "min"},
    }


def serial_s(asked: dict[str, Any], count: int) -> float:
    """Seconds that one run takes, as the mean of `count` in this process."""
    checked = check(of(asked))
    rounds = Rounds(checked)
    runs = next(iter(rounds))
    with TemporaryDirectory() as folder:
        conductor = Conductor(checked, Store(Path(folder)), None, Listener(), {}, None)  # type: ignore[arg-type]
        tasks = [conductor.task(run) for run in runs[:: max(len(runs) // count, 1)]]
        run_one(tasks[0])
        begun = time.perf_counter()
        for task in tasks:
            run_one(task)
        return (time.perf_counter() - begun) / len(tasks)


def study_s(asked: dict[str, Any], workers: int) -> float:
    """Seconds that a study takes."""
    with TemporaryDirectory() as folder:
        begun = time.perf_counter()
        fg.study(asked, out=Path(folder) / "o", workers=workers)
        return time.perf_counter() - begun


def overhead(runs: int, requests: int) -> None:
    """Print what a study of short runs takes beside them."""
    asked = short(runs, requests)
    one = serial_s(asked, 60)
    first, second = study_s(asked, 1), study_s(asked, 2)
    again = serial_s(asked, 60)
    each = (one + again) / 2
    say(f"one run                    {each * 1e3:.1f} ms")
    say(f"{runs:,} runs, 1 worker     {first:.1f} s, {first / (runs * each):.3f} of the runs")
    say(f"{runs:,} runs, 2 workers    {second:.1f} s, {second / (runs * each / 2):.3f} of half the runs")
    say(f"2 workers against 1        {first / second:.2f} times")


def _varied(value: Any, by: float) -> Any:
    """Make a number that no other row has: equal ones would be packed into nothing."""
    return value * (1 + by) if isinstance(value, float) else value


def resume() -> None:
    """Print how long a study of 100,000 rows takes to be opened, and to be found whole."""
    asked = short(ROWS, 200)
    checked = check(of(asked))
    runs = next(iter(Rounds(checked)))
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "o"
        fg.study(short(4, 200), out=folder)
        numbers = fg.Study.open(folder).table().to_pylist()[0]
        of_run = set(known()) & set(numbers)
        said = {name: numbers[name] for name in sorted(of_run) if numbers[name] is not None}
        store = Store(folder)
        random = Random(1)
        for run in runs:
            other = {name: _varied(value, random.random()) for name, value in said.items()}
            store.add(Outcome(run.key, "done", None, other))
        store.close()
        begun = time.perf_counter()
        fg.study(asked, out=folder)
        written = time.perf_counter()
        fg.study(asked, out=folder)
        resumed = time.perf_counter()
        best = fg.Study.open(folder).front()
        opened = time.perf_counter()
        size = (folder / "results.parquet").stat().st_size
    say(f"{ROWS:,} rows of {len(said)} numbers, {size / 1e6:.0f} MB: first written {written - begun:.1f} s")
    say(f"resumed                    {resumed - written:.2f} s")
    say(f"opened, with its best      {opened - resumed:.2f} s ({len(best)} configurations)")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["overhead", "resume"]
    if "overhead" in wanted:
        overhead(int(os.environ.get("RUNS", RUNS)), int(os.environ.get("REQUESTS", 60_000)))
    if "resume" in wanted:
        resume()
