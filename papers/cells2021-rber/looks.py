"""What is read of the parts' cells, and when."""

from dataclasses import dataclass
from functools import lru_cache

from floatgate.lab.chip import CellModel, ErrorRates
from floatgate.lab.simulated import SimulatedSource
from floatgate.reproduce import changes

TLC, QLC = "tlc-3d-256g", "qlc-3d-1t"
HOUR = 3600.0
DAY = 24 * HOUR
WEEK = 7 * DAY
YEAR = 365.25 * DAY
ROOM = 25.0
BAKE = (11.16 * HOUR, 80.0)  # stands for a year at 25 degrees by 1.1 eV
KIB = 8192
BEST_LAYER, WORST_LAYER = 0.02, 0.98


@dataclass(frozen=True)
class Look:
    """What is read, and when; `settings` change the chip, for an experiment."""

    chip: str
    cycles: int
    seconds: float
    celsius: float = ROOM
    reads: int = 0
    layer: float | None = None
    settings: tuple[str, ...] = ()


@lru_cache
def rates(look: Look, cells: int) -> ErrorRates:
    """Sample a part's cells; each condition once in each process."""
    chip = _chip(look.chip, (*changes.now().chip_settings, *look.settings))
    rest = (look.seconds, look.reads)
    return chip.error_rates(look.cycles, [rest], cells, celsius=look.celsius, layer=look.layer)[0]


@lru_cache
def _chip(name: str, settings: tuple[str, ...]) -> CellModel:
    return SimulatedSource(name, overrides=settings).cells()
