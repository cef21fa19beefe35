"""Where answers of preconditioning's pilots are kept between runs (docs/explanation/states.md)."""

import os
from pathlib import Path

from floatgate import _core

VARIABLE = "FLOATGATE_PILOTS"  # a folder, or `off`
OFF = "off"


def folder() -> Path | None:
    """Return the folder of the user's where they are kept; none where they are not."""
    asked = os.environ.get(VARIABLE)
    if asked:
        return None if asked == OFF else Path(asked)
    usual = os.environ.get("XDG_CACHE_HOME")
    # As the specification has it, a relative path is none.
    if usual and Path(usual).is_absolute():
        return Path(usual) / "floatgate" / "pilots"
    try:
        return Path.home() / ".cache" / "floatgate" / "pilots"
    except RuntimeError:  # a user without a home
        return None


def kept() -> dict[str, str] | None:
    """Return what the core is told: the folder, and the build for which the answers hold."""
    place = folder()
    if place is None:
        return None
    # Builds of one version may differ while somebody works on it: its file tells them apart.
    library = Path(_core.__file__).stat()
    return {"folder": str(place.absolute()), "build": f"{library.st_size}-{library.st_mtime_ns}"}
