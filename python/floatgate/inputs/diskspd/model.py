"""What a DiskSpd test asks for, however it was written down. Defaults are DiskSpd's own."""

from dataclasses import dataclass, field

BLOCK = 64 << 10
RATE_MOST = (1 << 31) - 1  # DiskSpd reads rates into 32 bits with a sign


@dataclass
class Target:
    """A file or disk, and what is done to it."""

    path: str
    place: str  # where it is written, for errors
    block: int = BLOCK
    base: int = 0  # bytes left out at its start
    most: int | None = None  # only the first bytes of it
    file_size: int | None = None
    random_align: int | None = None  # None: sequential
    random_percent: int | None = None  # of the requests; None: all or none, as random_align says
    stride: int | None = None
    interlocked: bool = False
    depth: int = 2  # of each thread
    threads: int = 1
    thread_stride: int = 0
    write_percent: int = 0
    bytes_per_ms: int | None = None
    iops: int | None = None
    burst: int = 0
    think_ms: int = 0
    write_through: bool = False
    distribution: str | None = None  # as fio writes it: "zoned:90/10:10/90"

    @property
    def rate_bytes_per_ms(self) -> int:
        """What each thread keeps to; 0: no rate. DiskSpd multiplies in 32 bits and drops fractions."""
        if self.iops is None:
            return self.bytes_per_ms or 0
        return (self.iops * self.block & 0xFFFF_FFFF) // 1000

    @property
    def end(self) -> int | None:
        """The first byte that is not accessed; None: it is as large as the drive."""
        ends = [size for size in (self.most, self.file_size) if size is not None]
        return min(ends, default=None)


@dataclass
class Span:
    """Targets that are tested at the same time."""

    place: str
    duration_s: int = 10
    warmup_s: int = 5
    seed: int | None = None
    threads: int | None = None  # in all, each working on every target
    thread_depth: int | None = None  # of each of these, over all targets
    targets: list[Target] = field(default_factory=list)


@dataclass
class Profile:
    """A whole test: its spans run one after the other."""

    source: str
    spans: list[Span] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)  # flags or elements without a meaning here, each once

    def ignore(self, name: str) -> None:
        """Keep a name for the note."""
        if name not in self.ignored:
            self.ignored.append(name)
