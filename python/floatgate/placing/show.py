"""Placement rules side by side, as people read them: sentences, a table, a page; and the folder of it."""

from pathlib import Path
from statistics import fmean
from typing import Any

from floatgate.files import ten_digits, write_rows
from floatgate.placing.work import NONE, NUMBERS, REFERENCE, Placed, Ruled
from floatgate.report import palette
from floatgate.report.plot import Axis, Errors, Figure, Mark, Panel, Points, columns
from floatgate.report.sheet import Section, sheet
from floatgate.results.folder import write_json
from floatgate.results.paired import Paired
from floatgate.values import quantities as q

RESULT = "place.json"
_DRAWN = {"waf": 1.0, "requests_per_s": 1e3, "read_p99_ns": 1e6, "write_p99_ns": 1e6, "years": 1.0}
_AXES = {
    "waf": "write amplification",
    "requests_per_s": "requests/s (thousands)",
    "read_p99_ns": "read p99 (ms)",
    "write_p99_ns": "write p99 (ms)",
    "years": "years of life",
}
_COLOURS = {"without": palette.MUTED, "a rule": palette.SERIES[0], "the best": palette.SERIES[2]}
_COLOURS["a reference"] = palette.SERIES[4]
_WITH_INTERVAL = ("waf", "requests_per_s", "read_p99_ns", "write_p99_ns")  # in the table; place.json has all
_REFERENCE = "knows when data die: a reference, which no host can follow, and no proven bound"


def shown_numbers(of: Placed) -> list[str]:
    """Return the numbers that any rule has."""
    return [
        name
        for name in NUMBERS
        if name != "write_bytes_per_s" and any(one.interval(name) for one in of.rules)
    ]


def head(of: Placed) -> list[str]:
    """Return the heads of the columns."""
    titles = [NUMBERS[name].title for name in shown_numbers(of)]
    return ["rule", *titles[:1], "against none", *titles[1:]]


def rows(of: Placed) -> list[list[str]]:
    """Return a row for each rule, best first, the reference last."""
    best = sorted(of.rules, key=lambda one: (one.is_reference, sum(one.all_of("waf")) or float("inf")))
    return [[one.name, *_cells(of, one)] for one in best]


def _cells(of: Placed, one: Ruled) -> list[str]:
    cells = []
    for name in shown_numbers(of):
        interval, show = one.interval(name), NUMBERS[name].show
        cell = show(interval.mean if interval else None)
        if interval and interval.half_width and name in _WITH_INTERVAL:
            cell += f" ± {show(interval.half_width)}"
        cells.append(f"{cell} ({one.flags})" if name == "waf" and one.flags else cell)
        if name == "waf":
            cells.append(q.NOTHING if one.name == NONE else _against(one.against(of[NONE], name)))
    return cells


def _against(found: Paired | None) -> str:
    if found is None or not found.mean_a:
        return q.NOTHING
    half = 100 * found.half_width / found.mean_a
    return f"{100 * found.difference / found.mean_a:+.1f} ± {q.three(half)} %"


def sentences(of: Placed) -> list[str]:
    """Say which rule wins, by how much, and whether that is beyond chance."""
    best, said = of.best, []
    if best is None:
        return ["nothing was written: there is nothing to place"]
    if best.name == NONE:
        said.append("no rule has less write amplification than the drive without placement")
    else:
        waf, none = (q.ratio(fmean(one.all_of("waf"))) for one in (best, of[NONE]))
        there = f"{waf}, {none} without placement"
        said.append(
            f"least write amplification with {best.name}: {there}; {_chance(best.against(of[NONE], 'waf'))}"
        )
    others = [one for one in of.rules if one is not best and not one.is_reference and one.name != NONE]
    second = min(
        (one for one in others if one.all_of("waf")), key=lambda one: sum(one.all_of("waf")), default=None
    )
    if second and best.name != NONE:
        said.append(f"next is {second.name}; {_chance(best.against(second, 'waf'))}")
    reference = [(one.name, one.interval("waf")) for one in of.rules if one.is_reference]
    said += [f"{name} has {q.ratio(found.mean)}: it {_REFERENCE}" for name, found in reference if found]
    said.append(_life(of))
    return said


def _chance(found: Paired | None) -> str:
    if found is None:
        return "one seed, so that chance cannot be told"
    by = f"{_against(found)} over {len(found.seeds)} seeds"
    if found.verdict == "no difference of note":
        return f"{by}, {found.verdict}"
    return f"{by}, which may be chance" if found.verdict == "cannot be told" else f"{by}, beyond chance"


