"""Which seams take policies in Python: one line each."""

from floatgate.own import slc_cache, trigger, victim, wear
from floatgate.own.policy import Own

# The class that a policy extends, and the view that it is shown.
SEAMS: dict[str, tuple[type[Own], type]] = {
    "ftl.gc.trigger": (trigger.Policy, trigger.TriggerView),
    "ftl.gc.victim": (victim.Policy, victim.VictimView),
    "ftl.slc_cache": (slc_cache.Policy, slc_cache.CacheView),
    "ftl.wear": (wear.Policy, wear.WearView),
}

# Seams whose question is asked for each request or unit: a call of Python would take longer than the rest.
OFTEN = (
    "controller.arbitration",
    "controller.scheduler",
    "ftl.buffer.eviction",
    "ftl.placement",
    "ftl.read_ahead",
    "ftl.read_merge",
    "ftl.regulator",
)


def refusal(seam: str) -> str:
    """Say why a seam takes no policy in Python."""
    if seam in OFTEN:
        return "this question is asked for each request or unit, too often for Python"
    return "this seam takes no policy in Python"
