"""Options of the commands that look at traces, synthetic volumes and saved states."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.shared import NAME, SEED, Force, Format, Json, OutFolder

# Options of `TraceOptions` for how a trace is read; the others say how it is replayed.
READ = (
    "trace_format",
    "columns",
    "align",
    "member",
    "volume",
    "sort",
    "skip_bad_lines",
    "action",
    "since",
    "until",
)


@dataclass(frozen=True)
class TraceInfoOptions(CommandOptions):
    """`floatgate trace info`: what traces hold."""

    files: Annotated[
        tuple[str, ...],
        Argument(
            "Traces, also compressed or in a tar; blktrace folders; synthetic volumes: volume:NAME.",
            metavar="FILE...",
            takes="files of a format of `floatgate trace formats`",
        ),
    ]
    page_size: Annotated[
        str | None,
        Option("Page size for counting accesses.", metavar="SIZE", takes="a size of a power of two"),
    ] = usual("4KiB")
    threshold: Annotated[
        str | None,
        Option(
            "A page is read-only if more than this share of its accesses are reads, or all.",
            metavar="SHARE",
            takes="a share from 0.5 to 1, of up to six digits",
        ),
    ] = usual("0.95")
    constant_memory: Annotated[bool, Option("Do not track pages; estimate the footprint.")] = False
    seed: Annotated[int | None, SEED] = usual("1")
    format: Format = "table"
    out: OutFolder = None
    force: Force = False


@dataclass(frozen=True)
class TraceConvertOptions(CommandOptions):
    """`floatgate trace convert`: a trace in another format."""

    file: Annotated[
        str,
        Argument(
            "A trace, or a synthetic volume: volume:NAME.",
            metavar="FILE",
            takes="a file of a format of `floatgate trace formats`",
        ),
    ]
    out: Annotated[
        Path,
        Argument(
            "The file to write; .gz, .zst, .bz2, .xz compress.",
            metavar="OUT",
            takes="a new file, or with --force any",
            differs="required: what is made is nothing but this file",
        ),
    ]
    to: Annotated[
        str | None,
        Option("The format to write.", metavar="NAME", takes="a format of `floatgate trace formats`"),
    ] = usual("fio-iolog-v3; msr for a volume")
    seed: Annotated[int | None, SEED] = usual("1")
    force: Force = False


@dataclass(frozen=True)
class TraceFormatsOptions(CommandOptions):
    """`floatgate trace formats`: none."""


@dataclass(frozen=True)
class TraceVolumesOptions(CommandOptions):
    """`floatgate trace volumes`: the synthetic volumes there are."""

    name: Annotated[str | None, NAME] = None
    json: Json = False


@dataclass(frozen=True)
class StateInfoOptions(CommandOptions):
    """`floatgate state info`: a stored drive state."""

    file: Annotated[
        Path,
        Argument(
            "A file from --save-state.",
            metavar="FILE",
            takes="a saved state",
            differs="a saved state, no trace",
        ),
    ]
