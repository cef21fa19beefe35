"""Costs of reads and writes under every regulator: one operation, real traces, synthetic volumes."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from floatgate.reproduce import (
    Case,
    Concluded,
    Finding,
    Found,
    Line,
    Trace,
    published,
    simulate,
    simulate_files,
)
from floatgate.reproduce.passes import READ, WRITE, Request, in_order, mean_us, parts
from floatgate.reproduce.traces import Piece

from . import access, causes, patterns, uses
from .workloads import DRIVE, FILL, PIECES, REGULATORS, TRACES, VOLUMES, WRITTEN, at_hand, volume

MEANS = ("figure1-write", "spread-read", "spread-write", "figure7", "figure8-read", "figure8-write")
TRADITIONAL, LI, AGCR = "MCW/MCR", "Li et al.", "AGCR"
FROM_MEDIUM = "Li et al., data from before at medium cost"
OF_THE_PAPER = (AGCR, LI, "HCW/LCR", "LCW/HCR")  # beside the traditional case
EXPECTED = published(Path(__file__).parent)
ASKED = {exhibit: float(EXPECTED[exhibit, "real traces"]) for exhibit in MEANS}
COSTS = {"low": "hcw-lcr", "medium": "mcw-mcr", "high": "lcw-hcr"}  # of reads; writes the other way round
GROUPS = {
    "real": "real traces",
    "synthetic": "synthetic volumes",
    "patterned": "volumes with figure 2's shares",
}
MARKS = {"synthetic": ", synthetic", "patterned": ", figure 2's shares"}  # after the name of a volume
PASSES = 2  # of a real trace: the first warms the drive up, the second is measured
COLD = " cold"  # after the name of a regulator: the first pass
COLLECTED = (TRADITIONAL, LI, AGCR)
INTERLEAVED = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
BURSTS = (1, 8, 64)
LOADS = (100, 1_000, 3_000, 10_000, 15_000, 20_000)  # requests a second; 2 to 60 of them by default
ERASE_WATTS = 3.3 * 0.025  # [nand.currents] of drive.toml


def cases(full: bool) -> Iterable[Case]:
    """Quick: five small traces, three volumes of fewer requests, no sweeps of what is not published."""
    for cost in COSTS:
        yield Case("table1", f"read, {cost} cost", {"op": "read", "regulator": COSTS[cost]})
        opposite = {"low": "high", "high": "low"}.get(cost, cost)
        yield Case("table1", f"write, {opposite} cost", {"op": "write", "regulator": COSTS[cost]})
    yield Case("table1", "erase", {"op": "erase", "regulator": "mcw-mcr"})
    yield Case("overhead", "window of 2, 64 GiB of 4 KiB pages")
    for name, trace in at_hand(full).items():
        yield Case("workloads", name, {"group": "real", "trace": name}, cost=10 * trace.cost)
    for name in VOLUMES if full else VOLUMES[:3]:
        parameters = {"group": "synthetic", "volume": patterns.measured(name, full)}
        yield Case("workloads", f"{name}{MARKS['synthetic']}", parameters, cost=60.0)
    for name in VOLUMES:
        parameters = {"group": "patterned", "volume": patterns.volume(name, full)}
        yield Case("workloads", f"{name}{MARKS['patterned']}", parameters, cost=40.0)
    for name in WRITTEN if full else ():
        if WRITTEN[name].path.is_file():
            yield Case("flushes", f"{name}, writes alone", {"written": name})
    for name, piece in PIECES.items():
        if piece.at_hand and (full or piece.trace.quick):
            yield Case("pieces", name, {"piece": name}, cost=10 * piece.trace.cost)
    yield from causes.cases()
    yield from uses.cases()
    for label in COLLECTED:
        yield Case("collection", label, {"regulator": REGULATORS[label]}, cost=10.0)
    if full:
        for shares in patterns.SHARES_OF_MAP:
            for parallel in patterns.PARALLEL:
                for flush in patterns.FLUSHES:
                    name = f"flushes of {flush}, {shares}, {parallel}"
                    parameters = {"flush": flush, "shares": shares, "parallel": parallel}
                    yield Case("map", name, parameters, cost=150.0)
        for share in INTERLEAVED:
            yield Case("interleaved", f"{share:.0%} interleaved", {"interleaved": share}, cost=100.0)
        for burst in BURSTS:
            yield Case("bursts", f"bursts of {burst}", {"burst": burst}, cost=100.0)
        for load in LOADS:
            yield Case("load", f"{load} requests a second", {"requests_per_s": load}, cost=100.0)


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    match case.exhibit:
        case "table1":
            return table_1(case.parameters)
        case "overhead":
            return overhead()
        case "workloads":
            return workload(case.name, case.parameters)
        case "collection":
            return collection(case.name, case.parameters["regulator"])
        case "map":
            return mapped(case.parameters)
        case "flushes":
            return written(WRITTEN[case.parameters["written"]])
        case "causes":
            return causes.run(case.name, ASKED)
        case "pieces":
            return part_of(PIECES[case.parameters["piece"]])
        case uses.EXHIBIT:
            return uses.run(case.parameters["cut"])
        case _:
            return swept(case.parameters, full)


# ---- single operations --------------------------------------------------------------------------------


def table_1(case: Mapping[str, Any]) -> Finding:
    """Time of the array and of bit-planes sent, in us, of one operation after the other."""
    op = case["op"]
    changes = {"ftl.regulator.name": case["regulator"]}
    if op == "erase":
        return Finding(_erase_us(changes))
    job = f"[one]\nrw=rand{op}\nbs=4k\niodepth=1\nsize=64m\nio_size=4m\nnorandommap=1\n"
    done = simulate(DRIVE, job, set=changes, precondition="fill", precondition_fill=0.1)
    stages = done.document["stages"][op]
    array, transfer = stages["array"], stages["transfer"]  # mean, in ns
    # The write cost of the paper is that of the program alone, the read cost that of sensing and transfer.
    return Finding((array + transfer if op == "read" else array) / 1e3)


def _erase_us(changes: Mapping[str, Any]) -> float:
    """Return the energy of all erases over their number and the power of one."""
    job = "[fill]\nrw=randwrite\nbs=4k\nioengine=libaio\niodepth=8\nsize=100%\nio_size=100m\nnorandommap=1\n"
    few = {"geometry.channels": 1, "geometry.ways": 1, "nand.blocks_per_plane": 64, "ftl.op_ratio": 0.3}
    document = simulate(DRIVE, job, set={**changes, **few}, precondition="steady").document
    joules = document["energy_j"]["nand_by_kind"]["erase"]
    seconds = joules / ERASE_WATTS / document["flash"]["erases"]["total"]
    return (
        round(seconds * 1e9) / 1e3
    )  # the simulator's times are whole nanoseconds; a quotient of floats is not


def overhead() -> Finding:
    """Bits beside the map of a drive that shows 64 GiB, in MiB."""
    changes = {
        "ftl.regulator.name": "agcr",
        "nand.blocks_per_plane": 1280,
        "ftl.user_capacity": "64GiB",
    }
    done = simulate(DRIVE, "[one]\nrw=read\nbs=4k\nio_size=4k\nsize=4k\n", set=changes)
    return Finding(done.document["ftl"]["regulator"]["overhead_bytes"] / 2**20)


# ---- workloads ----------------------------------------------------------------------------------------


def measure(source: Mapping[str, Any], regulator: str, **options: Any) -> Any:
    """Run a workload under a regulator; return the finished run."""
    if "trace" in source:
        trace = TRACES[source["trace"]]
        what: Any = trace.path
        options |= {"compact": True, **trace.options}
    else:
        what = source["volume"]
    changes = {"ftl.regulator.name": regulator, **source.get("drive", {})}
    return simulate_files(DRIVE, what, set=changes, precondition="fill", precondition_fill=FILL, **options)


def latencies(done: Any) -> dict[str, float]:
    """Mean latencies in us: of reads, writes, and both."""
    found, total, count = {}, 0.0, 0
    for op in ("read", "write"):
        of = done.document["host"][op]
        mean = of["latency_ns"]["mean"] or 0.0
        found[op] = mean / 1e3
        total, count = total + mean * of["requests"], count + of["requests"]
    return {**found, "all": total / count / 1e3}


def workload(name: str, case: Mapping[str, Any]) -> Finding:
    """Every regulator on one workload; what it did is handed on to `conclude`."""
    found = _played_twice(case) if case["group"] == "real" else _played_once(case)
    return _compared(name, found)


def _played_once(case: Mapping[str, Any]) -> dict[str, float]:
    """A volume from its first request on."""
    data: dict[str, float] = {}
    patterned = case["group"] == "patterned"
    for label in (TRADITIONAL, *OF_THE_PAPER) if patterned else REGULATORS:
        done = measure(case, REGULATORS[label], requests=patterned and label == TRADITIONAL)
        data |= _named(label, latencies(done))
        if label in (TRADITIONAL, LI, AGCR):
            data |= _named(label, operations(counts(done)))
        if patterned and label == TRADITIONAL:
            data["flush"], data["flush gap"] = patterns.flushes(in_order(done))
    return data


def _played_twice(case: Mapping[str, Any]) -> dict[str, float]:
    """A trace is a cut of minutes from what went on before: its first pass warms the drive up."""
    data: dict[str, float] = {}
    for label, regulator in REGULATORS.items():
        done = measure(case, regulator, requests=True, loop=PASSES)
        cold, warm = parts(in_order(done), PASSES)
        data |= _named(label, _means(warm)) | _named(label + COLD, _means(cold))
        if label in (LI, AGCR):
            data |= _named(label, patterns.by_novelty(cold))
        if label == TRADITIONAL:
            data["flush"], data["flush gap"] = patterns.flushes(cold)
            every = list(access.accesses(cold))
            data |= access.shares(every)
            data |= {f"window {window}": share for window, share in access.accuracy(every).items()}
        if label in (TRADITIONAL, LI, AGCR):
            first, both = counts(measure(case, regulator)), counts(done)
            data |= _named(label + COLD, operations(first))
            data |= _named(label, operations({key: both[key] - first.get(key, 0) for key in both}))
    return data


def _named(label: str, values: Mapping[str, float]) -> dict[str, float]:
    return {f"{label}, {key}": value for key, value in values.items()}


def _means(requests: list[Request]) -> dict[str, float]:
    """Mean latencies in us as `latencies` has them, of some of a run's requests."""
    of = {name: [one for one in requests if one.op == op] for name, op in (("read", READ), ("write", WRITE))}
    return {**{op: mean_us(some) for op, some in of.items()}, "all": mean_us(requests)}


