"""Finding the parameters of a drive from its measurements, in stages: host, reads, writes, buffer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, log

from floatgate.errors import InputError
from floatgate.twin.built import PARITY_LEAST, is_mixed, shape, starting, usable
from floatgate.twin.certainty import told
from floatgate.twin.evaluate import Simulator, squares
from floatgate.twin.families import families, moved, oldest_first
from floatgate.twin.fitting import HOST, READS, Fitting, Progress, Twin
from floatgate.twin.measurements import CALIBRATE, Measurements, Row
from floatgate.twin.parameters import PARAMETERS, UNITS_BYTES, Base
from floatgate.twin.queues import Host, shortlist

#: Structures of channels and dies, as the closed form sorts them: simulated once, fitted a little, further.
STRUCTURES, FINALISTS, FINALISTS_FITTED = 48, 8, 2
LARGE = 1 << 16  # bytes of requests that show the rate of the link
BUFFERS = [float(1 << power) for power in range(20, 31)]  # that are tried, and then parts of the nearest
#: Programs of a burst of collection, and buffers with them, that are tried where tails of writes are far from
#: what an even pace gives: by more than this logarithm.
BURSTS, BURST_BUFFERS, UNEVEN = (1, 2, 3, 4, 6, 8, 12), BUFFERS[:6], log(2)
NEAR = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6)
UNLIMITED = 1e11  # bytes a second of a link that nothing is known of
SUSTAINED = 7  # superblocks of a die without data with which any drive works
AMPLE = 0.5  # spare space with which any drive works, until some is found
RATES = ("iops", "bandwidth", "mean")
PARITY_MOST, WAYS_MOST = 64, 16
PARITY_NEAR = 0.1  # a logarithm, by which parity may differ from what is measured of it
PACED = 3  # times that programs are brought near before they are fitted
COPYING = 1.15  # times as long as a write takes a copy, about: it is read first


def fit(measurements: Measurements, simulator: Simulator, progress: Progress) -> Twin:
    """Fit a drive to the rows that calibrate. Raises InputError where none does, or its base cannot run."""
    rows = measurements.of_role(CALIBRATE)
    if not rows:
        raise InputError(f"{measurements.name}: no row calibrates: expected some with role = calibrate")
    _refuse_tables(simulator.base)
    state = Fitting(simulator, rows, {**starting(simulator.base), "spare": AMPLE}, progress)
    _host(state)
    near = _units(state.of(_is_settled))
    if near:
        state.values["unit"] = float(near[0])
    _reads(state)
    _under_load(state)
    _programs(state)
    _collection(state)
    _buffer(state)
    _firmware(state)
    refusal = simulator.refusal(rows, state.values)
    if refusal is not None:
        raise InputError(f"{measurements.name}: no drive like {simulator.base.drive} fits: {refusal}")
    return told(state, measurements)


def _refuse_tables(base: Base) -> None:
    if "nand.tables.t_prog" in base.config:
        raise InputError(
            f"--base {base.drive}: its chip has times of programs by wear in tables, which a fit cannot set:"
            " expected a drive without, such as tlc"
        )


def _host(state: Fitting) -> None:
    """Reads of a drive without data show what a command takes, and the link."""
    rows = state.of(lambda row: row.setting.pattern.state == "empty")
    lone = [row for row in rows if row.setting.depth == 1 and row.what in ("mean", "iops")]
    if lone:
        row = min(lone, key=lambda row: row.setting.size)
        state.values["command_time"] = row.value if row.what == "mean" else 1 / row.value
    rates = [row for row in rows if row.what == "iops"]
    moved = [row.value * row.setting.size for row in rates if row.setting.size >= LARGE]
    if moved:
        state.values["link_rate"] = max(moved)
    busy = [row.value for row in rates if row.setting.depth > 1]
    if busy and "command_time" in state.values:
        state.values["command_service"] = min(1 / max(busy), 0.9 * state.values["command_time"])
    state.solve("command and link", HOST, rows)


def _reads(state: Fitting) -> None:
    """Rates of reads by depth and size show dies, channels, and their times."""
    rows = state.of(lambda row: not row.setting.pattern.is_write and row.setting.pattern.state == "filled")
    rates = [row for row in rows if row.what == "iops" and row.setting.pattern.is_random]
    candidates = _structures(state, rates)
    if not candidates:
        state.solve("reads", ("read_time",), rows)
        return
    state.progress("channels and dies", state.simulator.runs)
    simulated = [squares(rates, one) for one in state.simulator.deviations(rates, candidates)]
    ranked = sorted(range(len(candidates)), key=lambda index: simulated[index])
    finalists = [candidates[index] for index in ranked[:FINALISTS]]
    for most in (FINALISTS_FITTED, 1):
        finalists = _nearer(state, finalists, rates)[:most]
    state.values = finalists[0]
    state.touched |= {"channels", "dies"}
    state.solve("reads", READS, rows)


def _nearer(
    state: Fitting, candidates: Sequence[dict[str, float]], rates: Sequence[Row]
) -> list[dict[str, float]]:
    """Fit the times of each structure a little further; return the nearest first."""
    tried = []
    for values in candidates:
        state.values = values
        shown = f"{values['channels']:g} channels, {values['dies']:g} dies"
        state.solve(f"reads: {shown}", READS, rates, rounds=3)
        tried.append((state.miss(rates), state.values))
    return [values for _, values in sorted(tried, key=lambda pair: pair[0])]


def _structures(state: Fitting, rates: Sequence[Row]) -> list[dict[str, float]]:
    """Return drives with the numbers of channels and dies that come nearest in closed form."""
    base = state.simulator.base
    rest = state.values.get("command_time", base.command_time) + base.decode_time
    service = state.values.get("command_service", 0.0)
    host = Host(rest, service, state.values.get("link_rate", UNLIMITED))
    found = shortlist(rates, host, base.page_bytes, round(state.values["unit"]))
    return [
        {
            **state.values,
            "channels": float(reads.channels),
            "dies": float(reads.dies),
            "read_time": float(reads.read_time[0]),
            "channel_rate": float(reads.channel_rate[0]),
        }
        for reads in found[:STRUCTURES]
    ]


def _under_load(state: Fitting) -> None:
    """Where little is offered a write takes a command's time, and a read its sensing on top."""
    rows = state.of(lambda row: row.setting.offered is not None and row.what in ("mean", "p50"))
    if not rows:
        return
    least = min(row.setting.offered or 0.0 for row in rows)
    rows = [row for row in rows if row.setting.offered == least]
    state.values.setdefault("command_time", state.simulator.base.command_time)
    state.progress("low load", state.simulator.runs)
    simulated = zip(rows, state.simulator.simulate(rows, [state.values])[0], strict=True)
    longer = {row.side: row.value - one for row, one in simulated if one is not None}
    of_command = longer.get("write", 0.0)
    of_read = longer.get("read", of_command) - of_command
    for name, by in (("command_time", of_command), ("read_time", of_read)):
        if by:
            limits = PARAMETERS[name]
            state.values[name] = min(max(state.values[name] + by, 2 * limits.least), limits.most / 2)
            state.touched.add(name)


