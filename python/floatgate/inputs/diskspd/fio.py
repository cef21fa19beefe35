"""A DiskSpd test as a fio job file: each target of each span is a job, each span waits for the one before."""

from collections.abc import Iterator
from dataclasses import dataclass

from floatgate.errors import InputError
from floatgate.inputs.diskspd.model import Profile, Span, Target

SECTOR = 512
DEVICE = "/dev/nvme0n1"  # targets are laid out here, so all jobs share the drive itself


@dataclass(frozen=True)
class Translated:
    """A job file, and what is to be said about it."""

    text: str
    notes: tuple[str, ...]


def translate(profile: Profile) -> Translated:
    """Return the fio job file that asks for the same. Raises InputError for what cannot be asked."""
    notes = []
    if profile.ignored:
        notes.append(f"no effect on a raw drive: {', '.join(profile.ignored)}")
    offsets = _offsets(profile, notes)
    jobs: list[str] = []
    for number, span in enumerate(profile.spans):
        for index, target in enumerate(span.targets):
            lines = list(_job(span, target, offsets[target.path], notes))
            if number and not index:
                lines.insert(0, "stonewall")
            name = (
                f"target-{index + 1}" if len(profile.spans) == 1 else f"span-{number + 1}-target-{index + 1}"
            )
            jobs.append("\n".join([f"[{name}]", *lines]))
    return Translated("\n\n".join(jobs) + "\n", tuple(dict.fromkeys(notes)))


def _offsets(profile: Profile, notes: list[str]) -> dict[str, int]:
    """Lay the targets side by side on the drive: it is the only disk. Return where each begins."""
    targets = [target for span in profile.spans for target in span.targets]
    paths = list(dict.fromkeys(target.path for target in targets))
    if len(paths) == 1:
        return {paths[0]: 0}
    offsets, next_free = {}, 0
    for path in paths:
        mine = [target for target in targets if target.path == path]
        ends = [target.end for target in mine]
        if None in ends:
            unknown = next(target for target in mine if target.end is None)
            raise InputError(
                f"{unknown.place}: {path}: size not given: expected one (-c, -f; FileSize, MaxFileSize),"
                " since several targets lie side by side on the drive"
            )
        offsets[path] = next_free
        next_free += max(end for end in ends if end is not None)
        next_free += -next_free % (1 << 20)
    notes.append(f"{len(paths)} targets lie side by side on the drive")
    return offsets


def _job(span: Span, target: Target, offset: int, notes: list[str]) -> Iterator[str]:
    """The lines of one job."""
    _check(target)
    yield f"filename={DEVICE}"
    yield f"rw={_rw(target)}"
    if 0 < target.write_percent < 100:
        yield f"rwmixwrite={target.write_percent}"
    yield f"bs={target.block}"
    if target.random_align is not None:
        yield "norandommap=1"
        if target.random_align != target.block:
            yield f"blockalign={target.random_align}"
        if target.random_percent is not None:
            yield f"percentage_random={target.random_percent}"
        if target.distribution is not None:
            yield f"random_distribution={target.distribution}"
    yield from _threads(span, target, notes)
    yield f"offset={offset + target.base}"
    size = _size(target, notes)
    if size is not None:
        yield f"size={size}"
    yield from _pace(span, target, notes)
    if target.write_through and target.write_percent:
        yield "writefua=1"
        notes.append("write-through is force unit access for each write")
    if span.seed is not None:
        yield f"randseed={span.seed}"
    yield f"runtime={span.duration_s}s"
    if span.warmup_s:
        yield f"ramp_time={span.warmup_s}s"
    yield "time_based=1"


def _pace(span: Span, target: Target, notes: list[str]) -> Iterator[str]:
    """A rate of each thread on the target; only without one, a pause after each burst."""
    threads = span.threads or target.threads
    together = threads if _one_stream(target) else 1  # threads that are one job here
    rate = target.rate_bytes_per_ms
    if target.iops is not None and rate * 1000 != target.iops * target.block:
        notes.append(_rate_note(target.iops, target.block, rate))
    if rate:
        yield f"rate={_by_direction(rate * 1000 * together, target.write_percent)}"
        if target.think_ms:
            notes.append("think time has no effect beside a rate, as in DiskSpd")
    elif target.think_ms:
        yield f"thinktime={target.think_ms}ms"
        yield f"thinktime_blocks={max(target.burst // threads, 1) * together}"
        if threads > 1:
            notes.append(f"each of {threads} threads has its whole share of a burst, as in DiskSpd")
        notes.append("a burst's pause begins when its last request went out")


