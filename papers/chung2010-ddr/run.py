"""Bandwidth and controller energy of every configuration of Chung et al., through the whole drive."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from statistics import fmean, geometric_mean

from floatgate.reproduce import Case, Concluded, Finding, Found, Line, published

from .fitted import LEFT_OUT, changes
from .grid import CLASSES, INTERFACES, SATA_MB_PER_S, WAYS, Cell, cells, measure

ROUNDING = 1e-3  # of a cycle to whole MHz
FULL_GAIN = 1.02  # a channel is full when doubling the ways gains less
EXPECTED = published(Path(__file__).parent)
PUBLISHED = {key: float(value) for key, value in EXPECTED.items() if key[0].startswith(("table3", "table4"))}
OUTLIER = ("table3-slc-read", "PROPOSED, 2-way")  # explained in the README
T_BYTES = (12, 11, 10, 9, 8)  # ns; 12 is the paper's
# One chip with two planes: one fetch for both pages, then the one transfer behind the other.
ONE_FETCH = {"geometry.ways": 1, "nand.planes": 2, "controller.multi_plane": True}
A_GROUP = {"slc-read": "15us", "mlc-read": "45us"}  # an SLC group is one chunk, an MLC group two


def cases(full: bool) -> Iterable[Case]:
    """Every cell in both forms, with all classes fitted and with its own left out."""
    del full
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
    for kind in ("slc-read", "slc-write"):
        yield Case("trend", f"{_title(kind)}, 16-way", {"kind": kind})
    yield Case("causes", "two chips that share a fetch")
    for kind in A_GROUP:
        yield Case("causes", f"{_title(kind)}, a time for each group", {"kind": kind})
    for kind in ("slc-write", "slc-read"):
        for cell in cells(kind):
            if cell.channels == 1:
                exhibit = f"table5-{kind[4:]}"
                yield Case(exhibit, cell.name, vars(cell), x=cell.ways, series=cell.interface)
    for kind in CLASSES:
        for cell in cells(kind):
            if not cell.capped:
                yield Case("left-out", f"{_title(kind)}, {cell.name}", vars(cell))


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    del full
    if case.exhibit == "left-out":
        kind = case.parameters["kind"]
        return Finding(measure(Cell(**case.parameters), changes(LEFT_OUT[kind], kind)).mb_per_s)
    if case.exhibit in ("clock", "frequency"):
        bus = measure(Cell("slc-write", case.parameters["interface"], 1, 1)).bus
        return Finding(
            bus["shortest_period_ns"] if case.exhibit == "clock" else round(1e3 / bus["cycle_ns"], 3)
        )
    if case.exhibit == "trend":
        return _trend(case.parameters["kind"])
    if case.exhibit == "causes":
        return _cause(case.parameters.get("kind"))
    if case.exhibit == "uncapped":
        return Finding(measure(Cell(**case.parameters), {"host.link.rate": "30GB/s"}).mb_per_s)
    measured = measure(Cell(**case.parameters))
    if case.exhibit == "cap":
        reached = measured.mb_per_s > 0.95 * SATA_MB_PER_S
        return Finding(f"{measured.mb_per_s:.1f} MB/s of {SATA_MB_PER_S:.0f}", holds=reached)
    if case.exhibit.startswith("table5"):
        return Finding(measured.controller_nj_per_byte)
    return Finding(measured.mb_per_s)


def _trend(kind: str) -> Finding:
    """How much faster PROPOSED is as t_BYTE falls, until the interface's own terms are longer."""
    usual = measure(Cell(kind, "CONV", 1, 16)).mb_per_s
    gains = []
    for t_byte in T_BYTES:
        changed = {"bus.interface.t_byte": f"{t_byte}ns"}
        gains.append(measure(Cell(kind, "PROPOSED", 1, 16), changed).mb_per_s / usual)
    text = ", ".join(f"{gain:.2f} at {t_byte} ns" for t_byte, gain in zip(T_BYTES, gains, strict=True))
    rising = all(after >= before * (1 - ROUNDING) for before, after in pairwise(gains))
    return Finding(text, holds=rising and gains[-1] > gains[0], lines=(Line(kind, T_BYTES, tuple(gains)),))


