"""Measure how often intervals of write amplification hold what a run 20 times as long finds.

    .venv/bin/python benches/coverage.py [--runs 200] [--first 0] [--json FILE]

Drives, workloads and seeds are drawn from the number of a case alone, so that a case can be run again by its
number: small drives with two to sixteen dies, few or many blocks, even or with factory defects, uniform and
skewed writes, beginnings in constructed and in simulated states. A case compares `waf_long_run` of a short
run with that of a long one of another seed.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import floatgate

TIMES = 20


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


def summary(outcomes: list[Outcome]) -> str:
    """Say how often intervals held, how wide they were, and how many runs were too short to say."""
    said = [one for one in outcomes if one.held is not None]
    held = sum(bool(one.held) for one in said)
    large = [one for one in outcomes if one.written >= 0.05]
    short = sum(one.held is None for one in large)
    half = statistics.median([one.half or 0.0 for one in said]) if said else float("nan")
    return (
        f"{held} of {len(said)} intervals held ({100 * held / max(len(said), 1):.1f} %), median half width"
        f" {100 * half:.2f} %; of {len(large)} runs that wrote 5 % or more {short} were too short to say"
    )


def main() -> None:
    """Run the cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(asked.first, asked.first + asked.runs):
            outcomes.append(outcome(draw(number), Path(folder)))
            one = outcomes[-1]
            sys.stdout.write(f"{number} {draw(number).drive} {one}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{summary(outcomes)}\n")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in outcomes]))


if __name__ == "__main__":
    main()
