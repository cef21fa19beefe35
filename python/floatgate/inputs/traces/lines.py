"""What was measured, as text: all of one trace, or a row for each of several."""

from typing import Any

from floatgate.inputs.traces.measure import label
from floatgate.values import quantities as q

Found = dict[str, Any]

REQUEST_COLUMNS = (
    "requests",
    "reads",
    "mean size",
    "footprint",
    "sequential",
    "gap mean",
    "median",
    "variation",
)
PAGE_COLUMNS = ("RO pages", "WO pages", "I pages", "reads on RO", "on I", "writes on WO", "on I")
LEGEND = (
    "gap: time between arrivals; variation: its standard deviation over its mean."
    " RO, WO, I: pages that are (almost) only read, only written, both."
)
_KINDS = ("read_only", "write_only", "interleaved")


def requests_row(found: Found) -> tuple[str, ...]:
    """Return the cells that say what one trace asks for, its name first."""
    gaps = found["gaps"] or {}
    return (
        label(found),
        f"{sum(found['requests'].values()):,}",
        q.percent(found["read_fraction"]),
        q.size(found["mean_bytes"]),
        q.size(found["footprint_bytes"]),
        q.percent(found["sequential_fraction"]),
        q.duration(gaps.get("mean_ns")),
        q.duration(gaps.get("p50_ns")),
        q.ratio(gaps.get("variation")),
    )


def pages_row(found: Found) -> tuple[str, ...]:
    """Return the cells that say how its pages are used, its name first."""
    access = found["access"] or {}

    def cell(what: str, kind: str) -> str:
        return q.percent((access.get(f"{what}_shares") or {}).get(kind))

    wanted = (
        ("read", "read_only"),
        ("read", "interleaved"),
        ("write", "write_only"),
        ("write", "interleaved"),
    )
    return (label(found), *(cell("page", kind) for kind in _KINDS), *(cell(*one) for one in wanted))


_QUANTILES = ("p10", "p25", "p50", "p75", "p90", "p99", "p999", "max")


def plain(found: Found) -> Found:
    """Return what needs no lines of its own."""
    own = ("access", "gaps", "read_sizes", "write_sizes", "size_bins")
    return {key: value for key, value in found.items() if key not in own}


def details(found: Found) -> list[str]:
    """Return sizes, gaps and accesses in lines."""
    return [*_sizes(found), *_gaps(found), *_access(found)]


def _sizes(found: Found) -> list[str]:
    """Sizes of reads and writes in lines."""
    lines = []
    for kind in ("read", "write"):
        summary = found[f"{kind}_sizes"]
        if summary:
            cells = [
                f"{name} {q.size(summary[f'{name}_bytes'])}" for name in ("mean", "p50", "p90", "p99", "max")
            ]
            lines.append(f"{kind + ' sizes':<12} {', '.join(cells)}")
    return lines


def _gaps(found: Found) -> list[str]:
    """Times between arrivals in lines."""
    measured = found["gaps"]
    if not measured:
        return []
    cells = [f"{name.replace('p999', 'p99.9')} {q.duration(measured[f'{name}_ns'])}" for name in _QUANTILES]
    return [
        f"{'gaps':<12} mean {q.duration(measured['mean_ns'])}, variation {q.ratio(measured['variation'])}",
        f"{'':<12} {', '.join(cells)}",
    ]


def _access(found: Found) -> list[str]:
    """Which pages are only read, only written, both, in lines."""
    pages = found["access"]
    if not pages:
        return []
    head = f"pages of {q.size(pages['page_bytes'])}, more than {q.percent(pages['threshold'])}"
    lines = [f"{head:<34} {'read-only':>12} {'write-only':>12} {'interleaved':>12}"]
    counted = {what: f"{sum(pages[what].values()):,}" for what in ("pages", "reads", "writes")}
    titles = {
        "page": f"{counted['pages']} pages",
        "read": f"{counted['reads']} page reads",
        "reused_read": "  on pages accessed again",
        "write": f"{counted['writes']} page writes",
        "reused_write": "  on pages accessed again",
    }
    for name, title in titles.items():
        shares = pages[f"{name}_shares"]
        cells = [q.percent(shares[kind]) if shares else q.NOTHING for kind in _KINDS]
        lines.append(f"{'  ' + title:<34} " + " ".join(f"{cell:>12}" for cell in cells))
    lines.append(
        f"  {q.ratio(pages['accesses_per_page'])} accesses per page; {pages['pages_accessed_once']:,} pages"
        f" accessed once, {pages['pages_read_and_written']:,} both read and written"
    )
    return lines
