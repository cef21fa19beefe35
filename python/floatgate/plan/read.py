"""Reads a plan's two files."""

from pathlib import Path

from floatgate.files import TOML_MOST, read_text
from floatgate.plan.measured import rate
from floatgate.plan.model import KINDS, Prices, Rates, Workload
from floatgate.strict import line_of, read_toml


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
        drives.append(drive.model_copy(update={"iops": Rates(**found)}))
    return prices.model_copy(update={"drives": tuple(drives)})
