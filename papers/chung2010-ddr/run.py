"""Bandwidth and controller energy of every configuration of Chung et al., through the whole drive."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from statistics import fmean, geometric_mean

from floatgate.reproduce import Case, Concluded, Finding, Found

from .fitted import LEFT_OUT, changes
from .grid import CLASSES, INTERFACES, SATA_MB_PER_S, WAYS, Cell, cells, measure

FULL_GAIN = 1.02  # a channel is full when doubling the ways gains less
SATURATION = {  # what section 5.3.1 states; None: not up to 16 ways
    ("slc-read", "CONV"): 2,
    ("slc-read", "PROPOSED"): 4,
    ("slc-write", "CONV"): 8,
    ("slc-write", "PROPOSED"): None,
}
LEFT_OUT_TOLERANCE = 0.13  # what the best model of one chunk at a time reaches with all classes fitted
OUTLIER = ("table3-slc-read", "PROPOSED, 2-way")  # explained in the README


def cases(full: bool) -> Iterable[Case]:
    """Every cell in both forms; the parameters without one class only in full form."""
    for interface in INTERFACES:
        for exhibit, name in (("clock", f"{interface}, shortest period"), ("frequency", interface)):
            yield Case(exhibit, name, {"interface": interface})
    for kind in CLASSES:
        for cell in cells(kind):
            parameters = vars(cell)
            if cell.capped:
                for exhibit in ("cap", "uncapped"):
                    yield Case(exhibit, _capped_name(cell), parameters)
                continue
            x = cell.ways if cell.channels == 1 else cell.channels
            yield Case(cell.exhibit, cell.name, parameters, x=x, series=cell.interface)
    for kind in ("slc-write", "slc-read"):
        for cell in cells(kind):
            if cell.channels == 1:
                exhibit = f"table5-{kind[4:]}"
                yield Case(exhibit, cell.name, vars(cell), x=cell.ways, series=cell.interface)
    if full:
        for kind in CLASSES:
            yield Case("left-out", kind, {"kind": kind}, cost=30.0)


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    del full
    if case.exhibit == "left-out":
        return left_out(case.parameters["kind"])
    if case.exhibit in ("clock", "frequency"):
        bus = measure(Cell("slc-write", case.parameters["interface"], 1, 1)).bus
        return Finding(
            bus["shortest_period_ns"] if case.exhibit == "clock" else round(1e3 / bus["cycle_ns"], 3)
        )
    if case.exhibit == "uncapped":
        return Finding(measure(Cell(**case.parameters), {"host.link.rate": "30GB/s"}).mb_per_s)
    measured = measure(Cell(**case.parameters))
    if case.exhibit == "cap":
        reached = measured.mb_per_s > 0.95 * SATA_MB_PER_S
        return Finding(f"{measured.mb_per_s:.1f} MB/s of {SATA_MB_PER_S:.0f}", holds=reached)
    if case.exhibit.startswith("table5"):
        return Finding(measured.controller_nj_per_byte)
    return Finding(measured.mb_per_s)


def _capped_name(cell: Cell) -> str:
    return f"{cell.kind[:3].upper()} read, {cell.name}"


def left_out(kind: str) -> Finding:
    """Predict a class with the parameters fitted to the three others."""
    deviations = []
    for cell in cells(kind):
        if not cell.capped:
            published = PUBLISHED[cell.exhibit, cell.name]
            deviations.append(measure(cell, changes(LEFT_OUT[kind], kind)).mb_per_s / published - 1)
    worst = max((d for d, cell in zip(deviations, cells(kind), strict=False) if not _outlier(cell)), key=abs)
    mean = fmean(map(abs, deviations))
    text = f"mean deviation {mean:.1%}, worst {worst:+.1%}, fitted without it"
    return Finding(
        text, published=f"worst within {LEFT_OUT_TOLERANCE:.0%}", holds=abs(worst) <= LEFT_OUT_TOLERANCE
    )


def _outlier(cell: Cell) -> bool:
    return (cell.exhibit, cell.name) == OUTLIER


def _published() -> dict[tuple[str, str], float]:
    import csv
    from pathlib import Path

    with Path(__file__).with_name("expected.csv").open(newline="") as file:
        rows = [
            row for row in csv.DictReader(file) if row["exhibit"].startswith(("table3", "table4", "table5"))
        ]
    return {(row["exhibit"], row["case"]): float(row["published"]) for row in rows}


PUBLISHED = _published()


def conclude(found: Found) -> Iterator[Concluded]:
    """Claims about several cells together."""
    bandwidth = {
        key: _number(finding) for key, finding in found.items() if key[0].startswith(("table3", "table4"))
    }
    deviations = [abs(value / PUBLISHED[key] - 1) for key, value in bandwidth.items()]
    mean = fmean(deviations)
    text = f"{mean:.2%} over {len(deviations)} numbers"
    yield Case("mean-deviation", "mean"), Finding(text, "at most 3 %", holds=mean <= 0.03)
    yield from _orders(bandwidth)
    yield from _saturation(bandwidth)
    energy = {
        key: _number(finding) for key, finding in found.items() if key[0] in ("table5-write", "table5-read")
    }
    for (exhibit, name), value in energy.items():
        mode = exhibit.removeprefix("table5-")
        yield (
            Case("table5-product", f"{mode}, {name}"),
            Finding(value * bandwidth[f"table3-slc-{mode}", name]),
        )
    uncapped = {name: _number(finding) for (exhibit, name), finding in found.items() if exhibit == "uncapped"}
    yield from _ratios_and_means(bandwidth, energy, uncapped)


def _number(finding: Finding) -> float:
    assert not isinstance(finding.simulated, str)
    return finding.simulated


def _rows(kind: str) -> Iterator[dict[str, Cell]]:
    """Yield the cells of each row of a class by interface; capped ones are left out."""
    for group in zip(*[cells(kind)] * len(INTERFACES), strict=True):
        yield {cell.interface: cell for cell in group if not cell.capped}


def _orders(bandwidth: Mapping[tuple[str, str], float]) -> Iterator[Concluded]:
    for kind in CLASSES:
        rows = [[bandwidth[cell.exhibit, cell.name] for cell in row.values()] for row in _rows(kind)]
        closest = min(b / a for row in rows for a, b in pairwise(row))
        text = f"{len(rows)} rows, the closest pair {closest - 1:+.1%}"
        yield Case("order", kind), Finding(text, "CONV < SYNC_ONLY < PROPOSED", holds=closest > 1)


def _saturation(bandwidth: Mapping[tuple[str, str], float]) -> Iterator[Concluded]:
    for (kind, interface), published in SATURATION.items():
        by_ways = {ways: bandwidth[f"table3-{kind}", f"{interface}, {ways}-way"] for ways in WAYS}
        full = next(
            (ways for ways, more in pairwise(WAYS) if by_ways[more] < FULL_GAIN * by_ways[ways]), None
        )
        shown = [f"{ways} ways" if ways else "none up to 16" for ways in (full, published)]
        yield Case("saturation", f"{kind}, {interface}"), Finding(*shown, holds=full == published)


def _ratios_and_means(
    bandwidth: Mapping[tuple[str, str], float],
    energy: Mapping[tuple[str, str], float],
    uncapped: Mapping[str, float],
) -> Iterator[Concluded]:
    for kind in CLASSES:
        title = kind.upper()[:3] + " " + kind[4:]
        rows = list(_rows(kind))
        table3 = [row for row in rows if row["CONV"].channels == 1]
        table4 = [rows[len(WAYS) - 1], *rows[len(WAYS) :]]
        for row in rows:
            label = row["CONV"].name.removeprefix("CONV, ")
            values = {interface: bandwidth[cell.exhibit, cell.name] for interface, cell in row.items()}
            yield from _two_ratios(f"{title}, {label}", values)
        for table, members in (("Table 3", table3), ("Table 4", table4)):
            values_by_row = [{i: bandwidth[c.exhibit, c.name] for i, c in row.items()} for row in members]
            capped = uncapped.get(f"{title}, PROPOSED, 4-channel 4-way")
            yield from _five_means(f"{table}, {title}", values_by_row, capped)
    for mode in ("write", "read"):
        by_row = [
            {interface: energy[f"table5-{mode}", f"{interface}, {ways}-way"] for interface in INTERFACES}
            for ways in WAYS
        ]
        for ways, values in zip(WAYS, by_row, strict=True):
            yield from _two_ratios(f"SLC {mode} energy, {ways}-way", values)
        yield from _five_means(f"Table 5, SLC {mode}", by_row)


def _ratio(values: Mapping[str, float], over: str) -> float | None:
    return values["PROPOSED"] / values[over] if "PROPOSED" in values else None


def _two_ratios(label: str, values: Mapping[str, float]) -> Iterator[Concluded]:
    for name, over in (("P/S", "SYNC_ONLY"), ("P/C", "CONV")):
        ratio = _ratio(values, over)
        if ratio is not None:
            yield Case("ratios", f"{label}, {name}"), Finding(ratio)


def _five_means(label: str, rows: list[dict[str, float]], capped: float | None = None) -> Iterator[Concluded]:
    """Arithmetic means; a cell at the host's bandwidth counts with what the flash gave, as in the paper."""
    for interface in INTERFACES:
        mean = fmean(row.get(interface, capped or 0.0) for row in rows)
        yield Case("means", f"{label}, {interface}"), Finding(mean)
    for name, over in (("P/S", "SYNC_ONLY"), ("P/C", "CONV")):
        ratios = [ratio for row in rows if (ratio := _ratio(row, over)) is not None]
        yield Case("means", f"{label}, {name}"), Finding(geometric_mean(ratios))
