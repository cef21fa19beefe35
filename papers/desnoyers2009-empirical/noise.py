"""How irregular wear and the rig are where remaining life is predicted. Chosen before any error was seen.

No source tells how much of the spread of endurance between blocks lies in the blocks and how much in their
cycles: half of its variance is assumed for each, and other shares are swept. A life ends where trapping,
which grows with wear to the power 0.62, has used the pulses up, so a block's trapping spreads its life
1 / 0.62 times as much. A cycle's wear holds while the cycles grow by a half: stretches that each are longer
by a half than the one before weigh as a geometric row, and spread a life by sqrt(0.5 / 2.5) of what they
spread themselves.
"""

import tomllib
from math import log1p, sqrt

from floatgate.files import shipped

HALF = 0.5  # of the variance
EXPONENT = 0.62  # of trapping with wear: crates/nand/src/cells/wear.rs
MEMORY = 0.5  # the default of cells.wear.cycle_memory
# The paper's rig polls a pin of a micro-controller by software and names no clock: a microsecond is assumed.
RESOLUTION_US = JITTER_US = 1.0
LINES = 0.05  # a line whenever the cycles have grown by this share: assumed


def settings(chip: str, share: float = HALF, jitter_us: float = JITTER_US) -> tuple[str, ...]:
    """Return what differs from the chip's file: `share` of the variance of lives lies in their cycles."""
    block_spread = _block_spread(chip)
    of_lives = block_spread / EXPONENT * sqrt(share)
    of_cycles = of_lives / sqrt(MEMORY / (2 + MEMORY))
    return (
        f"cells.wear.block_spread={block_spread * sqrt(1 - share):.6f}",
        f"cells.wear.cycle_spread={sqrt(log1p(of_cycles**2)):.6f}",
        f"rig.resolution={RESOLUTION_US:g}us",
        f"rig.jitter={jitter_us:g}us",
        f"rig.lines={LINES:g}",
    )


def _block_spread(chip: str) -> float:
    text = (shipped.chips() / f"{chip}.toml").read_text(encoding="utf-8")
    return float(tomllib.loads(text)["cells"]["wear"]["block_spread"])
