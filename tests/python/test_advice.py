"""An error that names a value is followed: the value works, whatever the drive."""

import os
import random
import re

import floatgate as fg
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import resolve
from floatgate.options import Options

FEATURES = (
    *("ftl.mapping.name=dftl", "ftl.mapping.name=fast", "ftl.mapping.name=bast", "ftl.parity.name=rain"),
    *("ftl.slc_cache.name=dynamic", "ftl.snapshots.every=1s", "ftl.recovery.name=summaries"),
    *("ftl.recovery.name=journal", "power.cut.drawn=1", "ftl.wear.name=static", "ftl.streams.name=mixed"),
    *("nand.bad_blocks.factory_ratio=0.05", "ftl.gc.trigger.low=5", "ftl.snapshots.space_ratio=0.01"),
)
FIRST, BEYOND = map(int, os.environ.get("FLOATGATE_ADVICE", "0..150").split(".."))
ADVICE = re.compile(r"set ftl\.op_ratio to (\d+\.\d+) or more")


def refusal(drive: str, settings: list[str], seed: int) -> str | None:
    """Why a drive cannot be; None where it can."""
    try:
        Plan(drive, resolve("random-write"), tuple(settings), Options(seed=seed, limit_requests=1)).open()
    except fg.InputError as error:
        return str(error)
    return None


def test_the_ratio_that_is_advised_is_enough() -> None:
    """More by hand: FLOATGATE_ADVICE=0..3000."""
    followed = 0
    for case in range(FIRST, BEYOND):
        draw = random.Random(case)
        # A drive of zones is advised of its capacity, not of spare space.
        drive = draw.choice([name for name in fg.drives() if name != "wd-zn540"])
        settings = [
            f"nand.blocks_per_plane={draw.choice((16, 20, 24, 32, 40, 64, 100))}",
            f"geometry.channels={draw.choice((1, 2))}",
            f"geometry.ways={draw.choice((1, 2, 3))}",
            *draw.sample(FEATURES, draw.choice((0, 0, 1, 1, 2))),
        ]
        seed, ratio = draw.randrange(1000), draw.choice((0.001, 0.01, 0.03))
        said = refusal(drive, [*settings, f"ftl.op_ratio={ratio}"], seed)
        found = ADVICE.search(said or "")
        if found:
            followed += 1
            again = refusal(drive, [*settings, f"ftl.op_ratio={found[1]}"], seed)
            assert again is None, f"case {case}: {drive} {settings}: {said}: then {again}"
    assert followed > (BEYOND - FIRST) / 3


def test_a_watermark_is_at_fault_only_where_another_would_do() -> None:
    """With room for no `high` at all, what is said is the ratio; else the `high` that is said works."""
    for ratio in (0.01, 0.03, 0.05, 0.07, 0.08, 0.09, 0.1, 0.12):
        settings = ["nand.blocks_per_plane=64", "geometry.ways=1", f"ftl.op_ratio={ratio}"]
        said = refusal("tlc", [*settings, "ftl.gc.trigger.high=9"], 1)
        assert said is not None
        most = re.search(r"high = 9: expected at most (\d+)", said)
        if most:
            assert refusal("tlc", [*settings, f"ftl.gc.trigger.high={most[1]}"], 1) is None
        else:
            assert ADVICE.search(said)
