"""Reads a plan's two files, and what they name: measured rates, latencies and lives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from floatgate.files import TOML_MOST, read_text
from floatgate.inputs.strict_toml import line_of, read_toml
from floatgate.plan import wear
from floatgate.plan.latency import measured_point
from floatgate.plan.measured import rate
from floatgate.plan.model import KINDS, Drive, Prices, Rates, ReadDrive, Workload


def read_workload(path: Path) -> Workload:
    """Read what the drives must do. Raises InputError."""
    return read_toml(path, Workload)


def read_prices(path: Path, workload: Workload) -> Prices:
    """Read a price list; rates that name a folder are what was measured there, as `workload` asks.

    Raises InputError.
    """
    prices = read_toml(path, Prices)
    text = read_text(path, "a price list", TOML_MOST)
    drives = []
    for index, drive in enumerate(prices.drives):
        found = {}
        for kind in KINDS:
            value = getattr(drive.iops, kind)
            if isinstance(value, str):
                place = f"{path}:{line_of(text, ('drives', index, 'iops', kind))}"
                value = rate(path.parent / value, kind, workload, place)
            found[kind] = value
        known: dict[str, Any] = {"iops": Rates(**found)}

        def place_of(*key: str | int, index: int = index) -> str:
            return f"{path}:{line_of(text, ('drives', index, *key))}"

        known |= _named(drive, path.parent, workload, place_of)
        drives.append(ReadDrive.model_construct(**(dict(drive) | known)))
    return prices.model_copy(update={"drives": tuple(drives)})


def _named(drive: Drive, folder: Path, workload: Workload, place_of: Callable[..., str]) -> dict[str, Any]:
    """Return what the files say that a drive names: its endurance, its latencies."""
    points = tuple(
        point
        if point.run is None
        else measured_point(folder / point.run, workload, place_of("p99", number, "run"))
        for number, point in enumerate(drive.p99)
    )
    if drive.aged is None:
        return {"p99": points}
    amplification, unsettled = wear.amplification(drive, folder, place_of("write_amplification"))
    life = wear.life_of(folder / drive.aged, place_of("aged"))
    if amplification is None:
        wear.check_unit(life, workload, place_of("aged"))
    own = life.waf if amplification is None else amplification
    endurance = life.endurance(drive.capacity, own)
    return {"p99": points, "write_amplification": own, "unsettled": unsettled, "endurance": endurance}