def _compared(name: str, data: dict[str, float]) -> Finding:
    reads = [data[f"{label}, read"] for label in ("HCW/LCR", TRADITIONAL, "LCW/HCR")]
    writes = [data[f"{label}, write"] for label in ("LCW/HCR", TRADITIONAL, "HCW/LCR")]
    points = [
        Line(f"{label}, {op}", (name,), (data[f"{label}, {op}"] / data[f"{TRADITIONAL}, {op}"],), "points")
        for label in ("HCW/LCR", "LCW/HCR")
        for op in ("read", "write")
        if data[f"{TRADITIONAL}, {op}"]
    ]
    text = f"read {reads[0]:.0f} < {reads[1]:.0f} < {reads[2]:.0f} us, "
    text += f"write {writes[0]:.0f} < {writes[1]:.0f} < {writes[2]:.0f} us"
    holds = all(a < b for of in (reads, writes) for a, b in pairwise(of))
    return Finding(text, holds=holds, lines=tuple(points), data=data)


def counts(done: Any) -> dict[str, int]:
    """The host's page reads by references and page writes by step, and re-writes."""
    ecc, cost = done.document["ecc"], done.document["ftl"]["write_cost"]
    reads = zip(ecc["references"], ecc["reads_by_references"]["host"], strict=True)
    units = zip(cost["steps_uv"], cost["units_by_step"]["host"], strict=True)
    return {
        **{f"read {references}": count for references, count in reads},
        **{f"write {step}": count for step, count in units},
        "re-written": done.document["flash"]["units_programmed"]["rewrite"],
    }


