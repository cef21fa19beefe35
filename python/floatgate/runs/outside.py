"""The result of a drive whose requests came from outside: what the core does not know, and its files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from floatgate.files import shipped
from floatgate.options import Options
from floatgate.results import tables
from floatgate.results.folder import write_json
from floatgate.results.remarks import remarks
from floatgate.runs.session import peak_rss_bytes


def completed(
    document: dict[str, Any],
    kind: str,
    overrides: Sequence[str],
    options: Mapping[str, Any],
    session_s: float,
) -> None:
    """Add what the core does not know; `kind` says where the requests came from."""
    for value in document["config_places"].values():
        value["place"] = shipped.without_root(value["place"], shipped.folders())
    document["interrupted_at"] = None
    document["engine"] |= {"peak_rss_bytes": peak_rss_bytes(), "session_s": session_s}
    workload: dict[str, Any] = {"kind": kind, "source": kind, "options": {}, "file_bytes": None, "text": None}
    plain = Options()
    document["invocation"] = {
        "set": list(overrides),
        "workload": {**workload, "variables": {}, "notes": []},
        "options": {name: value for name, value in options.items() if value != getattr(plain, name)},
        "policies": [],
    }
    document["remarks"] = remarks(document)
    document["workload"]["jobs"] = []


def write(folder: Path, document: dict[str, Any]) -> None:
    """Write the files of a result into its folder."""
    tables.write_latency(folder, document.pop("histogram"))
    tables.write_series(folder, document.pop("series"))
    write_json(folder / "run.json", document)
