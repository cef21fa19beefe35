"""What handing work to workers costs: `python benches/crew.py`, on a machine that does nothing else.

Some hundred pieces of work of 0.1 s: on processes of this machine, one and two, and on two workers of a Dask
cluster on loopback. Pieces wait, which shows the cost of handing over alone, or run a drive, which shares the
processors with it. Overhead is the time over that of all pieces, divided by the workers.
"""

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from pathlib import Path
from typing import Any

from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import resolve
from floatgate.options import Options
from floatgate.runs.session import drive
from floatgate.workers import Crew, crew

TINY = str(Path(__file__).parents[1] / "tests" / "drives" / "tiny.toml")
PIECES = 400
PIECE_S = 0.1


def doze(_number: int) -> float:
    """Wait, and tell how long it took."""
    began = time.perf_counter()
    time.sleep(PIECE_S)
    return time.perf_counter() - began


def run(number: int) -> float:
    """Run a drive for about as long, and tell how long it took."""
    began = time.perf_counter()
    options = Options(seed=number + 1, precondition="fill", limit_requests=70_000)
    plan = Plan(TINY, resolve("random-write"), (), options)
    drive(plan.open(), plan)
    return time.perf_counter() - began


def through(team: Crew, work: Callable[[int], float], pieces: int) -> tuple[float, float]:
    """Hand over pieces, as many ahead as the crew asks for; return the wall time and that of all pieces."""
    began, spent = time.perf_counter(), 0.0
    left, running = iter(range(pieces)), set[Any]()
    while True:
        while len(running) < team.ahead:
            number = next(left, None)
            if number is None:
                break
            running.add(team.submit(work, number))
        if not running:
            return time.perf_counter() - began, spent
        done, running = wait(running, return_when=FIRST_COMPLETED)
        spent += sum(one.result() for one in done)


def measure(name: str, work: Callable[[int], float], pieces: int, **where: Any) -> float:
    """Print what a crew takes, once its processes are there; return the wall time."""
    with crew(inputs=[Path(TINY)], **where) as team:
        through(team, work, 4 * team.count)
        took, spent = through(team, work, pieces)
        ideal = spent / team.count
    show(f"  {name:<22} {took:7.2f} s, pieces {ideal:7.2f} s, overhead {took / ideal - 1:6.1%}")
    return took


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(pieces: int) -> None:
    """Print everything."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        for work, said in ((doze, "wait 0.1 s"), (run, "run a drive")):
            show(f"{pieces} pieces that {said}")
            one = measure("one process", work, pieces, workers=1)
            two = measure("two processes", work, pieces, workers=2)
            show(f"  {'two over one':<22} {one / two:7.2f}")
            far = measure("two Dask workers", work, pieces, scheduler=cluster.scheduler_address)
            show(f"  {'Dask over one':<22} {one / far:7.2f}")


if __name__ == "__main__":
    # Workers import the pieces by name, those of the cluster, too.
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    import crew as importable

    importable.main(int(sys.argv[1]) if len(sys.argv) > 1 else PIECES)
