"""The question of the paper, answered by a drive of the 4 Gb part: use blocks until they fail, or spread?"""

from statistics import mean

import floatgate
from floatgate.ageing.life import Life
from floatgate.reproduce import Finding, changes

SEEDS = range(1, 9)
# One die of 40 short blocks, none of its times hidden; assumed, but for the chip.
DRIVE = {
    "chip": "derived/mt29f4g08aac",
    "geometry.channels": 1,
    "geometry.ways": 1,
    "nand.planes": 1,
    "nand.blocks_per_plane": 40,
    "nand.pages_per_block": 16,
    "bus.interface.name": "plain",
    "bus.interface.rate": "40MB/s",
    "ftl.mapping_unit": "2KiB",
    "ftl.op_ratio": 0.3,
    "ftl.buffer.size": "64KiB",
    "ftl.gc.victim.name": "cost-benefit",
}
UNTIL_FAILURE = {"ftl.wear.name": "wear-out"}
SPREAD = {"ftl.wear.name": "static", "ftl.wear.threshold": 2000}


def over_spreading(hot: str | None) -> Finding:
    """Compare blocks used until they fail with spread wear: of each seed means over life, then over seeds."""
    pairs = [tuple(_life(policy, hot, seed) for policy in (UNTIL_FAILURE, SPREAD)) for seed in SEEDS]

    def ratio(key: str) -> float:
        return mean(_over_life(one, key) / _over_life(other, key) for one, other in pairs)

    lives = mean(one.bytes_written / other.bytes_written for one, other in pairs)
    times = {
        "programs": "program_ns_mean",
        "erases": "erase_ns_mean",
        "the host's writes": "write_ns_mean",
        "one in a hundred": "write_ns_p99",
    }
    said = ", ".join(f"{name} {ratio(key):.2f}" for name, key in times.items())
    return Finding(f"until failure over spread: {said} times as long; {lives:.2f} times the life")


def _life(policy: dict[str, object], hot: str | None, seed: int) -> Life:
    settings = DRIVE | policy | dict(changes.now().drive)
    return floatgate.age("slc", set=settings, hot=hot, jump=0.01, measure=0.05, years=0.5, seed=seed)


def _over_life(life: Life, key: str) -> float:
    found = life.over_life(key)
    if found is None:
        raise ValueError(f"no {key} was measured")
    return found
