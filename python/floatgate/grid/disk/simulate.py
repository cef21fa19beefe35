"""Simulates a disk with some requests always outstanding; yields what completes."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

from floatgate.grid.disk.model import Disk

PART = 256  # completions handed out together
STAGES = ("queue", "command", "seek", "rotation", "media", "flash cache")


@dataclass(frozen=True)
class CacheTimes:
    """What the flash of a cache takes for one request, measured on its drive."""

    read_ms: float
    write_ms: float


@dataclass(frozen=True)
class Load:
    """What is asked of the disk."""

    random: bool
    write: bool
    block_bytes: int
    depth: int
    file_bytes: int
    seed: int


@dataclass
class Completed:
    """Requests that completed one after the other."""

    done_ns: list[int] = field(default_factory=list)
    latency_ns: list[int] = field(default_factory=list)
    stages_ns: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))  # sums


@dataclass
class _Request:
    """One request of the host's, or, where no request waits for it, one write from the cache to the disk."""

    address: int
    arrived_ms: float
    ready_ms: float  # when the controller has taken it up
    host: bool = True
    stages: dict[str, float] = field(default_factory=dict)


def run(disk: Disk, load: Load, times: CacheTimes | None) -> Iterator[Completed]:
    """Yield completions without end, in order."""
    return _Simulation(disk, load, times).run()


class _Simulation:
    """The arm, the flash, and who waits for them."""

    def __init__(self, disk: Disk, load: Load, times: CacheTimes | None) -> None:
        self.disk, self.load, self.times = disk, load, times
        self.random = Random(f"{load.seed} disk addresses")
        self.turn = disk.turn_ms
        self.track_bytes = disk.media * self.turn / 1000
        self.head, self.next_address = 0, 0
        self.disk_queue: list[_Request] = []
        self.flash_queue: deque[_Request] = deque()
        self.blocked: deque[_Request] = deque()
        self.dirty: set[int] = set()  # addresses that the flash holds and the disk does not yet
        # The arm sweeps upwards over them; what lies behind it waits for the next sweep.
        self.ahead: list[int] = []
        self.behind: list[int] = []
        self.room = 0
        if disk.cache is not None:
            self.room = max(1, int(disk.cache.size // load.block_bytes))
        self.disk_busy = self.flash_busy = False
        self.controller_free_ms = 0.0  # it takes commands up one by one, while the arm is at work
        self.destaged_last = False
        self.events: list[tuple[float, int, str, _Request]] = []
        self.sequence = 0

    def run(self) -> Iterator[Completed]:
        for _ in range(self.load.depth):
            self.arrive(0.0)
        part = Completed()
        while True:
            now, _, server, request = heappop(self.events)
            if server == "disk":
                self.disk_busy = False
            else:
                self.flash_busy = False
                if self.load.write:
                    self.keep(request.address)
            if request.host:
                part.done_ns.append(round(now * 1e6))
                part.latency_ns.append(round((now - request.arrived_ms) * 1e6))
                for name, took in request.stages.items():
                    part.stages_ns[name] += took * 1e6
                self.arrive(now)
            else:
                self.admit()
            self.start(now)
            if len(part.done_ns) == PART:
                yield part
                part = Completed()

    def arrive(self, now: float) -> None:
        """The host asks for the next block."""
        load = self.load
        if load.random:
            address = self.random.randrange(load.file_bytes // load.block_bytes) * load.block_bytes
        else:
            address = self.next_address
            self.next_address += load.block_bytes
            if self.next_address + load.block_bytes > load.file_bytes:
                self.next_address = 0
        self.controller_free_ms = max(self.controller_free_ms, now) + self.disk.overhead
        request = _Request(address, now, self.controller_free_ms)
        if self.times is None:
            self.disk_queue.append(request)
        elif load.write:
            self.blocked.append(request)
            self.admit()
        elif self.held(address):
            self.flash_queue.append(request)
        else:
            self.disk_queue.append(request)
        self.start(now)

    def admit(self) -> None:
        """Let writes into the cache as far as it has room."""
        on_the_way = len(self.flash_queue) + self.flash_busy
        while self.blocked and len(self.dirty) + on_the_way < self.room:
            self.flash_queue.append(self.blocked.popleft())
            on_the_way += 1

    def held(self, address: int) -> bool:
        """Whether the cache holds the newest copy."""
        return address in self.dirty

    def keep(self, address: int) -> None:
        """A write has reached the flash."""
        if address not in self.dirty:
            self.dirty.add(address)
            heappush(self.ahead if address >= self.head else self.behind, address)

    def start(self, now: float) -> None:
        """Give the arm and the flash their next request, where they are free."""
        if not self.flash_busy and self.flash_queue:
            assert self.times is not None
            request = self.flash_queue.popleft()
            took = self.times.write_ms if self.load.write else self.times.read_ms
            overhead = max(0.0, request.ready_ms - now)
            request.stages = {"queue": now - request.arrived_ms, "command": overhead, "flash cache": took}
            self.flash_busy = True
            self.after(now + overhead + took, "flash", request)
        if not self.disk_busy:
            chosen = self.choose(now)
            if chosen is not None:
                self.disk_busy = True
                self.serve(now, chosen)

    def choose(self, now: float) -> _Request | None:
        """The arm's next request: the host's, or one of the cache's, in turn when the cache fills up."""
        low = self.disk.cache.low * self.room if self.disk.cache else 0.0
        urgent = len(self.dirty) > low and not self.destaged_last
        if self.dirty and (urgent or not self.disk_queue):
            self.destaged_last = True
            if not self.ahead:
                self.ahead, self.behind = self.behind, self.ahead
            address = heappop(self.ahead)
            self.dirty.remove(address)
            return _Request(address, now, now, host=False)
        self.destaged_last = False
        if not self.disk_queue:
            return None
        index = 0
        if self.disk.scheduler == "sptf":
            times = [sum(self.position(now, each.address)) for each in self.disk_queue]
            index = times.index(min(times))
        return self.disk_queue.pop(index)

    def position(self, now: float, address: int) -> tuple[float, float]:
        """Time of the arm and of the platters until `address` is under the head."""
        disk = self.disk
        if address == self.head and not self.load.write and disk.read_ahead:
            return 0.0, 0.0
        seek = disk.seek_ms(abs(address - self.head) / disk.capacity)
        if seek and self.load.write:
            seek += disk.settle_write
        angle = address % self.track_bytes / self.track_bytes
        turned = (now + seek) / self.turn
        wait = (angle - turned) % 1.0
        return seek, 0.0 if wait > 1 - 1e-9 else wait * self.turn

    def serve(self, now: float, request: _Request) -> None:
        """Move the arm, wait for the platter, transfer."""
        overhead = max(0.0, request.ready_ms - now)
        seek, rotation = self.position(now + overhead, request.address)
        media = self.disk.transfer_ms(self.load.block_bytes)
        request.stages = {
            "queue": now - request.arrived_ms,
            "command": overhead,
            "seek": seek,
            "rotation": rotation,
            "media": media,
        }
        self.head = request.address + self.load.block_bytes
        self.after(now + overhead + seek + rotation + media, "disk", request)

    def after(self, time: float, server: str, request: _Request) -> None:
        self.sequence += 1
        heappush(self.events, (time, self.sequence, server, request))