def operations(of: Mapping[str, int]) -> dict[str, float]:
    """Figure 9: shares of the host's page reads and writes by cost, and re-writes over all page accesses."""
    read, written = (sum(n for key, n in of.items() if key.startswith(op)) for op in ("read ", "write "))
    found = {
        f"{cost}-cost reads": of.get(f"read {n}", 0) / read if read else 0.0
        for cost, n in (("low", 3), ("medium", 9), ("high", 21))
    }
    found |= {
        f"{cost}-cost writes": of.get(f"write {step}", 0) / written if written else 0.0
        for cost, step in (("low", 400_000), ("medium", 300_000), ("high", 225_000))
    }
    return {**found, "re-writes": of["re-written"] / (read + written)}


def written(trace: Trace) -> Finding:
    """How many writes arrive together where the reads were left out of a trace."""
    done = simulate_files(DRIVE, trace.path, compact=True, requests=True, **trace.options)
    return _flush(*patterns.flushes(in_order(done)))


def _flush(size: float, gap_us: float) -> Finding:
    return Finding(f"{size:.0f} writes together, {gap_us:.0f} us apart")


def part_of(piece: Piece) -> Finding:
    """Figure 7 on the later part of a trace that is long enough for its earlier part to warm the drive up."""
    means = {}
    with piece.path() as path:
        for label in (LI, AGCR):
            done = simulate_files(
                DRIVE,
                path,
                set={"ftl.regulator.name": REGULATORS[label]},
                precondition="fill",
                precondition_fill=FILL,
                requests=True,
                compact=True,
                **piece.trace.options,
            )
            means[label] = mean_us(piece.later(in_order(done)))
    return Finding(f"{100 * (means[AGCR] / means[LI] - 1):+.1f} %")


