"""Block traces and synthetic volumes as papers use them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from floatgate import files
from floatgate.reproduce.passes import Request, parts

_ROOT = Path(__file__).resolve().parents[3]
_MOST = 64 << 20  # bytes of a packed trace


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


@dataclass(frozen=True)
class Piece:
    """A trace whose earlier part warms the drive up for the later: nothing is played twice."""

    trace: Trace
    before: Trace | None = (
        None  # a cut of the same volume that ends before this one; None: its own first half
    )
    warming: int = 0  # requests of that cut

    @property
    def at_hand(self) -> bool:
        """Whether its files are there."""
        return all(trace.path.is_file() for trace in (self.trace, self.before) if trace is not None)

    @contextmanager
    def path(self) -> Iterator[Path]:
        """Give one file of both parts: gzip's members may follow each other."""
        if self.before is None:
            yield self.trace.path
            return
        cuts = [files.read_bytes(trace.path, "a trace", _MOST) for trace in (self.before, self.trace)]
        with TemporaryDirectory(prefix="floatgate-") as folder:
            path = Path(folder) / self.trace.file
            path.write_bytes(b"".join(cuts))
            yield path

    def later(self, requests: list[Request]) -> list[Request]:
        """Return the requests that are measured."""
        return requests[self.warming :] if self.warming else parts(requests, 2)[1]


def volume(name: str, requests: int, **changes: Any) -> str:
    """Return the synthetic volume as a workload: what is not published at its default."""
    settings = {"requests": requests, **changes}
    return ",".join([f"volume:{name}", *(f"{key}={value}" for key, value in settings.items())])
