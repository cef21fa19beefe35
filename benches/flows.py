"""Read latency against wear by the flow of reads, and what waiting for words costs (decoding.md).

python benches/flows.py     # prints both tables, writes docs/images/flows.svg; some minutes
"""

import json
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


@dataclass(frozen=True)
class Point:
    """What reads of one drive came to."""

    retries: float  # for each read
    soft: float  # share of page reads whose last attempt was a soft one
    mean_us: float
    p99_us: float


def read(settings: dict[str, str], bs: str = "4k") -> Point:
    """Read a filled drive at random, one request after the other."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "read.fio"
        job.write_text(JOB.format(bs=bs, io=f"{READS_MIB}m"), encoding="utf-8")
        done = fg.run(DRIVE, str(job), set=settings, precondition="fill", out=f"{folder}/run")
        result = json.loads((done.folder / "run.json").read_text(encoding="utf-8"))
    ecc, reads = result["ecc"], result["host"]["read"]
    by_references = ecc["reads_by_references"]["host"]
    return Point(
        ecc["read_retries"] / reads["requests"],
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


def _row(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def main(_arguments: Sequence[str]) -> None:
    """Print the tables, write the picture."""
    found = flows()
    ticks = {float(wear): f"{wear:,}" for wear in WEARS}
    x = Axis("program/erase cycles of the blocks", low=-60, high=3060, ticks=ticks)
    y = Axis("mean latency of a 4 KiB read, us", low=0)
    IMAGE.write_text(draw.svg(chart(420, x, y, list(marks(found)))), encoding="utf-8")
    words()


if __name__ == "__main__":
    main(sys.argv[1:])
