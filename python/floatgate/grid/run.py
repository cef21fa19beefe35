"""All points of a grid, in parallel processes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from floatgate.errors import InputError
from floatgate.grid.disk.model import Disk, find as find_disk, nearest as nearest_disk, read_disk
from floatgate.grid.disk.simulate import CacheTimes
from floatgate.grid.measure import Rule, Task, measure
from floatgate.grid.point import INTERRUPTED, Point, Setting
from floatgate.inputs import cards
from floatgate.options import Options
from floatgate.results import notebook
from floatgate.values import quantities as q
from floatgate.values.units import SIZES, measure as read_measure
from floatgate.workers import How, spread, stopping
from floatgate.workers.inputs import of_plan


@dataclass(frozen=True)
class Asked:
    """What a grid is asked of."""

    drive: str
    settings: tuple[Setting, ...]
    overrides: tuple[str, ...] = ()
    options: Options = field(default_factory=lambda: Options(precondition="fill", requests=True))
    file_bytes: int = 1 << 30
    rule: Rule = field(default_factory=Rule)

    def __post_init__(self) -> None:
        self.options.verify()


@dataclass(frozen=True)
class Grid:
    """A measured grid: a point for each setting."""

    asked: Asked
    title: str  # of the drive
    capacity_bytes: int
    points: tuple[Point, ...]  # in the order of the settings

    @property
    def interrupted(self) -> bool:
        """Whether some points did not come to their end."""
        return any(point.state == INTERRUPTED for point in self.points)

    def _repr_html_(self) -> str:
        from floatgate.grid.write import HEAD, cells, not_reached_words, spare_words

        says = (not_reached_words(self.points), spare_words(self.points))
        return notebook.table(f"{self.asked.drive}: {self.title}", HEAD, map(cells, self.points), says)


def run_grid(
    asked: Asked,
    *,
    progress: Callable[[int, int, str], None] = lambda _done, _total, _last: None,
    **how: Unpack[How],
) -> Grid:
    """Measure every setting; what is found does not depend on the number of workers.

    When `stopped` says so, points that are not done are marked as interrupted. Raises InputError or Fault.
    """
    found = find_disk(asked.drive)
    if found is not None:
        title, capacity, tasks = _disk_tasks(asked, read_disk(found))
    else:
        card = _explain(asked)
        buffer = _write_back_bytes(cards.values(card))
        title, capacity = card["title"], card["capacity_bytes"]
        tasks = [_task(asked, setting, buffer) for setting in asked.settings]
    _check(asked, capacity)
    points = _run_all(tasks, progress, how)
    return Grid(asked, title, capacity, tuple(points))


def _explain(asked: Asked) -> dict[str, Any]:
    """Return the configuration of a flash drive; a name that nothing has may be near to a disk's."""
    try:
        return cards.of_drive(asked.drive, asked.overrides)
    except InputError as error:
        near = nearest_disk(asked.drive)
        if near is None or "unknown drive" not in str(error) or "did you mean" in str(error):
            raise
        raise InputError(f'{asked.drive}: unknown drive; did you mean "{near}"?') from None


def measure_one(
    drive: str,
    setting: Setting,
    *,
    overrides: Sequence[str] = (),
    file_bytes: int = 1 << 30,
    rule: Rule | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Point:
    """Measure one point of a flash drive in this process. Raises InputError or Fault."""
    card = cards.of_drive(drive, overrides)
    buffer = _write_back_bytes(cards.values(card))
    asked = Asked(drive, (setting,), tuple(overrides), file_bytes=file_bytes, rule=rule or Rule())
    _check(asked, card["capacity_bytes"])
    return measure(_task(asked, setting, buffer), stopped)


def _task(asked: Asked, setting: Setting, buffer: int) -> Task:
    return Task(setting, asked.drive, asked.overrides, asked.options, asked.file_bytes, asked.rule, buffer)


def _disk_tasks(asked: Asked, disk: Disk) -> tuple[str, int, list[Task]]:
    """A magnetic disk has no configuration keys and no state; its cache's times come from its flash drive."""
    if asked.overrides:
        raise InputError(
            f"--set {asked.overrides[0]}: {asked.drive} is a disk: expected a flash drive with this"
        )
    if asked.options.load_state or asked.options.precondition not in ("none", "fill"):
        option = "--load-state" if asked.options.load_state else "--precondition"
        value = asked.options.load_state or asked.options.precondition
        raise InputError(
            f"{option} {value}: {asked.drive} is a disk, which has no state: expected a flash drive with this"
        )
    times: dict[int, CacheTimes | None] = {}
    tasks = []
    for setting in asked.settings:
        if setting.block_bytes not in times:
            times[setting.block_bytes] = cache_times(disk, setting.block_bytes, asked.options.seed)
        cached = times[setting.block_bytes]
        kept = int(disk.cache.size) if disk.cache and setting.op == "write" else 0
        tasks.append(replace(_task(asked, setting, kept), disk=disk, cache=cached))
    return disk.title, int(disk.capacity), tasks


def cache_times(disk: Disk, block: int, seed: int) -> CacheTimes | None:
    """Measure what a disk's flash cache takes for a request of `block` bytes; None without a cache."""
    if disk.cache is None:
        return None
    ask = (Setting("random", "read", block, 1), Setting("sequential", "write", block, 1))
    flash = Asked(disk.cache.drive, ask, options=Options(seed=seed, precondition="fill", requests=True))
    read, write = (measure(_task(flash, setting, 0)) for setting in ask)
    if read.latency_ns_mean is None or write.latency_ns_mean is None:
        raise InputError(
            f"cache.drive = {disk.cache.drive}: no steady state in a minute: expected another drive"
        )
    return CacheTimes(read.latency_ns_mean / 1e6, write.latency_ns_mean / 1e6)


def _check(asked: Asked, capacity: int) -> None:
    """Refuse a file that the drive cannot hold, or that is smaller than a block, before anything runs."""
    if asked.file_bytes > capacity:
        shown, most = q.size(asked.file_bytes), q.size(capacity)
        raise InputError(f"--file-size {shown}: expected at most the drive's {most}")
    largest = max(setting.block_bytes for setting in asked.settings)
    if largest > asked.file_bytes:
        raise InputError(f"--block {q.size(largest)}: expected at most the file, {q.size(asked.file_bytes)}")


def _write_back_bytes(config: dict[str, Any]) -> int:
    """Return the size of a buffer that acknowledges writes; 0 where writes wait for the flash."""
    if not config.get("ftl.buffer.write_back") or "ftl.buffer.size" not in config:
        return 0
    return int(read_measure(config["ftl.buffer.size"], SIZES, "1MiB"))


def _run_all(tasks: Sequence[Task], progress: Callable[[int, int, str], None], how: How) -> list[Point]:
    def watch(done: list[int], _part: float) -> None:
        progress(len(done), len(tasks), tasks[done[-1]].setting.name if done else "")

    found = spread(
        _one,
        tasks,
        inputs=of_plan(tasks[0].plan()) if tasks[0].disk is None else (),
        memory_bytes=tasks[0].options.memory_bytes(),
        # Small blocks take the most requests, and so the longest.
        cost=lambda task: -task.setting.block_bytes,
        watch=watch,
        **how,
    )
    return [point or Point(task.setting, INTERRUPTED) for point, task in zip(found, tasks, strict=True)]


def _one(task: Task) -> Point:
    """Measure one point in a worker."""
    return Point(task.setting, INTERRUPTED) if stopping() else measure(task, stopping)
