"""In which state the drive began, and what that mattered for, in words, for the table and the report."""

from typing import Any

from floatgate.results import amplification
from floatgate.results.headline import at
from floatgate.values import quantities as q

_BEGAN = {
    "none": "fresh",
    "fill": "filled once",
    "instant": "steady state, constructed",
    "steady": "steady state, by overwriting",
    "workload": "steady state, by the workload itself",
    "loaded": "as it was saved",
}


def state_words(document: dict[str, Any]) -> str:
    """Say it in one line."""
    state = document.get("state")
    if not state:  # made by an earlier version
        return _began(document)
    laid_out = at(state, "layout.bytes")
    words = _began(document) + (f", {q.size(laid_out)} laid out" if laid_out else "")
    met = [
        f"{q.percent(share)} of {kind}"
        for kind, share in (
            ("reads", at(state, "reads_from_flash.share")),
            ("writes", at(state, "writes_to_flash.share")),
        )
        if share is not None
    ]
    if met:
        words += f"; {' and '.join(met)} met flash"
    if at(state, "layout.on") and at(state, "reads_unmapped.units"):
        words += f", {q.percent(at(state, 'reads_unmapped.share'))} of reads nothing"
    return words


def _began(document: dict[str, Any]) -> str:
    """No run in which collection never worked was one in steady state."""
    kind = at(document, "state.began") or at(document, "precondition.kind") or "none"
    if kind == "instant" and not amplification.collected(document):
        return "constructed, nothing collected"
    if kind in ("steady", "workload") and at(document, "precondition.steady") is False:
        return f"overwritten, not steady yet after {len(at(document, 'precondition.waf_by_window'))} windows"
    return _BEGAN[kind]


def nothing_met(document: dict[str, Any]) -> str | None:
    """Say how many reads met nothing in a run that laid nothing out; None where something was."""
    state = document.get("state")
    if not state or at(state, "layout.on") or not state["units_read"]:
        return None
    unmapped, share = at(state, "reads_unmapped.units"), at(state, "reads_unmapped.share")
    reads = f"{q.several(state['units_read'], 'read')} of {q.size(state['unit_bytes'])}"
    # Such a drive holds what its clients wrote.
    if at(document, "invocation.workload.kind") in ("nbd", "stepped"):
        return (
            f"{unmapped:,} of {reads} ({q.percent(share)}) met nothing: zeros were answered"
            if unmapped
            else None
        )
    return (
        f"--no-layout: {unmapped:,} of {reads} ({q.percent(share)}) met nothing: no flash was read for them"
    )


def together(documents: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the state of several runs that differ by their seeds; what was laid out is that of the first."""
    states = [document["state"] for document in documents if document.get("state")]
    if len(states) < len(documents):
        return None
    read, written = (sum(state[key] for state in states) for key in ("units_read", "units_written"))
    whole = {"reads_unmapped": read, "reads_from_flash": read, "writes_to_flash": written}
    parts = {name: sum(state[name]["units"] for state in states) for name in whole}
    shares = {
        name: {"units": units, "share": min(units / whole[name], 1.0) if whole[name] else None}
        for name, units in parts.items()
    }
    first: dict[str, Any] = states[0]
    return first | {"units_read": read, "units_written": written} | shares
