"""Measure how often intervals of sampled runs hold what the run in full finds, and how much faster they come.

    .venv/bin/python benches/sampling.py [--first 0] [--pairs 60] [--json FILE] [--picture]

Pairs of a drive and a workload are drawn from their number alone, drives as `benches/interval_coverage.py`
draws them: nothing of either was chosen by what sampling makes of it. Each is run in full and sampled, with
one seed, so that both begin in one state. `--first` draws others, `--picture` writes
docs/images/sampling.svg.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import floatgate
import interval_coverage
from floatgate.report import draw, palette
from floatgate.report.plot import Axis, Points, chart

PAIRS = 60
SECONDS_MOST = 60.0  # of a run in full
REQUESTS = (400_000, 4_000_000)
ASKED = "waf:1%"
IMAGE = Path(__file__).parents[1] / "docs" / "images" / "sampling.svg"


@dataclass(frozen=True)
class Pair:
    """A drive, a workload, and what both runs found."""

    number: int
    truth: float
    value: float
    interval: list[float] | None
    reached: bool
    forwarded: float  # of the requests
    seconds: tuple[float, float]  # in full, and sampled; without those before the run

    @property
    def is_held(self) -> bool:
        """The interval holds what the run in full found."""
        return self.interval is not None and self.interval[0] <= self.truth <= self.interval[1]


def job(number: int, case: interval_coverage.Case) -> str:
    """Return the workload of a pair: the drawn one, with drawn reads among its writes, and longer."""
    dice = random.Random(f"sampled {number}")
    reads = dice.choice([0, 0, 30, 70])
    requests = min(max(2 * case.capacity // 4096, REQUESTS[0]), REQUESTS[1])
    mixed = case.job.replace("rw=randwrite", f"rw=randrw\nrwmixread={reads}") if reads else case.job
    return f"{mixed}\nio_size={requests * 4096}\n"


def _run(case: interval_coverage.Case, path: Path, sample: str | None) -> dict[str, Any]:
    settings = {**case.settings, "ftl.read_ahead.name": "none"}
    run = floatgate.run(
        case.drive,
        path,
        set=settings,
        seed=case.number,
        precondition=case.precondition,
        sample=sample,
        report=False,
    )
    found: dict[str, Any] = json.loads((run.folder / "run.json").read_text())
    return found


def run(number: int, folder: Path) -> Pair | None:
    """Run a pair; none where the run in full takes too long."""
    case = interval_coverage.draw(number)
    path = folder / f"{number}.fio"
    path.write_text(job(number, case))
    whole, document = _run(case, path, None), _run(case, path, ASKED)
    seconds = (whole["engine"]["wall_s"], document["engine"]["wall_s"])
    if seconds[0] > SECONDS_MOST:
        return None
    sample = document["sample"]
    figure = sample["waf"]
    forwarded = sample["requests_forwarded"] / sample["requests"]
    return Pair(
        number, whole["waf"], figure["value"], figure["interval"], bool(figure["reached"]), forwarded, seconds
    )


def pairs(numbers: Sequence[int]) -> Iterator[Pair]:
    """Run the pairs of these numbers."""
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            if (pair := run(number, Path(folder))) is not None:
                yield pair


def summary(found: Sequence[Pair]) -> str:
    """Say how often intervals held, how far off values were, and how much faster they came."""
    with_interval = [pair for pair in found if pair.interval is not None]
    held = sum(pair.is_held for pair in with_interval)
    off = sorted(abs(pair.value / pair.truth - 1) for pair in found)
    reached = sum(pair.reached for pair in found)
    halves = [pair.interval[1] / pair.value - 1 for pair in with_interval if pair.interval]
    times = statistics.median(pair.seconds[0] / pair.seconds[1] for pair in found)
    return (
        f"{held} of {len(with_interval)} intervals held, half of them within +/-"
        f" {statistics.median(halves):.2%}; {reached} of {len(found)} errors of 1 % reached;"
        f" off by {statistics.median(off):.2%} in the median and {off[-1]:.2%} at most;"
        f" {times:.1f} times as fast in the median"
    )


def picture(found: Sequence[Pair]) -> str:
    """Draw how far off sampled runs are, and how far they say they may be, over how much faster they come."""
    times = [pair.seconds[0] / pair.seconds[1] for pair in found]
    off = [100 * abs(pair.value / pair.truth - 1) for pair in found]
    half = [100 * (pair.interval[1] / pair.value - 1) if pair.interval else None for pair in found]
    marks = [
        Points(palette.KINDS["read"], times, half, name="half the interval"),
        Points(palette.KINDS["write"], times, off, name="difference from the run in full"),
    ]
    x = Axis("times as fast as the run in full", low=0)
    return draw.svg(chart(420, x, Axis("of write amplification, %", low=0), marks))


def main(arguments: Sequence[str]) -> int:
    """Run pairs and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--picture", action="store_true")
    asked = parser.parse_args(arguments)
    found = []
    for pair in pairs(range(asked.first, asked.first + asked.pairs)):
        found.append(pair)
        half = pair.interval and pair.interval[1] / pair.value - 1
        width = "no interval" if half is None else f"+/- {half:.2%}"
        missed = "" if pair.is_held or half is None else "  MISSED"
        sys.stdout.write(
            f"pair {pair.number}: {pair.truth:.4f} in full, {pair.value / pair.truth - 1:+.2%}, {width},"
            f" {pair.forwarded:.0%} forward, {pair.seconds[0]:.1f} and {pair.seconds[1]:.1f} s{missed}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{summary(found)}\n")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(pair) for pair in found], indent=1) + "\n")
    if asked.picture:
        IMAGE.write_text(picture(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
