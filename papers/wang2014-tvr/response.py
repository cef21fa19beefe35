"""The drive half: mean response time with and without TVR, from low load to near saturation."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from floatgate.reproduce import Case, Concluded, Finding, Found, Line, published, simulate, simulate_files
from floatgate.reproduce.passes import Request, in_order, mean_us as mean_of, parts
from floatgate.reproduce.traces import Piece

from .workloads import PIECES, QUICK_VOLUMES, TRACES, VOLUMES, Source, at_hand

DRIVE = Path(__file__).with_name("drive.toml")
EXPECTED = published(Path(__file__).parent)
# Per cent: what the poster claims.
LEAST, MOST = (float(EXPECTED["range", f"real traces, {word}"]) for word in ("least", "most"))
# Of the rate at which the drive without TVR serves the same requests when its queue is always full.
LOADS = {False: (0.1, 0.5, 0.8), True: (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
GROUPS = {"real": "real traces", "synthetic": "synthetic volumes"}
SET = "retention_free"
USUAL: Mapping[str, Any] = {"ftl.regulator.name": "mcw-mcr"}
TVR: Mapping[str, Any] = {"ftl.regulator.name": "tvr", "ftl.regulator.voltages": SET}
# Which data are short-lived: what was overwritten within the last half day, or all that the host writes.
SCHEMES: dict[str, Mapping[str, Any]] = {
    "by lifetime": TVR,
    "every write": {**TVR, "ftl.regulator.new_data": True},
}
WORN = ("prxy_0", "hm_1")  # nearly all writes, nearly all reads
WEARS = (0, 500, 1500, 3000)
WORN_AT = 0.5  # load
MOST_READ = "hm_1"  # of the volumes
ONE_BY_ONE = f"{MOST_READ}, writes one by one"
QUEUED = ("CloudPhysics", "web server", "SQL Server", "Postmark")  # traces whose requests wait for each other


def cases(full: bool) -> Iterable[Case]:
    """Quick: three volumes, four traces, three loads; full: eight and eight, ten loads, and worn blocks."""
    for scheme in ("usual", *SCHEMES):
        yield Case("service", scheme, {"scheme": scheme})
    for name, trace in at_hand(full).items():
        yield Case("response-real", name, {"trace": name}, cost=10 * trace.cost)
    for name in VOLUMES if full else VOLUMES[:QUICK_VOLUMES]:
        yield Case("response-synthetic", name, {"volume": name}, cost=40)
    for name, piece in PIECES.items():
        if piece.at_hand and (full or piece.trace.quick):
            yield Case("pieces", name, {"piece": name}, cost=5 * piece.trace.cost)
    yield Case("causes", ONE_BY_ONE, {"volume": MOST_READ, "write_burst": 1}, cost=5)
    if full:
        for name in QUEUED:
            if TRACES[name].path.is_file():
                case = {"trace": name, "depth": 1}
                yield Case("causes", f"{name}, one request at a time", case, cost=5 * TRACES[name].cost)
        for name in WORN:
            for wear in WEARS:
                yield Case("worn", f"{name}, {wear} cycles", {"pe_cycles": wear, "volume": name}, cost=15)


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    match case.exhibit:
        case "service":
            return service(case.parameters["scheme"])
        case "worn":
            return worn(case.parameters, full)
        case "causes":
            return cause(case.parameters)
        case "pieces":
            return part_of(PIECES[case.parameters["piece"]])
        case _:
            return response(case.name, Source(case.parameters, full), LOADS[full])


def mean_us(what: tuple[Any, dict[str, Any]], changes: Mapping[str, Any]) -> tuple[float, float]:
    """Run a workload on a drive written full; return the mean response time and the requests a second."""
    workload, options = what
    done = simulate_files(
        DRIVE, workload, set=changes, precondition="fill", precondition_fill=1.0, **options
    ).document
    total, count = 0.0, 0
    for op in ("read", "write"):
        of = done["host"][op]
        total += of["requests"] * (of["latency_ns"]["mean"] or 0.0)
        count += of["requests"]
    return total / count / 1e3, count / done["simulated_ns"] * 1e9


def service(scheme: str) -> Finding:
    """One write after the other: nothing waits."""
    job = "[one]\nrw=randwrite\nbs=4k\niodepth=1\nsize=64m\nio_size=8m\nnorandommap=1\n"
    changes = USUAL if scheme == "usual" else SCHEMES[scheme]
    done = simulate(DRIVE, job, set=changes, precondition="fill", precondition_fill=0.1).document
    mean = done["host"]["write"]["latency_ns"]["mean"] / 1e3
    return Finding(f"{mean:.0f} us a write", data={"mean": mean})


def response(name: str, source: Source, loads: tuple[float, ...]) -> Finding:
    """How much shorter TVR makes the mean response, at each load."""
    most = mean_us(source.saturated(), USUAL)[1]
    usual, natural = mean_us(source.natural(), USUAL)
    own = natural / most  # the load at its own times
    data = {}
    asked = SCHEMES if "trace" in source.case else {"by lifetime": SCHEMES["by lifetime"]}
    before = _cold_and_warm(source, USUAL)
    for scheme, changes in asked.items():
        cold, warm = (_less(*pair) for pair in zip(before, _cold_and_warm(source, changes), strict=True))
        data |= {f"{scheme}, own times": warm, f"{scheme}, own times, cold": cold}
        if "trace" in source.case:
            data[f"{scheme} at {own}"] = cold
    for load in loads:
        what = source.at(load * most, natural)
        usual = mean_us(what, USUAL)[0]
        data |= {f"{s} at {load}": _reduction(what, changes, usual) for s, changes in SCHEMES.items()}
    return _finding(name, data, "by lifetime")


def _cold_and_warm(source: Source, changes: Mapping[str, Any]) -> list[float]:
    """Mean response times in us of a workload that the drive has not met, and of what comes after."""
    workload, options = source.twice()
    return [mean_of(part) for part in parts(_kept(workload, changes, **options), 2)]


def _kept(workload: Any, changes: Mapping[str, Any], **options: Any) -> list[Request]:
    done = simulate_files(
        DRIVE, workload, set=changes, precondition="fill", precondition_fill=1.0, requests=True, **options
    )
    return in_order(done)


def cause(case: Mapping[str, Any]) -> Finding:
    """A workload on a warm drive without what its miss is put down to."""
    usual, reduced = (_cold_and_warm(Source(case, False), changes)[1] for changes in (USUAL, TVR))
    gain = _less(usual, reduced)
    return Finding(f"{gain:.1f} % less", measure=gain / LEAST - 1 if "write_burst" in case else gain)


def part_of(piece: Piece) -> Finding:
    """The later part of a trace that is long enough for its earlier part to warm the drive up."""
    with piece.path() as path:
        options = {"compact": True, **piece.trace.options}
        usual, reduced = (mean_of(piece.later(_kept(path, changes, **options))) for changes in (USUAL, TVR))
    return Finding(f"{_less(usual, reduced):.1f} % less")


def _less(usual: float, reduced: float) -> float:
    """By how many per cent the latter is less."""
    return 100 * (1 - reduced / usual)


def _reduction(what: tuple[Any, dict[str, Any]], changes: Mapping[str, Any], usual: float) -> float:
    """By how many per cent a workload's mean response is shorter than `usual` with these changes."""
    return _less(usual, mean_us(what, changes)[0])


