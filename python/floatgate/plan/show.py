"""A plan in words and numbers, the same on the terminal and in the report."""

from floatgate.plan.model import ReadDrive
from floatgate.plan.work import Choice, Planned
from floatgate.values import quantities as q

HEAD = (
    "drive",
    "drives",
    "binds",
    "limits ask for",
    "IOPS each",
    "power",
    "with cooling",
    "saved",
    "cost",
    "made of",
)
NOT_REACHED = "not reached"


def row(choice: Choice, planned: Planned) -> list[str]:
    """One drive's plan; `saved` is beside the first drive of the list."""
    currency = planned.prices.currency
    if choice.drives is None:
        mix = q.NOTHING if choice.mix_iops is None else f"{choice.mix_iops:,.0f}"
        return [
            choice.drive,
            NOT_REACHED,
            choice.binds,
            asked(choice),
            mix,
            *[q.NOTHING] * 5,
        ]
    return [
        choice.drive,
        str(choice.drives),
        choice.binds,
        asked(choice),
        f"{choice.mix_iops:,.0f}",
        watts(choice.power_w),
        watts(_drawn(choice)),
        saved(choice, planned.choices[0]),
        money(choice.cost, currency),
        _parts(choice),
    ]


def asked(choice: Choice) -> str:
    """The drives that each limit asks for: `iops 10.5, capacity 101.2`."""
    return ", ".join(f"{limit} {drives:.1f}" for limit, drives in choice.limits.items()) or q.NOTHING


def _drawn(choice: Choice) -> float:
    return (choice.power_w or 0.0) + (choice.cooling_w or 0.0)


def _parts(choice: Choice) -> str:
    """The parts of the cost that are not nothing."""
    names = ("price", "energy", "cooling", "replacement", "upkeep")
    sums = {name: sum(getattr(year, name) for year in choice.years) for name in names}
    return ", ".join(f"{name} {value:,.0f}" for name, value in sums.items() if value >= 0.5)


def saved(choice: Choice, first: Choice) -> str:
    """What `choice` draws less than `first`, without cooling."""
    if choice is first or first.drives is None:
        return q.NOTHING
    return watts((first.power_w or 0.0) - (choice.power_w or 0.0))


def watts(value: float | None) -> str:
    """A power: `1.26 kW`, `9.90 W`."""
    if value is None:
        return q.NOTHING
    return f"{q.three(value / 1000)} kW" if abs(value) >= 1000 else f"{q.three(value)} W"


def money(value: float | None, currency: str) -> str:
    """An amount: `45,000 USD`."""
    return NOT_REACHED if value is None else f"{value:,.0f} {currency}"


def sentences(planned: Planned) -> list[str]:
    """What the plan comes to."""
    best = planned.best
    said: list[str] = []
    if best is None:
        said.append("No drive of the list meets this workload.")
    else:
        cost = money(best.cost, planned.prices.currency)
        said.append(f"Cheapest over {planned.workload.life} years: {best.drives} x {best.drive}, {cost}.")
    missed = (choice for choice in planned.choices if choice.not_reached)
    said.extend(f"{choice.drive}: {NOT_REACHED}: {choice.not_reached}." for choice in missed)
    said.extend(_latencies(planned, choice) for choice in planned.choices if choice.p99 and choice.drives)
    said.extend(
        f"{drive.name}: may be written {q.size(drive.endurance)}: its life (floatgate age) at a write "
        f"amplification of {drive.write_amplification:.3g}."
        for drive in planned.prices.drives
        if drive.aged is not None
    )
    said.extend(
        f"{drive.name}: that write amplification is not settled, nor is its endurance: {drive.unsettled}; "
        "run the workload longer."
        for drive in planned.prices.drives
        if isinstance(drive, ReadDrive) and drive.unsettled
    )
    changing = (choice for choice in planned.choices if len({offer.binds for offer in choice.offers}) > 1)
    said.extend(_binding_years(choice) for choice in changing)
    return said


def _latencies(planned: Planned, choice: Choice) -> str:
    """Say which latencies a drive keeps, and at which load."""
    kept, asked = choice.p99, planned.workload.p99
    assert kept is not None
    parts = [
        f"p99 of {op}s {value:.3g} ms of {limit:.3g} ms asked"
        for op, value, limit in (("read", kept.read, asked.read), ("write", kept.write, asked.write))
        if limit is not None and value is not None
    ]
    return f"{choice.drive}: {', '.join(parts)}, at {kept.at:,.0f} requests/s ({kept.load:,.0f} are needed)."


def _binding_years(choice: Choice) -> str:
    """Say from when on which limit binds, for a drive whose limit changes."""
    parts = [f"{choice.offers[0].binds} binds"]
    for before, offer in zip(choice.offers, choice.offers[1:], strict=False):
        if offer.binds != before.binds:
            parts.append(f"until {offer.year}, then {offer.binds}")
    return f"{choice.drive}, bought later: {' '.join(parts)}."
