"""Experiments behind the explanations of misses: each takes a cause away, and says what is left of the miss.

`measure` of a finding is what the explanation bounds: a relative deviation from the published number, or the
figure that a claim in words was judged by.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from floatgate.reproduce import Case, Finding, simulate, simulate_files
from floatgate.reproduce.passes import READ, Request, in_order

from . import access, patterns
from .access import PAGE
from .workloads import DRIVE, FILL, REGULATORS, TRACES, volume

FEW = ("mds_0", "prn_0", "usr_0")  # volumes: few and many writes, large and small requests
MSR = ("MSR hm_0, slice", "MSR hm_0, 20:80", "MSR hm_0, 40:60")
SMALL = (*MSR, "FIU mail")  # traces of the quick form that hold reads and writes
COLUMNS = "time:ns op offset:bytes size:bytes"
LONG_FLUSH = 48
WAIT = "40us"
WEARS = (0, 1000, 1500, 1900, 2000, 2400)

Means = Mapping[str, float]  # by `SCHEME, op`


def cases() -> Iterable[Case]:
    """Yield each experiment; those of real traces where they are at hand."""
    real = all(TRACES[name].path.is_file() for name in SMALL)
    for name in EXPERIMENTS:
        if real or name not in OF_TRACES:
            yield Case("causes", name, cost=10.0)


def run(name: str, asked: Mapping[str, float]) -> Finding:
    """Run one; `asked` are the published means by exhibit."""
    return EXPERIMENTS[name](asked)


def _latencies(what: Any, scheme: str, changes: Mapping[str, Any], **options: Any) -> Means:
    changes = {"ftl.regulator.name": REGULATORS[scheme], **changes}
    done = simulate_files(DRIVE, what, set=changes, precondition="fill", precondition_fill=FILL, **options)
    host = done.document["host"]
    found = {op: (host[op]["latency_ns"]["mean"] or 0.0) / 1e3 for op in ("read", "write")}
    counts = {op: host[op]["requests"] for op in found}
    found["all"] = sum(found[op] * counts[op] for op in counts) / sum(counts.values())
    return {f"{scheme}, {op}": value for op, value in found.items()}


def _change(of: Means, scheme: str, base: str, op: str) -> float:
    return 100 * (of[f"{scheme}, {op}"] / of[f"{base}, {op}"] - 1)


def _mean(workloads: Iterable[Means], of: Callable[[Means], float]) -> float:
    values = [of(workload) for workload in workloads]
    return sum(values) / len(values)


def _volumes(schemes: Iterable[str], settings: Mapping[str, Any], **changes: Any) -> list[Means]:
    """Latencies of some volumes at the generator's defaults, but for `changes`."""
    found = []
    for name in FEW:
        what = volume(name, False, **changes)
        found.append(
            {key: value for one in schemes for key, value in _latencies(what, one, settings).items()}
        )
    return found


def _off(value: float, asked: float, what: str) -> Finding:
    return Finding(f"{what} {value:+.1f} % ({asked:+.0f})", measure=value / asked - 1)


# ---- of real traces -------------------------------------------------------------------------------------


def _whole_pages(of: Callable[[Means], float], exhibit: str, what: str) -> Callable[[Means], Finding]:
    """The small traces with every request grown to whole pages: no rest of a page is read first."""

    def experiment(asked: Means) -> Finding:
        found = []
        for name in SMALL:
            trace = TRACES[name]
            plain = simulate_files(DRIVE, trace.path, compact=True, requests=True, **trace.options)
            with TemporaryDirectory(prefix="floatgate-") as folder:
                path = Path(folder) / "whole.txt"
                path.write_text("".join(map(_line, in_order(plain))))
                options = {"columns": COLUMNS, "compact": True}
                schemes = ("MCW/MCR", "HCW/LCR", "LCW/HCR")
                found.append(
                    {k: v for one in schemes for k, v in _latencies(path, one, {}, **options).items()}
                )
        return _off(_mean(found, of), asked[exhibit], what)

    return experiment


def _line(request: Request) -> str:
    pages = access.pages(request)
    op = "R" if request.op == READ else "W"
    return f"{request.arrive_ns} {op} {pages.start * PAGE} {len(pages) * PAGE}\n"


# ---- of synthetic volumes -------------------------------------------------------------------------------


def _writes(_: Means) -> Finding:
    schemes = ("MCW/MCR", "LCW/HCR")
    by_reads = {
        reads: _mean(_volumes(schemes, {}, reads=reads), lambda of: _change(of, "LCW/HCR", "MCW/MCR", "all"))
        for reads in (0.5, 0.3, 0.1)
    }
    text = ", ".join(f"{change:+.1f} % with {reads:.0%} reads" for reads, change in by_reads.items())
    return Finding(f"LCW/HCR {text}", measure=by_reads[0.1])


def _flushed(
    exhibit: str, of: Callable[[Means], float], schemes: tuple[str, ...]
) -> Callable[[Means], Finding]:
    """The volumes at the generator's shares, their writes in flushes."""

    def experiment(asked: Means) -> Finding:
        bursts = {"write_burst": patterns.FLUSH, "write_burst_gap": patterns.FLUSH_GAP}
        return _off(_mean(_volumes(schemes, {}, **bursts), of), asked[exhibit], exhibit)

    return experiment


