"""Block traces and synthetic volumes as papers use them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Trace:
    """A trace of `../shared/traces`, or of the folder that FLOATGATE_TRACES names."""

    file: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    quick: bool = False  # small enough for the quick form
    cost: float = 1.0  # page accesses compared with the others

    @property
    def path(self) -> Path:
        """Where it is looked for."""
        folder = Path(os.environ.get("FLOATGATE_TRACES", _ROOT.parent / "shared" / "traces"))
        return folder / self.file


def at_hand(traces: Mapping[str, Trace], full: bool) -> dict[str, Trace]:
    """Return those of a form that are there."""
    return {name: trace for name, trace in traces.items() if (full or trace.quick) and trace.path.is_file()}


def volume(name: str, requests: int, **changes: Any) -> str:
    """Return the synthetic volume as a workload: what is not published at its default."""
    settings = {"requests": requests, **changes}
    return ",".join([f"volume:{name}", *(f"{key}={value}" for key, value in settings.items())])