def _programs(state: Fitting) -> None:
    """Sequential writes, and flushes that wait for the flash, show programs and the drive's own writes."""
    own = state.of(lambda row: _is_in_order(row) and row.what == "write_amplification")
    if own:
        if "dies" not in state.touched:
            _dies_by_parity(state, own[0].value - 1)
            state.told_by["dies"] = own
        state.values["parity"] = _parity(own[0].value - 1, round(state.values["dies"]))
        state.touched.add("parity")
        state.told_by["parity"] = own
    shown = state.of(_shows_programs)
    if shown and state.simulator.scale(shown, state.values) > 1:
        _pace(state, [row for row in shown if row.what in ("iops", "bandwidth")])
    state.solve("sequential writes", ("program_time",), shown)


def _dies_by_parity(state: Fitting, extra: float) -> None:
    """Take the number of dies next to the base's that whole stripes of about this much parity go into."""
    if extra < 0.5 / PARITY_MOST:
        return
    channels = round(state.values["channels"])
    counts = [
        channels * ways
        for ways in range(1, WAYS_MOST + 1)
        for wide in range(PARITY_LEAST, PARITY_MOST + 1)
        if channels * ways % wide == 0 and abs(log(extra * (wide - 1))) < PARITY_NEAR
    ]
    if counts:
        now = state.values["dies"]
        state.values["dies"] = float(min(counts, key=lambda count: abs(log(count / now))))
        state.touched.add("dies")


def _parity(extra: float, dies: int) -> float:
    """Return over how many dies parity is computed that costs about so much; dies go into whole stripes."""
    sets = [count for count in range(PARITY_LEAST, dies + 1) if dies % count == 0]
    if not sets or extra < 0.5 / max(sets):
        return 0.0
    return float(min(sets, key=lambda count: abs(log(extra * (count - 1)))))


