"""A study that is there: its table, its configurations, what is best."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.errors import InputError
from floatgate.extras import needed
from floatgate.files.temporary import Temporary
from floatgate.results import notebook
from floatgate.results.flags import Said, as_document, together
from floatgate.results.versions import FORMATS, NEWEST
from floatgate.study import folder as folders
from floatgate.study.aggregate import Configuration, configurations, front
from floatgate.study.bounds import Missed, missed
from floatgate.study.differences import Difference, differences
from floatgate.study.numbers import check
from floatgate.study.show import head, rows
from floatgate.study.spec import Spec, of
from floatgate.study.store import REMARKS
from floatgate.study.table import RESULTS, SET

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
    _held: Temporary | None = field(default=None, compare=False, repr=False)  # where no folder was named

    @classmethod
    def open(cls, folder: Path | str) -> "Study":
        """Read the study in `folder`. Raises InputError where there is none."""
        record = folders.read_record(Path(folder))
        written = record["inputs"]["results"]
        if written != NEWEST:
            since = "; ".join(newer.change for newer in FORMATS[written:])
            raise InputError(
                f"{folder}: a study whose results have format {written}: expected {NEWEST} (its runs go "
                f"again when floatgate study goes on with it; since then: {since})"
            )
        return cls(Path(folder), of(record["study"], record["name"]), record)

    def table(self, columns: Sequence[str] | None = None) -> "pa.Table":
        """Return `results.parquet`: one row a run, all columns or the named ones.

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
        wanted += [REMARKS] if REMARKS in there else []
        wanted += [SET + one.name for one in self.spec.parameters]
        wanted += [key for key in self.spec.needed if key in there]
        return configurations(self.spec, self.table(wanted).to_pylist())

    def front(self) -> list[Configuration]:
        """Return the configurations that keep all bounds and that no other betters; best first.

        With one objective these are the best one and its equals; with none there are none.
        """
        return front(self._configurations, self.spec.objectives) if self.spec.objectives else []

    @cached_property
    def remarks(self) -> tuple[Said, ...]:
        """What runs remarked, each kind once, and how many of the runs that came to their end did."""
        if REMARKS not in needed("pyarrow.parquet").read_schema(self.folder / RESULTS).names:
            return ()
        rows = self.table(["status", REMARKS]).to_pylist()
        return together([row[REMARKS] or () for row in rows if row["status"] == "done"])

    @cached_property
    def reasons(self) -> Mapping[str, Mapping[str, int]]:
        """Why runs `failed` or were `refused`, and how many for each reason, the most frequent first."""
        found: dict[str, Counter[str]] = {"failed": Counter(), "refused": Counter()}
        for row in self.table(["status", "reason"]).to_pylist():
            if row["status"] in found:
                found[row["status"]][str(row["reason"])] += 1
        return {status: dict(counts.most_common()) for status, counts in found.items()}

    @cached_property
    def missed(self) -> list[Missed]:
        """The bounds that no configuration keeps, each with what comes nearest."""
        return missed(self.spec, self._configurations)

    def differences(self, metric: str) -> list[Difference]:
        """Return which of two values of a key is lower in a number, by pairs of runs with the same seed.

        There is one for each two values in each combination of the other keys. Raises InputError for a number
        that no result has.
        """
        check("metric", metric)
        there = needed("pyarrow.parquet").read_schema(self.folder / RESULTS).names
        columns = ["drive", "workload", "seed", "status", *(SET + one.name for one in self.spec.parameters)]
        columns += [name for name in (REMARKS, metric) if name in there]
        return list(differences(self.spec, self.table(columns).to_pylist(), metric))

    @property
    def problem(self) -> str | None:
        """What went wrong, in a line; None where every run came to its end."""
        runs = self.runs
        for status, said in (("failed", "failed"), ("refused", "were refused")):
            if runs.get(status):
                reasons = self.reasons[status]
                more = f" (and {len(reasons) - 1} other reasons)" if len(reasons) > 1 else ""
                return f"{runs[status]} of {sum(runs.values())} runs {said}: {next(iter(reasons), '')}{more}"
        if runs.get("done"):
            names = set(needed("pyarrow.parquet").read_schema(self.folder / RESULTS).names)
            for key in self.spec.needed:
                if key not in names:
                    return f"{key}: no run has this number: expected another objective"
        return None

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
                    "flags": {key: as_document(raised) for key in one.numbers if (raised := one.flags(key))},
                }
                for one in self.front()
            ],
            "missed_bounds": [one.document() for one in self.missed],
            "reasons": {status: dict(counts) for status, counts in self.reasons.items()},
            "remarks": as_document(self.remarks),
        }

    def holding(self, held: Temporary | None) -> "Study":
        """Return it with the temporary folder that lives as long as it does."""
        return replace(self, _held=held)

    def words(self) -> str:
        """Say how many runs there are, and what became of them."""
        said = [f"{count:,} {status}" for status, count in self.runs.items() if count]
        return ", ".join(said) or "no runs"
