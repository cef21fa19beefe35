"""The report of a fit: one self-contained HTML page with every law, its residuals and how good it is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from floatgate.lab.fit import figures, words
from floatgate.report.html import render
from floatgate.report.sheet import Section

if TYPE_CHECKING:
    from floatgate.lab.fit.run import Fit

DEFINITIONS = (
    ("wear, w", "program/erase cycles that a block has completed; 0 in its first cycle"),
    (
        "point",
        "a range of wear, twelve a decade: the mean over blocks of the means of their pages and cycles",
    ),
    ("law", "the candidate of the least corrected Akaike criterion: AICc for times, QAICc for error counts"),
    ("pulse", "the longest time of which the busy times are whole multiples apart (Kendall's quantum)"),
    ("R2", "share of the points' variance that the law explains"),
    ("good, times", "R2 of 0.9 or more, or an RMS residual within 0.35 of a pulse or 1 % of the mean"),
    ("explained", "share of the deviance of a constant rate that the law explains"),
    (
        "chi2/dof",
        "scatter of the counts around the law over that of chance: blocks that differ make it large",
    ),
    ("good, errors", "0.9 explained or chi2/dof up to 2, and rates met within 0.2 decades"),
    ("p", "how often samples of the distribution itself lie as far from their fit; good from 0.05 on"),
    ("95 %", "interval from 200 draws of blocks with replacement"),
)


def page(done: "Fit", written: Sequence[str]) -> str:
    """Return the whole HTML text, with its style, script and data inside."""
    sections = [_times(done), *_rates(done), _endurance(done), _numbers(done), _sources(done, written)]
    what = f"{done.gathered.entries:,} entries of {len(done.gathered.lives)} blocks"
    facts = f"up to {done.gathered.cycles_most:,} cycles"
    return assemble(done.name, what, facts, words.remarks(done, bool(written)), sections)


def assemble(name: str, what: str, facts: str, remarks: Sequence[str], sections: Sequence[Section]) -> str:
    """Put a page together."""
    figures = {name: figure for section in sections for name, figure in section.figures.items()}
    return render(
        "fit.html",
        styles=("style.css", "chip.css"),
        figures=figures,
        name=name,
        what=what,
        facts=facts,
        remarks=remarks,
        sections=sections,
        definitions=DEFINITIONS,
    )


def _times(done: "Fit") -> Section:
    says = (
        "Mean of the blocks alive, the law, and its whole pulses as they stand in the tables. Below, what "
        "the law leaves; the band is half a pulse on either side, which steps leave open by themselves."
    )
    drawn = [
        (f"time-{operation}-{kind}", figures.time(fit))
        for (operation, kind), fit in done.times.items()
        if operation != "read"
    ]
    return Section("Times by wear", says, dict(drawn), words.TIME_HEAD, words.times(done))


def _rates(done: "Fit") -> list[Section]:
    if not done.rates:
        return []
    says = "Wrong bits over bits read, by page type, and the law; below, residuals as decades of the rate."
    drawn = [(f"rate-{kind}", figures.rate(fit)) for kind, fit in done.rates.items() if fit.below is None]
    return [Section("Error rate by wear", says, dict(drawn), words.RATE_HEAD, words.rates(done))]


def _endurance(done: "Fit") -> Section:
    drawn = [("endurance", figures.endurance(done.endurance))] if done.endurance else []
    return Section("Endurance per block", words.endurance(done), dict(drawn))


def _numbers(done: "Fit") -> Section:
    says = "Times in ns, wear in cycles."
    return Section("Fitted numbers", says, head=words.NUMBER_HEAD, rows=words.parameters(done))


def _sources(done: "Fit", written: Sequence[str]) -> Section:
    rows = [(one.name, f"{one.entries:,}", one.sha256) for one in done.sources]
    says = f"Page model: {', '.join(written)}." if written else "No page model was written."
    return Section("Logs", says, head=("file", "entries", "sha256"), rows=rows)
