"""Measure how often intervals of write amplification hold what a run 20 times as long finds.

    .venv/bin/python benches/interval_coverage.py [--runs 200] [--first 0] [--every 1] [--json FILE]

Drives, workloads and seeds are drawn from the number of a case alone, so that a case can be run again by its
number: small drives with two to sixteen dies, few or many blocks, even or with factory defects, uniform and
skewed writes, beginnings in constructed and in simulated states. A case compares `waf_long_run` of a short
run with that of a long one of another seed.
"""

import argparse
import json
import math
import random
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import floatgate

TIMES = 20
CASES = 200
COVERAGE = 0.9  # of intervals, at least
LARGE = 0.05  # a run that writes this part of the capacity is long enough to say


@dataclass(frozen=True)
class Case:
    """One drive, one workload, one length."""

    number: int
    drive: str
    settings: dict[str, Any]
    capacity: int
    job: str
    precondition: Literal["instant", "steady", "workload"]
    written: float  # of the capacity, in the short run


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    number: int
    written: float
    value: float | None
    half: float | None  # relative
    truth: float
    held: bool | None
    why: str  # why there is no value


def draw(number: int) -> Case:
    """Return the case of this number."""
    dice = random.Random(f"coverage {number}")
    drive = dice.choice(["slc", "mlc", "tlc"])
    bits = {"slc": 1, "mlc": 2, "tlc": 3}[drive]
    dies = dice.choice([2, 4, 8, 8, 16])
    settings: dict[str, Any] = {
        "geometry.channels": max(1, dies // 2),
        "geometry.ways": 2,
        "nand.blocks_per_plane": dice.choice([43, 64, 100, 200]),
        "nand.pages_per_block": bits * dice.choice([16, 32]),
        "nand.planes": dice.choice([1, 2]),
        "nand.page_size": "4KiB",
        "ftl.gc.victim.name": dice.choice(["greedy", "greedy", "d-choices", "cost-benefit"]),
        "nand.bad_blocks.factory_ratio": dice.choice([0.0, 0.0, 0.02]),
        "ftl.buffer.size": "1MiB",
    }
    units = 4096 * dies * settings["nand.planes"] * settings["nand.blocks_per_plane"]
    spare = max(dice.choice([1.15, 1.25, 1.4]), 1 + 17 / settings["nand.blocks_per_plane"])
    capacity = int(units * settings["nand.pages_per_block"] / spare) // 4096 * 4096
    settings["ftl.user_capacity"] = f"{capacity}B"
    skew = dice.choice(["", "", "random_distribution=zipf:0.9", "random_distribution=zoned:80/20:20/80"])
    precondition: Literal["instant", "steady", "workload"]
    precondition = "workload" if skew else dice.choice(["instant", "instant", "steady"])
    written = dice.choice([0.02, 0.05, 0.05, 0.1, 0.2])
    depth = dice.choice([1, 16, 32])
    job = f"[w]\nrw=randwrite\nbs=4k\nsize=100%\nnorandommap=1\nioengine=libaio\niodepth={depth}\n{skew}"
    return Case(number, drive, settings, capacity, job, precondition, written)


def _run(case: Case, folder: Path, seed: int, written: float) -> dict[str, Any]:
    job = folder / f"{case.number}.fio"
    job.write_text(f"{case.job}\nio_size={max(int(case.capacity * written) // 4096, 64) * 4096}\n")
    run = floatgate.run(
        case.drive, job, set=case.settings, seed=seed, precondition=case.precondition, report=False
    )
    found: dict[str, Any] = json.loads((run.folder / "run.json").read_text())
    return found


def outcome(case: Case, folder: Path) -> Outcome:
    """Run a case, short and long."""
    short = _run(case, folder, 2 * case.number + 1, case.written)
    long = _run(case, folder, 2 * case.number + 2, TIMES * case.written)
    found = short["waf_long_run"]
    truth = long["waf_long_run"]["value"] or long["waf"]
    value, half = found["value"], found["half_width_relative"]
    held = None if value is None else found["low"] <= truth <= found["high"]
    why = "" if value is not None else json.dumps(found["too_short"])
    return Outcome(case.number, case.written, value, half, truth, held, why)


def outcomes(numbers: Iterable[int]) -> Iterator[Outcome]:
    """Run the cases of these numbers."""
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            yield outcome(draw(number), Path(folder))


def said(found: list[Outcome]) -> list[Outcome]:
    """Give those whose short run was long enough to say."""
    return [one for one in found if one.held is not None]


def chance(at_most: int, of: int, share: float) -> float:
    """Give the probability that of so many, each with this share, at most so many hold."""
    return sum(math.comb(of, held) * share**held * (1 - share) ** (of - held) for held in range(at_most + 1))


def half_width(found: list[Outcome]) -> float:
    """Give the median half width of the intervals, relative to the value."""
    return statistics.median(one.half or 0.0 for one in said(found))


def flagged(found: list[Outcome]) -> tuple[int, int]:
    """Of the runs that write enough to say, give how many did not say, and how many there are."""
    large = [one for one in found if one.written >= LARGE]
    return sum(one.held is None for one in large), len(large)


def summary(found: list[Outcome]) -> str:
    """Say how often intervals held, how wide they were, and how many runs were too short to say."""
    intervals = said(found)
    held = sum(bool(one.held) for one in intervals)
    short, large = flagged(found)
    share = held / max(len(intervals), 1)
    half = half_width(found) if intervals else math.nan
    return (
        f"{held} of {len(intervals)} intervals held ({100 * share:.1f} %), median half width"
        f" {100 * half:.2f} %; of {large} runs that wrote {100 * LARGE:.0f} % or more {short} were too short"
        " to say"
    )


def main() -> None:
    """Run the cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=CASES)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found = []
    for one in outcomes(range(asked.first, asked.first + asked.runs * asked.every, asked.every)):
        found.append(one)
        sys.stdout.write(f"{one.number} {draw(one.number).drive} {one}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{summary(found)}\n")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in found]))


if __name__ == "__main__":
    main()
