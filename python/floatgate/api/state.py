"""`floatgate.state.info`: what a stored drive state holds."""

import json
from os import PathLike
from typing import Any

from floatgate import _core
from floatgate.files import regular
from floatgate.options.taking import offered, take
from floatgate.options.traces import StateInfoOptions


@offered(StateInfoOptions)
def info(file: str | PathLike[str]) -> dict[str, Any]:
    """Return which drive a saved state belongs to, and what it holds, by name.

    Raises InputError for a file that is no state of `save_state=`, or one of another version.
    """
    return described(take(StateInfoOptions, {}, file=file))


def described(asked: StateInfoOptions) -> dict[str, Any]:
    """Read the state that was asked for."""
    regular(asked.file, "a state that --save-state wrote")
    found: dict[str, Any] = json.loads(_core.state_info(str(asked.file)))
    return found
