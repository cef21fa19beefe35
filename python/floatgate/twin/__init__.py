"""Twins: a drive that was measured, as a drive that is simulated.

| file | question |
|---|---|
| `pattern.py` | what was asked of the drive? |
| `measurements.py` | which numbers of a drive are known, and can they all be true? |
| `recorded.py` | what do the files of fio and nvme-cli say? |
| `steps.py`, `fio_job.py`, `script.py` | what is to be measured, and how does a real drive run it? |
| `parameters.py`, `built.py` | what is a twin made of, and which drive is that? |
| `simulated.py`, `evaluate.py` | what does a drive give for a measurement? |
| `queues.py`, `fitting.py`, `stages.py` | which parameters give what was measured? |
| `certainty.py` | how sure are they? |
| `write.py`, `measured.py` | how is a twin kept and shown? |
| `compared.py`, `page.py` | how far is it from the real drive? |
"""

from importlib import import_module
from typing import Any

_FUNCTIONS = ("check", "fit", "jobs", "measure")


def __getattr__(name: str) -> Any:
    """Find a function of `floatgate.twin`."""
    if name in _FUNCTIONS:
        return getattr(import_module("floatgate.commands.twin"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
