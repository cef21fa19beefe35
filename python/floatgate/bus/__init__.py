"""The wires between controller and chips: what an architect asks of them."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Find a module below at its first use, and the policies below `bus`: `floatgate.bus.interface`."""
    if name in ("explore", "waveform"):
        return import_module(f"{__name__}.{name}")
    from floatgate.inputs.policies import below

    return below("bus", name)