def collection(label: str, regulator: str) -> Finding:
    """A full drive that collects all the time, which the paper's traces never cause."""
    mix = "rw=randrw\nrwmixread=50\nbs=4k\nioengine=libaio\niodepth=16\nnorandommap=1\n"
    job = f"[one]\n{mix}size=100%\nio_size=256m\n"
    small = {"nand.blocks_per_plane": 64}
    changes = {"ftl.regulator.name": regulator, **small}
    done = simulate(DRIVE, job, set=changes, precondition="steady")
    found = latencies(done)
    waf = done.document["waf"]
    text = f"read {found['read']:.0f} us, write {found['write']:.0f} us; write amplification {waf:.2f}"
    points = tuple(Line(op, (label,), (found[op],), "points") for op in ("read", "write"))
    return Finding(text, lines=points, data=found)


def mapped(point: Mapping[str, Any]) -> Finding:
    """The five published means at one point of what the paper leaves open."""
    shares = patterns.SHARES_OF_MAP[point["shares"]]
    data = {}
    for name in VOLUMES:
        source = {
            "group": "patterned",
            "volume": patterns.volume(name, False, point["flush"], **shares),
            "drive": patterns.PARALLEL[point["parallel"]],
        }
        data[name] = {
            f"{label}, {op}": value
            for label in (TRADITIONAL, *OF_THE_PAPER)
            for op, value in latencies(measure(source, REGULATORS[label])).items()
        }
        source["drive"] = {**source["drive"], "ftl.regulator.before": "medium"}
        data[name] |= _named(FROM_MEDIUM, latencies(measure(source, REGULATORS[LI])))
    means = published_means(data)
    off = {name: means[name] / float(EXPECTED[name, "real traces"]) - 1 for name in means}
    worst = max(abs(value) for value in off.values())
    text = ", ".join(f"{name} {value:+.1f}" for name, value in means.items())
    medium = mean(changes(data, AGCR, FROM_MEDIUM, "all").values())
    text += f" ({medium:+.1f} if data from before were written at medium cost)"
    line = Line(f"{point['shares']}, {point['parallel']}", (float(point["flush"]),), (100 * worst,))
    return Finding(text, lines=(line,))


def swept(changes: Mapping[str, Any], full: bool) -> Finding:
    """AGCR over Li et al. on the volumes, with something that is not published set to a value."""
    gains = []
    for name in VOLUMES:
        source = {"volume": volume(name, full, **{"requests": 20_000, **changes})}
        agcr, li = (latencies(measure(source, REGULATORS[label]))["all"] for label in (AGCR, LI))
        gains.append(agcr / li - 1)
    mean = sum(gains) / len(gains)
    value = next(iter(changes.values()))
    line = Line("mean of twelve volumes", (float(value),), (100 * mean,), "points")
    return Finding(f"{100 * mean:+.1f} %", lines=(line,), data={"gain": mean})


# ---- conclusions --------------------------------------------------------------------------------------