def _medium(asked: Means) -> Finding:
    """Best read of AGCR over Li and others, who find data from before at medium cost."""
    before = {"ftl.regulator.before": "medium"}
    best = 0.0
    for name in FEW:
        what = patterns.volume(name, False)
        of = {**_latencies(what, "AGCR", {}), **_latencies(what, "Li et al.", before)}
        best = min(best, _change(of, "AGCR", "Li et al.", "read"))
    return _off(best, asked["figure8-read"], "best read")


def _medium_reads(_: Means) -> Finding:
    """Low-cost reads of both, the same way."""
    shares = {"AGCR": 0.0, "Li et al.": 0.0}
    for scheme in shares:
        before = {"ftl.regulator.before": "medium"} if scheme != "AGCR" else {}
        for name in FEW:
            changes = {"ftl.regulator.name": REGULATORS[scheme], **before}
            ecc = simulate_files(
                DRIVE,
                patterns.volume(name, False),
                set=changes,
                precondition="fill",
                precondition_fill=FILL,
            ).document["ecc"]
            reads = dict(zip(ecc["references"], ecc["reads_by_references"]["host"], strict=True))
            shares[scheme] += reads.get(3, 0) / sum(reads.values()) / len(FEW)
    text = ", ".join(f"{scheme} {share:.0%}" for scheme, share in shares.items())
    return Finding(text, measure=100 * (shares["AGCR"] - shares["Li et al."]))


def _long_flushes(asked: Means) -> Finding:
    """Best write of AGCR over Li and others, who see long queues."""
    best = 0.0
    for name in FEW:
        what = patterns.volume(name, False, LONG_FLUSH)
        of = {**_latencies(what, "AGCR", {}), **_latencies(what, "Li et al.", {})}
        best = min(best, _change(of, "AGCR", "Li et al.", "write"))
    return _off(best, asked["figure8-write"], "best write")


def _few_interleaved(_: Means) -> Finding:
    most = 0.0
    for name in (*FEW, "hm_0"):
        done = simulate_files(
            DRIVE,
            volume(name, False, **patterns.SHARES),
            set={"ftl.regulator.name": REGULATORS["AGCR"]},
            precondition="fill",
            precondition_fill=FILL,
        ).document
        accesses = sum(done["ecc"]["reads_by_references"]["host"])
        accesses += sum(done["ftl"]["write_cost"]["units_by_step"]["host"])
        most = max(most, 100 * done["flash"]["units_programmed"]["rewrite"] / accesses)
    return Finding(f"most {most:.2f} %", measure=most)


def _waited(asked: Means) -> Finding:
    """A wait of each request that no cost changes, as behind a bus or a host."""
    schemes = ("MCW/MCR", "HCW/LCR", "LCW/HCR")
    of = _volumes(schemes, {"host.t_command": WAIT})
    spread = _mean(of, lambda one: _spread(one, "read"))
    gain = _mean(of, lambda one: _change(one, "HCW/LCR", "MCW/MCR", "read"))
    text = f"spread of reads {spread:.0f} % (114); HCW/LCR reads {gain:+.0f} % (-54)"
    return Finding(text, measure=spread / asked["spread-read"] - 1)


def _spread(of: Means, op: str) -> float:
    dear, cheap = ("LCW/HCR", "HCW/LCR") if op == "read" else ("HCW/LCR", "LCW/HCR")
    return _change(of, dear, "MCW/MCR", op) - _change(of, cheap, "MCW/MCR", op)


def _by_wear(_: Means) -> Finding:
    """What the code as it was counted makes of table 1 and of figure 7 on blocks of other wear."""
    job = "[one]\nrw=randread\nbs=4k\niodepth=1\nsize=64m\nio_size=1m\nnorandommap=1\n"
    texts = []
    for cycles in WEARS:
        worn = {"nand.pe_cycles": cycles}
        costs = []
        for scheme in ("HCW/LCR", "MCW/MCR", "LCW/HCR"):
            changes = {"ftl.regulator.name": REGULATORS[scheme], **worn}
            done = simulate(DRIVE, job, set=changes, precondition="fill", precondition_fill=0.1)
            stages = done.document["stages"]["read"]
            costs.append(f"{(stages['array'] + stages['transfer']) / 1e3:.0f}")
        gain = _mean(
            _volumes(("AGCR", "Li et al."), worn), lambda of: _change(of, "AGCR", "Li et al.", "all")
        )
        texts.append(f"{cycles:,} cycles {', '.join(costs)} us, figure7 {gain:+.1f} %")
    return Finding("; ".join(texts))


_THREE = ("MCW/MCR", "HCW/LCR", "LCW/HCR")
EXPERIMENTS: dict[str, Callable[[Means], Finding]] = {
    "writes of whole pages": _whole_pages(
        lambda of: _change(of, "LCW/HCR", "MCW/MCR", "write"), "figure1-write", "LCW/HCR writes"
    ),
    "spread of writes of whole pages": _whole_pages(
        lambda of: _spread(of, "write"), "spread-write", "spread of writes"
    ),
    "more writes": _writes,
    "writes in flushes, figure 7": _flushed(
        "figure7", lambda of: _change(of, "AGCR", "Li et al.", "all"), ("AGCR", "Li et al.")
    ),
    "writes in flushes, spread of writes": _flushed("spread-write", lambda of: _spread(of, "write"), _THREE),
    "data from before at medium cost": _medium,
    "data from before at medium cost, reads by cost": _medium_reads,
    f"flushes of {LONG_FLUSH}": _long_flushes,
    "15 % and 9 % on interleaved pages": _few_interleaved,
    "40 us that no cost changes": _waited,
    "read costs by wear": _by_wear,
}
OF_TRACES = ("writes of whole pages", "spread of writes of whole pages")
