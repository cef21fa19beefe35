"""Numbers as people write them: `32GB`, `1GiB`, `128k`, `53MB/s`, `0.9W`, `6y`. The unit is never guessed."""

import re
from collections.abc import Mapping
from math import inf

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/]*)\s*")

_DECIMAL = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}
_BINARY = {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "PiB": 2.0**50}
SIZES: Mapping[str, float] = {"B": 1.0, **_DECIMAL, **_BINARY}
BLOCKS: Mapping[str, float] = {"": 1.0, "k": 2.0**10, "K": 2.0**10, "m": 2.0**20, "M": 2.0**20, **SIZES}
RATES: Mapping[str, float] = {f"{unit}/s": factor for unit, factor in SIZES.items()}
POWERS: Mapping[str, float] = {"mW": 1e-3, "W": 1.0, "kW": 1e3}
YEARS: Mapping[str, float] = {"y": 1.0}
TIMES_MS: Mapping[str, float] = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def measure(text: object, units: Mapping[str, float], example: str) -> float:
    """Read a number with one of `units`, in their base unit. Raises ValueError, which names `example`."""
    found = _NUMBER.fullmatch(text) if isinstance(text, str) else None
    if found is None or found[2] not in units:
        raise ValueError(f"expected a number with its unit, such as {example}")
    value = float(found[1]) * units[found[2]]
    if value == inf:
        raise ValueError(f"too large: expected a number with its unit, such as {example}")
    return value
