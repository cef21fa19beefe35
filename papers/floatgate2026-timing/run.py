"""Latency and bandwidth of whole drives beside what their parts add up to."""

from collections.abc import Iterable, Mapping
from typing import Any

from floatgate.reproduce import Case, Finding, simulate

from .hardware import Hardware

QUICK = ("mlc", "tlc")
ALL = ("slc", "mlc", "tlc", "qlc", "mqsim-default", "simplessd-default", "disksim-ssd", "nvmevirt-970pro")
PAGE_TYPES = {"slc": 1, "disksim-ssd": 1, "tlc": 3, "qlc": 4}  # else 2
ONE_SHOT = ("tlc", "qlc")
BY_OP_RATIO = ("mqsim-default", "simplessd-default", "disksim-ssd", "nvmevirt-970pro")

# The drive as it is; then each part in turn made the slowest by far: the others get rates that play no part.
FAST_LINK = {"host.link.rate": "1000GB/s", "host.t_command_service": "0ns"}
FAST_BUS = {"bus.interface.name": "plain", "bus.interface.rate": "1000GB/s"}
BOTTLENECKS: dict[str, dict[str, Any]] = {
    "as configured": {},
    "link": {"host.link.rate": "100MB/s", "host.t_command_service": "0ns"},
    "channels": {**FAST_LINK, **FAST_BUS, "bus.interface.rate": "20MB/s"},
    "dies": {**FAST_LINK, **FAST_BUS},
}
STRIPES, DEPTH = 600, 4  # a stripe is what one program of every die holds


def cases(full: bool) -> Iterable[Case]:
    """Quick: a SATA drive with page programs and an NVMe drive with one-shot programs."""
    for drive in ALL if full else QUICK:
        types = PAGE_TYPES.get(drive, 2)
        for page_type in range(types):
            for what in ("unit", "page row"):
                yield _case(
                    "read-latency", f"{drive}, one {what}, page type {page_type}", drive, page_type, what
                )
        for page_type in range(1 if drive in ONE_SHOT else types):
            yield _case(
                "write-latency", f"{drive}, to flash, page type {page_type}", drive, page_type, "program"
            )
        yield _case("write-latency", f"{drive}, to buffer", drive, 0, "buffer")
        for op in ("read", "write"):
            for part in BOTTLENECKS:
                if drive == "disksim-ssd" and part == "channels":
                    continue  # one die on each channel and nothing overlaps: the die is always slower
                parameters = {"drive": drive, "op": op, "part": part}
                yield Case("bandwidth", f"{drive}, {op}, {part}", parameters, cost=5.0)


def _case(exhibit: str, name: str, drive: str, page_type: int, what: str) -> Case:
    return Case(exhibit, name, {"drive": drive, "page_type": page_type, "what": what})


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    del full
    match case.exhibit:
        case "read-latency":
            return read_latency(case.parameters)
        case "write-latency":
            return write_latency(case.parameters)
        case _:
            return bandwidth(case.parameters)


