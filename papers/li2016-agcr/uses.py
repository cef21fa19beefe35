"""Figure 2: what the pages of volumes are used for, on what is at hand of the collection that the paper took.

The figure says something of volumes of MSR Cambridge, not of drives or schemes. Every cut of one is counted,
but for the two whose reads were left out, and all accesses together are held to the claims: a cut with few
reads, or a short one, weighs little.
"""

from collections.abc import Iterable, Mapping

from floatgate.reproduce import Case, Concluded, Finding, Found, Line, Trace, simulate_files
from floatgate.reproduce.passes import READ, WRITE, in_order

from . import access
from .workloads import DRIVE, TRACES, WRITTEN

EXHIBIT = "uses"
CUTS: Mapping[str, Trace] = {
    **{name: TRACES[name] for name in ("MSR hm_0, slice", "MSR hm_0, 20:80", "MSR hm_0, 40:60")},
    "MSR hm_0, sample before the slice": Trace("msr-hm_0-first-sample.csv.gz"),
    "MSR hm_0, a second": Trace("msr-window-peak_iops.trace.gz", {"trace_format": "ms-offset"}),
    "MSR rsrch_0": WRITTEN["MSR rsrch_0"],
    "MSR rsrch_1, the week": WRITTEN["MSR rsrch_1, the week"],
    "MSR wdev_1, the week": WRITTEN["MSR wdev_1, the week"],
    "MSR wdev_2": Trace("msr-wdev_2-slice.txt.gz"),
}
#: Each claim, its sign, and of which accesses it speaks.
CLAIMS = (
    ("reads on read-only", 1, "reads"),
    ("writes on write-only", 1, "writes"),
    ("accesses on interleaved", -1, "accesses"),
)


def cases() -> Iterable[Case]:
    """Yield the cuts that are at hand."""
    for name, trace in CUTS.items():
        if trace.path.is_file():
            yield Case(EXHIBIT, name, {"cut": name})


def run(name: str) -> Finding:
    """Count one; no drive takes part."""
    trace = CUTS[name]
    done = simulate_files(DRIVE, trace.path, compact=True, requests=True, **trace.options)
    every = list(access.accesses(in_order(done)))
    reads, writes = (sum(op == kind for _, op in every) for kind in (READ, WRITE))
    counts = {"reads": reads, "writes": writes, "accesses": len(every)}
    shares = access.shares(every)
    text = ", ".join(f"{shares[claim]:.1%} {claim}" for claim, *_ in CLAIMS)
    return Finding(f"{text}; {reads} reads and {writes} writes of pages", data={**shares, **counts})


def conclude(found: Found, asked: Mapping[str, float]) -> Iterable[Concluded]:
    """Hold all accesses of the cuts to what the paper says of its volumes; `asked`: shares by claim."""
    of = {name: finding.data for (exhibit, name), finding in found.items() if exhibit == EXHIBIT}
    if of:
        for claim, sign, what in CLAIMS:
            yield Case("figure2", f"{claim} pages"), _together(of, claim, sign * asked[claim], what)


def others(of: Mapping[str, Mapping[str, float]]) -> Iterable[Concluded]:
    """The same of all real traces, of which most are of other collections."""
    for claim, *_ in CLAIMS:
        values = [data[claim] for data in of.values()]
        text = f"mean {sum(values) / len(values):.0%} of {len(values)} traces"
        yield Case("figure2-traces", f"{claim} pages"), Finding(text)


def _together(of: Mapping[str, Mapping[str, float]], claim: str, asked: float, what: str) -> Finding:
    """The share among all accesses of the cuts; `asked` is negative where less is claimed."""
    of = {name: data for name, data in of.items() if data[what]}
    sign = 1 if asked > 0 else -1
    total = sum(data[what] for data in of.values())
    share = sum(data[claim] * data[what] for data in of.values()) / total
    enough = sum(sign * data[claim] > asked for data in of.values())
    lines = tuple(Line(claim, (name,), (data[claim],), "points") for name, data in of.items())
    return Finding(
        f"{share:.1%} of {total:.0f} {what}; so in {enough} of {len(of)} cuts of MSR volumes",
        holds=sign * share > asked,
        measure=100 * share,
        lines=lines,
    )
