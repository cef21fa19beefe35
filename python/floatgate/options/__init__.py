"""How an option is defined, once: name, type, default, help, limits, group, completion.

The command line (`shell/options.py`), the functions of `floatgate` with their keywords (`taking.py`,
`_generated/keywords.py`), the reference and shell completion follow from definitions. The class with the
options of a command is in its file below `commands`, but for options that a room below takes as a whole
(`torture.py`, and `serve/options.py`); what several have is in `shared.py`, what a run keeps in `run.py`.
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
    "State",
    "TraceOptions",
    "fields_of",
    "nanoseconds",
    "size_bytes",
    "usual",
]
