"""A zoned drive beside what was measured of a WD ZN540: reads, writes, appends, finishes and resets."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from floatgate.reproduce import Case, Finding, simulate, simulate_files

DRIVE = "wd-zn540"
#: Zones of the drive that is simulated, fewer than it has: what is not touched takes no part.
ZONES = 40
BLOCKS = {"nand.blocks_per_plane": 46}
SIZE_KIB, CAPACITY_KIB, UNIT_KIB = 2048 * 1024, 1077 * 1024, 4
CAPACITY_UNITS = CAPACITY_KIB // UNIT_KIB
COLUMNS = "op offset:4KiB size:4KiB"
#: Bytes that are written, or requests that are read, in each case: what the buffer holds is a small part.
WRITTEN_MIB = {True: 1024, False: 256}
READ = {True: 60_000, False: 12_000}
LEAST_REQUESTS = 4_000

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


def _case(exhibit: str, kib: int, zones: int, depth: int) -> Case:
    name = f"{kib} KiB, zones {zones}, depth {depth}"
    parameters = {"kib": kib, "zones": zones, "depth": depth}
    x = depth if exhibit in ("reads", "appends") else zones
    return Case(exhibit, name, parameters, x, f"{kib} KiB", 4.0)


def run(case: Case, full: bool) -> Finding:
    """Simulate one row."""
    if case.exhibit in ("finish", "reset"):
        return Finding(_managed_ms(case.exhibit, case.parameters["units"]))
    kib, zones, depth = (case.parameters[key] for key in ("kib", "zones", "depth"))
    if case.exhibit.startswith("reads"):
        return Finding(_reads(kib, zones, depth, READ[full]))
    op = "write" if case.exhibit == "writes" else "append"
    return Finding(_writes(op, kib, zones, depth, WRITTEN_MIB[full]))


def _reads(kib: int, zones: int, depth: int, requests: int) -> float:
    """Return thousands of random reads a second, each zone read by a job of its own as the paper does."""
    lines = [
        "[global]",
        "ioengine=libaio",
        "rw=randread",
        "zonemode=zbd",
        "read_beyond_wp=1",
        "norandommap=1",
        f"bs={kib}k",
        f"iodepth={depth}",
        f"size={CAPACITY_KIB}k",
        f"number_ios={max(requests // zones, LEAST_REQUESTS)}",
    ]
    for zone in range(zones):
        lines += [f"[zone{zone}]", f"offset={zone * SIZE_KIB}k"]
    done = simulate(DRIVE, "\n".join(lines) + "\n", set=_sizes())
    return float(done.document["host"]["read"]["iops"] / 1e3)


def _writes(op: str, kib: int, zones: int, depth: int, mib: int) -> float:
    """Return thousands of writes or appends a second, in zones that take turns."""
    blocks = kib // UNIT_KIB
    count = max(mib * 1024 // kib, LEAST_REQUESTS)
    start = SIZE_KIB // UNIT_KIB
    lines = []
    for number in range(count):
        zone, turn = number % zones, number // zones
        at = zone * start + (0 if op == "append" else turn * blocks)
        lines.append(f"{op} {at} {blocks}\n")
    document = _traced(lines, zones * depth)
    return float(document["host"]["write"]["iops"] / 1e3)


def _managed_ms(what: str, units: int) -> float:
    """Return the time of a finish, or of a reset of a zone that was finished, in ms."""
    most = 8192
    lines = [f"write {at} {min(most, units - at)}\n" for at in range(0, units, most)]
    lines.append("finish 0 0\n")
    if what == "reset":
        lines.append("reset 0 0\n")
    managed = _traced(lines, 1)["host"]["manage"]
    latency = managed["latency_ns"]
    if what == "finish":
        return float(latency["mean"] / 1e6)
    both = latency["mean"] * managed["requests"]
    return float((both - latency["max"] if latency["max"] * 2 > both else both - latency["min"]) / 1e6)


def _traced(lines: list[str], depth: int) -> dict[str, object]:
    with TemporaryDirectory(prefix="floatgate-") as folder:
        path = Path(folder) / "zones.txt"
        path.write_text("".join(lines), encoding="utf-8")
        done = simulate_files(
            DRIVE,
            path,
            set=_sizes(),
            trace_format="table",
            columns=f"{COLUMNS} time=none",
            as_fast_as_possible=True,
            depth=depth,
        )
    return done.document


def _sizes() -> dict[str, object]:
    return {**BLOCKS, "ftl.user_capacity": f"{ZONES * CAPACITY_KIB}KiB"}
