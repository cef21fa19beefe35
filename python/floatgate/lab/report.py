"""The laboratory's report: one self-contained HTML page with every figure."""

from typing import TYPE_CHECKING, Any

from floatgate.report.html import Card, render
from floatgate.values import quantities as q

if TYPE_CHECKING:
    from floatgate.lab.run import Characterized

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
    return render(
        "chip.html",
        styles=("style.css", "chip.css"),
        figures=figures,
        name=identity.name,
        what=identity.title,
        facts=_facts(done),
        notice=_notice(done),
        cards=_cards(done),
        outcomes=done.outcomes,
        beside=_BESIDE,
        short=_SHORT,
        logs=logs,
        definitions=DEFINITIONS,
    )


def _facts(done: "Characterized") -> tuple[str, ...]:
    identity, rated = done.identity, done.identity.rated
    sample = "real silicon" if done.seed is None else f"sample {done.seed}"
    return (
        f"{identity.maker}, READ ID {identity.device_id.hex(' ')}",
        identity.cell.upper(),
        f"{identity.blocks:,} blocks of {identity.pages_per_block} pages of "
        f"{identity.page_bytes}+{identity.oob_bytes} bytes",
        f"rated {q.count(rated.pe_cycles)} cycles" if rated.pe_cycles else "rating not known",
        sample,
        f"{done.blocks} blocks worn in each endurance test",
    )


def _notice(done: "Characterized") -> str:
    if not done.interrupted:
        return ""
    missing = [outcome.experiment.title for outcome in done.outcomes if outcome.state == "not run"]
    rest = f" Not run: {', '.join(missing)}." if missing else ""
    return f"Interrupted; the page shows what was measured until then.{rest}"


def _cards(done: "Characterized") -> list[Card]:
    numbers = {outcome.experiment.name: outcome.result.numbers for outcome in done.outcomes if outcome.result}
    cards: list[Card] = []
    if "endurance" in numbers:
        found = numbers["endurance"]
        ratio = q.ratio(found["mean_cycles"] / found["rated_cycles"]) if found["rated_cycles"] else q.NOTHING
        cards.append(
            Card(
                "drive",
                "endurance",
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
    return cards


def _time_card(found: dict[str, Any], operation: str, kind: str) -> Card:
    value, unit = q.duration(found["measured_ns"][operation]["mean"]).split(" ")
    specified = found["specified_ns"][operation]
    below = f"specified: {q.duration(specified)}" if specified else "not specified"
    rows = tuple((name, q.duration(found["measured_ns"][operation][name])) for name in ("worst", "best"))
    return Card(kind, f"{operation} time", value, f"{unit}, mean", below, rows)


_BESIDE = (
    "endurance",
    "latency",
    "state-errors",
    "page-program",
    "state-erase",
    "prediction",
    "voltage-plans",
)  # small figures
