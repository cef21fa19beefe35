"""Reproducing published numbers: what a paper's `run.py` imports.

A paper is a folder with `paper.toml` (what it claims, how near we must come), `expected.csv` (its
numbers) and `run.py`, which defines

    def cases(full: bool) -> Iterable[Case]: ...          # what to simulate
    def run(case: Case, full: bool) -> Finding: ...       # simulate it, in a process of its own
    def conclude(found: Found) -> Iterable[Concluded]: ...  # optional: claims about several cases together

See papers/README.md for how to add one.
"""

from floatgate import callable_room
from floatgate.reproduce import changes, passes, traces
from floatgate.reproduce.case import Case, Concluded, Finding, Found, Line
from floatgate.reproduce.expected import published
from floatgate.reproduce.simulate import simulate, simulate_files
from floatgate.reproduce.traces import Trace

__all__ = [
    "Case",
    "Concluded",
    "Finding",
    "Found",
    "Line",
    "Trace",
    "changes",
    "passes",
    "published",
    "simulate",
    "simulate_files",
    "traces",
]

callable_room.answers(__name__, "floatgate.commands.reproduce")
