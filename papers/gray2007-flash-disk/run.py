"""The flash disk of Gray and Fitzgerald: one drive file for all its numbers, and the remedy."""

from collections.abc import Iterable
from pathlib import Path

from floatgate.grid import Point, Setting, measure_one
from floatgate.grid.measure import Rule
from floatgate.grid.point import STEADY
from floatgate.reproduce import Case, Concluded, Finding, Found, changes, published
from floatgate.workers import stopping

from . import figure2, purchase

DRIVE, REMEDY = "gray2007-flash-disk", "gray2007-remedy"
# What a superblock costs does not depend on how many there are: the quick form has a sixteenth of them.
SMALL = ("nand.blocks_per_plane=2048", "ftl.user_capacity=1800MB")
FILE_BYTES = 1 << 30  # as in the article
PATIENCE = Rule(seconds=600)  # simulated: some points vary too much for the article's minute
WRITE_CACHE = ("ftl.buffer.write_back=true",)

RATES = {
    "sequential read, 512 B": Setting("sequential", "read", 512, 4),
    "sequential write, 512 B": Setting("sequential", "write", 512, 4),
    "random read, 8 KiB": Setting("random", "read", 8192, 4),
    "random write, 8 KiB": Setting("random", "write", 8192, 4),
    "sequential write, 8 KiB": Setting("sequential", "write", 8192, 4),
}
ONE_DEEP = {
    "random read, 8 KiB, one deep": Setting("random", "read", 8192, 1),
    "sequential write, 8 KiB, one deep": Setting("sequential", "write", 8192, 1),
}
FOUR_DEEP = {name: RATES[name] for name in ("random read, 8 KiB", "sequential write, 8 KiB")}
RANDOM_WRITE = RATES["random write, 8 KiB"]
BARE_READ = Setting("random", "read", 8192, 32)
CACHED = "random writes, write cache enabled"
REMEDIED = "random writes, map of sectors"
CAUSE = "cause of slow random writes"
LIMIT = "what limits flash disks"
ITSELF = "random reads of the flash itself"
TIMES = 4  # "four times or more"
# No firmware time, and a link that lets the drive see as many commands as it has dies.
BARE = ("host.t_command=0ns", "host.link.name=sata", "host.max_commands=32")
FOUR_CHANNELS = ("geometry.channels=4", "geometry.ways=8")
# The article's own means differ by 1 / 1,624 - 1 / 1,713 s.
SOFTWARE = ("host.software.t_request=32us",)
CAUSES = ("32 us of the host's software", "rates of the article itself", "four channels")
EXPECTED = published(Path(__file__).parent)


def cases(full: bool) -> Iterable[Case]:
    """Quick: a drive of a sixteenth of the size, the ends of the plateaus, few points of the curves."""
    for name in RATES:
        yield Case("rates", name, cost=3.0)
    for op in ("read", "write"):
        for kib in (128, 256, 512, 1024) if full else (128, 1024):
            yield Case("plateau", f"{op}, {kib} KiB", {"op": op, "kib": kib}, x=kib, series=op)
    yield from figure2.cases()
    yield Case("mix", "one deep", cost=2.0)
    for name in ("flash disks for 18,000 IOPS", "kW saved", "kW of cooling saved"):
        yield Case("purchase", name, cost=0.1)
    yield Case("scsi", purchase.POWER, cost=0.1)
    for name in (CAUSE, CACHED, REMEDIED, ITSELF):
        yield Case("shape", name, cost=2.0)
    for name in CAUSES:
        yield Case("causes", name, cost=2.0)
    yield Case("shape", LIMIT, cost=0.1)


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    if case.exhibit == "rates":
        return _rate(RATES[case.name], full)
    if case.exhibit == figure2.EXHIBIT:
        # Rates of a curve are those of the whole drive, too: only `rates` and `plateau` ask for it in full.
        return figure2.curves(case, lambda setting: _iops(_point(DRIVE, setting, full=False)), full)
    if case.exhibit == "plateau":
        setting = Setting("sequential", case.parameters["op"], case.parameters["kib"] << 10, 4)
        scale = setting.block_bytes / 1e6
        found = _rate(setting, full)
        assert isinstance(found.simulated, float)
        return Finding(found.simulated * scale, ci95=(found.ci95 or 0.0) * scale)
    if case.exhibit == "mix":
        read, write = (_iops(_point(DRIVE, setting, full)) for setting in ONE_DEEP.values())
        return Finding(harmonic(read, write))
    if case.exhibit in ("purchase", "scsi") or case.name == LIMIT:
        return purchase.number(case.name)
    if case.exhibit == "causes":
        return _cause(case.name)
    return _shape(case.name, full)


