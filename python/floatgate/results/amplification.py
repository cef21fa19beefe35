"""Write amplification in words: what it was made up of, and what it comes to in the long run."""

from typing import Any

from floatgate.results.headline import at
from floatgate.values import quantities as q

# Parts of `waf_parts` that are no origin of a program by themselves.
TITLES = {
    "host": "host data",
    "fill_up": "filling up units",
    "gc": "collection",
    "gc_debt": "owed before",
}


# What a run lacks that has victims enough.
_MISSING = {"drifting": "still changing", "folding": "nothing folded", "room": "some gained no room"}


def parts(document: dict[str, Any]) -> dict[str, float]:
    """Return write amplification by part, parts of zero left out; empty without a settled figure.

    Collection is there twice: for the run's own writes (`gc`), and for room missing before (`gc_debt`).
    """
    if not settled(document):
        return {}
    found = document.get("waf_parts")
    if found:
        return {part: value for part, value in found.items() if value}
    waf, units = document["waf"], document["flash"]["units_programmed"]
    if not waf or not units.get("total"):
        return {}
    return {origin: waf * n / units["total"] for origin, n in units.items() if n and origin != "total"}


def settled(document: dict[str, Any]) -> bool:
    """Return whether `waf` says what the flash took, and not how full the buffer is."""
    return at(document, "waf_bytes.settled") is not False


def unsettled(document: dict[str, Any]) -> str:
    """Say why it is not: `72 % of what the host wrote is still in the buffer`."""
    found = document["waf_bytes"]
    share = q.percent(found["held_share"])
    if (found["held"] or 0) < (found["held_before"] or 0):
        return f"the buffer gave off what it held before, {share} of what the host wrote"
    return f"{share} of what the host wrote is still in the buffer"


def long_run(document: dict[str, Any]) -> str:
    """Say what write amplification comes to: `4.25 +/- 2.1 % (812 victims)`, or that it cannot be said."""
    found = document.get("waf_long_run")
    if not found:
        return q.NOTHING
    short = found["too_short"]
    if short:
        few = f"{short['needed']:,} needed"
        needed = _MISSING.get("drifting" if short["drifting"] else short.get("reason", ""), few)
        return f"too short to say: {q.several(short['victims'], 'victim')}, {needed}"
    half = q.percent(found["half_width_relative"])
    return f"{q.ratio(found['value'])} +/- {half} ({q.several(found['victims'], 'victim')})"


def collected(document: dict[str, Any]) -> bool:
    """Return whether collection worked at all in this run; a run before this was counted says yes."""
    victims: int | None = at(document, "waf_long_run.victims")
    return victims != 0