def conclude(found: Found) -> Iterable[Concluded]:
    """Averages, best cases and shapes over the workloads of a group."""
    yield from _service(found)
    yield from uses.conclude(found, {claim: _of_figure_2(claim) for claim, *_ in uses.CLAIMS})
    for group, title in GROUPS.items():
        of = {
            name: finding.data
            for (exhibit, name), finding in found.items()
            if exhibit == "workloads" and _group_of(name) == group
        }
        if of:
            yield from _figure_1(of, title)
            yield from _figures_7_and_8(of, title)
            yield from _figure_9(of, title)
            if group != "patterned":
                yield from _rivals(of, title)
            if group == "real":
                yield from _figure_6(of, title)
                yield from uses.others(of)
                yield from _by_novelty(of, title)
                yield from _cold(of, title)
            if group != "synthetic":
                yield from _flushes(of)
    yield from _sweeps(found)


def _group_of(name: str) -> str:
    return next((group for group, mark in MARKS.items() if name.endswith(mark)), "real")


Data = Mapping[str, Mapping[str, float]]


def _service(found: Found) -> Iterable[Concluded]:
    def of(name: str) -> float:
        return float(found["table1", name].simulated)

    reads = of("read, low cost") / of("read, medium cost") - 1
    writes = of("write, low cost") / of("write, medium cost") - 1
    yield Case("service", "read, HCW/LCR"), Finding(100 * reads)
    yield Case("service", "write, LCW/HCR"), Finding(100 * writes)


def change(data: Mapping[str, float], label: str, base: str, op: str) -> float | None:
    """Return the latency of `label` over that of `base`, less one, in per cent."""
    return 100 * (data[f"{label}, {op}"] / data[f"{base}, {op}"] - 1) if data[f"{base}, {op}"] else None


def changes(of: Data, label: str, base: str, op: str) -> dict[str, float]:
    """Return that change for each workload that has such requests."""
    every = {name: change(data, label, base, op) for name, data in of.items()}
    return {name: value for name, value in every.items() if value is not None}


def mean(values: Iterable[float]) -> float:
    """Return the arithmetic mean."""
    every = list(values)
    return sum(every) / len(every)


def published_means(of: Data) -> dict[str, float]:
    """The means that the paper's text gives, in per cent, by exhibit."""
    found = {
        "figure1-read": mean(changes(of, "HCW/LCR", TRADITIONAL, "read").values()),
        "figure1-write": mean(changes(of, "LCW/HCR", TRADITIONAL, "write").values()),
    }
    for op, dear, cheap in (("read", "LCW/HCR", "HCW/LCR"), ("write", "HCW/LCR", "LCW/HCR")):
        most, least = (mean(changes(of, label, TRADITIONAL, op).values()) for label in (dear, cheap))
        found[f"spread-{op}"] = most - least
    return {**found, "figure7": mean(changes(of, AGCR, LI, "all").values())}


def _figure_1(of: Data, title: str) -> Iterable[Concluded]:
    for exhibit, value in published_means(of).items():
        yield Case(exhibit, title), Finding(value)
    overall = mean(changes(of, "LCW/HCR", TRADITIONAL, "all").values())
    yield (
        Case("figure1-overall", title),
        Finding(f"LCW/HCR {overall:+.1f} %", holds=overall < 0, measure=overall),
    )


def _figures_7_and_8(of: Data, title: str) -> Iterable[Concluded]:
    for op in ("read", "write"):
        every = changes(of, AGCR, LI, op).values()
        yield Case(f"figure8-{op}", title), Finding(min(every))
        yield Case("figure8-means", f"{op}s, {title}"), Finding(f"{mean(every):+.1f} %")
    for exhibit, base in (("figure7-workloads", LI), ("figure7-traditional", TRADITIONAL)):
        gains = changes(of, AGCR, base, "all")
        better = sum(gain < 0 for gain in gains.values())
        text = f"{better} of {len(gains)} better, mean {mean(gains.values()):+.1f} %"
        lines = [
            Line(op, (name,), (value,), "points")
            for op in ("all", "read", "write")
            for name, value in changes(of, AGCR, base, op).items()
        ]
        yield Case(exhibit, title), Finding(text, lines=tuple(lines))


