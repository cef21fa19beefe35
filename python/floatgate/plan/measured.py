"""Rates that Floatgate measured itself: a point of a grid's folder, or a run of one kind of request."""

import csv
from pathlib import Path

from floatgate import quantities as q
from floatgate.errors import InputError
from floatgate.folder import read_json
from floatgate.plan.model import Workload

GRID = "grid.csv"


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
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            at = (row["pattern"], row["op"], float(row["block_bytes"]), int(row["depth"]))
            if at != (pattern, op, workload.block, workload.depth):
                continue
            if row["state"] != "steady":
                raise InputError(f"{place}: {path}: {wanted}: {row['state']}: expected a steady point")
            return float(row["iops"])
    raise InputError(f"{place}: {path}: no point for {wanted}: expected a grid that has it")


def _of_run(path: Path, kind: str, place: str) -> float:
    host = read_json(path)["host"]
    op = kind.split("_")[1]
    other = "write" if op == "read" else "read"
    if not host[op]["requests"] or host[other]["requests"]:
        raise InputError(f"{place}: {path}: not only {op}s: expected a run of this one kind of request")
    return float(host[op]["iops"])
