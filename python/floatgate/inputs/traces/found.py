"""What one pass over a trace or a synthetic volume finds, for Python."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Counts:
    """Numbers by kind of request."""

    read: int
    write: int
    trim: int
    flush: int


@dataclass(frozen=True)
class TraceInfo:
    """What a trace or a synthetic volume holds; `document` has everything, as `--format json` prints it."""

    path: str
    format: str
    requests: Counts
    bytes: Counts
    read_fraction: float | None  # reads over requests
    mean_bytes: float | None  # of a request
    footprint_bytes: int  # touched, each byte once
    footprint_exact: bool  # False: an estimate
    span_ns: int  # from the first request to the last
    requests_per_s: float | None
    document: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, document: dict[str, Any]) -> "TraceInfo":
        """Take from a document what has an attribute."""
        plain = (
            "path",
            "format",
            "read_fraction",
            "mean_bytes",
            "footprint_bytes",
            "footprint_exact",
            "span_ns",
            "requests_per_s",
        )
        counts: dict[str, Any] = {name: Counts(**document[name]) for name in ("requests", "bytes")}
        return cls(**{name: document[name] for name in plain}, **counts, document=document)


@dataclass(frozen=True)
class TraceFormat:
    """A format of traces."""

    name: str
    title: str
    units: str  # its columns, with their units
    recognised: bool  # by what a file holds
    writable: bool  # by `floatgate.trace.convert`


@dataclass(frozen=True)
class Known:
    """A number about a synthetic volume, and where it is from."""

    value: float
    source: str


@dataclass(frozen=True)
class Volume:
    """A synthetic volume: what is published of the volume that it stands for."""

    name: str
    server: str  # what that did
    requests: Known  # in a run of all of it
    reads: Known  # share of reads among the requests
    mean_bytes: Known  # of a request
    distinct: Known  # addresses
