"""The life of a drive: overwritten until it takes no more writes, in windows with jumps between.

Now and then a copy of the drive is run under a mixed load, which shows how fast it is at that age.

Not modelled: time (retention, refresh, read disturb), failing programs, errors beyond the ECC. All of them
end a drive earlier than is shown here.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, TypedDict

from floatgate import _core, places, quantities as q
from floatgate.errors import InputError
from floatgate.lab import figures
from floatgate.report.plot import Axis
from floatgate.report.sheet import Section, sheet

TERABYTE = 1e12
DAYS_PER_YEAR = 365.25
ROWS_SHOWN = 12
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
    measure: float
    seed: int


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
    speed: Speed | None  # before the window, where it was measured

    @classmethod
    def read(cls, text: str) -> "Row":
        """Read what the core says."""
        known = json.loads(text)
        speed = known.pop("speed")
        return cls(**known, speed=Speed(**speed) if speed else None)


@dataclass(frozen=True)
class Life:
    """All windows of a drive's life."""

    drive: str
    capacity_bytes: int
    seed: int
    rows: tuple[Row, ...]

    @property
    def ended(self) -> bool:
        """True when the drive takes no more writes; false when ageing was stopped."""
        return self.rows[-1].read_only

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
        """Write amplification over the whole life."""
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
            "seed": self.seed,
            "ended": self.ended,
            "host_bytes_written": self.bytes_written,
            "drive_writes": self.rows[-1].drive_writes,
            "years": years,
            "dwpd": self.dwpd(years),
            "years_at_one_drive_write_a_day": self.years_at_one_a_day,
            "waf": self.waf,
            "windows": [asdict(row) for row in self.rows],
        }


def age(
    drive: str,
    changes: Sequence[str] = (),
    *,
    hot: str | None = None,
    jump: float = 0.01,
    measure: float = 0.02,
    seed: int = 1,
    progress: Callable[[float], None] = lambda _part: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Life:
    """Overwrite `drive` at random until it takes no more writes, or until `stopped`.

    `hot` is `W/S`: W of the writes go to S of the space. Times are measured each `measure` of a life.
    Raises InputError for a drive whose chip knows no endurance.
    """
    options = {"seed": seed, "jump": jump, "measure": measure} | _skew(hot)
    ageing = _core.Ageing(drive, list(changes), places.folders(), json.dumps(options))
    rows: list[Row] = []
    while not rows or not (rows[-1].read_only or stopped()):
        text, part = ageing.advance()
        rows.append(Row.read(text))
        progress(min(part, 1.0))
    return Life(drive, ageing.capacity_bytes(), seed, tuple(rows))


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
        return f"stopped after {last.host_bytes / TERABYTE:,.4g} TB; the drive still accepts writes"
    return (
        f"accepts no more writes after {last.host_bytes / TERABYTE:,.4g} TB (TBW), {last.drive_writes:,.0f} "
        f"drive writes: {life.dwpd(years):.3g} per day over {years:g} years, or one per day for "
        f"{life.years_at_one_a_day:.3g} years"
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
    says = (
        "The drive was overwritten at random; each block fails by its own life. Retention, errors beyond the "
        "ECC and failing programs are not in it: they end a drive earlier."
    )
    return sheet(
        "life of a drive",
        life.drive,
        sentence(life, years),
        facts,
        (
            Section("Wear", says, {"wear": wear}),
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
