"""Write amplification beside SSD-iq's simulator, and beside a drive that counts its own."""

from collections.abc import Iterable, Mapping
from math import log
from pathlib import Path

from floatgate.reproduce import Case, Finding, published, simulate

DRIVE = Path(__file__).with_name("drive.toml")
UNIT_KIB = 4
GIB_UNITS = (1 << 20) // UNIT_KIB
FILLED = (7, 8)  # parts of the flash that hold data
#: Superblocks beside theirs, which collect when none is free and have one open: here one is free when a
#: victim is chosen, one is open for the host and one for what is moved.
KEPT = 3
#: Blocks and their pages: theirs in full form.
SHAPES = {True: (2048, 2048), False: (1024, 512)}
SEED = 1
RATE = 4000  # writes a second, as many as any case keeps up with: so a time is a number of writes

#: Victims and streams by policy.
POLICIES = {
    "greedy": ("greedy", "mixed"),
    "two-region greedy": ("two-region-greedy", "two-region"),
    "two-region FIFO": ("two-region-fifo", "separate"),
}
HOT = (50, 60, 70, 80, 90, 95)  # percent of the writes to as much of the space as others get writes
ZIPF = (0.2, 0.4, 0.6, 0.8, 1.0)

EXPECTED = published(Path(__file__).parent)
MISSED = "two-region FIFO, 90 % of the writes to 10 %"
#: Settings that take the miss away.
CAUSES: Mapping[str, Mapping[str, object]] = {
    "victims up to 60 % valid": {"ftl.gc.victim.most_valid": 60},
}

#: Gibibytes of the drive that are written, and what its counter says of them.
USED_GIB = (372.6, 447.1, 521.6, 596.2, 670.7, 745.2)
CALIBRATES, AMPLIFIED = 596.2, 1.411
#: Its own write amplification of sequential writes (1.022 to 1.037 as measured): parity, one part in 32.
SEQUENTIAL = 1.03
SCALES = {True: 128, False: 1024}  # gibibytes of the drive for one that is simulated
BLOCK_PAGES = 256  # of the scaled drive: FIFO victims move as much for any size of block


def cases(full: bool) -> Iterable[Case]:
    """Quick: the most skewed zones, one exponent, three fills."""
    for hot in HOT if full else (95,):
        for policy in POLICIES:
            name = f"{policy}, {hot} % of the writes to {100 - hot} %"
            zoned = "" if hot == 50 else f"zoned:{hot}/{100 - hot}:{100 - hot}/{hot}"
            parameters = {"policy": policy, "writes": zoned}
            yield Case(_exhibit("zones", policy), name, parameters, hot / 100, policy, 30.0)
    for exponent in ZIPF if full else (0.6,):
        for policy in POLICIES:
            name = f"{policy}, exponent {exponent:g}"
            parameters = {"policy": policy, "writes": f"zipf:{exponent:g}"}
            yield Case(_exhibit("zipf", policy), name, parameters, exponent, policy, 30.0)
    for used in USED_GIB if full else USED_GIB[::2]:
        yield Case("drive", f"{used:g} GiB used", {"used": used}, used, "uniform", 5.0)
    for name in CAUSES:
        yield Case("causes", name, cost=5.0)


def _exhibit(pattern: str, policy: str) -> str:
    return f"{pattern}-{'greedy' if policy == 'greedy' else 'two-regions'}"


def run(case: Case, full: bool) -> Finding:
    """Simulate one case with one seed."""
    if case.exhibit == "drive":
        return Finding(_of_drive(case.parameters["used"], full))
    if case.exhibit == "causes":
        return _cause(case.name)
    return Finding(_of_pattern(case.parameters["policy"], case.parameters["writes"], full, {}))


def _cause(name: str) -> Finding:
    """Two-region FIFO with 90 % of the writes to 10 %, with another end of its scan, in quick form."""
    found = _of_pattern("two-region FIFO", "zoned:90/10:10/90", False, CAUSES[name])
    asked = float(EXPECTED["zones-two-regions", MISSED])
    return Finding(f"{found:.3f} ({asked:.3f})", measure=found / asked - 1)


def _of_pattern(policy: str, writes: str, full: bool, more: Mapping[str, object]) -> float:
    """Return the write amplification of a policy under writes of a pattern."""
    blocks, pages = SHAPES[full]
    flash = blocks * pages
    victim, stream = POLICIES[policy]
    sizes = {
        "nand.blocks_per_plane": blocks + KEPT,
        "nand.pages_per_block": pages,
        "ftl.user_capacity": f"{flash * FILLED[0] // FILLED[1] * UNIT_KIB}KiB",
        "ftl.gc.victim.name": victim,
        "ftl.streams.name": stream,
        **more,
    }
    return _amplification(sizes, writes, flash)


def usable_gib() -> float:
    """Return the flash that the drive has for data and copies, by the one fill that calibrates.

    Victims in order of closing hold a share v = exp(-(1 - v) T / U) of valid data under uniform writes
    (Desnoyers 2012, Eq. 4), and write amplification is 1 / (1 - v).
    """
    valid = 1 - SEQUENTIAL / AMPLIFIED
    return CALIBRATES * -log(valid) / (1 - valid)


def _of_drive(used_gib: float, full: bool) -> float:
    units = int(used_gib / SCALES[full] * GIB_UNITS)
    sizes = {
        "nand.blocks_per_plane": round(usable_gib() / SCALES[full] * GIB_UNITS / BLOCK_PAGES) + KEPT,
        "nand.pages_per_block": BLOCK_PAGES,
        "ftl.user_capacity": f"{units * UNIT_KIB}KiB",
        "ftl.gc.victim.name": "fifo",
        "ftl.streams.name": "mixed",
    }
    return SEQUENTIAL * _amplification(sizes, "", 2 * units)


def _amplification(sizes: Mapping[str, object], writes: str, counted: int) -> float:
    """Return units programmed for each that the host writes, of `counted` writes to a settled drive."""
    lines = [
        "[overwrite]",
        "rw=randwrite",
        f"bs={UNIT_KIB}k",
        "ioengine=libaio",
        "norandommap=1",
        "time_based=1",
        f"rate_iops={RATE}",
        f"runtime={counted / RATE * 1e6:.0f}us",
    ]
    if writes:
        lines.append(f"random_distribution={writes}")
    done = simulate(DRIVE, "\n".join(lines) + "\n", seed=SEED, set=sizes, precondition="workload")
    programmed = done.document["flash"]["units_programmed"]
    return float(programmed["total"] / programmed["host"])
