"""A study that is there: its table, its configurations, what is best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate import notebook
from floatgate.errors import InputError
from floatgate.extras import needed
from floatgate.study import folder as folders
from floatgate.study.aggregate import Configuration, configurations, front
from floatgate.study.show import head, rows
from floatgate.study.spec import Spec, of
from floatgate.study.table import RESULTS, SET
from floatgate.temporary import Temporary

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

SHOWN = 20  # configurations, in a notebook


@dataclass(frozen=True)
class Study:
    """A study's folder, read: what was asked, what is there of it, and what came out."""

    folder: Path
    spec: Spec
    record: Mapping[str, Any]  # study.json
    _held: Temporary | None = field(default=None, compare=False, repr=False)  # where nobody named a folder

    @classmethod
    def open(cls, folder: Path | str) -> "Study":
        """Read the study in `folder`. Raises InputError where there is none."""
        record = folders.read_record(Path(folder))
        return cls(Path(folder), of(record["study"], record["name"]), record)

    def table(self, columns: Sequence[str] | None = None) -> "pa.Table":
        """Return `results.parquet`: one row a run, all columns or those that are named.

        Raises InputError where it is not there, or not readable.
        """
        parquet, arrow = needed("pyarrow.parquet"), needed("pyarrow")
        path = self.folder / RESULTS
        try:
            found: pa.Table = parquet.read_table(path, columns=None if columns is None else list(columns))
        except (OSError, arrow.ArrowException) as error:
            raise InputError(f"{path}: {error}: expected the table that a study wrote") from error
        return found

    def pandas(self) -> "pd.DataFrame":
        """Return the table for pandas. Raises InputError where that is not installed."""
        needed("pandas")
        return self.table().to_pandas()

    def polars(self) -> "pl.DataFrame":
        """Return the table for Polars. Raises InputError where that is not installed."""
        frame: pl.DataFrame = needed("polars").from_arrow(self.table())
        return frame

    @property
    def runs(self) -> Mapping[str, int]:
        """How many runs are done, refused, failed, pruned and missing."""
        return self.record["runs"] or {}

    @property
    def interrupted(self) -> bool:
        """Whether runs are missing."""
        return bool(self.runs.get("missing")) or self.record["ended"] is not None

    def configurations(self) -> list[Configuration]:
        """Return what each configuration came to, in the order of their numbers."""
        return list(self._configurations)

    @cached_property
    def _configurations(self) -> list[Configuration]:
        there = set(needed("pyarrow.parquet").read_schema(self.folder / RESULTS).names)
        wanted = ["configuration", "drive", "workload", "seed", "status", "reason"]
        wanted += [SET + one.name for one in self.spec.parameters]
        wanted += [key for key in self.spec.needed if key in there]
        return configurations(self.spec, self.table(wanted).to_pylist())

    def front(self) -> list[Configuration]:
        """Return the configurations that keep all bounds and that no other betters; best first.

        With one objective these are the best one and its equals; with none there are none.
        """
        return front(self._configurations, self.spec.objectives) if self.spec.objectives else []

    @property
    def problem(self) -> str | None:
        """What went wrong, in a line; None where every run came to its end or could not be."""
        runs = self.runs
        if runs.get("failed"):
            return f"{runs['failed']} of {sum(runs.values())} runs failed: {self._reason('failed')}"
        if runs.get("refused") and not (runs["done"] or runs["pruned"] or runs["missing"]):
            return f"all {runs['refused']} runs were refused: {self._reason('refused')}"
        if runs.get("done"):
            names = set(needed("pyarrow.parquet").read_schema(self.folder / RESULTS).names)
            for key in self.spec.needed:
                if key not in names:
                    return f"{key}: no run has this number: expected another objective"
        return None

    def _reason(self, status: str) -> str:
        table = self.table(["status", "reason"]).to_pylist()
        return next(str(row["reason"]) for row in table if row["status"] == status)

    def _repr_html_(self) -> str:
        best = self.front() or self.configurations()
        return notebook.table(
            f"{self.spec.name}: {self.words()}", head(self.spec), rows(self.spec, best[:SHOWN])
        )

    def summary(self) -> dict[str, Any]:
        """Return what came out as one document: counts, the best configurations, where the table is."""
        return {
            "name": self.spec.name,
            "folder": str(self.folder),
            "runs": dict(self.runs),
            "ended": self.record["ended"],
            "sampler": self.record["sampler"],
            "front": [
                {
                    "configuration": one.number,
                    "drive": one.drive,
                    "values": dict(one.values),
                    "numbers": dict(one.numbers),
                }
                for one in self.front()
            ],
        }

    def holding(self, held: Temporary | None) -> "Study":
        """Return it with the temporary folder that lives as long as it does."""
        return replace(self, _held=held)

    def words(self) -> str:
        """Say how many runs there are, and what became of them."""
        said = [f"{count:,} {status}" for status, count in self.runs.items() if count]
        return ", ".join(said) or "no runs"
