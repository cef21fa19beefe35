"""The folder of a study: whether it is one, and what stands in it when a command begins and ends."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from floatgate import files
from floatgate.errors import InputError
from floatgate.inputs.strict_toml import Strict
from floatgate.results import marker
from floatgate.results.folder import read_json, to_text, unwritable
from floatgate.study.check import Checked
from floatgate.study.search import described
from floatgate.study.store import Store
from floatgate.study.table import RESULTS, Run, assemble, write_results

if TYPE_CHECKING:
    from floatgate.study.result import Study

RECORD = "study.json"
REPORT = "report.html"
SCHEMA = 1
OF_UNITS = 4  # the format of results of studies that do not name it


@contextmanager
def opened(out: Path) -> Iterator[Mapping[str, Any] | None]:
    """Give the record of the study in `out`, None where it begins; the folder is there inside the block.

    Raises InputError where `out` is something else, or cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        # Another command that begins the same study may be writing its record.
        there = [one.name for one in out.iterdir() if not one.name.startswith(".")]
    except OSError as error:
        raise unwritable(out, error) from error
    if there and RECORD not in there:
        raise InputError(
            f"{out}: holds files, but no study ({RECORD}): expected a new folder, or one of a study"
        )
    before = read_record(out) if there else None
    try:
        yield before
    except OSError as error:
        raise unwritable(out, error) from error
    finally:
        if not there and not any(out.iterdir()):
            out.rmdir()


class _Inputs(Strict):
    version: str
    results: int = OF_UNITS
    drives: dict[str, dict[str, Any]]
    fixed: dict[str, Any]
    names: dict[str, dict[str, str]]
    workloads: dict[str, str]
    options: dict[str, Any]


class _Record(Strict):
    format: Literal[1] = Field(alias="schema")
    version: str
    name: str
    study: dict[str, Any]
    sampler: dict[str, str | int | None]
    runs: dict[str, int] | None
    design: dict[str, int] | None = None
    table: str | None
    ended: str | None
    inputs: _Inputs


def read_record(folder: Path) -> dict[str, Any]:
    """Return what a study's folder says of it. Raises InputError where it is none, or of a later version."""
    record = read_json(folder / RECORD)
    try:
        _Record.model_validate(record)
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        raise InputError(
            f"{folder / RECORD}: {key}: expected the record of a study, of schema {SCHEMA}"
        ) from error
    record["inputs"].setdefault("results", OF_UNITS)
    return record


def begin(folder: Path, checked: Checked, before: Mapping[str, Any] | None) -> None:
    """Write down what the study is, before its first run: what a killed command leaves is known by that.

    A table of results of another format goes: its runs go again, and numbers of two meanings never meet.
    """
    if before and before["inputs"]["results"] != checked.inputs.results:
        (folder / RESULTS).unlink(missing_ok=True)
    _write(folder, checked, {"runs": None, "table": before["table"] if before else None, "ended": "broken"})


def finish(folder: Path, checked: Checked, runs: Sequence[Run], store: Store, ended: str | None) -> bool:
    """Write the table, where it is another now, and the record. Return whether it is another."""
    outcomes = store.outcomes()
    counts = dict.fromkeys(("done", "refused", "failed", "pruned", "missing"), 0)
    for run in runs:
        counts[outcomes[run.key].status if run.key in outcomes else "missing"] += 1
    there = [(run.configuration, run.key, outcomes[run.key].status) for run in runs if run.key in outcomes]
    table = sha256(json.dumps(there).encode()).hexdigest()
    is_new = read_record(folder)["table"] != table or not (folder / RESULTS).is_file()
    if is_new:
        write_results(folder, assemble(checked.spec, runs, store.table()))
    points = len({run.configuration for run in runs})
    _write(folder, checked, {"runs": counts, "design": {"points": points}, "table": table, "ended": ended})
    return is_new or not (folder / REPORT).is_file()


def tell(study: "Study") -> None:
    """Write the report, and the best configurations as drive files."""
    from floatgate.study.drive_files import BEST, write_drive_files
    from floatgate.study.report import write_report

    write_drive_files(study, study.folder / BEST)
    write_report(study, study.folder / REPORT)
    marker.complete(study.folder)


def _write(folder: Path, checked: Checked, state: Mapping[str, Any]) -> None:
    spec = checked.spec
    record = {
        "schema": SCHEMA,
        "version": checked.inputs.version,
        "name": spec.name,
        "study": spec.written,
        "sampler": described(spec),
        **state,
        "inputs": asdict(checked.inputs),
    }
    files.write_whole(folder / RECORD, to_text(json.loads(json.dumps(record))) + "\n")
