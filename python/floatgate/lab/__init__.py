"""The laboratory: puts a chip on the bench, asks it the questions of the papers, and draws the answers.

It reaches a chip only through `floatgate.lab.chip.Chip`, so that a driver for real silicon can take the place
of the simulated one: a class with those methods, and a `Source` that opens it.
"""

from floatgate.lab.bench import Bench, Source
from floatgate.lab.chip import Answer, CellProbe, Chip, Entry, Identity, PageRead, Rated
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.log import Log, read_log, write_log
from floatgate.lab.run import Characterized, characterize

__all__ = [
    "Answer",
    "Bench",
    "CellProbe",
    "Characterized",
    "Chip",
    "Entry",
    "Experiment",
    "Identity",
    "Log",
    "PageRead",
    "Rated",
    "Result",
    "Source",
    "Table",
    "characterize",
    "read_log",
    "write_log",
]
