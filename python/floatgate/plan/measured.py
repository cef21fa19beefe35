"""Rates that Floatgate measured itself: a point of a grid's folder, or a run of one kind of request."""

from math import inf
from pathlib import Path

from floatgate import files
from floatgate.errors import InputError
from floatgate.plan.model import Workload
from floatgate.results.versions import read_document
from floatgate.values import quantities as q

GRID = "grid.csv"
_TABLE = "a table that floatgate grid wrote"
_COLUMNS = {"pattern", "op", "block_bytes", "depth", "state", "iops"}


def rate(folder: Path, kind: str, workload: Workload, place: str) -> float:
    """Return the requests per second of `kind` measured in `folder`, at the block and depth of `workload`.

    Raises InputError, which begins with `place`, when the folder has no such number.
    """
    if (folder / GRID).is_file():
        return _of_grid(folder / GRID, kind, workload, place)
    if (folder / "run.json").is_file():
        return _of_run(folder / "run.json", kind, place)
    raise InputError(f"{place}: {folder}: no such folder: expected one that floatgate grid or run wrote")


def _of_grid(path: Path, kind: str, workload: Workload, place: str) -> float:
    pattern, op = kind.split("_")
    wanted = f"{kind} of {q.size(workload.block)} at depth {workload.depth}"
    lines = files.read_text(path, _TABLE).splitlines()
    names: list[str] = []
    for number, fields in files.read_rows(lines, path, 1, _TABLE):
        if not names:
            names = fields
            continue
        row = dict(zip(names, fields, strict=False))
        if not row.keys() >= _COLUMNS:
            raise InputError(f"{path}:{number}: expected the columns {', '.join(sorted(_COLUMNS))}")
        at = (row["pattern"], row["op"], row["block_bytes"], row["depth"])
        if at != (pattern, op, format(workload.block, ".10g"), str(workload.depth)):
            continue
        if row["state"] != "steady":
            raise InputError(f"{place}: {path}: {wanted}: {row['state']}: expected a steady point")
        return _rate(f"{path}:{number}", row["iops"])
    raise InputError(f"{place}: {path}: no point for {wanted}: expected a grid that has it")


def _of_run(path: Path, kind: str, place: str) -> float:
    host = read_document(path)["host"]
    op = kind.split("_")[1]
    other = "write" if op == "read" else "read"
    if not host[op]["requests"] or host[other]["requests"]:
        raise InputError(f"{place}: {path}: not only {op}s: expected a run of this one kind of request")
    return _rate(str(path), host[op]["iops"])


def _rate(place: str, found: float | str | None) -> float:
    """A rate above nothing: it will be divided by."""
    try:
        value = float(found or 0)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise InputError(f"{place}: iops = {found}: expected a number above 0")
    return value
