"""`results.parquet`: one row a run, with its parameters and every number of its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.extras import needed
from floatgate.study import numbers
from floatgate.study.parameters import Range, Values
from floatgate.study.spec import Spec
from floatgate.study.store import REMARKS, remarks_type, write

if TYPE_CHECKING:
    import pyarrow as pa

RESULTS = "results.parquet"
SET = "set."  # before the name of a parameter's column: a number of a result may be called the same

_SAYS = {
    "configuration": (
        "count",
        "Which drive and values of the parameters; runs that share it differ in the rest.",
    ),
    "drive": ("text", "The drive, by name or file."),
    "workload": ("text", "The workload, as the study names it."),
    "seed": ("count", "The seed of all random numbers."),
    "status": (
        "text",
        "done; refused: no such drive can be; failed: the run broke off; pruned: ended early.",
    ),
    "reason": ("text", "Why it was refused or failed; null where it was not."),
    "key": ("text", "The hash of all that decides the run."),
    REMARKS: ("text", "What a reader should know before the numbers: kind, text, advice; empty: nothing."),
}


@dataclass(frozen=True)
class Run:
    """One run of a study, before it is run."""

    configuration: int
    drive: str
    workload: str
    seed: int
    values: Values
    key: str


def assemble(spec: Spec, runs: Sequence[Run], stored: "pa.Table") -> "pa.Table":
    """Return the table of those runs that are in `stored`, in their order; nothing else decides a byte."""
    arrow = needed("pyarrow")
    rows = {key: index for index, key in enumerate(stored["key"].to_pylist())}
    there = [run for run in runs if run.key in rows]
    taken = stored.take(arrow.array([rows[run.key] for run in there], arrow.int64()))
    columns: dict[str, Any] = {
        "configuration": arrow.array([run.configuration for run in there], arrow.int64()),
        "drive": arrow.array([run.drive for run in there], arrow.string()),
        "workload": arrow.array([run.workload for run in there], arrow.string()),
        "seed": arrow.array([run.seed for run in there], arrow.uint64()),
        **{name: taken[name] for name in ("status", "reason", "key")},
        REMARKS: taken[REMARKS] if REMARKS in taken.column_names else _no_remarks(len(there)),
    }
    for one in spec.parameters:
        values = [run.values.get(one.name) for run in there]
        columns[SET + one.name] = arrow.array(*_typed(values, is_range=isinstance(one.space, Range)))
    for name in sorted(set(stored.column_names) - set(columns)):
        if taken[name].null_count < len(taken):
            columns[name] = taken[name].cast(_type(name, taken[name]))
    fields = [_field(name, column) for name, column in columns.items()]
    made: pa.Table = arrow.table(list(columns.values()), schema=arrow.schema(fields))
    return made


def _no_remarks(runs: int) -> Any:
    """Return the column of runs of before remarks were kept."""
    return needed("pyarrow").nulls(runs, remarks_type())


def _typed(values: list[Any], *, is_range: bool) -> tuple[list[Any], Any]:
    """Return the values of a parameter and their type; where they are of several kinds, they become texts."""
    arrow = needed("pyarrow")
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return values, arrow.bool_()
    if kinds <= {int} and not is_range:
        return values, arrow.int64()
    if kinds <= {int, float}:
        return values, arrow.int64() if kinds == {int} else arrow.float64()
    return [None if value is None else text(value) for value in values], arrow.string()


def text(value: Any) -> str:
    """Return a value of a parameter as a column of mixed kinds has it, and TOML: `true`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _type(name: str, column: "pa.ChunkedArray[Any]") -> "pa.DataType":
    """Return the type of a number, by what results say of it: it must not depend on which runs there are."""
    arrow = needed("pyarrow")
    types: dict[str, pa.DataType] = {
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "boolean": arrow.bool_(),
        "array": arrow.list_(arrow.float64()),
    }
    known = numbers.described(name)
    return types[known.kind] if known else column.type


def _field(name: str, column: Any) -> "pa.Field[Any]":
    arrow = needed("pyarrow")
    known = numbers.described(name)
    unit, meaning = _SAYS.get(name) or ((known.unit, known.meaning) if known else ("", ""))
    if name.startswith(SET):
        unit, meaning = "", "A parameter of the study; null where it does not apply."
    made: pa.Field[Any] = arrow.field(name, column.type, metadata={"unit": unit, "meaning": meaning})
    return made


def write_results(folder: Path, table: "pa.Table") -> None:
    """Write the table of a study, whole or not at all."""
    write(table, folder / RESULTS)