def _life(of: Placed) -> str:
    if of.cycles is None:
        return "years of life: the drive's chip has no endurance: --cycles says it"
    rate = of[NONE].interval("write_bytes_per_s")
    load = f"{q.bandwidth(rate.mean if rate else None)} of host writes, as without placement"
    cycles, source = of.cycles
    return f"years of life and TBW are of {cycles:,.0f} program/erase cycles ({source}), and of {load}"


def write(of: Placed, folder: Path) -> None:
    """Write place.json, place.csv and report.html into a folder that is there already."""
    write_json(folder / RESULT, of.document())
    table: list[list[Any]] = [
        [one.name, seed, *(ten_digits(value[name]) for name in NUMBERS)]
        for one in of.rules
        for seed, value in zip(of.seeds, one.values, strict=True)
    ]
    write_rows(folder / "place.csv", ["rule", "seed", *NUMBERS], table)
    (folder / "report.html").write_text(page(of), encoding="utf-8")


def page(of: Placed) -> str:
    """Return the report: one self-contained HTML page."""
    first, *more = sentences(of)
    facts = [
        f"{of.handles} handles, but for none",
        q.several(len(of.seeds), "seed"),
        "a fresh drive" if of.precondition == "none" else f"drive before: {of.precondition}",
    ]
    says = (
        "A point for each seed, the diamond their mean with its 95 % interval (Student's t). Against none "
        "are the differences of the same seeds; of twenty rules that change nothing one seems to by chance, "
        f"and the best of several is the best of these runs. {REFERENCE.capitalize()} {_REFERENCE}."
    )
    sections = [Section("What placement changes", says, {"rules": figure(of)} if of.best else {})]
    sections.append(
        Section(
            "Numbers", " ".join(f"{one[:1].upper()}{one[1:]}." for one in more), head=head(of), rows=rows(of)
        )
    )
    if of.remarks:
        said = [[f"{one.runs} of {one.of}", one.text, one.advice] for one in of.remarks]
        sections.append(
            Section("What the runs say", "", head=["runs", "the first says", "advice"], rows=said)
        )
    title = f"{Path(of.workload).name} on {Path(of.drive).stem}"
    return sheet(
        "Floatgate placement", title, first, facts, sections, " ".join(f"{one}." for one in of.notes)
    )


def figure(of: Placed) -> Figure:
    """Return the picture: a panel for each number, the rules below each other."""
    order = [of[row[0]] for row in rows(of)]
    drawn = [name for name in _DRAWN if any(one.interval(name) for one in order)]
    ticks = {float(place): one.name for place, one in enumerate(order)}
    panels = []
    for name in drawn:
        marks: list[Mark] = []
        for kind, colour in _COLOURS.items():
            marks += _marks(of, order, name, kind, colour)
        y = Axis(ticks=ticks, reverse=True, grid=False, low=-0.6, high=len(order) - 0.4)
        panels.append(Panel(Axis(_AXES[name], zero=True), y, marks))
    lines = (len(panels) + 1) // 2
    return Figure(panels, lines * (90 + 30 * len(order)), columns=2)


def _marks(of: Placed, order: list[Ruled], name: str, kind: str, colour: str) -> list[Mark]:
    """The rules of one kind in one panel."""
    mine = [
        (float(place), one) for place, one in enumerate(order) if _kind(of, one) == kind and one.all_of(name)
    ]
    if not mine:
        return []
    scale, show = _DRAWN[name], NUMBERS[name].show
    points = [(value / scale, place) for place, one in mine for value in one.all_of(name)]
    means = [(place, interval) for place, one in mine if (interval := one.interval(name))]
    ends = [
        (place, (found.mean - found.half_width) / scale, (found.mean + found.half_width) / scale)
        for place, found in means
        if found.half_width is not None
    ]
    return [
        Points(colour, [x for x, _ in points], [y for _, y in points], 3.5, alpha=0.45),
        *([Errors(colour, *columns(ends), across=True)] if ends else []),
        Points(
            colour,
            [found.mean / scale for _, found in means],
            [place for place, _ in means],
            7.5,
            "diamond",
            name=kind,
            tips=[
                f"{one.name}: {show(found.mean)}" for (_, one), (_, found) in zip(mine, means, strict=True)
            ],
        ),
    ]


def _kind(of: Placed, one: Ruled) -> str:
    if one.name == NONE:
        return "without"
    return "a reference" if one.is_reference else "the best" if one is of.best else "a rule"
