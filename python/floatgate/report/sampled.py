"""A sampled run on its page: which parts ran in detail, and what each found."""

from typing import Any

from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Mark, Panel, Points
from floatgate.results.sampled import rates


def figure(document: dict[str, Any]) -> Figure | None:
    """Draw write amplification of each part over the requests of the run."""
    sample, marks = document.get("sample") or {"waf": None}, list[Mark]()
    for forwarded, name, kind in ((True, "carried forward", "read"), (False, "in detail", "write")):
        parts = [part for part in sample.get("parts", ()) if part["forwarded"] is forwarded and part["waf"]]
        x = [part["first_request"] + part["requests"] / 2 for part in parts]
        marks += [Points(palette.KINDS[kind], x, [part["waf"] for part in parts], name=name)] if parts else []
    across = Axis("requests", low=0, high=sample.get("requests"), format="si")
    return Figure([Panel(across, Axis("write amplification", zero=True), marks)], 260) if marks else None


def in_words(document: dict[str, Any]) -> str:
    """Say what the sampled run found of rates and latencies of the whole run."""
    texts = rates(document["sample"]) if document.get("sample") else []
    of_all = f" Over the whole run: {'; '.join(texts)}." if texts else ""
    return f"Parts in detail, and parts carried forward.{of_all}"
