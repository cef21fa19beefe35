"""The life of a drive: overwritten until it takes no more writes, in windows with jumps between.

Not modelled: time (retention, refresh, read disturb), failing programs, errors beyond the ECC. All of them
end a drive earlier than is shown here.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatgate import _core, places
from floatgate import quantities as q
from floatgate.errors import InputError
from floatgate.lab import figures
from floatgate.report.plot import axis
from floatgate.report.sheet import Section, sheet

TERABYTE = 1e12
DAYS_PER_YEAR = 365.25
ROWS_SHOWN = 12
HEAD = ("TB written", "drive writes", "waf", "cycles, mean", "least", "most", "bad blocks", "superblocks")


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
            "windows": [vars(row) for row in self.rows],
        }


def age(
    drive: str,
    changes: Sequence[str] = (),
    *,
    hot: str | None = None,
    jump: float = 0.01,
    seed: int = 1,
    progress: Callable[[float], None] = lambda _part: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Life:
    """Overwrite `drive` at random until it takes no more writes, or until `stopped`.

    `hot` is `W/S`: W of the writes go to S of the space. Raises InputError for a drive whose chip knows no
    endurance.
    """
    options = {"seed": seed, "jump": jump} | _skew(hot)
    ageing = _core.Ageing(drive, list(changes), places.folders(), json.dumps(options))
    rows: list[Row] = []
    while not rows or not (rows[-1].read_only or stopped()):
        text, part = ageing.advance()
        rows.append(Row(**json.loads(text)))
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
        return f"stopped after {last.host_bytes / TERABYTE:,.4g} TB; the drive still takes writes"
    return (
        f"takes no more writes after {last.host_bytes / TERABYTE:,.4g} TB (TBW), {last.drive_writes:,.0f} "
        f"drive writes: {life.dwpd(years):.3g} a day for {years:g} years"
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


def page(life: Life, years: float) -> str:
    """Return the report: one self-contained HTML page."""
    written = [row.host_bytes / TERABYTE for row in life.rows]
    x = axis("TB written by the host") | {"rangemode": "tozero"}
    wear = figures.lines(
        {
            "most worn": (written, [float(row.pe_cycles_max) for row in life.rows]),
            "mean": (written, [row.pe_cycles_mean for row in life.rows]),
            "least worn": (written, [float(row.pe_cycles_min) for row in life.rows]),
        },
        x,
        axis("program/erase cycles") | {"rangemode": "tozero", "tickformat": "~s"},
        markers=False,
    )
    bad = figures.lines(
        {"bad blocks": (written, [float(row.bad_blocks) for row in life.rows])},
        x,
        axis("bad blocks") | {"rangemode": "tozero"},
        shape="hv",
        markers=False,
    )
    waf = figures.lines(
        {"write amplification": (written, [row.waf for row in life.rows])},
        x,
        axis("write amplification") | {"rangemode": "tozero"},
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
        ),
    )
