"""The laboratory's report: one self-contained HTML page with every figure."""

from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from floatgate import quantities as q
from floatgate.lab.experiment import Table
from floatgate.report import parts

if TYPE_CHECKING:
    from floatgate.lab.run import Characterized, Outcome

_HERE = Path(__file__).parent
_STYLE = Path(parts.__file__).parent
_SHORT = 8  # rows that are shown without being asked for

DEFINITIONS = (
    ("endurance", "program/erase cycles that a block completes before an operation fails by status"),
    ("busy time", "from the end of the command until the chip is ready again; no transfer over the bus"),
    ("pulse", "one step of program or erase: a voltage for a set time, then the cells are verified"),
    ("fail", "the pulses that the chip allows itself ran out before all cells had come to their state"),
    ("state", "a range of threshold voltage that stands for the bits of a cell; digit by digit of its pages"),
    ("verify level", "a cell whose threshold voltage has passed the level of its state gets no more pulses"),
    ("reference", "the voltage with which a read tells two neighbouring states apart"),
)


def page(done: "Characterized", logs: list[str]) -> str:
    """Return the whole HTML text, with its style, script and data inside."""
    identity = done.identity
    figures = {
        name: figure
        for outcome in done.outcomes
        if outcome.result
        for name, figure in outcome.result.figures.items()
    }
    return Template((_HERE / "report.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"{identity.name}: characterized"),
        name=escape(identity.name),
        what=escape(identity.title),
        facts=escape(_facts(done)),
        notice=_notice(done),
        cards=_cards(done),
        contents=_contents(done),
        sections="\n".join(_section(outcome) for outcome in done.outcomes),
        logs="".join(f'<li><a href="logs/{escape(name)}.csv">{escape(name)}.csv</a></li>' for name in logs),
        definitions="".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in DEFINITIONS
        ),
        version=escape(done.version),
        style=(_STYLE / "style.css").read_text(encoding="utf-8")
        + (_HERE / "report.css").read_text(encoding="utf-8"),
        plotly=parts.plotly_script(),
        figures=parts.embedded(figures),
        script=(_STYLE / "draw.js").read_text(encoding="utf-8"),
    )


def _facts(done: "Characterized") -> str:
    identity, rated = done.identity, done.identity.rated
    sample = "real silicon" if done.seed is None else f"sample {done.seed}"
    return " · ".join(
        (
            f"{identity.maker}, READ ID {identity.device_id.hex(' ')}",
            identity.cell.upper(),
            f"{identity.blocks:,} blocks of {identity.pages_per_block} pages of "
            f"{identity.page_bytes}+{identity.oob_bytes} bytes",
            f"rated {q.count(rated.pe_cycles)} cycles" if rated.pe_cycles else "rating not known",
            sample,
            f"{done.blocks} blocks worn in each endurance test",
        )
    )


def _notice(done: "Characterized") -> str:
    if not done.interrupted:
        return ""
    missing = [outcome.experiment.title for outcome in done.outcomes if outcome.state == "not run"]
    rest = f" Not run: {', '.join(missing)}." if missing else ""
    return f'<p class="notice">Interrupted; the page shows what was measured until then.{escape(rest)}</p>'


def _cards(done: "Characterized") -> str:
    numbers = {outcome.experiment.name: outcome.result.numbers for outcome in done.outcomes if outcome.result}
    cards = []
    if "endurance" in numbers:
        found = numbers["endurance"]
        ratio = q.ratio(found["mean_cycles"] / found["rated_cycles"]) if found["rated_cycles"] else q.NOTHING
        cards.append(
            _card(
                "endurance",
                "drive",
                q.count(found["mean_cycles"]),
                "cycles, mean",
                f"{ratio} times the rating",
                (
                    ("first failure", q.count(found["least_cycles"])),
                    ("median", q.count(found["median_cycles"])),
                    ("last", q.count(found["most_cycles"])),
                ),
            )
        )
    if "latency" in numbers:
        found = numbers["latency"]
        for operation, kind in (("program", "write"), ("erase", "drive"), ("read", "read")):
            cards.append(_time_card(found, operation, kind))
    return "\n".join(cards)


def _time_card(found: dict[str, Any], operation: str, kind: str) -> str:
    value, unit = q.duration(found["measured_ns"][operation]["mean"]).split(" ")
    specified = found["specified_ns"][operation]
    below = f"specified: {q.duration(specified)}" if specified else "not specified"
    rows = tuple((name, q.duration(found["measured_ns"][operation][name])) for name in ("worst", "best"))
    return _card(f"{operation} time", kind, value, f"{unit}, mean", below, rows)


def _card(name: str, kind: str, value: str, unit: str, below: str, rows: tuple[tuple[str, str], ...]) -> str:
    items = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(shown)}</dd></div>" for key, shown in rows)
    return (
        f'<article class="card {kind}"><h2>{escape(name)}</h2>'
        f'<p class="big">{escape(value)} <span>{escape(unit)}</span></p>'
        f'<p class="below">{escape(below)}</p><dl>{items}</dl></article>'
    )


def _contents(done: "Characterized") -> str:
    return "".join(
        f'<a href="#{outcome.experiment.name}-section">{escape(outcome.experiment.title)}</a>'
        for outcome in done.outcomes
        if outcome.result
    )


def _section(outcome: "Outcome") -> str:
    experiment, result = outcome.experiment, outcome.result
    head = (
        f'<section id="{experiment.name}-section"><h2>{escape(experiment.title)}</h2>'
        f'<p class="asked">{escape(experiment.question)} <span>{escape(experiment.source)}</span></p>'
    )
    if result is None:
        return f'{head}<p class="lacking">{escape(outcome.reason)}</p></section>'
    partial = f'<p class="notice">{escape(outcome.reason)}</p>' if outcome.reason else ""
    drawn = "".join(f'<div class="figure" id="{name}"></div>' for name in result.figures)
    beside = " together" if len(result.figures) > 1 and experiment.name in _BESIDE else ""
    tables = "".join(_table(table) for table in result.tables)
    return (
        f'{head}{partial}<p class="says">{escape(result.says)}</p>'
        f'<div class="figures{beside}">{drawn}</div>{tables}</section>'
    )


_BESIDE = (
    "endurance",
    "latency",
    "state-errors",
    "page-program",
    "state-erase",
    "prediction",
    "voltage-plans",
)  # small figures


def _table(table: Table) -> str:
    shown = parts.grid(list(table.head), [list(row) for row in table.rows])
    if len(table.rows) <= _SHORT:
        return shown
    return f"<details><summary>{len(table.rows)} rows of numbers</summary>{shown}</details>"
