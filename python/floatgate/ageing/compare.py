"""Several lives of one drive beside each other: one key of the drive takes each of a few values.

A value may bring settings of its own: `ftl.wear.name=dynamic,static+ftl.wear.threshold=1000`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Unpack

from floatgate import _core
from floatgate.ageing.life import TERABYTE, Conditions, Life, age
from floatgate.errors import InputError
from floatgate.files import copies, shipped
from floatgate.lab import figures
from floatgate.report.plot import Axis, Figure
from floatgate.report.sheet import Section, sheet
from floatgate.values import quantities as q
from floatgate.workers import How, note, spread, stopping
from floatgate.workers.inputs import of_drive
from floatgate.workers.memory import room

HEAD = (
    "",
    "TBW, TB",
    "drive writes",
    "DWPD",
    "waf",
    "cycles, mean",
    "ended by",
    "first failure, TB",
    "read, mean",
    "read, p99",
    "write, mean",
    "write, p99",
    "program",
    "erase",
)
TIMES = (
    "read_ns_mean",
    "read_ns_p99",
    "write_ns_mean",
    "write_ns_p99",
    "program_ns_mean",
    "erase_ns_mean",
)
FEWEST = 2


def values_of(asked: str) -> tuple[str, list[str]]:
    """Return key and values of `KEY=A,B,...`. Raises InputError where there are not two values or more."""
    key, equals, listed = asked.partition("=")
    values = [value.strip() for value in listed.split(",")]
    if not equals or not key or len(values) < FEWEST or not all(values) or len(set(values)) < len(values):
        expected = "expected a key and two different values or more, such as ftl.wear.name=dynamic,static"
        raise InputError(f"--compare {asked}: {expected}")
    return key, values


def compare(
    drive: str,
    changes: Sequence[str],
    asked: str,
    how: Conditions,
    *,
    progress: Callable[[float], None] = lambda _part: None,
    **spreading: Unpack[How],
) -> dict[str, Life]:
    """Age the drive with each value of `asked`, as many at once as there are processors."""
    key, values = values_of(asked)
    asked_of = [(drive, (*changes, *f"{key}={value}".split("+")), how) for value in values]
    lives = spread(
        _one,
        asked_of,
        inputs=[file for one in asked_of for file in of_drive(one[0], one[1])],
        waiting="begins",  # each is a life, however short
        watch=lambda _done, part: progress(part),
        **spreading,
    )
    begun = {value: life for value, life in zip(values, lives, strict=True) if life is not None}
    if not begun:
        raise KeyboardInterrupt  # it came before any of them had a first window
    return begun


_Asked = tuple[str, tuple[str, ...], Conditions]  # a drive, its changes, and how it is aged


def _one(asked: _Asked) -> Life:
    """Age one drive in a worker."""
    drive, changes, how = asked
    place, changed = copies.place(drive), copies.placed(changes)
    with room(lambda: _core.memory_bytes(place, changed, shipped.folders(), False)):
        return age(drive, changes, **how, progress=note, stopped=stopping)


def shown(lives: Mapping[str, Life], years: float) -> list[tuple[str, ...]]:
    """Return a line for each life: its length, and its times as means over it."""
    rows = []
    for name, life in lives.items():
        first = next((row.host_bytes for row in life.rows if row.bad_blocks > life.rows[0].bad_blocks), None)
        rows.append(
            (
                name,
                f"{life.bytes_written / TERABYTE:,.4g}" + ("" if life.ended else " (stopped)"),
                f"{life.rows[-1].drive_writes:,.0f}",
                f"{life.dwpd(years):.3g}",
                f"{life.waf:.3f}",
                f"{life.rows[-1].pe_cycles_mean:,.0f}",
                "code" if life.rows[-1].unreadable else "erases" if life.ended else q.NOTHING,
                "-" if first is None else f"{first / TERABYTE:,.4g}",
                *(q.duration(life.over_life(key)) for key in TIMES),
            )
        )
    return rows


def _speed(lives: Mapping[str, Life], key: str, title: str, *, log: bool = False) -> Figure:
    """Return one time of each life over the bytes written."""
    series = {}
    for name, life in lives.items():
        points = [(at / TERABYTE, getattr(speed, key)) for at, speed in life.speeds()]
        known = [(at, value / 1e6) for at, value in points if value is not None]
        series[name] = [at for at, _ in known], [value for _, value in known]
    return figures.lines(series, _written(), Axis(title, log=log, zero=not log), markers=False)


def _written() -> Axis:
    return Axis("TB written by the host", zero=True)


def _rows(lives: Mapping[str, Life], key: str, title: str, *, steps: bool = False) -> Figure:
    """Return one count of each life over the bytes written."""
    series = {
        name: (
            [row.host_bytes / TERABYTE for row in life.rows],
            [float(getattr(row, key)) for row in life.rows],
        )
        for name, life in lives.items()
    }
    scale = Axis(title, zero=True)
    return figures.lines(series, _written(), scale, steps=steps, markers=False)


def page(drive: str, asked: str, lives: Mapping[str, Life], how: Conditions, years: float) -> str:
    """Return the report: one self-contained HTML page."""
    key, _ = values_of(asked)
    any_life = next(iter(lives.values()))
    longest = max(lives, key=lambda name: lives[name].bytes_written)
    shortest = min(lives, key=lambda name: lives[name].bytes_written)
    ratio = lives[longest].bytes_written / lives[shortest].bytes_written
    what = f"{key}: {longest} lives longest, {ratio:.3g} times as long as {shortest}"
    writes = f"{how['hot']} of writes and space" if how["hot"] else "uniform writes"
    facts = (q.size(any_life.capacity_bytes), f"seed {how['seed']}", writes)
    sections = [
        Section(
            "Life",
            "Each drive is overwritten until erases fail or its code could no longer read; each block wears "
            "by its own life. Latencies, programs and erases are means over the whole life.",
            {
                "bad": _rows(lives, "bad_blocks", "bad blocks", steps=True),
                "waf": _rows(lives, "waf", "write amplification"),
            },
            HEAD,
            shown(lives, years),
        )
    ]
    if any(life.speeds() for life in lives.values()):
        says = (
            "Copies of the drives under a mixed load, 16 requests outstanding, 30 % of them reads: "
            "what the host waits for, and how long arrays are busy."
        )
        sections.append(
            Section(
                "Speed by age",
                says,
                {
                    "write-mean": _speed(lives, "write_ns_mean", "mean write latency, ms"),
                    "write-p99": _speed(lives, "write_ns_p99", "p99 write latency, ms"),
                    "read-mean": _speed(lives, "read_ns_mean", "mean read latency, ms"),
                    "read-p99": _speed(lives, "read_ns_p99", "p99 read latency, ms"),
                    "program": _speed(lives, "program_ns_mean", "mean program, ms"),
                    "erase": _speed(lives, "erase_ns_mean", "mean erase, ms"),
                },
            )
        )
    return sheet("lives of a drive", drive, what, facts, sections)
