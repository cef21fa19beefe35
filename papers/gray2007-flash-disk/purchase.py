"""What the article's prices and rates come to, by `floatgate plan`."""

import tomllib
from pathlib import Path
from typing import Any

from floatgate.plan import Planned, plan, read_prices, read_workload
from floatgate.reproduce import Finding

HERE = Path(__file__).parent
POWER = "power of a SCSI disk over that of a flash disk"
ACCESSES = "accesses of a flash disk over those of a SCSI disk"
PRICES = "gray2007-prices.toml"


def scsi_iops() -> float:
    """Accesses a second of one SCSI disk."""
    rates = _drives()[0]["iops"]
    assert rates["random_read"] == rates["random_write"]
    return float(rates["random_read"])


def number(name: str) -> Finding:
    """One number of the article's arithmetic."""
    if name == "what limits flash disks":
        binds = [(offer.year, offer.binds) for offer in planned(2007).choices[2].offers]
        until = next(year for year, limit in binds if limit != "capacity")
        holds = binds[0][1] == "capacity" and until == 2012
        return Finding(f"capacity until {until}", holds=holds)
    if name == POWER:
        disk, flash = (entry["power_active"].removesuffix("W") for entry in _drives()[:2])
        return Finding(float(disk) / float(flash))
    scsi, _, sequence = planned(2012).choices
    if name.startswith("flash disks"):
        return Finding(sequence.limits["iops"])
    power = "power_w" if name == "kW saved" else "cooling_w"
    return Finding((getattr(scsi, power) - getattr(sequence, power)) / 1000)


def planned(year: int) -> Planned:
    """The plan of a TPC-C system that is bought in a year."""
    workload = read_workload(HERE / f"tpc-c-{year}.toml")
    return plan(workload, read_prices(HERE / PRICES, workload))


def _drives() -> list[dict[str, Any]]:
    """The drives as the article has them."""
    drives: list[dict[str, Any]] = tomllib.loads((HERE / PRICES).read_text(encoding="utf-8"))["drives"]
    return drives
