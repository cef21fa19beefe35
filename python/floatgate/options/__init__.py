"""Every option of every command, each defined once: name, type, default, help, limits, group, completion.

The command line (`cli/options.py`), the functions of `floatgate` with their keywords (`keywords.py`), the
reference and shell completion follow from here. A class holds the options of a command; what several have is
in `shared.py`.
"""

from floatgate.options.definition import (
    LIMITS,
    OUTPUT,
    PANELS,
    REQUESTS,
    RULE,
    STATE,
    TRACE,
    Argument,
    Assignments,
    CommandOptions,
    Field,
    Option,
    fields_of,
    usual,
)
from floatgate.options.run import (
    ALIGNMENTS,
    DEPTH,
    SEEDS,
    Options,
    RunOptions,
    TraceOptions,
    nanoseconds,
    size_bytes,
)
from floatgate.options.shared import State

__all__ = [
    "ALIGNMENTS",
    "DEPTH",
    "LIMITS",
    "OUTPUT",
    "PANELS",
    "REQUESTS",
    "RULE",
    "SEEDS",
    "STATE",
    "TRACE",
    "Argument",
    "Assignments",
    "CommandOptions",
    "Field",
    "Option",
    "Options",
    "RunOptions",
    "State",
    "TraceOptions",
    "fields_of",
    "nanoseconds",
    "size_bytes",
    "usual",
]
