"""Real drives that were measured by others, beside their twins: the page "How far from the real drive?".

    python benches/real_drives.py            # simulates all rows: minutes; writes record, page and picture
    python benches/real_drives.py NAME       # rows of one twin; the others stay as the record has them
    python benches/real_drives.py page       # writes page and picture anew from the record

The record, `drives/measured/record.csv`, holds what each twin gave for each row. A test simulates some of
them again and compares them.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import floatgate as fg
from floatgate.report import draw, palette
from floatgate.report.plot import Axis, Figure, Mark, Panel, Points, rule
from floatgate.twin.compared import NOTHING, Compared
from floatgate.twin.families import moved
from floatgate.twin.measurements import CHECK, Row, read_measurements
from floatgate.twin.page import row

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "drives" / "measured"
RECORD = FOLDER / "record.csv"
PAGE = ROOT / "docs" / "explanation" / "real-drives.md"
PICTURE = ROOT / "docs" / "images" / "real-drives.svg"
DRIVES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))  # with a twin
COLUMNS = ("drive", "row", "simulated")  # simulated: in the row's base unit
WHOLE = 745.2 * 2**30  # bytes that hold data, of the row of the Micron that uses all
#: The page's tables stand between these.
BEGIN, END = "<!-- tables: python benches/real_drives.py page -->", "<!-- end of tables -->"


@dataclass(frozen=True)
class Kind:
    """Rows that are looked at together."""

    title: str
    whats: tuple[str, ...]
    is_offered: bool
    unit: str = ""
    shown: float = 1.0  # of what is measured, in that unit


KINDS = (
    Kind("write amplification", ("write_amplification",), False),
    Kind("rates at full load", ("iops", "bandwidth"), False, " (MB/s)", 1e-6),
    Kind("medians under offered load", ("p50",), True, " (us)", 1e6),
    Kind("p99 under offered load", ("p99",), True, " (us)", 1e6),
)


def of_kind(rows: Sequence[Compared], kind: Kind) -> list[Compared]:
    """Return the rows of a kind."""
    return [
        one
        for one in rows
        if one.row.what in kind.whats and (one.row.setting.offered is not None) == kind.is_offered
    ]


def is_quick(row: Row) -> bool:
    """Whether a test simulates the row: fills in order, and uniform writes to the whole drive."""
    pattern = row.setting.pattern
    is_uniform = not pattern.distribution and pattern.part == 1
    return pattern.is_write and not pattern.is_mixed and is_uniform and row.setting.used in (None, WHOLE)


def simulate(drives: Sequence[str]) -> None:
    """Run twins through all rows of their drives, and keep what they give."""
    lines = [",".join(COLUMNS)]
    for drive in DRIVES:
        if drive in drives:
            rows = fg.twin.check(str(FOLDER / f"{drive}.toml"), FOLDER / f"{drive}.csv").rows
        else:
            rows = tuple(recorded(drive))
        for one in rows:
            simulated = "" if one.simulated is None else repr(one.simulated)
            lines.append(f'{drive},"{one.row.name}",{simulated}')
    RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")


def recorded(drive: str) -> list[Compared]:
    """Return the rows of a drive beside what its twin gave, as the record has it."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        found = {one["row"]: one["simulated"] for one in csv.DictReader(file) if one["drive"] == drive}
    rows: tuple[Row, ...] = read_measurements(FOLDER / f"{drive}.csv").rows
    return [Compared(one, float(found[one.name]) if found[one.name] else None) for one in rows]


def text() -> str:
    """Return the page with the tables of the record in it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return "\n".join([before + BEGIN, "", *_tables(), "", END + rest.partition(END)[2]])


def _tables() -> Iterator[str]:
    yield from _overview()
    for drive in DRIVES:
        rows = recorded(drive)
        yield from ("", f"## {title(drive)}: every row", "")
        yield "Held-out rows first, the worst at the top."
        yield ""
        yield "| measurement | measured | simulated | deviation | role | verdict |"
        yield "|---|--:|--:|--:|---|---|"
        for one in sorted(rows, key=_order):
            yield "| " + " | ".join(row(one)) + " |"


def title(drive: str) -> str:
    """Return the drive's name as its measurements give it."""
    first = (FOLDER / f"{drive}.csv").read_text(encoding="utf-8").splitlines()[0]
    return first.removeprefix("# drive: ")


def _order(one: Compared) -> tuple[bool, float]:
    return one.row.role != CHECK, -_size(one)


def _size(one: Compared) -> float:
    return float("inf") if one.deviation is None else abs(one.deviation)


def _overview() -> Iterator[str]:
    yield "| held-out rows | drive | rows | within their bounds | mean deviation | worst |"
    yield "|---|---|--:|--:|--:|--:|"
    cells = []
    for drive in DRIVES:
        held = [one for one in recorded(drive) if one.row.role == CHECK]
        for kind in KINDS:
            mine = [one for one in of_kind(held, kind) if one.verdict != NOTHING]
            if mine:
                cells.append((kind.title, drive, mine))
    for name, drive, mine in sorted(cells, key=lambda cell: -_mean(cell[2])):
        within = sum(one.verdict == "within" for one in mine)
        worst = max(mine, key=_size)
        yield (
            f"| {name} | {title(drive)} | {len(mine)} | {within} | {100 * _mean(mine):.1f} %"
            f" | {100 * (worst.deviation or 0.0):+.1f} % |"
        )


def _mean(rows: Sequence[Compared]) -> float:
    return sum(map(_size, rows)) / len(rows)


def _measured(one: Compared) -> float:
    return moved(one.row) if one.row.what == "iops" else one.row.value


def picture() -> str:
    """Return simulated over measured of every row, by what was measured."""
    panels = []
    for kind in KINDS:
        marks: list[Points] = []
        for index, drive in enumerate(DRIVES):
            rows = [one for one in of_kind(recorded(drive), kind) if one.simulated]
            for is_held in (False, True):
                mine = [one for one in rows if (one.row.role == CHECK) == is_held]
                name = f"{title(drive)}, {'held out' if is_held else 'calibrates'}"
                x = [kind.shown * _measured(one) for one in mine]
                y = [(one.simulated or 0.0) / one.row.value for one in mine]
                marks.append(Points(palette.SERIES[index], x, y, 6.0, hollow=not is_held, name=name))
        drawn: list[Mark] = [rule("y", 1.0), *(one for one in marks if len(one.x))]
        across, up = Axis(f"measured{kind.unit}", log=True), Axis("simulated / measured", log=True)
        panels.append(Panel(across, up, drawn, title=kind.title))
    return draw.svg([Figure([one], 260) for one in panels])


def main() -> None:
    """Simulate, unless only the page is asked for; then write the page and its picture."""
    if sys.argv[1:] != ["page"]:
        simulate(sys.argv[1:] or DRIVES)
    PAGE.write_text(text(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
