"""Does every explanation of a miss name an experiment, and does the experiment show it?"""

from collections.abc import Iterator

import pytest

from floatgate.files import shipped
from floatgate.reproduce.case import Case
from floatgate.reproduce.paper import Explained, Paper, find

PAPERS = find([], shipped.papers())
# Experiments that cost more take minutes: `floatgate reproduce PAPER --causes` runs them.
COSTS_MOST = 20.0


def shown_by(paper: Paper, one: Explained) -> list[Case]:
    return [case for case in paper.cases(full=True) if one.shown_by(case)]


@pytest.mark.parametrize("paper", PAPERS, ids=[paper.key for paper in PAPERS])
def test_every_explanation_names_an_experiment_of_its_paper(paper: Paper) -> None:
    for one in paper.explained:
        assert one.experiment is not None, f"{paper.key}, {one.exhibit}, {one.case}"
        traced = paper.exhibits[one.experiment[0]].needs_traces
        assert shown_by(paper, one) or traced, f"no such case: {one.experiment}"


def experiments() -> Iterator[object]:
    for paper in PAPERS:
        for case in paper.causes():
            if case.cost <= COSTS_MOST:
                yield pytest.param(paper, case, id=f"{paper.key}: {case.exhibit}, {case.name}")


@pytest.mark.parametrize(("paper", "case"), list(experiments()))
def test_an_experiment_takes_the_miss_out_of_its_bounds(paper: Paper, case: Case) -> None:
    """With its cause taken away, a miss is no longer as large as its explanation says."""
    finding = paper.run(case, full=False)
    assert finding.simulated
    for one in paper.explained:
        if one.shown_by(case) and finding.measure is not None:
            least, most = one.bound
            assert not least <= finding.measure <= most, f"{one.exhibit}, {one.case}: {finding.simulated}"