def _by_direction(rate: int, write_percent: int) -> str:
    """What reads and writes have of a rate in bytes per second: fio keeps two, DiskSpd one for both."""
    writes = rate * write_percent // 100
    return str(rate) if write_percent in (0, 100) else f"{max(rate - writes, 1)},{max(writes, 1)}"


def _rate_note(iops: int, block: int, rate: int) -> str:
    asked = f"{iops} requests of {block} bytes a second"
    if not rate:
        return f"{asked} are less than a byte per millisecond, DiskSpd's unit: no rate is set, as in DiskSpd"
    kept = f"{rate} bytes per millisecond ({rate * 1000 / block:.6g} requests per second)"
    why = "32 bits, in which it computes, hold no more" if iops * block >> 32 else "it counts in whole ones"
    return f"{asked}: DiskSpd keeps {kept}, since {why}"


def _one_stream(target: Target) -> bool:
    """Whether threads share one sequential offset, so that all of them are one job."""
    return target.interlocked and target.random_align is None


def _rw(target: Target) -> str:
    op = {0: "read", 100: "write"}.get(target.write_percent, "rw")
    return op if target.random_align is None else f"rand{op}"


def _check(target: Target) -> None:
    """Refuse what the drive, or the model, cannot do."""
    for what, size in (
        ("block", target.block),
        ("base offset", target.base),
        ("random alignment", target.random_align or SECTOR),
        ("thread stride", target.thread_stride),
    ):
        if size % SECTOR:
            raise InputError(f"{target.place}: {what} of {size} bytes: expected a multiple of {SECTOR}")
    if target.random_align is None and target.stride not in (None, target.block):
        raise InputError(
            f"{target.place}: stride of {target.stride} bytes: expected the block size, {target.block}"
            " (gaps between sequential requests are not modelled)"
        )
    if bool(target.think_ms) != bool(target.burst):
        raise InputError(
            f"{target.place}: a burst without a pause, or the reverse: expected both (-i and -j)"
        )


def _threads(span: Span, target: Target, notes: list[str]) -> Iterator[str]:
    """Threads and their depth. Threads on one sequential offset are one job as deep as all together."""
    threads, depth = span.threads or target.threads, target.depth
    if span.thread_depth is not None and span.threads is None:
        notes.append("requests of a thread over all targets (-O) have no effect without -F, as in DiskSpd")
    elif span.thread_depth is not None:
        for pace, name in ((target.rate_bytes_per_ms, "a rate (-g)"), (target.think_ms, "think time (-j)")):
            if pace:
                raise InputError(f"{target.place}: {name} with -O: expected -o, as DiskSpd itself does")
        if len(span.targets) > 1:
            raise InputError(
                f"{span.place}: requests of a thread shared by {len(span.targets)} targets"
                " (-O, RequestCount): expected the depth on each target (-o)"
            )
        depth = span.thread_depth
    if _one_stream(target):
        threads, depth = 1, threads * depth
    yield "ioengine=libaio"
    yield f"iodepth={depth}"
    if threads > 1:
        yield f"numjobs={threads}"
        yield "group_reporting=1"
        if target.thread_stride:
            yield f"offset_increment={target.thread_stride}"
            notes.append("threads stay within their own stride of the target")


def _size(target: Target, notes: list[str]) -> int | None:
    """Bytes of a job's region; None: to the end of the drive."""
    if target.thread_stride and target.threads > 1 and not target.interlocked:
        return target.thread_stride
    if target.end is None:
        notes.append("size not given: the target is the whole drive")
        return None
    if target.end <= target.base:
        raise InputError(
            f"{target.place}: {target.path}: ends at {target.end} bytes: expected more than its base offset,"
            f" {target.base}"
        )
    return target.end - target.base
