"""The life of a drive: overwritten until it ends, in windows with jumps between.

It ends when the drive takes no more writes, or as soon as its code could no longer read what it holds at
the end of the time that data must last without power (`ageing_end.py`).

Now and then a copy of the drive is run under a mixed load, which shows how fast it is at that age.

Not modelled: failing programs; errors, where the drive has no code or its chip no tables of them.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import inf
from typing import Any, TypedDict

from floatgate import _core
from floatgate.ageing import end
from floatgate.ageing.end import InUse, JedecClass, Judged, Readability
from floatgate.errors import InputError
from floatgate.files import copies, shipped
from floatgate.lab import figures
from floatgate.report.plot import Axis
from floatgate.report.sheet import Section, sheet
from floatgate.results import notebook
from floatgate.values import quantities as q

TERABYTE = 1e12
DAYS_PER_YEAR = 365.25
ROWS_SHOWN = 12
FEW_MEASURED = 5
WORTH_A_WORD = 0.05  # by so much a time has changed before it is said why
HEAD = ("TB written", "drive writes", "waf", "cycles, mean", "least", "most", "bad blocks", "superblocks")


SPEED_HEAD = (
    "TB written",
    "read, mean",
    "read, p99",
    "write, mean",
    "write, p99",
    "written per second",
    "program",
    "erase",
)


class Conditions(TypedDict):
    """How a drive is aged, as `age` takes it."""

    hot: str | None
    jump: float
    window: float
    measure: float
    seed: int
    jedec: JedecClass | None
    years: float
    duty: float | None
    temperature: float | None
    off_temperature: float | None
    limit_writes: float | None


@dataclass(frozen=True)
class Speed:
    """Times of a drive under a mixed load, as the core tells them: of the host, and of the arrays."""

    read_ns_mean: float
    read_ns_p99: float
    write_ns_mean: float
    write_ns_p99: float
    write_bytes_per_s: float
    program_ns_mean: float
    erase_ns_mean: float | None

    def shown(self) -> tuple[str, ...]:
        """Return the times in the order of SPEED_HEAD."""
        return (
            q.duration(self.read_ns_mean),
            q.duration(self.read_ns_p99),
            q.duration(self.write_ns_mean),
            q.duration(self.write_ns_p99),
            q.bandwidth(self.write_bytes_per_s),
            q.duration(self.program_ns_mean),
            q.duration(self.erase_ns_mean),
        )


@dataclass(frozen=True)
class Row:
    """A drive at the end of a window, as the core tells it."""

    host_bytes: float
    drive_writes: float
    waf: float
    pe_cycles_min: int
    pe_cycles_mean: float
    pe_cycles_max: int
    bad_blocks: int
    superblocks: int
    jumped: int
    read_only: bool
    unreadable: bool  # at the end of the time that data must last
    readability: Readability | None  # then; None where it cannot be told
    speed: Speed | None  # before the window, where it was measured

    @classmethod
    def read(cls, text: str) -> "Row":
        """Read what the core says."""
        known = json.loads(text)
        speed, found = known.pop("speed"), known.pop("readability")
        return cls(**known, speed=Speed(**speed) if speed else None, readability=Readability.of(found))

    @property
    def ends(self) -> bool:
        """True when the drive takes no more writes, or would lose what it took."""
        return self.read_only or self.unreadable


@dataclass(frozen=True)
class Life:
    """All windows of a drive's life."""

    drive: str
    capacity_bytes: int
    unit_bytes: int  # of a mapping unit, which each write was one of
    seed: int
    rows: tuple[Row, ...]
    judged: Judged
    in_use: InUse | None

    @property
    def ended(self) -> bool:
        """True when the drive came to its end; false when ageing was stopped."""
        return self.rows[-1].ends

    @property
    def cause(self) -> str | None:
        """What ended it, in words; None where it was stopped."""
        last = self.rows[-1]
        if not last.ends:
            return None
        return end.cause(self.judged, last.readability, unreadable=last.unreadable)

    @property
    def flash_bytes(self) -> float:
        """Bytes programmed until the end, for the host and by collection: other workloads divide them."""
        return self.bytes_written * self.waf

    @property
    def bytes_written(self) -> float:
        """Host bytes until the end: TBW in bytes."""
        return self.rows[-1].host_bytes

    def dwpd(self, years: float) -> float:
        """Drive writes per day that the drive lasts for so many years."""
        return self.rows[-1].drive_writes / (years * DAYS_PER_YEAR)

    @property
    def years_at_one_a_day(self) -> float:
        """Years that the drive lasts with one drive write a day."""
        return self.rows[-1].drive_writes / DAYS_PER_YEAR

    @property
    def waf(self) -> float:
        """Write amplification over the whole life: bytes programmed over bytes written, in whole units."""
        ends = [0.0, *(row.drive_writes for row in self.rows)]
        spans = [end - begin for begin, end in pairwise(ends)]
        programmed = sum(row.waf * span for row, span in zip(self.rows, spans, strict=True))
        return programmed / sum(spans)

    def speeds(self) -> list[tuple[float, Speed]]:
        """Return what was measured, each with the bytes written before."""
        befores = [0.0, *(row.host_bytes for row in self.rows)]
        return [
            (before, row.speed)
            for before, row in zip(befores, self.rows, strict=False)
            if row.speed is not None
        ]

    def over_life(self, key: str) -> float | None:
        """Return the mean over life of a measured time, weighted with what was written."""
        speeds = self.speeds()
        if not speeds:
            return None
        ends = [before for before, _ in speeds[1:]] + [self.bytes_written]
        found = [
            (getattr(speed, key), end - before)
            for (before, speed), end in zip(speeds, ends, strict=True)
            if getattr(speed, key) is not None
        ]
        weight = sum(span for _, span in found)
        return sum(value * span for value, span in found) / weight if weight > 0 else None

    def document(self, years: float) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "drive": self.drive,
            "capacity_bytes": self.capacity_bytes,
            "mapping_unit_bytes": self.unit_bytes,
            "seed": self.seed,
            "ended": self.ended,
            "cause": self.cause,
            "judged": asdict(self.judged),
            "in_use": asdict(self.in_use) if self.in_use else None,
            "host_bytes_written": self.bytes_written,
            "drive_writes": self.rows[-1].drive_writes,
            "years": years,
            "dwpd": self.dwpd(years),
            "years_at_one_drive_write_a_day": self.years_at_one_a_day,
            "waf": self.waf,
            "flash_bytes_written": self.flash_bytes,
            "windows": [asdict(row) for row in self.rows],
        }

    def _repr_html_(self) -> str:
        return notebook.table(
            f"life of {self.drive}", HEAD, shown(self), (sentence(self, 5.0), *remarks(self))
        )


