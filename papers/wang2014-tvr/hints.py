"""The poster's two further hints, not measured there: content at lower states, the order of programs."""

from collections.abc import Iterable, Mapping
from typing import Any

from floatgate.reproduce import Case, Finding, Line, simulate

from .response import DRIVE

KINDS = ("random", "text", "sparse", "zeros")
ELSEWHERE = "program speed, check bits elsewhere"
POLARITY = ("program speed", ELSEWHERE, "P/E cycles", "reliability after")
FASTER = 0.01  # by which a program time must fall to count: the slowest cells are drawn anew
SPARES = {False: (0.2,), True: (0.1, 0.2, 0.4)}  # op_ratio: the less spare space, the more is moved
# Of the rate at which the drive in the usual order serves the same writes when its queue is always full.
LOADS = {False: (0.2, 0.6), True: (0.1, 0.3, 0.5, 0.7, 0.9)}
ORDERS: Mapping[str, Mapping[str, Any]] = {
    "in-order": {},
    "fast-first": {"ftl.program_order.name": "fast-first"},
}
# A small drive in steady state: collections must run from the first write on.
SMALL: Mapping[str, Any] = {
    "nand.blocks_per_plane": 128,
    "ftl.streams.name": "separate",
    "ftl.gc.trigger.low": 2,
    "ftl.gc.trigger.high": 3,
}
WRITES = {False: 10_000, True: 40_000}


def cases(full: bool) -> Iterable[Case]:
    """Quick: three kinds of finding, one amount of spare space; full: three of those."""
    for name in POLARITY:
        yield Case("polarity", name, cost=8)
    for spare in SPARES[full]:
        yield Case("program-order", f"op_ratio {spare:g}", {"op_ratio": spare}, cost=20)


# ---- content coded towards lower states -----------------------------------------------------------------


def polarity(name: str, found: Mapping[str, Any]) -> Finding:
    """What storing sectors inverted changes, by kind of content; `found` is what the experiment says.

    Coding finds lower states for all kinds but random content, whose sectors have about as many of each.
    """
    if name == "reliability after":
        errors = found["errors_after_per_million_cells"]
        shown = ", ".join(f"{kind} {of['plain']:.0f} to {of['coded']:.0f}" for kind, of in errors.items())
        return Finding(f"errors of a million cells: {shown}")
    gains = {"coded": found["cycles_gain"]} if name == "P/E cycles" else found["speed_gain"]
    lines = tuple(
        Line(f"{name}, {way}", KINDS, tuple(100 * of[kind] for kind in KINDS), "points")
        for way, of in gains.items()
    )
    text = "; ".join(
        f"{way}: " + ", ".join(f"{kind} {100 * of[kind]:+.0f} %" for kind in KINDS)
        for way, of in gains.items()
    )
    if name == "program speed":
        coded = gains["coded"]
        holds = max(coded.values()) > FASTER and min(coded.values()) > -FASTER
        return Finding(text, holds=holds, measure=max(coded.values()), lines=lines)
    if name == ELSEWHERE:
        return Finding(text, measure=max(gains["coded, low spare"].values()), lines=lines)
    lived = {kind: gain for kind, gain in gains["coded"].items() if kind != "random"}
    return Finding(text, holds=min(lived.values()) > 0, measure=min(lived.values()), lines=lines)


# ---- fast pages for the host ------------------------------------------------------------------------------


def program_order(case: Mapping[str, Any], full: bool) -> Finding:
    """Mean time of a random 4 KiB write by load, with trading of open superblocks and without."""
    most = _write(case, full, ORDERS["in-order"], "ioengine=libaio\niodepth=100\n")["iops"]
    loads, gains, factors = LOADS[full], [], {}
    for load in loads:
        arrivals = f"ioengine=libaio\niodepth=4096\nrate_iops={round(load * most)}\nrate_process=poisson\n"
        found = {name: _write(case, full, order, arrivals) for name, order in ORDERS.items()}
        gains.append(100 * (1 - found["fast-first"]["mean"] / found["in-order"]["mean"]))
        factors = {name: of["waf"] for name, of in found.items()}
    shown = ", ".join(f"{gain:.0f} % at load {load:g}" for load, gain in zip(loads, gains, strict=True))
    text = f"{shown} less; WAF {factors['in-order']:.2f} in order, {factors['fast-first']:.2f} fast first"
    line = Line(f"op_ratio {case['op_ratio']:g}", loads, tuple(gains))
    return Finding(text, holds=min(gains) > 0, measure=min(gains), lines=(line,))


def _write(case: Mapping[str, Any], full: bool, order: Mapping[str, Any], pace: str) -> dict[str, float]:
    size = 4 * WRITES[full]
    job = f"[one]\nrw=randwrite\nbs=4k\nsize=100%\nio_size={size}k\nnorandommap=1\n{pace}"
    changes = {**SMALL, **order, "ftl.op_ratio": case["op_ratio"]}
    done = simulate(DRIVE, job, set=changes, precondition="instant").document
    of = done["host"]["write"]
    return {"mean": of["latency_ns"]["mean"], "iops": of["iops"], "waf": done["waf"]}
