"""Read latency against wear: by flow and by turns of words (decoding.md), by drive (decoding.md, reads.md).

python benches/flows.py              # prints all three tables, writes docs/images/flows.svg; some minutes
python benches/flows.py drives       # one of them: flows, words or drives
"""

import json
import operator
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import floatgate as fg
from floatgate.report import draw
from floatgate.report.plot import Axis, Line, Mark, Points, chart

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "flows.svg"
DRIVE = "nvme-tlc"
WEARS = (0, 500, 1000, 1500, 2000, 2500, 3000)  # rated: 3,000
AGES: dict[str, Literal["solid", "dash"]] = {"90d": "solid", "365d": "dash"}
FLOWS = {
    "hard-retry-soft": "#0072b2",
    "soft-by-estimate": "#d55e00",
    "last-good-step": "#009e73",
}
JOB = "[read]\nrw=randread\nbs={bs}\nsize=1g\nio_size={io}\nioengine=libaio\niodepth=1\n"
READS_MIB = 12
# Drives as they are shipped: wear of their blocks, and the age of their data (`0ns`: just written).
DRIVES = (
    ("nvme-tlc", "0", "0ns"),
    ("nvme-tlc", "0", "365d"),
    ("nvme-tlc", "1000", "90d"),
    ("nvme-tlc", "1000", "365d"),
    ("nvme-tlc", "2000", "365d"),
    ("nvme-tlc", "3000", "1d"),
    ("nvme-tlc", "3000", "365d"),
    ("nvme-qlc", "0", "0ns"),
    ("nvme-qlc", "0", "365d"),
    ("nvme-qlc", "1000", "30d"),
    ("nvme-qlc", "1000", "365d"),
    ("nvme-qlc", "1300", "365d"),
)


@dataclass(frozen=True)
class Point:
    """What reads of one drive came to."""

    retries: float  # for each read
    retried: float  # share of reads that took a retry
    retried_us: float  # mean latency of these; zero without any
    soft: float  # share of page reads whose last attempt was a soft one
    mean_us: float
    p99_us: float


def read(settings: dict[str, str], bs: str = "4k", drive: str = DRIVE, mib: int = READS_MIB) -> Point:
    """Read a filled drive at random, one request after the other."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "read.fio"
        job.write_text(JOB.format(bs=bs, io=f"{mib}m"), encoding="utf-8")
        done = fg.run(drive, str(job), set=settings, precondition="fill", out=f"{folder}/run")
        result = json.loads((done.folder / "run.json").read_text(encoding="utf-8"))
    ecc, reads = result["ecc"], result["host"]["read"]
    by_references, by_retries = ecc["reads_by_references"]["host"], ecc["requests_by_retries"]
    counts = by_retries["requests"][1:]
    times = [mean or 0.0 for mean in by_retries["latency_ns_mean"][1:]]
    return Point(
        ecc["read_retries"] / reads["requests"],
        by_retries["share"],
        sum(map(operator.mul, counts, times)) / max(sum(counts), 1) / 1000,
        sum(by_references[1:]) / max(sum(by_references), 1),
        reads["latency_ns"]["mean"] / 1000,
        reads["latency_ns"]["p99"] / 1000,
    )


def marks(found: dict[tuple[str, str], list[Point]]) -> Iterator[Mark]:
    """Yield a line for each flow and age."""
    for (flow, age), points in found.items():
        y = [point.mean_us for point in points]
        days = age.removesuffix("d")
        yield Line(FLOWS[flow], list(WEARS), y, dash=AGES[age], name=f"{flow}, {days} days")
        yield Points(FLOWS[flow], list(WEARS), y)


def flows() -> dict[tuple[str, str], list[Point]]:
    """Run every flow at every age and wear, and print a line for each."""
    _row("flow", "age", "cycles", "retries a read", "soft", "mean", "p99")
    found: dict[tuple[str, str], list[Point]] = {}
    for age in AGES:
        for flow in FLOWS:
            points = found.setdefault((flow, age), [])
            for wear in WEARS:
                settings = {"ecc.flow.name": flow, "ftl.reading.data_age": age, "nand.pe_cycles": str(wear)}
                points.append(read(settings))
                one = points[-1]
                taken = f"{one.mean_us:,.0f} us", f"{one.p99_us:,.0f} us"
                _row(f"`{flow}`", age, f"{wear:,}", f"{one.retries:.1f}", f"{one.soft:.0%}", *taken)
    return found


def words() -> None:
    """Print what reads of four words take by when their iterations pass, with decoders of two widths."""
    _row("cycles, age", "edges in a cycle", "`beside`", "`overlapped`", "`in-turn`")
    for wear, age in (("0", "0ns"), ("1000", "90d")):
        for edges in ("512", "64"):
            settings = {"nand.pe_cycles": wear, "ftl.reading.data_age": age, "ecc.decoder.edges": edges}
            means = (
                read(settings | {"ecc.decoder.words": each}, "16k").mean_us
                for each in ("beside", "overlapped", "in-turn")
            )
            _row(f"{wear}, {age}", edges, *(f"{mean:,.1f} us" for mean in means))


def drives() -> None:
    """Print what reads of the shipped drives take by wear and age of their data."""
    _row("drive", "cycles", "age", "retries a read", "reads with retries", "mean of these", "mean", "p99")
    for drive, wear, age in DRIVES:
        one = read({"nand.pe_cycles": wear, "ftl.reading.data_age": age}, drive=drive, mib=100)
        times = (f"{time:,.1f} us" for time in (one.retried_us, one.mean_us, one.p99_us))
        _row(f"`{drive}`", f"{int(wear):,}", age, f"{one.retries:.1f}", f"{one.retried:.1%}", *times)


def _row(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def pictured() -> None:
    """Print the table of flows, and draw it."""
    found = flows()
    ticks = {float(wear): f"{wear:,}" for wear in WEARS}
    x = Axis("program/erase cycles of the blocks", low=-60, high=3060, ticks=ticks)
    y = Axis("mean latency of a 4 KiB read, us", low=0)
    IMAGE.write_text(draw.svg(chart(420, x, y, list(marks(found)))), encoding="utf-8")


TABLES = {"flows": pictured, "words": words, "drives": drives}


def main(arguments: Sequence[str]) -> None:
    """Print the tables asked for."""
    for name in arguments or TABLES:
        TABLES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
