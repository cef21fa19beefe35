"""Whether what we simulated is what was published."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from floatgate.errors import InputError
from floatgate.reproduce import expected as published
from floatgate.reproduce.case import Case, Concluded, Finding, Line
from floatgate.reproduce.expected import ASSUMED, BASES, CONSTRUCTION, FITTED, PREDICTED, SHOWN, Expected
from floatgate.reproduce.paper import Exhibit, Paper

PASS, MISS = "pass", "miss"
QUALITATIVE = "qualitative-"


@dataclass(frozen=True)
class Row:
    """One line of `results.csv`, and what the table and the figure show beside it."""

    paper: str
    exhibit: str
    case: str
    published: float | str | None
    simulated: float | str | None  # None: the paper claims it, nothing here simulates it
    unit: str
    deviation: float | None  # simulated / published - 1
    tolerance: float | None
    verdict: str
    basis: str  # one of `expected.BASES`
    fitted: str = ""  # the parameter that was chosen in view of the number, or assumed
    reference: float | None = None  # where nothing is published: what the drive's own parts add up to
    range: tuple[float, float] | None = None
    ci95: float | None = None
    x: float | None = None
    series: str = ""
    explained: str | None = None  # the README's heading that explains the miss
    lines: tuple[Line, ...] = ()  # what was measured, for the figure

    @property
    def compared_with(self) -> float | str | None:
        """What the simulated value stands beside."""
        return self.reference if self.published is None else self.published

    @property
    def missed(self) -> bool:
        """Whether the claim was not reproduced."""
        return self.verdict.endswith(MISS)

    @property
    def unexplained(self) -> bool:
        """Whether it was not reproduced and nothing says why."""
        return self.missed and self.explained is None


def tally(rows: Iterable[Row]) -> str:
    """Count the lines that hold, predicted ones first: no other class is added to them."""
    every = list(rows)
    held = {basis: [not row.missed for row in every if row.basis == basis] for basis in BASES}
    texts = [f"predicted {sum(held[PREDICTED])} of {len(held[PREDICTED])}"]
    others = [basis for basis in (FITTED, ASSUMED, CONSTRUCTION) if held[basis]]
    texts += [f"{basis} {sum(held[basis])} of {len(held[basis])}" for basis in others]
    if held[SHOWN]:
        texts.append(f"{len(held[SHOWN])} shown without a published number")
    missed = [row for row in every if row.missed]
    without = sum(row.unexplained for row in missed)
    return f"{', '.join(texts)}; {len(missed) - without} misses explained, {without} not"


def judge(paper: Paper, found: Mapping[Case, Finding], concluded: list[Concluded], full: bool) -> list[Row]:
    """Return the rows of a paper in the order of its exhibits and cases.

    In full form, a published number that no case simulates is a miss.
    Raises InputError when a case has no exhibit or no line in `expected.csv`.
    """
    pairs = [*found.items(), *concluded]
    rows = [_row(paper, case, finding) for case, finding in pairs]
    if full:
        done = {(row.exhibit, row.case) for row in rows}
        rows += [
            _absent(paper, *key, line)
            for key, line in paper.expected.items()
            if key not in done and _asked(paper, *key)
        ]
    order = list(paper.exhibits)
    return sorted(rows, key=lambda row: order.index(row.exhibit))


def _row(paper: Paper, case: Case, finding: Finding) -> Row:
    exhibit = paper.exhibits.get(case.exhibit)
    if exhibit is None:
        known = ", ".join(paper.exhibits)
        raise InputError(
            f"{paper.folder}: case {case.name}: exhibit = {case.exhibit}: expected one of {known}"
        )
    line = published.find(paper.expected, case.exhibit, case.name)
    if line is None:
        raise InputError(
            f"{paper.folder}: {case.exhibit}, {case.name}: no published number: expected it in expected.csv"
        )
    deviation, verdict = _verdict(exhibit, case, finding, line)
    measured = finding.measure if exhibit.qualitative else deviation
    missed = verdict.endswith(MISS)
    return replace(
        _absent(paper, exhibit.key, case.name, line),
        simulated=finding.simulated,
        deviation=deviation,
        verdict=verdict,
        reference=finding.reference,
        ci95=finding.ci95,
        x=case.x,
        series=case.series,
        explained=paper.explanation(exhibit.key, case.name, measured) if missed else None,
        lines=finding.lines,
    )


def _verdict(exhibit: Exhibit, case: Case, finding: Finding, line: Expected) -> tuple[float | None, str]:
    """Return the deviation and the verdict."""
    at = f"exhibit {exhibit.key}, {case.name}"
    if line.basis == SHOWN:
        if finding.holds is not None or finding.reference is not None:
            raise InputError(f"{at}: judged: expected no verdict, as nothing is published")
        return None, SHOWN
    if exhibit.qualitative:
        if finding.holds is None:
            raise InputError(f"{at}: qualitative: expected a finding with `holds`")
        return None, QUALITATIVE + (PASS if finding.holds else MISS)
    beside = line.published
    if finding.reference is not None:
        if beside is not None or line.basis != CONSTRUCTION:
            raise InputError(f"{at}: reference = {finding.reference}: expected the published number alone")
        beside = finding.reference
    simulated = finding.simulated
    if isinstance(simulated, str) or isinstance(beside, str) or beside is None:
        raise InputError(f"{at}: {simulated}, {beside}: expected two numbers")
    deviation = simulated / beside - 1
    near = exhibit.allows(deviation, (finding.ci95 or 0.0) / abs(beside))
    return deviation, PASS if near and finding.holds is not False else MISS


def _asked(paper: Paper, exhibit: str, case: str) -> bool:
    """Whether a line that nothing simulates is a miss."""
    line = paper.expected[exhibit, case]
    return not (published.pattern(case) or line.published is None or paper.exhibits[exhibit].needs_traces)


def _absent(paper: Paper, key: str, case: str, line: Expected) -> Row:
    """Return the row of a published number that nothing simulates."""
    exhibit = paper.exhibits[key]
    return Row(
        paper=paper.key,
        exhibit=key,
        case=case,
        published=line.published,
        simulated=None,
        unit=exhibit.unit,
        deviation=None,
        tolerance=exhibit.tolerance,
        verdict=(QUALITATIVE if exhibit.qualitative else "") + MISS,
        basis=line.basis,
        fitted=line.fitted,
        range=exhibit.range,
    )
