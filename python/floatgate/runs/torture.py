"""Power cuts by the hundred: small copies of drives under random hosts, every unit checked after each cut.

A case is one run with `--check`: the host, the state and the plan of cuts are drawn from its seed. The cases
of a drive have consecutive seeds, so that each can be repeated by itself.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import gcd, prod
from pathlib import Path
from random import Random
from typing import Any

from floatgate import _core
from floatgate.errors import Fault, InputError, one_line
from floatgate.inputs import cards
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload
from floatgate.options import Options
from floatgate.options.shared import State
from floatgate.options.torture import TortureOptions
from floatgate.results.folder import atomically, write_json
from floatgate.runs.execute import in_worker
from floatgate.workers import spread
from floatgate.workers.inputs import of_drive
from floatgate.workers.memory import room_for

TORTURE = "torture.json"

# What drives are made smaller to: dies enough for every feature, pages few enough for quick runs. A die keeps
# its number of superblocks, by which garbage collection is told when to begin, unless these are thousands. A
# drive that says something of its dies which does not hold of so few keeps more of them.
BLOCKS = "nand.blocks_per_plane"
_PAGES = {"nand.pages_per_block": 24, BLOCKS: 4096}
SMALL = ({"geometry.channels": 2, "geometry.ways": 2} | _PAGES, {"geometry.ways": 2} | _PAGES, _PAGES)
# What is said of all dies, and of fewer is said of all that are left.
SPAN = "ftl.mapping.dies_per_block"
# Zones over all dies become zones over all that are left, of as many pages as these have.
ZONED, ZONES = "zoned-", ("ftl.mapping.zone_capacity", "ftl.mapping.zone_size")
# How much flash there is, beside the size of a page.
FLASH = {*SMALL[0], "geometry.dies_per_way", "nand.planes", BLOCKS}
DIES = ("geometry.channels", "geometry.ways", "geometry.dies_per_way")
# Sizes that shrink with the flash, and the one that a small drive has room for.
CACHE = ("ftl.slc_cache.least", "ftl.slc_cache.most", "ftl.slc_cache.size")
CAPACITY, RATIO, BUFFER = "ftl.user_capacity", "ftl.op_ratio", "ftl.buffer.size"
BUFFER_BYTES = 2 << 20
NAMESPACE_SIZE = re.compile(r"host\.namespaces\.[^.]+\.size")
# Of what the host would see it sees so much: superblocks kept in reserve weigh more where each holds little.
SEEN = 0.7

CUTS = 8  # of a case, at most
WITHIN = (200, 2_000, 20_000)  # flash operations: early ones meet a drive that is still looking for its map
STATES: tuple[State, ...] = ("none", "fill", "instant")
TRIMS = 0.3  # of the hosts that have a job which only trims


@dataclass(frozen=True)
class Case:
    """One run, and what became of it."""

    drive: str
    seed: int
    planned: int  # cuts
    cuts: int = 0
    cuts_in_recovery: int = 0
    requests_lost: int = 0
    units_lost_in_buffer: int = 0
    torn_rows: int = 0
    paired_rows_lost: int = 0
    half_erased_superblocks: int = 0
    ready_ns_max: int | None = None
    violation: str | None = None  # what was promised and not kept, and the command that repeats it
    stopped: bool = False


@dataclass(frozen=True)
class Tortured:
    """What became of all cases, in the order of the drives and of the seeds."""

    cases: tuple[Case, ...]
    interrupted: bool

    @property
    def violations(self) -> tuple[str, ...]:
        """What was promised and not kept, with the command that repeats it; empty where all was kept."""
        return tuple(case.violation for case in self.cases if case.violation is not None)

    def of(self, drive: str) -> tuple[Case, ...]:
        """Return the cases of one drive."""
        return tuple(case for case in self.cases if case.drive == drive)

    @property
    def document(self) -> dict[str, Any]:
        """All of it, as torture.json has it."""
        return {
            "version": _core.version(),
            "interrupted": self.interrupted,
            "cuts": sum(case.cuts for case in self.cases),
            "violations": list(self.violations),
            "cases": [asdict(case) for case in self.cases],
        }


def torture(
    asked: TortureOptions,
    out: Path | None,
    *,
    progress: Callable[[float], None] = lambda _fraction: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Tortured:
    """Cut the power of each drive, at least `asked.cuts` times; with `out`, write torture.json there.

    The outcome does not depend on the number of workers. Raises InputError for a drive whose power cannot be
    cut.
    """
    items = [item for drive in asked.drive for item in _cases(asked, drive, stopped)]
    done = spread(
        _one,
        items,
        workers=asked.workers,
        scheduler=asked.scheduler,
        inputs=[path for drive in asked.drive for path in of_drive(drive, asked.set)],
        memory_bytes=max((item[1].memory_bytes() for item in items), default=0),
        watch=lambda _done, part: progress(part),
        stopped=stopped,
    )
    cases = tuple(case for case in done if case is not None and not case.stopped)
    tortured = Tortured(cases, len(cases) < len(items) or stopped())
    if out is not None:
        with atomically(out, force=asked.force) as folder:
            write_json(folder / TORTURE, tortured.document)
    return tortured


_Item = tuple[Case, Plan, str]  # what is known before it is run, the run, and the command that repeats it


def _cases(asked: TortureOptions, drive: str, stopped: Callable[[], bool] = lambda: False) -> list[_Item]:
    """Draw cases until so many cuts are planned."""
    small, states = ((), ()) if asked.whole else _small(drive, asked.set)
    settings = (*small, *asked.set)
    # With none the first case is refused with its reason.
    states = states or _states(drive, settings) or STATES
    items: list[_Item] = []
    seed, left = asked.seed, asked.cuts
    while left > 0 and not stopped():
        case, plan = _drawn(drive, seed, settings, states)
        items.append((case, plan, _command(asked, drive, seed)))
        seed, left = seed + 1, left - case.planned
    return items


def smaller(drive: str, overrides: tuple[str, ...]) -> tuple[str, ...]:
    """Return the settings that make a small drive of `drive`; what `overrides` set is left as it is.

    The first sizes that can begin in the most states are taken. A drive that no smaller one stands for is
    left whole: what is refused is then refused of the drive itself.
    """
    return _small(drive, overrides)[0]


def _small(drive: str, overrides: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[State, ...]]:
    """Return the settings of `smaller`, and the states that the small drive can begin in."""
    best: tuple[tuple[str, ...], tuple[State, ...]] = ((), ())
    for sizes in SMALL:
        settings: tuple[str, ...] = ()
        with suppress(InputError):
            settings = _shrunk(drive, overrides, sizes)
        states = _states(drive, (*settings, *overrides)) if settings else ()
        if len(states) > len(best[1]):
            best = settings, states
        if states == STATES:
            break
    return best


def _states(drive: str, settings: tuple[str, ...]) -> tuple[State, ...]:
    """Return the states that a drive whose power will be cut can begin in."""
    return tuple(state for state in STATES if _begins(drive, settings, state))


def _begins(drive: str, settings: tuple[str, ...], state: State) -> bool:
    """True if the drive can be built and brought into a state."""
    with suppress(InputError):
        _, plan = _drawn(drive, 0, settings, (state,))
        with room_for(plan):
            plan.open()
        return True
    return False


def _shrunk(drive: str, overrides: tuple[str, ...], sizes: dict[str, int]) -> tuple[str, ...]:
    """Return the settings that bring a drive down to these sizes; none where it has no more."""
    given = {key.strip(): value for key, _, value in (one.partition("=") for one in overrides)}
    values = cards.values(cards.of_drive(drive))
    settings = {key: str(most) for key, most in sizes.items() if key not in given and values[key] > most}
    if not settings:
        return ()
    if SPAN in values and not given.keys() & {SPAN, *DIES}:
        settings[SPAN] = str(gcd(values[SPAN], prod(int(settings.get(key, values[key])) for key in DIES)))
    part = _part(values, settings | given)
    of_zone = _part(values, {key: one for key, one in (settings | given).items() if key != BLOCKS})
    rows = 12 * values["nand.planes"] * _core.size_bytes(values["nand.page_size"])  # whole programs
    for key in (one for one in ZONES if one in values and one not in given):
        settings[key] = _kib(max(1, _core.size_bytes(values[key]) * of_zone // rows) * rows)
    for key in (one for one in values if NAMESPACE_SIZE.fullmatch(one) and one not in given):
        settings[key] = _kib(_core.size_bytes(values[key]) * part * SEEN)
    if CAPACITY in values and not given.keys() & {CAPACITY, RATIO}:
        settings[CAPACITY] = _kib(_core.size_bytes(values[CAPACITY]) * part * SEEN)
    if RATIO in values and not given.keys() & {CAPACITY, RATIO}:
        settings[RATIO] = str((1 + values[RATIO]) / SEEN - 1)
    if BUFFER not in given:
        settings[BUFFER] = _kib(min(_core.size_bytes(values[BUFFER]), BUFFER_BYTES))
    # A cache may be one of the overrides' or none at all: its sizes are known when all else is said.
    known = cards.values(cards.of_drive(drive, (*_assignments(settings), *overrides)))
    for key in CACHE:
        if key in known and key not in given:
            settings[key] = _kib(_core.size_bytes(known[key]) * part)
    return _assignments(settings)


@cache
def _namespaces(drive: str, settings: tuple[str, ...]) -> tuple[tuple[str, bool], ...]:
    """Return the namespaces of a drive: name, empty where it declares none, and whether it has zones."""
    values = cards.values(cards.of_drive(drive, settings))
    names = values.get("host.namespaces.names") or ()
    if not names:
        return (("", str(values["ftl.mapping.name"]).startswith(ZONED)),)
    return tuple((name, values[f"host.namespaces.{name}.command_set"] == "zns") for name in names)


def _part(values: dict[str, Any], changed: dict[str, str]) -> float:
    """How much flash is left where these numbers are changed."""
    part = 1.0
    for key in FLASH & changed.keys():
        with suppress(ValueError):  # what is no number is refused with its place when the drive is built
            part *= float(changed[key]) / values[key]
    return part


def _kib(size: float) -> str:
    """A size in whole pages of 4 KiB."""
    return f"{4 * max(1, int(size) >> 12)}KiB"


def _assignments(settings: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{key}={value}" for key, value in settings.items())


def _drawn(drive: str, seed: int, settings: tuple[str, ...], states: tuple[State, ...]) -> tuple[Case, Plan]:
    """Draw the host, one of the states and the cuts of a case."""
    random = Random(f"torture {seed}")
    cuts = random.randint(1, CUTS)
    namespaces = _namespaces(drive, settings)
    job = "".join(host(random, name, zoned=zoned) for name, zoned in namespaces)
    within, state = random.choice(WITHIN), random.choice(states)
    blocks = [name for name, zoned in namespaces if not zoned]
    if random.random() < TRIMS and blocks:
        job += trims(random, blocks[0])
    plan = Plan(
        drive,
        Workload("fio", f"torture-{seed}", text=job),
        (f"power.cut.drawn={cuts}", f"power.cut.within={within}", *settings),
        Options(seed=seed, check=True, precondition=state),
    )
    return Case(drive, seed, cuts), plan


def host(random: Random, namespace: str = "", *, zoned: bool = False) -> str:
    """Return a fio job of a host that writes, asks for durable data in its own way, trims and reads.

    On a drive of several namespaces it is the host of `namespace`.
    """
    trimming = "randwrite" if zoned else "randtrimwrite"
    lines = [
        *_section("host", namespace),
        f"rw={random.choice(('randwrite', 'randwrite', 'write', 'randrw', trimming))}",
        f"{random.choice(('bs=4k', 'bs=4k', 'bs=16k', 'bs=64k', 'bsrange=4k-128k'))}",
        f"iodepth={random.choice((1, 4, 16, 64))}",
        f"size={random.choice((5, 30, 100))}%",
        f"number_ios={random.choice((500, 4_000, 16_000))}",
        "io_size=16g",  # over and over until there were so many: fio counts none of a time-based job
    ]
    if zoned:
        lines += ["zonemode=zbd", f"max_open_zones={random.choice((1, 2, 4))}"]
        lines += random.choice(([], ["zone_reset_threshold=0.1", "zone_reset_frequency=0.1"]))
        lines += random.choice(([], ["ioengine=io_uring_cmd", "write_mode=zone_append"]))
    durable = random.choice(("", "fsync", "fdatasync", "sync"))
    if durable == "sync":
        lines.append("sync=1")
    elif durable:
        lines.append(f"{durable}={random.choice((1, 7, 64, 500))}")
    return "\n".join(lines) + "\n"


def trims(random: Random, namespace: str = "") -> str:
    """Return a job beside the host's, which trims addresses that no job may write again."""
    lines = [*_section("trims", namespace), "rw=randtrim", "bs=4k"]
    return "\n".join([*lines, f"size={random.choice((30, 100))}%", "number_ios=1000"]) + "\n"


