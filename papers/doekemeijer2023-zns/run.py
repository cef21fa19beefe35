"""A zoned drive beside what was measured of a WD ZN540: reads, writes, appends, finishes and resets."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from floatgate.reproduce import Case, Finding, published, simulate, simulate_files

DRIVE = "wd-zn540"
#: Zones of the drive that is simulated, fewer than it has: what is not touched takes no part.
ZONES = 40
BLOCKS = {"nand.blocks_per_plane": 46}
SIZE_KIB, CAPACITY_KIB, UNIT_KIB = 2048 * 1024, 1077 * 1024, 4
CAPACITY_UNITS = CAPACITY_KIB // UNIT_KIB
COLUMNS = "op offset:4KiB size:4KiB"
#: MiB that are written by writes of 4 KiB and by longer ones, and requests that are read: what the buffer
#: holds is a small part.
WRITTEN_MIB = {True: (512, 2048), False: (256, 768)}
READ = {True: 60_000, False: 12_000}
LEAST_REQUESTS = 4_000
#: Writes before a finish, and their pace: slower than the flash; the rest after them.
WRITE_UNITS, WRITE_EVERY_MS, REST_MS = 8192, 40, 2_000
SEED = 1
EXPECTED = published(Path(__file__).parent)
NOTHING: Mapping[str, Any] = {}

#: What the host takes in the experiments behind misses: for an answer, with fourteen jobs in one reactor.
BUSY_HOST = "30us"

BLOCK_KIB = (4, 8, 16, 32, 64, 128)
READ_KIB = BLOCK_KIB[:3]
DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SEVERAL = (2, 4, 8, 14)
#: Units written in a zone before it is finished, and reset.
FILLS = (1, 17_232, 34_464, 68_928, 137_856, 275_711)


def cases(full: bool) -> Iterable[Case]:
    """Quick: a few rows of each table."""
    for kib in READ_KIB:
        for depth in DEPTHS if full else (1, 16, 256):
            yield _case("reads", kib, 1, depth)
        for zones in SEVERAL if full else (8,):
            yield _case("reads-zones", kib, zones, 1)
    for kib in BLOCK_KIB if full else (4, 32):
        for zones in (1, *SEVERAL) if kib < 32 else (1, *SEVERAL[:3]):
            if full or zones in (1, 8):
                yield _case("writes", kib, zones, 1)
    for kib in BLOCK_KIB if full else (4, 64):
        for zones in (1, *SEVERAL[:3]):
            for depth in DEPTHS[:7] if full else (1, 4):
                if full or zones in (1, 4):
                    yield _case("appends", kib, zones, depth)
        if kib <= 16 and full:
            yield _case("appends", kib, 14, 1)
    for units in FILLS if full else (1, 137_856):
        yield Case("finish", f"{units} units written", {"units": units}, units, "finish", 2.0)
        yield Case("reset", f"{units} units written", {"units": units}, units, "reset", 2.0)

    yield Case("causes", "a host that takes 30 us more", cost=4.0)
    yield Case("causes", "two requests made together", cost=4.0)
    yield Case("causes", "two appends made together", cost=4.0)


def _case(exhibit: str, kib: int, zones: int, depth: int) -> Case:
    name = f"{kib} KiB, zones {zones}, depth {depth}"
    parameters = {"kib": kib, "zones": zones, "depth": depth}
    x = depth if exhibit in ("reads", "appends") else zones
    return Case(exhibit, name, parameters, x, f"{kib} KiB", 4.0)


def run(case: Case, full: bool) -> Finding:
    """Simulate one row."""
    if case.exhibit == "causes":
        return _cause(case.name)
    if case.exhibit in ("finish", "reset"):
        return Finding(_managed_ms(case.exhibit, case.parameters["units"]))
    kib, zones, depth = (case.parameters[key] for key in ("kib", "zones", "depth"))
    if case.exhibit.startswith("reads"):
        return Finding(_reads(kib, zones, depth, READ[full]))
    op = "write" if case.exhibit == "writes" else "append"
    return Finding(_writes(op, kib, zones, depth, WRITTEN_MIB[full][kib > UNIT_KIB]))


def _cause(name: str) -> Finding:
    """Return how far a row that misses is from what was measured without what it misses by."""
    if name != "a host that takes 30 us more":
        is_append = "appends" in name
        row = ("appends", "4 KiB, zones 1, depth 2") if is_append else ("writes", "4 KiB, zones 2, depth 1")
        asked = float(EXPECTED[row])
        lines = [
            "[pairs]",
            f"filename=/dev/{'ng0n1' if is_append else 'nvme0n1'}",
            *(("zonemode=zbd", "write_mode=zone_append") if is_append else ("zonemode=none",)),
            f"ioengine={'io_uring_cmd' if is_append else 'libaio'}",
            "rw=write",
            f"bs={UNIT_KIB}k",
            "iodepth=2",
            "iodepth_batch_complete_min=2",
            f"size={SIZE_KIB}k" if is_append else f"size={WRITTEN_MIB[False][0]}m",
            f"io_size={WRITTEN_MIB[False][0]}m",
        ]
        done = simulate(DRIVE, "\n".join(lines) + "\n", set=_sizes())
        found = float(done.document["host"]["write"]["iops"] / 1e3)
    else:
        asked = float(EXPECTED["reads-zones", "4 KiB, zones 14, depth 1"])
        found = _reads(UNIT_KIB, 14, 1, READ[False], {"host.software.t_request": BUSY_HOST})
    return Finding(f"{found:.1f} ({asked:.1f})", measure=found / asked - 1)


def _reads(kib: int, zones: int, depth: int, requests: int, more: Mapping[str, Any] = NOTHING) -> float:
    """Return thousands of random reads a second, in zones that take turns."""
    blocks, start, random = kib // UNIT_KIB, SIZE_KIB // UNIT_KIB, Random(SEED)
    lines = [
        f"read {number % zones * start + random.randrange(CAPACITY_UNITS // blocks) * blocks} {blocks}\n"
        for number in range(requests)
    ]
    return float(_traced(lines, zones * depth, more)["host"]["read"]["iops"] / 1e3)


def _writes(op: str, kib: int, zones: int, depth: int, mib: int) -> float:
    """Return thousands of writes or appends a second, in zones that take turns; the next follow full ones."""
    blocks = kib // UNIT_KIB
    count = max(mib * 1024 // kib, LEAST_REQUESTS)
    start = SIZE_KIB // UNIT_KIB
    lines = []
    for number in range(count):
        full, turn = divmod(number // zones, CAPACITY_UNITS // blocks)
        zone = number % zones + zones * full
        at = zone * start + (0 if op == "append" else turn * blocks)
        lines.append(f"{op} {at} {blocks}\n")
    document = _traced(lines, zones * depth)
    return float(document["host"]["write"]["iops"] / 1e3)


def _managed_ms(what: str, units: int) -> float:
    """Return the time of a finish, or of a reset of a zone that was finished, in ms."""
    lines = [
        f"{number * WRITE_EVERY_MS} write {at} {min(WRITE_UNITS, units - at)}\n"
        for number, at in enumerate(range(0, units, WRITE_UNITS))
    ]
    # All that was written is on flash before: what the buffer holds would have to be written first.
    after = len(lines) * WRITE_EVERY_MS + REST_MS
    lines.append(f"{after} finish 0 0\n")
    if what == "reset":
        lines.append(f"{after + REST_MS} reset 0 0\n")
    latency = _traced(lines, None)["host"]["manage"]["latency_ns"]
    # A reset is the shorter of both but where next to nothing is missing.
    is_longest = what == "finish" or units == FILLS[-1]
    return float(latency["max" if is_longest else "min"] / 1e6)


def _traced(lines: list[str], depth: int | None, more: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
    """Run a trace: at its own times, or with so many requests outstanding."""
    pace = {} if depth is None else {"as_fast_as_possible": True, "depth": depth}
    columns = f"{'time:ms' if depth is None else 'time=none'} {COLUMNS}"
    with TemporaryDirectory(prefix="floatgate-") as folder:
        path = Path(folder) / "zones.txt"
        path.write_text("".join(lines), encoding="utf-8")
        done = simulate_files(
            DRIVE,
            path,
            set={**_sizes(), **more},
            trace_format="table",
            columns=columns,
            **pace,
        )
    host = done.document["host"]
    assert "errors" not in host, f"commands that zones refuse: {host['errors']}"
    return done.document


def _sizes() -> dict[str, Any]:
    return {**BLOCKS, "ftl.user_capacity": f"{ZONES * CAPACITY_KIB}KiB"}
