# The policies of this folder beside the built-in ones on traces: runs with several seeds, a table, a figure
"""Compare the published policies with the built-in ones, on traces.

    python examples/policies/compare.py victim TRACE [TRACE] [--seeds 4] [--passes 8] [--out out]
    python examples/policies/compare.py wear TRACE [--seeds 4] [--passes 80] [--out out]

The drive is a small one, so that a trace of an hour writes it many times: two dies, superblocks of 1.5 MiB.
It starts full of data that was overwritten in random order; then the trace is repeated as fast as the drive
takes it. `victim` gives the drive the size of what the trace touches and varies the over-provisioning; for
`wear` half of the drive holds data that the trace never touches, and the thresholds vary.
"""

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import floatgate as fg
from floatgate.report import palette
from floatgate.report.draw import svg
from floatgate.report.plot import Axis, Errors, Figure, Line, Mark, Panel, Points, Shape
from floatgate.results.confidence import confidence_interval

HERE = Path(__file__).parent
UNIT = 4096  # bytes of a mapping unit
PAGES, DIES, SUPERBLOCK = 24, 2, 384  # pages of a block; units of a superblock
DRIVE: dict[str, str | int | float] = {
    "nand.pages_per_block": PAGES,
    "geometry.channels": DIES,
    "geometry.ways": 1,
    "ftl.buffer.size": "512KiB",  # or it would take in much of a small drive's writes
}
OVER_PROVISIONING = (0.18, 0.22, 0.28, 0.40)
THRESHOLDS = (5, 10, 20, 40)  # program/erase cycles
Settings = dict[str, str | int | float]
SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "up", "down", "cross")
CYCLES = 1000  # of the most worn superblock, when a drive's life is said to end


@dataclass(frozen=True)
class Case:
    """A choice of policies at one place of the x axis; without a place, at all of them."""

    name: str
    settings: Settings
    x: float | None = None


@dataclass
class Row:
    """What one case came to on one trace, seed by seed."""

    trace: str
    case: Case
    x: float
    waf: list[float] = field(default_factory=list)
    life: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)


def victims() -> Iterator[Case]:
    """The victim policies."""
    yield Case("MDC", {"ftl.gc.victim.name": f"{HERE / 'mdc.py'}:Mdc"})
    yield Case("greedy", {"ftl.gc.victim.name": "greedy"})
    yield Case("cost-benefit", {"ftl.gc.victim.name": "cost-benefit"})
    yield Case("d-choices", {"ftl.gc.victim.name": "d-choices"})
    yield Case("windowed-greedy", {"ftl.gc.victim.name": "windowed-greedy"})
    yield Case("fifo", {"ftl.gc.victim.name": "fifo"})


def wears() -> Iterator[Case]:
    """The wear policies, each with greedy garbage collection."""
    own: Settings = {"ftl.wear.name": f"{HERE / 'greedy_mp.py'}:Wear"}
    rests: Settings = {"ftl.gc.victim.name": f"{HERE / 'greedy_mp.py'}:Victim"}
    for at in THRESHOLDS:
        wear = own | {"ftl.wear.threshold": at}
        rest = wear | rests | {"ftl.gc.victim.threshold": at}
        yield Case("Greedy-MP", rest, at)
        yield Case("Greedy-MP, cold = 0", rest | {"ftl.gc.victim.cold": 0}, at)
        yield Case("Greedy-MP, Wear alone", wear, at)
        yield Case("static", {"ftl.wear.name": "static", "ftl.wear.threshold": at}, at)
    yield Case("dynamic", {"ftl.wear.name": "dynamic"})
    yield Case("none", {"ftl.wear.name": "none"})


