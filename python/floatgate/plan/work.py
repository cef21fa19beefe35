"""How many of each drive, which limit binds, and what it costs.

Rates add up as shares of a drive's time: a drive that answers r requests of a kind per second is busy d/r of
each second with d of them, so a mix takes the sum over its kinds (the harmonic mean of the rates, weighted by
the mix). A drive that misses a latency which the workload asks for is no choice. Not modelled: interference
between kinds of requests in a drive, uneven load of drives.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil, floor
from typing import Any

from floatgate.plan.latency import Kept, kept
from floatgate.plan.model import KINDS, Drive, Prices, Workload
from floatgate.results import notebook

HOURS = 8766.0  # of a year of 365.25 days
SECONDS = 3600 * HOURS
LIMITS = ("iops", "capacity", "bandwidth", "wear")
ROUNDING = 1e-9  # a sum of exact shares that lands a hair above a whole number is that number


@dataclass(frozen=True)
class Year:
    """One year of service."""

    year: int
    drives: int
    bought: int
    price: float
    energy: float
    cooling: float
    replacement: float  # worn and failed drives, as an expectation: need not be whole drives
    upkeep: float

    @property
    def total(self) -> float:
        """What the year costs."""
        return self.price + self.energy + self.cooling + self.replacement + self.upkeep


@dataclass(frozen=True)
class Offer:
    """What a drive would take if it were bought in some year for the needs of that year."""

    year: int
    drives: int
    binds: str
    limits: Mapping[str, float]


@dataclass(frozen=True)
class Choice:
    """A plan with one drive."""

    drive: str
    mix_iops: float | None  # of the workload's mix, from one drive; None: a kind it cannot answer
    limits: Mapping[str, float]  # drives that each limit asks for in the last year, not rounded
    binds: str  # the limit that asks for the most
    drives: int | None  # in the last year; None: not reached
    not_reached: str | None  # why
    power_w: float | None  # what all draw on average in the last year
    peak_w: float | None
    cooling_w: float | None
    p99: Kept | None = None  # at the load of the busiest year; None: nothing is asked for, or not known
    years: tuple[Year, ...] = ()
    offers: tuple[Offer, ...] = ()

    @property
    def cost(self) -> float | None:
        """What all years cost together."""
        return sum(year.total for year in self.years) if self.years else None


@dataclass(frozen=True)
class Planned:
    """A plan: one choice for each drive of the list."""

    workload: Workload
    prices: Prices
    choices: tuple[Choice, ...]

    @property
    def best(self) -> Choice | None:
        """Return the cheapest choice that meets the workload; None when none does."""
        reached = [choice for choice in self.choices if choice.cost is not None]
        return min(reached, key=lambda choice: choice.cost or 0.0, default=None)

    def document(self) -> dict[str, Any]:
        """Return the whole plan with what it was made from."""
        best = self.best
        return {
            "workload": self.workload.model_dump(mode="json"),
            "prices": self.prices.model_dump(mode="json"),
            "cheapest": best.drive if best else None,
            "choices": [
                asdict(choice)
                | {"cost": choice.cost, "years": [asdict(y) | {"total": y.total} for y in choice.years]}
                for choice in self.choices
            ],
        }

    def _repr_html_(self) -> str:
        from floatgate.plan.show import HEAD, row, sentences

        rows = (row(choice, self) for choice in self.choices)
        return notebook.table(f"{self.workload.title} / {self.prices.title}", HEAD, rows, sentences(self))


def plan(workload: Workload, prices: Prices) -> Planned:
    """Work out a plan with each drive of the list."""
    return Planned(workload, prices, tuple(_choice(workload, prices, drive) for drive in prices.drives))


def _choice(workload: Workload, prices: Prices, drive: Drive) -> Choice:
    missing = [kind for kind in KINDS if getattr(workload.iops, kind) and not getattr(drive.iops, kind)]
    if missing:
        why = f"the list gives no rate for {' and '.join(missing).replace('_', ' ')}"
        return Choice(drive.name, None, {}, "iops", None, why, None, None, None)
    price, capacity = drive.sold_in(workload.year)
    needs = [_limits(workload, drive, capacity, t) for t in range(workload.life)]
    counts = [_whole(max(limits.values())) for limits in needs]
    counts = [max(counts[: t + 1]) for t in range(workload.life)]  # drives are not sold back
    last = needs[-1]
    p99, too_slow = kept(workload, drive, counts)
    over = too_slow or _over_budget(workload, drive, counts[-1], last)
    years = () if over else _years(workload, prices, drive, price, needs, counts)
    power = _power_w(drive, counts[-1], last["iops"], workload.duty)
    return Choice(
        drive=drive.name,
        mix_iops=workload.rate() / _busy(workload, drive),
        limits=last,
        binds=_binding(last),
        drives=None if over else counts[-1],
        not_reached=over,
        power_w=power,
        peak_w=counts[-1] * drive.power_active,
        cooling_w=power * prices.energy.cooling,
        p99=p99,
        years=years,
        offers=tuple(_offers(workload, drive)),
    )


def _busy(workload: Workload, drive: Drive) -> float:
    """Drives that would be busy all the time, if they did nothing but this mix."""
    shares = ((getattr(workload.iops, kind), getattr(drive.iops, kind)) for kind in KINDS)
    return float(sum(demand / rate for demand, rate in shares if demand))


def _limits(workload: Workload, drive: Drive, capacity: float, t: int) -> dict[str, float]:
    """Drives that each limit asks for in year `t`, not rounded."""
    grown = (1 + workload.growth.iops) ** t
    limits = {
        "iops": _busy(workload, drive) * grown,
        "capacity": workload.capacity * (1 + workload.growth.capacity) ** t / capacity,
    }
    if drive.read_bandwidth or drive.write_bandwidth:
        read, write = (workload.block * workload.rate(op) * grown for op in ("read", "write"))
        limits["bandwidth"] = (read / drive.read_bandwidth if drive.read_bandwidth else 0.0) + (
            write / drive.write_bandwidth if drive.write_bandwidth else 0.0
        )
    if drive.endurance is not None and workload.worn == "avoid":
        limits["wear"] = sum(_written(workload, year) for year in range(workload.life)) / drive.endurance
    return limits


def _written(workload: Workload, t: int) -> float:
    """Bytes written in year `t`."""
    return workload.block * workload.rate("write") * (1 + workload.growth.iops) ** t * workload.duty * SECONDS


def _whole(drives: float) -> int:
    return max(1, ceil(drives * (1 - ROUNDING)))


def _binding(limits: Mapping[str, float]) -> str:
    return max(limits, key=limits.__getitem__)


def _over_budget(workload: Workload, drive: Drive, count: int, limits: Mapping[str, float]) -> str | None:
    """Say why `count` drives are more than the budget allows."""
    places, power = workload.budget.drives, workload.budget.power
    needed = f"{_binding(limits)} asks for {count} drives"
    if places is not None and count > places:
        return f"{needed}, the budget has places for {places}"
    if power is not None and count * drive.power_active > power:
        most = floor(power / drive.power_active)
        return f"{needed}, the power budget is enough for {most}"
    return None


def _power_w(drive: Drive, count: int, busy: float, duty: float) -> float:
    """Average draw of `count` drives of which `busy` would do the work without a pause."""
    load = min(1.0, busy / count) * duty
    return count * (drive.power_idle + (drive.power_active - drive.power_idle) * load)


def _years(
    workload: Workload,
    prices: Prices,
    drive: Drive,
    price: float,
    needs: list[dict[str, float]],
    counts: list[int],
) -> tuple[Year, ...]:
    years, had = [], 0
    for t, (limits, count) in enumerate(zip(needs, counts, strict=True)):
        watts = _power_w(drive, count, limits["iops"], workload.duty)
        energy = watts / 1000 * HOURS * prices.energy.per_kwh
        worn = 0.0
        if drive.endurance is not None and workload.worn == "replace":
            worn = _written(workload, t) / drive.endurance
        years.append(
            Year(
                year=workload.year + t,
                drives=count,
                bought=count - had,
                price=(count - had) * price,
                energy=energy,
                cooling=energy * prices.energy.cooling,
                replacement=(worn + count * drive.failures_per_year) * price,
                upkeep=count * drive.upkeep_per_year,
            )
        )
        had = count
    return tuple(years)


def _offers(workload: Workload, drive: Drive) -> list[Offer]:
    """What buying later would take: each year's needs with what is sold then."""
    horizon = max([workload.life, *(entry.year - workload.year + 1 for entry in drive.later)])
    offers = []
    for t in range(horizon):
        _, capacity = drive.sold_in(workload.year + t)
        limits = _limits(workload, drive, capacity, t)
        count = _whole(max(limits.values()))
        offers.append(Offer(workload.year + t, count, _binding(limits), limits))
    return offers