def _cause(name: str) -> Finding:
    """Take away what a miss is put down to, on the drive of the quick form."""
    asked = {key[1]: float(EXPECTED[key]) for key in EXPECTED if key[0] in ("mix", "scsi", "rates")}
    if name == CAUSES[0]:
        means = {}
        for depth, points in (("one deep", ONE_DEEP), ("four deep", FOUR_DEEP)):
            rates = [_iops(_point(DRIVE, setting, False, SOFTWARE)) for setting in points.values()]
            means[depth] = harmonic(*rates)
        text = ", ".join(f"{depth} {rate:,.0f}/s ({asked[depth]:,.0f})" for depth, rate in means.items())
        return Finding(text, measure=means["one deep"] / asked["one deep"] - 1)
    read = asked["random read, 8 KiB"]
    if name == CAUSES[1]:
        ratio = read / purchase.scsi_iops()
        return Finding(f"{ratio:.1f} times by its own rates, {ratio / asked[purchase.ACCESSES] - 1:+.0%}")
    times = _iops(_point(DRIVE, BARE_READ, False, (*BARE, *FOUR_CHANNELS))) / read
    return Finding(f"{times:.1f} times 2,804/s", measure=times)


def conclude(found: Found) -> Iterable[Concluded]:
    """Yield what follows from two rates already simulated."""
    read = found["rates", "random read, 8 KiB"].simulated
    write = found["rates", "sequential write, 8 KiB"].simulated
    assert isinstance(read, float)
    assert isinstance(write, float)
    yield Case("mix", "four deep"), Finding(harmonic(read, write))
    yield Case("scsi", purchase.ACCESSES), Finding(read / purchase.scsi_iops())


def harmonic(a: float, b: float) -> float:
    """The rate of an even mix of requests that run at the rates `a` and `b`."""
    return 2 / (1 / a + 1 / b)


def _shape(name: str, full: bool) -> Finding:
    if name == CACHED:
        iops = _iops(_point(DRIVE, RANDOM_WRITE, full, WRITE_CACHE))
        return Finding(f"{iops:.0f}/s", holds=iops < 100)
    if name == REMEDIED:
        iops = _iops(_point(REMEDY, RANDOM_WRITE, full))
        asked = float(EXPECTED["shape", REMEDIED].removesuffix("/s").replace(",", ""))
        return Finding(f"{iops:,.0f}/s", holds=iops >= asked)
    if name == ITSELF:
        iops = _iops(_point(DRIVE, BARE_READ, full, BARE))
        times = iops / float(EXPECTED["rates", "random read, 8 KiB"])
        return Finding(f"{iops:,.0f}/s, {times:.1f} times 2,804", holds=times >= TIMES, measure=times)
    point = _point(DRIVE, RANDOM_WRITE, full)
    host_ms = (point.latency_ns_mean or 0.0) / 1e6
    drive_ms = host_ms - point.stages_ns["queue"] / 1e6
    behind = point.stages_ns["wait_gc"] / 1e6 / drive_ms
    text = f"{drive_ms:.0f} ms for each, {behind:.0%} behind copies; {host_ms:.0f} ms for a host four deep"
    stated = float(EXPECTED["shape", CAUSE].split(" ms")[0])
    # The article's 27 writes a second are 37 ms each, more than the 30 it states.
    return Finding(text, holds=behind > 0.5 and stated <= drive_ms <= 4 / 3 * stated)


def _rate(setting: Setting, full: bool) -> Finding:
    point = _point(DRIVE, setting, full)
    return Finding(_iops(point), ci95=point.iops_ci95)


def _iops(point: Point) -> float:
    assert point.iops is not None
    return point.iops


def _point(drive: str, setting: Setting, full: bool, settings: tuple[str, ...] = ()) -> Point:
    """Measure a point to its steady state, as the article does."""
    overrides = (*(() if full else SMALL), *settings, *changes.now().drive_settings)
    point = measure_one(
        drive, setting, overrides=overrides, file_bytes=FILE_BYTES, rule=PATIENCE, stopped=stopping
    )
    if stopping():
        raise KeyboardInterrupt
    assert point.state == STEADY, f"{drive}, {setting.name}: {point.state}"
    return point