def drive(footprint: int, share: float, over: float) -> Settings:
    """A drive that holds `footprint` bytes in `share` of its capacity, with `over` of it as spare room."""
    units = round(footprint / UNIT / share) + 1
    blocks = -(-round(units * (1 + over)) // (SUPERBLOCK * DIES))
    return DRIVE | {"ftl.user_capacity": f"{units * UNIT}B", "nand.blocks_per_plane": blocks}


def run(row: Row, trace: Path, settings: Settings, seeds: int, passes: int) -> None:
    """Run a case with each seed, as many at once as there are cores, and note what it came to."""
    with TemporaryDirectory() as folder:
        fg.repeat(
            "tlc",
            trace,
            seeds,
            set=settings | row.case.settings,
            compact=True,
            as_fast_as_possible=True,
            precondition="instant",
            loop=passes,
            out=Path(folder) / "runs",
        )
        for seed in range(1, seeds + 1):
            done = json.loads((Path(folder) / "runs" / f"seed-{seed}" / "run.json").read_text("utf-8"))
            written = done["host"]["write"]["bytes"] / done["capacity_bytes"]
            row.waf.append(done["waf_long_run"]["value"] or done["waf"])
            row.life.append(CYCLES * written / done["wear"]["pe_cycles_max"])
            row.moved.append(done["waf_parts"]["wear"] or 0.0)


def compare(what: str, traces: Sequence[Path], seeds: int, passes: int) -> list[Row]:
    """Run all cases on all traces, and say each line as it is known."""
    rows = []
    for trace in traces:
        footprint = fg.trace.info(trace)[0].document["footprint_bytes"]
        for case in victims() if what == "victim" else wears():
            for x in OVER_PROVISIONING if what == "victim" else (case.x or THRESHOLDS[0],):
                settings = drive(footprint, 1, x) if what == "victim" else drive(footprint, 0.5, 0.28)
                rows.append(Row(trace.name.split(".")[0], case, x))
                run(rows[-1], trace, settings, seeds, passes)
                print(said(rows[-1]), flush=True)  # noqa: T201 - a script
    return rows


def said(row: Row) -> str:
    """A row as a line: means and half widths of their 95 % intervals."""
    numbers = [f"{mean:8.3f} +/- {half:.3f}" for mean, half in map(interval, (row.waf, row.life, row.moved))]
    return "  ".join([f"{row.trace:36} {row.case.name:34} {row.x:5}", *numbers])


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the seeds and the half width of its 95 % interval, 0 for one seed."""
    found = confidence_interval(values)
    return found.mean, found.half_width or 0.0


def table(rows: Sequence[Row], path: Path) -> None:
    """Write a line for each seed of each case."""
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["trace", "policy", "x", "seed", "waf_long_run", "drive_writes", "moved_for_wear"])
        for row in rows:
            for seed, numbers in enumerate(zip(row.waf, row.life, row.moved, strict=True), 1):
                lines.writerow([row.trace, row.case.name, row.x, seed, *map(repr, numbers)])


def marks(rows: Sequence[Row], of: str, places: Sequence[float]) -> list[Mark]:
    """Lines through the means, with the intervals of the seeds."""
    found: list[Mark] = []
    for index, name in enumerate(dict.fromkeys(row.case.name for row in rows)):
        mine = [row for row in rows if row.case.name == name]
        levels = [interval(getattr(row, of)) for row in mine]
        everywhere = len(mine) == 1
        x = list(places) if everywhere else [row.x for row in mine]
        mean, half = zip(*(levels * len(places) if everywhere else levels), strict=True)
        colour = palette.SERIES[index]
        found.append(
            Line(colour, x, mean, 2.4 if index == 0 else 1.4, "dash" if everywhere else "solid", name=name)
        )
        if not everywhere:
            found.append(Points(colour, x, mean, 6, SHAPES[index], name=name))
            low = [m - h for m, h in zip(mean, half, strict=True)]
            high = [m + h for m, h in zip(mean, half, strict=True)]
            found.append(Errors(colour, x, low, high))
    return found


def victim_figure(rows: Sequence[Row]) -> Figure:
    """Write amplification over over-provisioning, a panel for each trace."""
    x = Axis("over-provisioning", ticks={at: f"{at:.0%}" for at in OVER_PROVISIONING})
    y = Axis("write amplification", log=True, ticks={at: f"{at:g}" for at in (1, 1.2, 1.5, 2, 3, 4, 6, 8)})
    names = list(dict.fromkeys(row.trace for row in rows))
    panels = [
        Panel(x, y, marks([r for r in rows if r.trace == name], "waf", OVER_PROVISIONING), name)
        for name in names
    ]
    return Figure(panels, 380, columns=len(names))


def wear_figure(rows: Sequence[Row]) -> Figure:
    """Life and write amplification over the threshold."""
    x = Axis("threshold, program/erase cycles", log=True, ticks={float(at): str(at) for at in THRESHOLDS})
    life = Axis(f"drive writes until {CYCLES} cycles", zero=True)
    panels = [
        Panel(x, life, marks(rows, "life", THRESHOLDS), "Life: higher is better"),
        Panel(x, Axis("write amplification"), marks(rows, "waf", THRESHOLDS), "Cost: lower is better"),
    ]
    return Figure(panels, 380, columns=2)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare the published policies with the built-in ones.")
    parser.add_argument("what", choices=("victim", "wear"))
    parser.add_argument("trace", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--passes", type=int, help="of each trace; default: 8 and 80")
    parser.add_argument("--out", type=Path, default=Path("out"))
    asked = parser.parse_args()
    passes = asked.passes or (8 if asked.what == "victim" else 80)
    rows = compare(asked.what, asked.trace, asked.seeds, passes)
    asked.out.mkdir(parents=True, exist_ok=True)
    table(rows, asked.out / f"published-{asked.what}.csv")
    figure = victim_figure(rows) if asked.what == "victim" else wear_figure(rows)
    (asked.out / f"published-{asked.what}.svg").write_text(svg(figure), encoding="utf-8")


if __name__ == "__main__":
    main()
