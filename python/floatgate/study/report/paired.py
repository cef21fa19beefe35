"""Paired differences as cells of a table."""

from floatgate.results.paired import Paired
from floatgate.study.report.quantity import quantity
from floatgate.values import quantities as q

TOO_FEW = "too few pairs"


def signed(metric: str, found: Paired) -> str:
    """Return the mean difference with its interval."""
    sign = "-" if found.difference < 0 else "+" if found.difference > 0 else ""
    return f"{sign}{quantity(metric).show(abs(found.difference), found.half_width)}"


def ratio(found: Paired) -> str:
    """Return the ratio of the means with its interval."""
    if found.ratio is None or found.ratio_low is None or found.ratio_high is None:
        return q.NOTHING
    return f"{found.ratio:.4g} ({found.ratio_low:.4g} to {found.ratio_high:.4g})"