def age(
    drive: str,
    changes: Sequence[str] = (),
    *,
    hot: str | None = None,
    jump: float = 0.01,
    window: float = 1.0,
    measure: float = 0.02,
    seed: int = 1,
    jedec: JedecClass | None = None,
    years: float = 5.0,
    duty: float | None = None,
    temperature: float | None = None,
    off_temperature: float | None = None,
    limit_writes: float | None = None,
    save_state: str | None = None,
    progress: Callable[[float], None] = lambda _part: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Life:
    """Overwrite `drive` at random until it ends, or until `stopped`.

    `hot` is `W/S`: W of the writes go to S of the space. `jump` of a life is skipped after each `window`, in
    drive writes. Times are measured each `measure` of a life.
    `jedec` is the class of JESD218 by which data must last, the drive's own where it is None. The writes are
    spread over `years`, in which the drive is powered for the share `duty` of the time at `temperature`, else
    at `off_temperature` (degrees Celsius, all as the class where None). The drive is saved at its end as
    `save_state`, for runs that load it. It ends at the first window after `limit_writes` drive writes, too.
    Raises InputError for a drive whose chip knows neither endurance nor errors, or has too short tables.
    """
    profile = {"class": jedec, "years": years, "duty": duty}
    heat = {"celsius": temperature, "off_celsius": off_temperature}
    pace = {"jump": jump, "window": window, "measure": measure}
    options = {"seed": seed} | pace | profile | heat | _skew(hot)
    ageing = _core.Ageing(copies.place(drive), copies.placed(changes), shipped.folders(), json.dumps(options))
    judged = Judged.read(ageing.facts())
    if judged.without_code is not None:
        _refuse_idle(judged.without_code, jedec, duty, temperature, off_temperature)
    rows: list[Row] = []
    limit = inf if limit_writes is None else limit_writes
    while not rows or not (rows[-1].ends or rows[-1].drive_writes >= limit or stopped()):
        try:
            text, part = ageing.go_on()
        except _core.Stopped:  # it was asked for, and a window did not end
            if not rows or ageing.is_broken():
                raise
            break
        if text is not None:
            rows.append(Row.read(text))
        progress(min(max(part, rows[-1].drive_writes / limit if rows else 0.0), 1.0))
    in_use = InUse.read(ageing.in_use())
    if save_state is not None:
        ageing.save_state(save_state)
    return Life(drive, ageing.capacity_bytes(), ageing.unit_bytes(), seed, tuple(rows), judged, in_use)


def _refuse_idle(without_code: str, *given: str | float | None) -> None:
    """Refuse what says how data must last where nothing tells whether they do."""
    for flag, value in zip(("jedec", "duty", "temperature", "off-temperature"), given, strict=True):
        if value is not None:
            expected = "expected a drive with a code and a chip with error tables"
            raise InputError(f"--{flag} {value}: errors end no life here ({without_code}): {expected}")


def _skew(hot: str | None) -> dict[str, float]:
    if hot is None:
        return {}
    writes, slash, space = hot.partition("/")
    try:
        shares = float(writes), float(space)
    except ValueError:
        shares = (0.0, 0.0)
    if not slash or not 0 < shares[0] <= 1 or not 0 < shares[1] < 1:
        raise InputError(f"--hot {hot}: expected shares of writes and of space, such as 0.8/0.2")
    return {"hot_writes": shares[0], "hot_space": shares[1]}


def sentence(life: Life, years: float) -> str:
    """Say what came out."""
    last = life.rows[-1]
    if not life.ended:
        return (
            f"stopped after {last.host_bytes / TERABYTE:,.4g} TB, {last.drive_writes:,.0f} drive writes: "
            f"{life.dwpd(years):.3g} per day over {years:g} years; the drive still accepts writes"
        )
    return (
        f"ends after {last.host_bytes / TERABYTE:,.4g} TB (TBW), {last.drive_writes:,.0f} drive writes: "
        f"{life.dwpd(years):.3g} per day over {years:g} years, or one per day for "
        f"{life.years_at_one_a_day:.3g} years. {life.cause}"
    )


def remarks(life: Life) -> list[str]:
    """Say what the end does not rest on, and how data read in use."""
    said = end.remark(life.judged)
    in_use = life.in_use.words(life.judged.requirement) if life.in_use else None
    return [text for text in (said, in_use, _improved(life), _seldom_measured(life)) if text]


def _improved(life: Life) -> str | None:
    """Say why requests are answered sooner at the end than at first, where they are."""
    speeds = [speed for _, speed in life.speeds()]
    if not speeds:
        return None
    first, last = speeds[0], speeds[-1]
    tails = {
        "reads": (first.read_ns_p99, last.read_ns_p99),
        "writes": (first.write_ns_p99, last.write_ns_p99),
    }
    better = {name: both for name, both in tails.items() if both[1] < (1 - WORTH_A_WORD) * both[0]}
    if not better:
        return None
    why = []
    if last.write_bytes_per_s < (1 - WORTH_A_WORD) * first.write_bytes_per_s:
        rates = [q.bandwidth(speed.write_bytes_per_s) for speed in (first, last)]
        why.append(
            "the drive was just filled at first and had nothing to collect; collections hold the host's "
            f"writes back from {rates[0]} to {rates[1]}, so that fewer programs stand before a request"
        )
    if last.program_ns_mean < first.program_ns_mean:
        programs = f"{q.duration(last.program_ns_mean)} instead of {q.duration(first.program_ns_mean)}"
        why.append(f"worn cells take {programs} to program")
    falls = " and ".join(
        f"{name} (p99 {q.duration(before)}, at last {q.duration(after)})"
        for name, (before, after) in better.items()
    )
    reasons = "; and ".join(why) or "neither slower writes nor shorter programs account for that"
    return f"{falls} are answered sooner at the end: {reasons}"


def _seldom_measured(life: Life) -> str | None:
    """Say that a life was over before its times were measured often."""
    count = len(life.speeds())
    if not 0 < count < FEW_MEASURED:
        return None
    return (
        f"times were measured {count} {'time' if count == 1 else 'times'} in this life: --measure is a part "
        "of the mean block's life, and a smaller one shows more"
    )


def shown(life: Life) -> list[tuple[str, ...]]:
    """Return the windows worth a line: about a dozen, the last among them."""
    last = len(life.rows) - 1
    some = sorted({round(index * last / (ROWS_SHOWN - 1)) for index in range(ROWS_SHOWN)})
    return [
        (
            f"{row.host_bytes / TERABYTE:,.4g}",
            f"{row.drive_writes:,.0f}",
            f"{row.waf:.3f}",
            f"{row.pe_cycles_mean:,.0f}",
            f"{row.pe_cycles_min:,}",
            f"{row.pe_cycles_max:,}",
            f"{row.bad_blocks:,}",
            f"{row.superblocks:,}",
        )
        for row in (life.rows[index] for index in some)
    ]


def speed_shown(life: Life) -> list[tuple[str, ...]]:
    """Return about a dozen of the measured windows."""
    speeds = life.speeds()
    last = len(speeds) - 1
    some = sorted({round(index * last / (ROWS_SHOWN - 1)) for index in range(ROWS_SHOWN)}) if speeds else []
    return [(f"{before / TERABYTE:,.4g}", *speed.shown()) for before, speed in (speeds[at] for at in some)]


def _speed_section(life: Life) -> Section:
    """Return the figures of the measured windows."""
    speeds = life.speeds()
    written = [before / TERABYTE for before, _ in speeds]
    x = Axis("TB written by the host", zero=True)

    def of(key: str) -> tuple[list[float], list[float]]:
        values = [(at, getattr(speed, key)) for at, (_, speed) in zip(written, speeds, strict=True)]
        return [at for at, value in values if value is not None], [
            value / 1e6 for _, value in values if value is not None
        ]

    latency = figures.lines(
        {
            "read, mean": of("read_ns_mean"),
            "read, p99": of("read_ns_p99"),
            "write, mean": of("write_ns_mean"),
            "write, p99": of("write_ns_p99"),
        },
        x,
        Axis("latency, ms", log=True),
        markers=False,
    )
    array = figures.lines(
        {"program": of("program_ns_mean"), "erase": of("erase_ns_mean")},
        x,
        Axis("array time, ms", zero=True),
        markers=False,
    )
    says = (
        "A copy of the drive under a mixed load: 16 requests outstanding, 30 % of them reads of one mapping "
        "unit anywhere, the rest writes where the ageing writes. Array times are means over all operations."
    )
    return Section("Speed", says, {"latency": latency, "array": array}, SPEED_HEAD, speed_shown(life))


def _sentences(texts: Sequence[str]) -> list[str]:
    return [f"{text[0].upper()}{text[1:]}." for text in texts]


def page(life: Life, years: float) -> str:
    """Return the report: one self-contained HTML page."""
    written = [row.host_bytes / TERABYTE for row in life.rows]
    x = Axis("TB written by the host", zero=True)
    wear = figures.lines(
        {
            "most worn": (written, [float(row.pe_cycles_max) for row in life.rows]),
            "mean": (written, [row.pe_cycles_mean for row in life.rows]),
            "least worn": (written, [float(row.pe_cycles_min) for row in life.rows]),
        },
        x,
        Axis("program/erase cycles", zero=True, format="si"),
        markers=False,
    )
    bad = figures.lines(
        {"bad blocks": (written, [float(row.bad_blocks) for row in life.rows])},
        x,
        Axis("bad blocks", zero=True),
        steps=True,
        markers=False,
    )
    waf = figures.lines(
        {"write amplification": (written, [row.waf for row in life.rows])},
        x,
        Axis("write amplification", zero=True),
        markers=False,
    )
    facts = (q.size(life.capacity_bytes), f"seed {life.seed}", f"{len(life.rows)} windows measured")
    says = " ".join(
        ["The drive was overwritten at random; each block wears by its own life.", *_sentences(remarks(life))]
    )
    points = [(row.host_bytes, row.readability) for row in life.rows if row.readability]
    return sheet(
        "life of a drive",
        life.drive,
        sentence(life, years),
        facts,
        (
            Section("Wear", says, {"wear": wear}),
            *([end.section(life.judged, points)] if points else []),
            Section(
                "Failures",
                "Blocks that failed take spare space away.",
                {"bad": bad, "waf": waf},
                HEAD,
                shown(life),
            ),
            *([_speed_section(life)] if life.speeds() else []),
        ),
    )
