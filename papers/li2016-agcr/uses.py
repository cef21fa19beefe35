"""Figure 2: what the pages of volumes are used for, on what is at hand of the collection that the paper took.

The figure says something of volumes of MSR Cambridge, not of drives or schemes. Counted are the cuts of more
than a second that hold both kinds of requests, at least one in a hundred of each.
"""

from collections.abc import Iterable, Mapping

from floatgate.reproduce import Case, Concluded, Finding, Found, Line, Trace, simulate_files
from floatgate.reproduce.passes import READ, in_order

from . import access
from .workloads import DRIVE, TRACES, WRITTEN

EXHIBIT = "uses"
CUTS: Mapping[str, Trace] = {
    **{name: TRACES[name] for name in ("MSR hm_0, slice", "MSR hm_0, 20:80", "MSR hm_0, 40:60")},
    "MSR hm_0, sample before the slice": Trace("msr-hm_0-first-sample.csv.gz"),
    "MSR rsrch_0": WRITTEN["MSR rsrch_0"],
    "MSR rsrch_1, the week": WRITTEN["MSR rsrch_1, the week"],
}
LEAST = 0.01  # of its requests reads, and as many writes: 42 reads in 13,780 requests say nothing
CLAIMS = (("reads on read-only", 1), ("writes on write-only", 1), ("accesses on interleaved", -1))


def cases() -> Iterable[Case]:
    """Yield the cuts that are at hand."""
    for name, trace in CUTS.items():
        if trace.path.is_file():
            yield Case(EXHIBIT, name, {"cut": name})


def run(name: str) -> Finding:
    """Count one; no drive takes part."""
    trace = CUTS[name]
    done = simulate_files(DRIVE, trace.path, compact=True, requests=True, **trace.options)
    requests = in_order(done)
    reads = sum(request.op == READ for request in requests) / len(requests)
    shares = access.shares(list(access.accesses(requests)))
    text = ", ".join(f"{shares[claim]:.1%} {claim}" for claim, _ in CLAIMS)
    return Finding(f"{text}; {reads:.1%} of the requests are reads", data={**shares, "reads": reads})


def conclude(found: Found, asked: Mapping[str, float]) -> Iterable[Concluded]:
    """Hold the mean over the cuts to what the paper says of its volumes; `asked`: shares by claim."""
    of = {
        name: finding.data
        for (exhibit, name), finding in found.items()
        if exhibit == EXHIBIT and LEAST <= finding.data["reads"] <= 1 - LEAST
    }
    if of:
        for claim, sign in CLAIMS:
            yield Case("figure2", f"{claim} pages"), _mean(of, claim, sign, asked[claim])


def others(of: Mapping[str, Mapping[str, float]]) -> Iterable[Concluded]:
    """The same of all real traces, of which most are of other collections."""
    for claim, _ in CLAIMS:
        values = [data[claim] for data in of.values()]
        text = f"mean {sum(values) / len(values):.0%} of {len(values)} traces"
        yield Case("figure2-traces", f"{claim} pages"), Finding(text)


def _mean(of: Mapping[str, Mapping[str, float]], claim: str, sign: int, asked: float) -> Finding:
    values = {name: data[claim] for name, data in of.items()}
    average = sum(values.values()) / len(values)
    enough = sum(sign * value > sign * asked for value in values.values())
    lines = tuple(Line(claim, (name,), (value,), "points") for name, value in values.items())
    return Finding(
        f"mean {average:.0%}; so on {enough} of {len(values)} cuts of MSR volumes",
        holds=sign * average > sign * asked,
        measure=100 * average,
        lines=lines,
    )