def worn(case: Mapping[str, Any], full: bool) -> Finding:
    """The same volume on blocks worn before: what reduced voltages leave to correct costs reads, too."""
    source, wear = Source(case, full), {"nand.pe_cycles": case["pe_cycles"]}
    most = mean_us(source.saturated(), USUAL)[1]
    what = source.at(WORN_AT * most, most)
    usual = mean_us(what, {**USUAL, **wear})[0]
    gain = 100 * (1 - mean_us(what, {**TVR, **wear})[0] / usual)
    line = Line(case["volume"], (float(case["pe_cycles"]),), (gain,), "points")
    return Finding(f"{usual:.0f} us, {gain:.0f} % less with TVR", lines=(line,))


# ---- conclusions --------------------------------------------------------------------------------------


def curve(data: Mapping[str, float], scheme: str) -> list[tuple[float, float]]:
    """Return (load, reduction in per cent) of a workload, by load."""
    start = f"{scheme} at "
    return sorted(
        (float(key.removeprefix(start)), value) for key, value in data.items() if key.startswith(start)
    )


def reached(points: list[tuple[float, float]], reduction: float) -> float | None:
    """Return the least load at which the curve reaches a reduction, along lines; None: nowhere."""
    before: tuple[float, float] | None = None
    for load, value in points:
        if value >= reduction:
            if before is None:
                return load
            return before[0] + (load - before[0]) * (reduction - before[1]) / (value - before[1])
        before = (load, value)
    return None