def _is_in_order(row: Row) -> bool:
    return row.setting.pattern.rw == "write" and not row.setting.pattern.burst_bytes


def _shows_programs(row: Row) -> bool:
    return row.side == "flush" or (_is_in_order(row) and row.what in RATES and row.setting.offered is None)


def _is_settled(row: Row) -> bool:
    pattern = row.setting.pattern
    steady = pattern.state == "steady" and not pattern.burst_bytes and row.setting.offered is None
    return steady and row.what in (*RATES, "write_amplification")


def _collection(state: Fitting) -> None:
    """Random writes in the steady state show spare space, mapping unit and victims."""
    settled = state.of(_is_settled)
    if not settled:
        return
    amplified = [row for row in settled if row.what == "write_amplification"]
    uniform = [row for row in amplified if _is_uniform(row)] or amplified
    if uniform:
        state.values["spare"] = _spare(state, uniform)
    else:
        _spare_by_rates(state, settled)
    _unit(state, amplified or settled)
    is_large = state.simulator.scale(settled, state.values) > 1
    rates = [row for row in settled if row.what in ("iops", "bandwidth")]
    even = [row for row in rates if _is_uniform(row)] or rates
    if amplified and is_large:
        _pace(state, even)  # ways of collecting are told apart where programs are the limit
    families(state, settled)
    plain = uniform or [row for row in settled if _is_uniform(row)] or settled
    state.solve("spare space", ("spare",), plain, rounds=5)
    rows = [*state.of(_shows_programs), *settled]
    if amplified and is_large:
        # Counters tell spare space, so rates programs: a joint fit would gain less than a replica's noise.
        _pace(state, even)
        return
    names = ["program_time", "spare", *(["buffer"] if "buffer" in state.touched else [])]
    state.solve("steady writes", names, rows, rounds=3)


def _pace(state: Fitting, rates: Sequence[Row]) -> None:
    """Bring programs near to where rates are in the mean: a flash that is busy is as fast as its programs."""
    for _ in range(PACED if rates else 0):
        state.progress("programs", state.simulator.runs)
        found = state.simulator.deviations(rates, [state.values])[0]
        state.touched.add("program_time")
        limits = PARAMETERS["program_time"]
        wanted = state.values["program_time"] * exp(sum(found) / len(found))
        state.values["program_time"] = min(max(wanted, limits.least * 2), limits.most / 2)


def _is_uniform(row: Row) -> bool:
    return not row.setting.pattern.distribution and row.setting.pattern.part == 1


def _spare_by_rates(state: Fitting, settled: Sequence[Row]) -> None:
    """Begin with the rate in order over the random one, where no counter tells writes to the flash."""
    ordered = [row for row in state.of(_shows_programs) if row.what in ("iops", "bandwidth")]
    uniform = [row for row in settled if _is_uniform(row) and row.what in ("iops", "bandwidth")]
    if ordered and uniform:
        own = _own(state)
        ratio = max(map(moved, ordered)) / max(map(moved, uniform))
        row = replace(uniform[0], what="write_amplification", value=max(1.05, ratio / COPYING) * own)
        state.values["spare"] = _spare(state, [row])


def _own(state: Fitting) -> float:
    """Return units on flash for each that is written or moved."""
    dies = state.values.get("parity", 0.0)
    return dies / (dies - 1) if dies >= PARITY_LEAST else 1.0


def _spare(state: Fitting, rows: Sequence[Row]) -> float:
    """Return the spare space that comes nearest to all fills by the closed form of `oldest_first`."""
    capacity, own = state.simulator.capacity, _own(state)

    def far(flash: float) -> float:
        misses = (
            log(own * max(1.0, state.values["unit"] / row.setting.size))
            + log(oldest_first(flash / min(row.setting.used or capacity, capacity)) / row.value)
            for row in rows
        )
        return sum((one / row.error) ** 2 for one, row in zip(misses, rows, strict=True))

    flash = min((capacity * (1.005**step) for step in range(1, 280)), key=far)
    of = shape(state.simulator.base, state.values, capacity)
    parity = state.values.get("parity", 0.0)
    part = usable(of.superblocks, parity, is_mixed(state.simulator.base, state.values)) / of.superblocks
    spare = flash / capacity / part - 1
    least = SUSTAINED * (1 + state.values["spare"]) / of.superblocks  # of what any drive works with
    return min(max(spare, least, PARAMETERS["spare"].least * 1.5), PARAMETERS["spare"].most / 1.5)