def _section(job: str, namespace: str) -> list[str]:
    """Return the first lines of a job: its name, and the namespace that it asks where there are several."""
    return [f"[{job}-{namespace}]", f"filename={namespace}"] if namespace else [f"[{job}]"]


def _command(asked: TortureOptions, drive: str, seed: int) -> str:
    """The command that repeats one case."""
    words = ["floatgate torture", drive, f"--seed {seed} --cuts 1"]
    words += ["--whole"] * asked.whole + [f"--set '{one}'" for one in asked.set]
    return " ".join(words)


def _one(item: _Item) -> Case:
    """Run one case."""
    case, plan, command = item
    try:
        outcome = in_worker(plan)
    except Fault as fault:
        said = one_line(fault).partition("; seed ")[0]
        return replace(case, violation=f"{case.drive}, seed {case.seed}: {said}; repeat with: {command}")
    return _with_cuts(case, outcome.document["power"]["cuts"], outcome.interrupted)


def _with_cuts(case: Case, cuts: list[dict[str, Any]], stopped: bool) -> Case:
    """Add up what the cuts of a run did."""
    lost = ("requests_lost", "units_lost_in_buffer", "torn_rows", "paired_rows_lost")
    sums = (*lost, "half_erased_superblocks")
    ready = [cut["ready_ns"] for cut in cuts if cut["ready_ns"] is not None]
    return replace(
        case,
        cuts=len(cuts),
        # The power failed once more before the drive was ready.
        cuts_in_recovery=sum(cut["ready_ns"] is None for cut in cuts[:-1]),
        ready_ns_max=max(ready, default=None),
        stopped=stopped,
        **{name: sum(cut[name] for cut in cuts) for name in sums},
    )