def _finding(name: str, data: Mapping[str, float], scheme: str) -> Finding:
    points = curve(data, scheme)
    reductions = [value for _, value in points]

    def where(percent: float) -> str:
        load = reached(points, percent)
        if load is None:
            return f"{percent:.0f} % nowhere"
        return f"{percent:.0f} % from load {'at most ' if load == points[0][0] else ''}{load:.2g}"

    text = f"{_span(reductions)} % less; {where(LEAST)}, {where(MOST)}"
    line = Line(name, tuple(load for load, _ in points), tuple(reductions))
    return Finding(text, lines=(line,), data=data)


def conclude(found: Found) -> Iterable[Concluded]:
    """Write everything at reduced voltages; the range over workloads by load; service time alone."""
    yield from _service(found)
    for group, title in GROUPS.items():
        of = {
            name: finding.data for (exhibit, name), finding in found.items() if exhibit == f"response-{group}"
        }
        if not of:
            continue
        for name, data in of.items():
            yield Case(f"every-write-{group}", name), _finding(name, data, "every write")
        yield from _own_times(of, group)
        for scheme in SCHEMES:
            yield from _loads(of, f"{title}, {scheme}", scheme)


def _service(found: Found) -> Iterable[Concluded]:
    usual, reduced = (found["service", scheme].data["mean"] for scheme in ("usual", "every write"))
    gain = 100 * (1 - reduced / usual)
    text = f"{gain:.1f} % less a write"
    yield Case("service-share", "writes that never wait"), Finding(text)


def _own_times(of: Mapping[str, Mapping[str, float]], group: str) -> Iterable[Concluded]:
    """What the poster claims, of workloads as they come on a warm drive: data by lifetime, no load chosen."""
    gains = {name: data["by lifetime, own times"] for name, data in of.items()}
    for name, gain in gains.items():
        case = Case("own-times", f"{name}, synthetic" if group == "synthetic" else name)
        yield case, Finding(f"{gain:.1f} % less", holds=LEAST <= gain <= MOST, measure=gain)
        cold = of[name]["by lifetime, own times, cold"]
        yield Case("own-times-cold", case.name), Finding(f"{cold:.1f} % less")
    for word, pick in (("least", min), ("most", max)):
        yield Case("range", f"{GROUPS[group]}, {word}"), Finding(pick(gains.values()))


def _loads(of: Mapping[str, Mapping[str, float]], name: str, scheme: str) -> Iterable[Concluded]:
    """How far workloads are apart at each load, and the load at which most lie within what is claimed."""
    loads = sorted(set.intersection(*({load for load, _ in curve(data, scheme)} for data in of.values())))
    by_load = {load: [dict(curve(data, scheme))[load] for data in of.values()] for load in loads}
    inside = {load: sum(LEAST <= value <= MOST for value in values) for load, values in by_load.items()}
    best = max(loads, key=lambda load: (inside[load], -load))
    text = f"at load {best:g} {inside[best]} of {len(of)} are, all {_span(by_load[best])} % less; "
    text += f"over all loads {_span([value for values in by_load.values() for value in values])} %"
    lines = [
        Line(f"{name}: {word}", tuple(loads), tuple(pick(by_load[load]) for load in loads))
        for word, pick in (("least", min), ("most", max))
    ]
    yield Case("loads", name), Finding(text, lines=tuple(lines))


def _span(values: list[float]) -> str:
    return f"{min(values):.0f} to {max(values):.0f}"