def read_latency(case: Mapping[str, Any]) -> Finding:
    """One read after the other of an idle die that was filled in sequence."""
    probe = hardware(case["drive"], one_die(case["drive"]))
    size = probe.unit if case["what"] == "unit" else probe.row_bytes
    job = f"[read]\nrw=randread\nbs={size}\niodepth=1\nnorandommap=1\nio_size={200 * size}\n"
    done = simulate(
        case["drive"], job, set=one_die(case["drive"]), precondition="fill", requests=True, check=True
    )
    parts = Hardware(resolved(done))
    # Data written in sequence lies page row after page row; the page type follows from the row's number.
    of_type = [
        latency
        for offset, latency in latencies(done)
        if offset // parts.row_bytes % parts.bits == case["page_type"]
    ]
    return _worst(of_type, parts.read_ns(case["page_type"], size // parts.unit))


def write_latency(case: Mapping[str, Any]) -> Finding:
    """One write after the other to an idle, fresh die."""
    to_flash = case["what"] == "program"
    changes = {**one_die(case["drive"]), "ftl.buffer.write_back": not to_flash}
    probe = hardware(case["drive"], changes)
    size = probe.program_bytes if to_flash else probe.unit
    count = 24 if to_flash else 4  # few enough for the buffer of every drive
    job = f"[write]\nrw=write\nbs={size}\niodepth=1\nio_size={count * size}\n"
    done = simulate(case["drive"], job, set=changes, requests=True, check=True)
    parts = Hardware(resolved(done))
    if not to_flash:
        return _worst([latency for _, latency in latencies(done)], parts.buffered_ns(1))
    kinds = len(parts.t_prog)
    of_type = [
        latency
        for offset, latency in latencies(done)
        if offset // parts.program_bytes % kinds == case["page_type"]
    ]
    return _worst(of_type, parts.program_ns(case["page_type"]))


def bandwidth(case: Mapping[str, Any]) -> Finding:
    """Stripes over all dies, enough of them at once, while one part is the slowest."""
    drive, op = case["drive"], case["op"]
    changes = {**few_blocks(drive), **BOTTLENECKS[case["part"]], "ftl.buffer.write_back": False}
    probe = hardware(drive, changes)
    stripe = probe.stripe_bytes
    if drive not in BY_OP_RATIO:
        changes["ftl.user_capacity"] = f"{probe.flash_bytes // 2}B"
    changes["ftl.buffer.size"] = f"{2 * DEPTH * stripe}B"
    io_size = STRIPES * stripe
    job = f"[global]\nfilename=stripes\nioengine=libaio\niodepth={DEPTH}\nio_size={io_size}\nsize={io_size}\n"
    job += f"[write]\nrw=write\nbs={stripe}\n"
    if op == "read":
        job += f"[read]\nstonewall\nrw=read\nbs={stripe}\n"
    done = simulate(drive, job, set=changes, requests=True)
    parts = Hardware(resolved(done))
    rates = parts.rates(op)
    assert case["part"] in ("as configured", min(rates, key=rates.__getitem__)), f"{case}: {rates}"
    return Finding(steady_rate(done, op) / 1e6, reference=parts.rate(op) / 1e6)


def _worst(latencies_ns: list[int], expected: int) -> Finding:
    """Return the latency furthest from what is expected: all must be equal to it."""
    worst = max(latencies_ns, key=lambda latency: abs(latency - expected))
    return Finding(float(worst), reference=float(expected))


def steady_rate(done: Any, op: str) -> float:
    """Bytes per second between a tenth and nine tenths of the completions: no start, no end."""
    table = done.requests().to_pydict()
    wanted = {"read": 0, "write": 1}[op]
    rows = zip(table["complete_ns"], table["bytes"], table["op"], strict=True)
    completed = sorted((at, size) for at, size, kind in rows if kind == wanted)
    first, last = len(completed) // 10, len(completed) * 9 // 10
    carried = sum(size for _, size in completed[first + 1 : last + 1])
    return float(carried * 1e9 / (completed[last][0] - completed[first][0]))


def latencies(done: Any) -> list[tuple[int, int]]:
    """Return offset and latency in ns of each request."""
    table = done.requests().to_pydict()
    rows = zip(table["offset"], table["arrive_ns"], table["complete_ns"], strict=True)
    return [(offset, complete - arrive) for offset, arrive, complete in rows]


def one_die(drive: str) -> dict[str, Any]:
    """Return the changes that leave one die of a drive."""
    shape = {"geometry.channels": 1, "geometry.ways": 1, "geometry.dies_per_way": 1}
    return {**few_blocks(drive), **shape}


def few_blocks(drive: str) -> dict[str, Any]:
    """Return the changes that make a drive small: blocks take no part in time until they are collected."""
    capacity = {"ftl.op_ratio": 1.0} if drive in BY_OP_RATIO else {"ftl.user_capacity": "16MiB"}
    trigger = {"ftl.gc.trigger.low": 2, "ftl.gc.trigger.high": 2}
    return {"nand.blocks_per_plane": 32, **trigger, **capacity}


def hardware(drive: str, changes: Mapping[str, Any]) -> Hardware:
    """Return the parts of a drive, from a run that hardly uses it."""
    return Hardware(resolved(simulate(drive, "[look]\nrw=read\nbs=4k\nio_size=4k\n", set=changes)))


def resolved(done: Any) -> dict[str, Any]:
    """Return the configuration a run had, by key."""
    configuration: dict[str, Any] = dict(done.document.config)
    return configuration
