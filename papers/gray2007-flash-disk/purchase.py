"""What the article's prices and rates come to, by `floatgate plan`."""

from pathlib import Path

from floatgate.plan import Planned, plan, read_prices, read_workload
from floatgate.reproduce import Finding

HERE = Path(__file__).parent


def purchase(name: str) -> Finding:
    """One number of the article's arithmetic."""
    if name == "what limits flash disks":
        binds = [(offer.year, offer.binds) for offer in planned(2007).choices[2].offers]
        until = next(year for year, limit in binds if limit != "capacity")
        holds = binds[0][1] == "capacity" and until == 2012
        return Finding(f"capacity until {until}", holds=holds)
    scsi, _, sequence = planned(2012).choices
    if name.startswith("flash disks"):
        return Finding(sequence.limits["iops"])
    power = "power_w" if name == "kW saved" else "cooling_w"
    return Finding((getattr(scsi, power) - getattr(sequence, power)) / 1000)


def planned(year: int) -> Planned:
    """The plan of a TPC-C system that is bought in a year."""
    workload = read_workload(HERE / f"tpc-c-{year}.toml")
    return plan(workload, read_prices(HERE / "gray2007-prices.toml", workload))
