"""The wires between controller and chips: what an architect asks of them."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Find the policies below `bus`, for which `floatgate.bus` stands, too: `floatgate.bus.interface`."""
    from floatgate.policies import seam

    below = None if name.startswith("_") else seam("bus")
    if below is None or name not in dir(below):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(below, name)