def _cause(kind: str | None) -> Finding:
    """Take away what a miss is put down to."""
    if kind is None:
        found, asked = measure(Cell("slc-read", "PROPOSED", 1, 2), ONE_FETCH).mb_per_s, PUBLISHED[OUTLIER]
    else:
        cell = Cell(kind, "PROPOSED", 4, 4)
        changed = {"host.link.rate": "30GB/s", "host.t_command": A_GROUP[kind]}
        found, asked = measure(cell, changed).mb_per_s, float(EXPECTED["uncapped", _capped_name(cell)])
    return Finding(f"{found:.1f} MB/s ({asked:g})", measure=found / asked - 1)


def _capped_name(cell: Cell) -> str:
    return f"{cell.kind[:3].upper()} read, {cell.name}"


def _title(kind: str) -> str:
    return kind.upper()[:3] + " " + kind[4:]


def conclude(found: Found) -> Iterator[Concluded]:
    """Claims about several cells together."""
    bandwidth = {
        key: _number(finding) for key, finding in found.items() if key[0].startswith(("table3", "table4"))
    }
    deviations = [abs(value / PUBLISHED[key] - 1) for key, value in bandwidth.items()]
    mean = fmean(deviations)
    text = f"{mean:.2%} over {len(deviations)} numbers"
    yield Case("mean-deviation", "mean"), Finding(text)
    yield from _orders(bandwidth)
    yield from _saturation(bandwidth)
    yield from _gains(bandwidth)
    yield from _abstract(bandwidth)
    energy = {
        key: _number(finding) for key, finding in found.items() if key[0] in ("table5-write", "table5-read")
    }
    yield from _crossover(energy)
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
        yield Case("order", kind), Finding(text, holds=closest > 1)


def _saturation(bandwidth: Mapping[tuple[str, str], float]) -> Iterator[Concluded]:
    for (exhibit, name), stated in EXPECTED.items():
        if exhibit == "saturation":
            kind, interface = name.split(", ")
            by_ways = {ways: bandwidth[f"table3-{kind}", f"{interface}, {ways}-way"] for ways in WAYS}
            full = next(
                (ways for ways, more in pairwise(WAYS) if by_ways[more] < FULL_GAIN * by_ways[ways]), None
            )
            found = f"{full} ways" if full else "none up to 16"
            yield Case(exhibit, name), Finding(found, holds=found == stated)


def _gains(bandwidth: Mapping[tuple[str, str], float]) -> Iterator[Concluded]:
    """What the text says of ways and channels in words."""
    for interface in ("CONV", "PROPOSED"):
        one, sixteen = (bandwidth["table3-slc-write", f"{interface}, {ways}-way"] for ways in (1, 16))
        yield Case("gains", f"SLC write, {interface}, 16 ways over 1"), Finding(sixteen / one)
    for kind in ("slc-read", "mlc-read"):
        one = bandwidth[f"table3-{kind}", "PROPOSED, 16-way"]
        two = bandwidth[f"table4-{kind}", "PROPOSED, 2-channel 8-way"]
        yield Case("gains", f"{_title(kind)}, PROPOSED, 2 channels over 1"), Finding(two / one)


def _abstract(bandwidth: Mapping[tuple[str, str], float]) -> Iterator[Concluded]:
    """The least and the greatest gain of PROPOSED over CONV in each class."""
    for kind in CLASSES:
        gains = [
            bandwidth[row["PROPOSED"].exhibit, row["PROPOSED"].name]
            / bandwidth[row["CONV"].exhibit, row["CONV"].name]
            for row in _rows(kind)
            if "PROPOSED" in row
        ]
        yield Case("abstract", f"{_title(kind)}, least"), Finding(min(gains))
        yield Case("abstract", f"{_title(kind)}, most"), Finding(max(gains))


def _crossover(energy: Mapping[tuple[str, str], float]) -> Iterator[Concluded]:
    """The fewest ways at which PROPOSED takes less energy for a byte than CONV."""
    for mode in ("write", "read"):
        of = f"table5-{mode}"
        least = next(
            (w for w in WAYS if energy[of, f"PROPOSED, {w}-way"] < energy[of, f"CONV, {w}-way"]), None
        )
        found = f"{least} ways" if least else "none up to 16"
        holds = found == EXPECTED["crossover", mode]
        yield Case("crossover", mode), Finding(found, holds=holds, measure=least)


def _ratios_and_means(
    bandwidth: Mapping[tuple[str, str], float],
    energy: Mapping[tuple[str, str], float],
    uncapped: Mapping[str, float],
) -> Iterator[Concluded]:
    for kind in CLASSES:
        title = _title(kind)
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
