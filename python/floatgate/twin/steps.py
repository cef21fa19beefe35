"""The microbenchmark: a small set of settings, each of which reveals something of a drive."""

from collections.abc import Iterator
from dataclasses import dataclass

from floatgate.twin.measurements import CALIBRATE, CHECK
from floatgate.twin.pattern import Setting, read_pattern

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Step:
    """A job, what it is for, and which of its numbers are taken."""

    name: str
    reveals: str
    setting: Setting
    takes: tuple[str, ...] = ("iops",)
    role: str = CALIBRATE


def _setting(pattern: str, size: int, depth: int, part: float = 1.0, capacity: float = 0.0) -> Setting:
    used = None if part == 1.0 else capacity * part
    return Setting(read_pattern(pattern), size, depth, used)


def steps(capacity: float) -> Iterator[Step]:
    """Yield the steps for a drive, in the order in which a real one runs them."""
    yield Step("empty-d1", "time of a command", _setting("randread empty", 4 * KIB, 1), ("iops", "mean"))
    yield Step("empty-d256", "commands a second at most", _setting("randread empty", 4 * KIB, 256))
    yield Step("empty-128k", "rate of the link", _setting("randread empty", 128 * KIB, 32))
    yield Step(
        *("fill", "programs, and the drive's own writes", _setting("write", 128 * KIB, 32)),
        ("iops", "write_amplification"),
    )
    for depth in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        takes = ("iops", "mean") if depth == 1 else ("iops",)
        yield Step(f"read-4k-d{depth}", "sensing, dies", _setting("randread", 4 * KIB, depth), takes)
    for size in (16, 64, 128):
        for depth in (1, 64):
            yield Step(
                *(f"read-{size}k-d{depth}", "channels and their rate"),
                _setting("randread", size * KIB, depth),
            )
    yield Step("write-d1", "a write into the buffer", _setting("randwrite filled", 4 * KIB, 1), ("iops",))
    yield Step(
        *("flush-d1", "programs, where a flush waits for them"),
        _setting("randwrite flush filled", 4 * KIB, 1),
        ("flush mean",),
    )
    for size in _bursts(capacity):
        pattern = f"write burst:{size // MIB}MiB"
        yield Step(f"burst-{size // MIB}m", "buffer", _setting(pattern, 128 * KIB, 32), ("mean",))
    yield Step(
        *("overwrite-4k", "spare space, collection", _setting("randwrite", 4 * KIB, 32)),
        ("iops", "write_amplification"),
    )
    yield Step(
        *("overwrite-16k", "mapping unit", _setting("randwrite", 16 * KIB, 32)),
        ("iops", "write_amplification"),
    )
    for size in _bursts(capacity):
        pattern = f"randwrite burst:{size // MIB}MiB"
        yield Step(f"settled-burst-{size // MIB}m", "buffer", _setting(pattern, 4 * KIB, 32), ("mean",))
    yield Step("mixed", "reads beside writes", _setting("randrw mix:70", 4 * KIB, 32), ("iops",), CHECK)


def _bursts(capacity: float) -> list[int]:
    """Return sizes of bursts: some within any buffer, some beyond it."""
    return [size * MIB for size in (2, 4, 8, 16, 32, 64, 128, 256) if size * MIB <= capacity / 64]