def _figure_9(of: Data, title: str) -> Iterable[Concluded]:
    shares = {name: data[f"{AGCR}, re-writes"] for name, data in of.items()}
    most = max(shares, key=shares.__getitem__)
    text = f"mean {mean(shares.values()):.2%}, most {shares[most]:.2%} ({most})"
    asked = _percent(EXPECTED["figure9-rewrites", title])
    yield (
        Case("figure9-rewrites", title),
        Finding(text, holds=shares[most] <= asked, measure=100 * shares[most]),
    )
    names = [f"{cost}-cost {op}" for op in ("reads", "writes") for cost in ("low", "medium", "high")]
    lines = tuple(
        Line(
            f"{label}, {title}",
            tuple(names),
            tuple(mean(data[f"{label}, {key}"] for data in of.values()) for key in names),
            "points",
        )
        for label in (TRADITIONAL, LI, AGCR)
    )
    for key in ("low-cost reads", "low-cost writes"):
        agcr, li = (mean(data[f"{label}, {key}"] for data in of.values()) for label in (AGCR, LI))
        text = f"AGCR {agcr:.0%}, Li et al. {li:.0%}"
        found = Finding(text, holds=agcr > li, measure=100 * (agcr - li), lines=lines)
        yield Case("figure9", f"{key}, {title}"), found
        lines = ()


def _flushes(of: Data) -> Iterable[Concluded]:
    for name, data in of.items():
        yield Case("flushes", name), _flush(data["flush"], data["flush gap"])


def _cold(of: Data, title: str) -> Iterable[Concluded]:
    """What is scored of the second pass, as it is in the first."""
    agcr, li = AGCR + COLD, LI + COLD
    gains = changes(of, agcr, li, "all")
    better = sum(gain < 0 for gain in gains.values())
    yield (
        Case("cold", f"figure 7, {title}"),
        Finding(f"mean {mean(gains.values()):+.1f} %, {better} of {len(gains)} better"),
    )
    for op in ("read", "write"):
        yield (
            Case("cold", f"figure 8, {op}s, {title}"),
            Finding(f"{min(changes(of, agcr, li, op).values()):+.1f} %"),
        )
    most = max(data[f"{agcr}, re-writes"] for data in of.values())
    yield Case("cold", f"figure 9, re-writes, {title}"), Finding(f"most {most:.2%}")


def _by_novelty(of: Data, title: str) -> Iterable[Concluded]:
    """Figure 7 by whether the trace has accessed the pages before: AGCR knows nothing of others."""
    for kind, name in (("seen", "pages seen before"), ("new", "pages not seen before")):
        yield Case("figure7-seen", f"{name}, {title}"), Finding(mean(changes(of, AGCR, LI, kind).values()))


def _rivals(of: Data, title: str) -> Iterable[Concluded]:
    averages = {
        label: mean(changes(of, label, TRADITIONAL, "all").values())
        for label in REGULATORS
        if label != TRADITIONAL
    }
    ranked = sorted(averages, key=averages.__getitem__)
    text = ", ".join(f"{label} {averages[label]:+.1f} %" for label in ranked)
    lines = tuple(Line(title, (label,), (averages[label],), "points") for label in averages)
    compared = [label for label in ranked if label in OF_THE_PAPER]
    holds = compared[0] == AGCR and averages[AGCR] < 0
    yield Case("rivals", title), Finding(text, holds=holds, lines=lines)


def _of_figure_2(claim: str) -> float:
    return _percent(EXPECTED["figure2", f"{claim} pages"])


def _figure_6(of: Data, title: str) -> Iterable[Concluded]:
    by_window = [mean(data[f"window {window}"] for data in of.values()) for window in access.WINDOWS]
    gains = [later - earlier for earlier, later in pairwise(by_window)]
    per_access = [
        gain / (b - a) for gain, a, b in zip(gains, access.WINDOWS[:-1], access.WINDOWS[1:], strict=True)
    ]
    text = ", ".join(f"{w}: {share:.1%}" for w, share in zip(access.WINDOWS, by_window, strict=True))
    holds = min(gains) > 0 and per_access == sorted(per_access, reverse=True)
    line = Line("mean of real traces", tuple(float(w) for w in access.WINDOWS), tuple(by_window))
    yield Case("figure6", title), Finding(text, holds=holds, lines=(line,))


def _percent(published: str) -> float:
    """Return the share in a text such as `more than 85 %`."""
    return float(published.split()[-2]) / 100


def _sweeps(found: Found) -> Iterable[Concluded]:
    gains = [finding.data["gain"] for (exhibit, _), finding in found.items() if exhibit == "interleaved"]
    if gains:
        text = ", ".join(f"{100 * gain:+.1f} %" for gain in gains)
        yield Case("interleaved-trend", "twelve volumes"), Finding(text)
