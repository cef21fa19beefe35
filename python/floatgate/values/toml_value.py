"""Values as the core writes them: in TOML."""

import tomllib
from typing import Any


def value_of(text: str) -> Any:
    """Return the value that the core wrote as `text`, as `"25us"` or `[1, 2]`."""
    return tomllib.loads(f"value = {text}")["value"]
