"""Hold the README's first commands to runs ten times as long.

    python benches/first_commands.py [--seeds 20] [--longer 2] [--only NAME]... [--workers 2]

Runs each command that prints intervals with `--seeds` seeds, and `--longer` runs of other seeds that are ten
times as long. For each quantity with an interval it prints in how many runs that holds the mean of the long
ones. Commands on a trace run the one in the folder FLOATGATE_TRACES, as `make demo` does, or are left out
where there is none.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import floatgate as fg
from floatgate.results.confidence import confidence_interval
from floatgate.results.headline import at, headline

EXAMPLES = Path(__file__).parent.parent / "examples"
TRACE = Path(os.environ.get("FLOATGATE_TRACES", "traces")) / "blkreplay-linux-webserver-2.load.gz"
TIMES = 10
FIRST_OF_THE_LONG = 1_000_001
REPEATS = 8
# What is compared: what a user takes from the table first.
QUANTITIES = re.compile(r"iops|bandwidth|latency_ns\.(mean|p50|p99)$|waf_long_run")

# A quantity's name to its value and, where it has one, its interval.
Figures = dict[str, tuple[float, tuple[float, float] | None]]


@dataclass(frozen=True)
class Command:
    """One of the README's commands: how it is run, and how ten times as long."""

    name: str
    drive: str
    workload: str
    options: dict[str, Any]
    longer: Callable[[str, int], tuple[str, dict[str, Any]]]
    repeats: int = 1  # the interval is that over so many seeds


def longer_job(workload: str, passes: int) -> tuple[str, dict[str, Any]]:
    """Give the job's text with ten times its runtime."""
    del passes
    text = Path(workload).read_text(encoding="utf-8")
    return re.sub(r"runtime=(\d+)", lambda found: f"runtime={TIMES * int(found[1])}", text), {}


def looped(workload: str, passes: int) -> tuple[str, dict[str, Any]]:
    """Give the workload ten times as often as it ran."""
    return workload, {"loop": TIMES * passes}


D_CHOICES = {"set": {"ftl.gc.victim.name": "d-choices", "ftl.gc.victim.d": 4}}
JOB = str(EXAMPLES / "random-write.fio")
COMMANDS = (
    Command("job", "tlc", JOB, {"precondition": "instant"}, longer_job),
    Command("command line", "tlc", "fio --name=x --rw=randread --bs=4k --size=1g", {}, looped),
    Command("trace", "mqsim-default", str(TRACE), {"compact": True}, looped),
    Command(
        "trace until",
        "tlc",
        str(TRACE),
        {"compact": True, "precondition": "workload", "loop": "until=waf:5%"},
        looped,
    ),
    Command("repeat", "tlc", JOB, {"precondition": "instant", **D_CHOICES}, longer_job, REPEATS),
    Command("volume", "tlc", "volume:prn_0,fit=0.5", {}, looped),
    Command("python", "tlc", JOB, {"precondition": "instant", **D_CHOICES}, longer_job),
)


def run(command: Command, seed: int, passes: int | None) -> tuple[Figures, int]:
    """Run a command, or so many of its passes ten times; give its figures and how many passes it made."""
    with TemporaryDirectory() as folder:
        workload, options = command.workload, dict(command.options)
        if passes is not None:
            workload, more = command.longer(workload, passes)
            options |= more
            if "\n" in workload:
                path = Path(folder) / "longer.fio"
                path.write_text(workload, encoding="utf-8")
                workload = str(path)
        document = fg.run(command.drive, workload, seed=seed, **options).document.to_dict()
    figures = {
        metric.name: (metric.value, metric.interval)
        for metric in headline(document)
        if metric.value is not None and QUANTITIES.search(metric.name)
    }
    return figures, at(document, "loop.passes") or 1


def short(task: tuple[int, int]) -> tuple[Figures, int]:
    """Run a command as it stands, with one seed or as many as it repeats."""
    command, seed = COMMANDS[task[0]], task[1]
    if command.repeats == 1:
        return run(command, seed, None)
    several = [run(command, seed * command.repeats + more, None)[0] for more in range(command.repeats)]
    figures: Figures = {}
    for name in several[0]:
        found = confidence_interval([figures[name][0] for figures in several if name in figures])
        if found.half_width is not None:
            bounds = (found.mean - found.half_width, found.mean + found.half_width)
            figures[name] = found.mean, bounds
    return figures, 1


def long(task: tuple[int, int, int]) -> Figures:
    """Run a command ten times as long."""
    return run(COMMANDS[task[0]], task[1], task[2])[0]


def rows(name: str, shorts: list[Figures], longs: list[Figures]) -> Iterator[str]:
    """Say for each quantity how many intervals hold what the long runs found."""
    for quantity in dict.fromkeys(quantity for figures in shorts for quantity in figures):
        found = [figures[quantity] for figures in shorts if quantity in figures]
        bounds = [interval for _, interval in found if interval is not None]
        truths = [figures[quantity][0] for figures in longs if quantity in figures]
        if not truths or not bounds:
            continue
        truth, mean = fmean(truths), fmean(value for value, _ in found)
        held = sum(low <= truth <= high for low, high in bounds)
        width = fmean(high - low for low, high in bounds) / 2
        silent = len(shorts) - len(bounds)
        yield (
            f"| {name} | {quantity} | {held} of {len(bounds)} | {silent or ''} | {mean:.6g} |"
            f" {truth:.6g} | {100 * (mean / truth - 1):+.2f} % | {100 * width / truth:.2f} % |"
        )


def main() -> None:
    """Print a table of all that was asked for."""
    parser = argparse.ArgumentParser(
        description="Hold the README's first commands to runs ten times as long."
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--longer", type=int, default=2, help="runs that are ten times as long")
    parser.add_argument("--only", action="append", choices=[command.name for command in COMMANDS])
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    sys.stdout.write(
        "| command | quantity | hold | says nothing | short | long | apart | half the interval |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    with ProcessPoolExecutor(asked.workers) as pool:
        for index, command in enumerate(COMMANDS):
            if asked.only and command.name not in asked.only:
                continue
            if command.workload == str(TRACE) and not TRACE.exists():
                sys.stdout.write(f"| {command.name} | no {TRACE.name} | | | | | | |\n")
                continue
            shorts = list(pool.map(short, [(index, seed) for seed in range(1, asked.seeds + 1)]))
            passes = max(passes for _, passes in shorts)
            tasks = [(index, FIRST_OF_THE_LONG + more, passes) for more in range(asked.longer)]
            longs = list(pool.map(long, tasks))
            for row in rows(command.name, [figures for figures, _ in shorts], longs):
                sys.stdout.write(row + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
