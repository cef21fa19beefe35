"""A setting as a job of fio: what a real drive runs, and the simulated one."""

from floatgate.twin.pattern import Setting

#: One job of fio keeps so many requests in flight; deeper random settings have several.
ALONE = 32
JOBS = 4
#: Bursts of a job, and the pause before each, in which the buffer empties.
BURSTS = 8
PAUSE = "1s"
PLACES = 100  # over which a part of the space is scattered: one percent of the accesses each


#: What the description of a job begins with, before its role and its pattern.
MARK = "twin "


def job(
    name: str, setting: Setting, size_bytes: int, lasts: str, device: str = "drive", role: str = "calibrate"
) -> str:
    """Return a section of a job file: `setting` on the first `size_bytes` of a device, for so long.

    `description` carries role and pattern, from which fio's result is read again.
    """
    pattern = setting.pattern
    part = 1.0 if pattern.is_scattered else pattern.part
    is_split = pattern.is_random and setting.depth > ALONE and setting.depth % JOBS == 0
    jobs = JOBS if is_split else 1
    lines = [
        f"[{name}]",
        f"description={MARK}{role} {pattern}",
        f"filename={device}",
        f"rw={pattern.rw}",
        f"bs={setting.size}",
        f"iodepth={setting.depth // jobs}",
        "ioengine=libaio",
        "direct=1",
        f"size={max(setting.size, int(size_bytes * part) // setting.size * setting.size)}",
    ]
    if pattern.is_random:
        lines += ["norandommap=1", "randrepeat=0"]
    if jobs > 1:
        lines += [f"numjobs={jobs}", "group_reporting=1"]
    if pattern.is_scattered:
        lines.append(f"random_distribution={_scattered(setting, size_bytes)}")
    elif pattern.distribution:
        lines.append(f"random_distribution={pattern.distribution}")
    if pattern.is_mixed:
        lines.append(f"rwmixread={pattern.mix}")
    if setting.offered:
        lines += _offered(setting, setting.offered / jobs)
    if pattern.has_flushes:
        lines.append("fsync=1")
    if pattern.burst_bytes:
        lines += [f"startdelay={PAUSE}", f"io_size={BURSTS * pattern.burst_bytes}"]
        lines += [f"thinktime={PAUSE}", f"thinktime_blocks={pattern.burst_bytes // setting.size}"]
    else:
        lines.append(lasts)
    return "\n".join(lines) + "\n"


def _scattered(setting: Setting, size_bytes: int) -> str:
    """Return zones of which every second one is accessed, so that these are a part of the space."""
    blocks = size_bytes // setting.size // PLACES
    accessed = max(1, min(blocks - 1, round(blocks * setting.pattern.part)))
    pair = f"{100 // PLACES}/{accessed * setting.size}:0/{(blocks - accessed) * setting.size}"
    return "zoned_abs:" + ":".join([pair] * PLACES)


def _offered(setting: Setting, rate: float) -> list[str]:
    """Return a rate in requests a second, which fio takes for each direction."""
    pattern = setting.pattern
    reads = rate * pattern.mix / 100
    each = f"{round(reads)},{round(rate - reads)}" if pattern.is_mixed else f"{round(rate)}"
    return [f"rate_iops={each}", *(["rate_process=poisson"] if pattern.is_poisson else [])]
