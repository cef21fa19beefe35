"""Whether what we simulated is what was published."""

from collections.abc import Mapping
from dataclasses import dataclass

from floatgate.errors import InputError
from floatgate.reproduce.case import Case, Concluded, Finding, Line
from floatgate.reproduce.paper import Exhibit, Paper

PASS, MISS = "pass", "miss"
QUALITATIVE = "qualitative-"


@dataclass(frozen=True)
class Row:
    """One line of `results.csv`, and what the table and the figure show beside it."""

    paper: str
    exhibit: str
    case: str
    published: float | str
    simulated: float | str | None  # None: the paper claims it, nothing here simulates it
    unit: str
    deviation: float | None  # simulated / published - 1
    tolerance: float | None
    verdict: str
    ci95: float | None = None
    x: float | None = None
    series: str = ""
    explained: str | None = None  # the README's heading that explains the miss
    lines: tuple[Line, ...] = ()  # what was measured, for the figure

    @property
    def missed(self) -> bool:
        """Whether the claim was not reproduced."""
        return self.verdict.endswith(MISS)

    @property
    def unexplained(self) -> bool:
        """Whether it was not reproduced and nothing says why."""
        return self.missed and self.explained is None


def judge(paper: Paper, found: Mapping[Case, Finding], concluded: list[Concluded], full: bool) -> list[Row]:
    """Return the rows of a paper in the order of its exhibits and cases.

    In full form, a published number that no case simulates is a miss.
    Raises InputError when a case has no exhibit or no published number.
    """
    pairs = [*found.items(), *concluded]
    rows = [_row(paper, case, finding) for case, finding in pairs]
    if full:
        done = {(row.exhibit, row.case) for row in rows}
        rows += [_absent(paper, *key) for key in paper.expected if key not in done]
    order = list(paper.exhibits)
    return sorted(rows, key=lambda row: order.index(row.exhibit))


def _row(paper: Paper, case: Case, finding: Finding) -> Row:
    exhibit = paper.exhibits.get(case.exhibit)
    if exhibit is None:
        known = ", ".join(paper.exhibits)
        raise InputError(
            f"{paper.folder}: case {case.name}: exhibit = {case.exhibit}: expected one of {known}"
        )
    published = finding.published
    if published is None:
        published = paper.expected.get((case.exhibit, case.name))
    if published is None:
        raise InputError(
            f"{paper.folder}: {case.exhibit}, {case.name}: no published number: expected it in expected.csv"
        )
    deviation, ok = _compare(exhibit, finding, published)
    verdict = (QUALITATIVE if exhibit.qualitative else "") + (PASS if ok else MISS)
    return Row(
        paper=paper.key,
        exhibit=exhibit.key,
        case=case.name,
        published=published,
        simulated=finding.simulated,
        unit=exhibit.unit,
        deviation=deviation,
        tolerance=exhibit.tolerance,
        verdict=verdict,
        ci95=finding.ci95,
        x=case.x,
        series=case.series,
        explained=None if ok else paper.explanation(exhibit.key, case.name),
        lines=finding.lines,
    )


def _compare(exhibit: Exhibit, finding: Finding, published: float | str) -> tuple[float | None, bool]:
    """Return the deviation, and whether all of the confidence interval lies within the tolerance."""
    if exhibit.tolerance is None:
        if finding.holds is None:
            raise InputError(f"exhibit {exhibit.key}: qualitative: expected findings with `holds`")
        return None, finding.holds
    simulated = finding.simulated
    if isinstance(simulated, str) or isinstance(published, str):
        raise InputError(f"exhibit {exhibit.key}: {simulated}, {published}: expected two numbers")
    deviation = simulated / published - 1
    uncertainty = (finding.ci95 or 0.0) / abs(published)
    return deviation, abs(deviation) + uncertainty <= exhibit.tolerance


def _absent(paper: Paper, key: str, case: str) -> Row:
    exhibit = paper.exhibits[key]
    return Row(
        paper=paper.key,
        exhibit=key,
        case=case,
        published=paper.expected[key, case],
        simulated=None,
        unit=exhibit.unit,
        deviation=None,
        tolerance=exhibit.tolerance,
        verdict=(QUALITATIVE if exhibit.qualitative else "") + MISS,
        explained=paper.explanation(key, case),
    )
