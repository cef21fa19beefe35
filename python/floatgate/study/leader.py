"""Which configuration is ahead while a study goes on, for the line that shows how far it is."""

from collections.abc import Mapping
from typing import Any

from floatgate.study.aggregate import Configuration, configurations, front
from floatgate.study.rounds import row
from floatgate.study.show import number
from floatgate.study.spec import Spec
from floatgate.study.store import Outcome
from floatgate.study.table import Run


class Leader:
    """Hears of every run as it ends."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._rows: dict[int, list[Mapping[str, Any]]] = {}  # of configurations that are not whole
        self._front: list[Configuration] = []
        self.there = self.failed = self.refused = 0

    def heard(self, run: Run, outcome: Outcome) -> None:
        """Count a run; with the last one of its configuration that may be ahead."""
        self.there += 1
        self.failed += outcome.status == "failed"
        self.refused += outcome.status == "refused"
        rows = self._rows.setdefault(run.configuration, [])
        rows.append(row(self._spec, run, outcome))
        if len(rows) == self._spec.runs_each:
            del self._rows[run.configuration]
            if self._spec.objectives:
                whole = configurations(self._spec, rows)
                self._front = front([*self._front, *whole], self._spec.objectives)

    def best(self) -> str:
        """Say who is ahead: the best value of one objective, or how many of several cannot be bettered."""
        if not self._front:
            return ""
        if len(self._spec.objectives) > 1:
            return f"front of {len(self._front)}"
        key = self._spec.objectives[0].key
        value = self._front[0].numbers[key]
        return f"best {key} {number(key, value)}" if value is not None else ""
