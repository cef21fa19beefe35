"""Seams (replaceable decisions of a drive) that take policies in Python."""

from floatgate.own import (
    arbitration,
    eviction,
    flow,
    place,
    placement,
    refresh_order,
    regulator,
    scheduler,
    slc_cache,
    snapshot_expiry,
    streams,
    trigger,
    victim,
    wear,
)
from floatgate.own.policy import Own

# The class that a policy extends, and the view that it is shown.
SEAMS: dict[str, tuple[type[Own], type]] = {
    "controller.arbitration": (arbitration.Policy, arbitration.ChannelView),
    "controller.scheduler": (scheduler.Policy, scheduler.DieView),
    "ecc.flow": (flow.Policy, flow.FlowView),
    "ftl.buffer.eviction": (eviction.Policy, eviction.EvictionView),
    "ftl.gc.trigger": (trigger.Policy, trigger.TriggerView),
    "ftl.gc.victim": (victim.Policy, victim.VictimView),
    "ftl.placement": (placement.Policy, placement.PlacementView),
    "ftl.refresh.order": (refresh_order.Policy, refresh_order.RefreshView),
    "ftl.regulator": (regulator.Policy, regulator.WriteView),
    "ftl.slc_cache": (slc_cache.Policy, slc_cache.CacheView),
    "ftl.snapshots.expiry": (snapshot_expiry.Policy, snapshot_expiry.ExpiryView),
    "ftl.streams": (streams.Policy, streams.UnitView),
    "ftl.wear": (wear.Policy, wear.WearView),
    "host.place": (place.Policy, place.PlaceView),
}

# Seams whose question is asked for each request or unit: a call of Python would take longer than the rest.
OFTEN = ("ftl.read_ahead", "ftl.read_merge")


def refusal(seam: str) -> str:
    """Return the reason why a seam takes no policy in Python."""
    if seam in OFTEN:
        return "this question is asked for each request or unit, too often for Python"
    return "this seam takes no policy in Python"


def beside(seam: str) -> dict[str, type]:
    """Return the classes with which a policy of a seam is written, by name: `Policy`, `View` and others."""
    if seam not in SEAMS:
        return {}
    base, view = SEAMS[seam]
    return {"Policy": base, "View": view, **base.beside}
