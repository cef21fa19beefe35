"""When blocks fail: many blocks cycled with pseudo-random data on all pages until they do."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from floatgate.errors import InputError
from floatgate.lab.chip import Chip, Pages

BLOCKS = 101  # at room temperature: every fifth is a rank of the table
RANKS = 21
AT_TEMPERATURE = 16  # the same blocks of equal samples
CELSIUS = (5.0, 25.0, 80.0)
CYCLES_MOST = 10**9  # ten thousand times what the best parts promise


@dataclass(frozen=True)
class Endurance:
    """Cycles to failure."""

    cycles: tuple[int, ...]  # at evenly spaced ranks
    by_celsius: tuple[tuple[float, float], ...]  # temperature, mean


def endurance(sample: Callable[[], Chip]) -> Endurance:
    """Cycle blocks of equal samples of a part to their end; `sample` makes one."""
    chip = sample()
    lives = sorted(life(chip, block) for block in range(BLOCKS))
    step = (BLOCKS - 1) // (RANKS - 1)
    by_celsius = []
    for celsius in CELSIUS:
        chip = sample()
        chip.set_temperature(celsius)
        by_celsius.append((celsius, fmean(life(chip, block) for block in range(AT_TEMPERATURE))))
    return Endurance(tuple(lives[::step]), tuple(by_celsius))


def life(chip: Chip, block: int, pattern: str = "random", pages: Pages = "all") -> int:
    """Return the cycles a block lived. Raises InputError when it would not end."""
    log = chip.cycle(block, CYCLES_MOST, pattern=pattern, pages=pages)
    if log[-1].status == "ok":
        name = chip.identify().name
        raise InputError(
            f"chip {name}: block {block} lives {CYCLES_MOST} cycles and more: expected wear to end it"
        )
    return log[-1].cycle
