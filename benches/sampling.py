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
ASKED = "waf:1%,iops:2%,mean:2%,p99:5%"
METRICS = ("waf", "iops", "mean", "p99")
IMAGE = Path(__file__).parents[1] / "docs" / "images" / "sampling.svg"


@dataclass(frozen=True)
class Found:
    """A figure of the run in full, and its estimate by the sampled run."""

    metric: str  # of METRICS
    kind: str  # of requests: read or write; empty for write amplification
    truth: float
    value: float
    interval: list[float] | None
    reached: bool

    @property
    def is_held(self) -> bool:
        """The interval holds what the run in full found."""
        return self.interval is not None and self.interval[0] <= self.truth <= self.interval[1]

    @property
    def off(self) -> float:
        """The difference from the run in full, as a share of it."""
        return self.value / self.truth - 1

    @property
    def half(self) -> float | None:
        """The longer side of the interval, as a share of the value."""
        if self.interval is None:
            return None
        return max(self.interval[1] - self.value, self.value - self.interval[0]) / self.value


@dataclass(frozen=True)
class Pair:
    """A drive, a workload, and what both runs found."""

    number: int
    found: list[Found]
    forwarded: float  # of the requests
    seconds: tuple[float, float]  # in full, and sampled; without those before the run

    @property
    def waf(self) -> Found:
        """Write amplification."""
        return next(found for found in self.found if found.metric == "waf")


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


def _found(whole: dict[str, Any], sample: dict[str, Any]) -> Iterator[Found]:
    """Give each figure that the sampled run estimates, beside what the run in full found."""
    places = [("waf", "", whole["waf"], sample["waf"])]
    for kind in ("read", "write"):
        if estimates := sample[kind]:
            done = whole["host"][kind]
            places += [
                ("iops", kind, done["iops"], estimates["iops"]),
                ("mean", kind, done["latency_ns"]["mean"], estimates["latency_ns_mean"]),
                ("p99", kind, done["latency_ns"]["p99"], estimates["latency_ns_p99"]),
            ]
    for metric, kind, truth, figure in places:
        yield Found(metric, kind, truth, figure["value"], figure["interval"], bool(figure["reached"]))


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
    forwarded = sample["requests_forwarded"] / sample["requests"]
    return Pair(number, list(_found(whole, sample)), forwarded, seconds)


def pairs(numbers: Sequence[int]) -> Iterator[Pair]:
    """Run the pairs of these numbers."""
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            if (pair := run(number, Path(folder))) is not None:
                yield pair


def summary(pairs_run: Sequence[Pair]) -> str:
    """Say of each metric how often intervals held, how far off values were, and how much faster they came."""
    lines = []
    for metric in METRICS:
        found = [figure for pair in pairs_run for figure in pair.found if figure.metric == metric]
        halves = [figure.half for figure in found if figure.half is not None]
        off = sorted(abs(figure.off) for figure in found)
        half = statistics.median(halves or [0])
        lines.append(
            f"{metric}: {sum(figure.is_held for figure in found)} of {len(halves)} intervals held,"
            f" {len(found) - len(halves)} without; half of them within +/- {half:.2%};"
            f" {sum(figure.reached for figure in found)} of {len(found)} errors reached;"
            f" off by {statistics.median(off):.2%} in the median and {off[-1]:.2%} at most"
        )
    times = statistics.median(pair.seconds[0] / pair.seconds[1] for pair in pairs_run)
    forwarded = statistics.median(pair.forwarded for pair in pairs_run)
    return "\n".join([*lines, f"{times:.1f} times as fast in the median, {forwarded:.0%} carried forward"])


def picture(found: Sequence[Pair]) -> str:
    """Draw how far off sampled runs are, and how far they say they may be, over how much faster they come."""
    times = [pair.seconds[0] / pair.seconds[1] for pair in found]
    off = [100 * abs(pair.waf.off) for pair in found]
    half = [None if pair.waf.half is None else 100 * pair.waf.half for pair in found]
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
        sys.stdout.write(
            f"pair {pair.number}: {pair.forwarded:.0%} forward,"
            f" {pair.seconds[0]:.1f} and {pair.seconds[1]:.1f} s"
        )
        for figure in pair.found:
            width = "no interval" if figure.half is None else f"+/- {figure.half:.2%}"
            missed = "" if figure.is_held or figure.half is None else " MISSED"
            sys.stdout.write(f"; {figure.kind} {figure.metric} {figure.off:+.2%} {width}{missed}")
        sys.stdout.write("\n")
        sys.stdout.flush()
    sys.stdout.write(f"{summary(found)}\n")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(pair) for pair in found], indent=1) + "\n")
    if asked.picture:
        IMAGE.write_text(picture(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