def _units(rows: Sequence[Row]) -> list[int]:
    """Return mapping units, those first that steady writes of several sizes speak for; none without such.

    What is smaller than a unit is written as a whole one.
    """
    alike = [row for row in rows if row.what == "write_amplification"]
    alike = alike or [row for row in rows if row.what == "iops"]
    sizes = {row.setting.size: row for row in alike if not row.setting.pattern.distribution}
    if len(sizes) < 2:
        return []
    small, large = min(sizes), max(sizes)
    ratio = sizes[small].value / sizes[large].value
    if sizes[small].what == "iops":
        ratio = large / (ratio * small)
    return sorted(UNITS_BYTES, key=lambda unit: abs(log(_padded(unit, sizes) / ratio)))


def _padded(unit: int, sizes: Mapping[int, Row]) -> float:
    """Return how many times as much is written for each byte of the smallest size as for the largest."""
    return max(1.0, unit / min(sizes)) / max(1.0, unit / max(sizes))


def _unit(state: Fitting, rows: Sequence[Row]) -> None:
    """Find the mapping unit, by simulating the two that come nearest."""
    near = _units(rows)[:2]
    if not near:
        return
    small = min(rows, key=lambda row: row.setting.size)
    before, tried = state.values, []
    for unit in near:
        state.values = {**before, "unit": float(unit)}
        if small.what == "write_amplification":
            state.values["spare"] = _spare(state, [small])
        state.solve(f"unit of {unit // 1024} KiB", ("spare",), rows, rounds=3)
        tried.append((state.miss(rows), state.values))
    state.nearest(tried)
    state.touched.add("unit")


def _tails(state: Fitting) -> list[Row]:
    return state.of(lambda row: row.setting.offered is not None and row.what == "p99")


def _firmware(state: Fitting) -> None:
    """Tails of reads beside writes show whether reads interrupt programs."""
    tails = [row for row in _tails(state) if row.side == "read"]
    state.choose("reads beside programs", "reads_first", (0.0, 1.0), tails)
    even = [row for row in state.of(_is_settled) if row.what in ("iops", "bandwidth") and _is_uniform(row)]
    if tails and even and state.simulator.scale(even, state.values) > 1:
        _pace(state, even)  # programs that are not cached take longer for the same data
    _bursts(state)


def _bursts(state: Fitting) -> None:
    """Tails of writes show bursts of collection and, with medians, the buffer that they fill."""
    tails = [row for row in _tails(state) if row.side == "write"]
    if not tails or max(map(abs, state.simulator.deviations(tails, [state.values])[0])) < UNEVEN:
        return
    medians = state.of(lambda row: row.setting.offered is not None and row.what == "p50")
    rows = [*tails, *(row for row in medians if row.side == "write")]
    of = state.values["buffer"]
    is_known = bool(state.of(_is_burst))
    _burst_of(state, BURSTS, [of] if is_known else BURST_BUFFERS, rows)
    if not is_known:
        of, burst = state.values["buffer"], state.values["burst"]
        _burst_of(state, (burst - 1, burst, burst + 1), [of * part for part in NEAR], rows)
        state.touched.add("buffer")
        state.listed.add("buffer")
        state.told_by["buffer"] = rows


def _burst_of(state: Fitting, bursts: Sequence[float], buffers: Sequence[float], rows: Sequence[Row]) -> None:
    state.progress("bursts of collection", state.simulator.runs)
    pairs = [{"burst": float(burst), "buffer": of} for burst in bursts if burst > 0 for of in buffers]
    found = state.simulator.deviations(rows, [{**state.values, **pair} for pair in pairs])
    misses = [squares(rows, one) for one in found]
    state.values |= pairs[misses.index(min(misses))]
    state.touched.add("burst")
    state.told_by["burst"] = list(rows)


def _buffer(state: Fitting) -> None:
    """Writes after a pause show the buffer."""
    rows = state.of(_is_burst)
    if not rows:
        return
    state.choose("buffer", "buffer", BUFFERS, rows)
    state.choose("buffer", "buffer", [state.values["buffer"] * part for part in NEAR], rows)
    state.solve("buffer", ("buffer",), rows, rounds=6)


def _is_burst(row: Row) -> bool:
    return bool(row.setting.pattern.burst_bytes)
