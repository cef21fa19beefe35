"""The runs of a study, round by round: all at once where the design is known, else as they are asked for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from floatgate.study.aggregate import configurations as put_together
from floatgate.study.check import Checked
from floatgate.study.design import configurations
from floatgate.study.identity import Keys
from floatgate.study.search import Asking
from floatgate.study.spec import SEARCHES, Spec
from floatgate.study.store import Outcome
from floatgate.study.table import SET, Run


class Rounds:
    """Gives the runs of one round after the other, and is told what became of them."""

    def __init__(self, checked: Checked) -> None:
        self._spec, self._keys = checked.spec, Keys(checked.spec, checked.inputs)
        self._numbers: dict[str, int] = {}  # of configurations
        self._asking = Asking(self._spec) if self._spec.search.method in SEARCHES else None
        self._asked: list[list[Run]] = []  # by configuration
        self.runs: dict[str, Run] = {}  # all so far, by key

    def __iter__(self) -> Iterator[list[Run]]:
        """Give the runs of each round that no earlier one has."""
        if self._asking is None:
            spec = self._spec
            wanted = ((drive, values) for values in configurations(spec) for drive in spec.drives)
            yield self._round(wanted)
            return
        while wanted_next := self._asking.ask():
            yield self._round(wanted_next)

    def _round(self, wanted: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Run]:
        self._asked = [self._runs(drive, values) for drive, values in wanted]
        new = {run.key: run for runs in self._asked for run in runs if run.key not in self.runs}
        self.runs |= new
        return list(new.values())

    def _runs(self, drive: str, values: Mapping[str, Any]) -> list[Run]:
        spec = self._spec
        number = self._numbers.setdefault(repr((drive, sorted(values.items()))), len(self._numbers))
        return [
            Run(number, drive, workload, seed, values, self._keys.of(drive, workload, seed, values))
            for workload in spec.workloads
            for seed in spec.seeds
        ]

    def told(self, outcomes: Mapping[str, Outcome]) -> None:
        """Tell the search what became of the round's runs."""
        if self._asking is None:
            return
        found, pruned = [], []
        for runs in self._asked:
            rows = [row(self._spec, run, outcomes[run.key]) for run in runs]
            found += put_together(self._spec, rows)
            pruned.append(any(one["status"] == "pruned" for one in rows))
        self._asking.tell(found, pruned)


def row(spec: Spec, run: Run, outcome: Outcome) -> dict[str, Any]:
    """Return a run and what became of it as a row of the study's table."""
    return {
        "configuration": run.configuration,
        "drive": run.drive,
        "workload": run.workload,
        "seed": run.seed,
        "status": outcome.status,
        "reason": outcome.reason,
        **{SET + one.name: run.values.get(one.name) for one in spec.parameters},
        **outcome.numbers,
    }
