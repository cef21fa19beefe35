"""Where answers of preconditioning's pilots are kept between runs (docs/explanation/states.md)."""

from pathlib import Path

from floatgate import _core
from floatgate.files import caches

VARIABLE = "FLOATGATE_PILOTS"  # a folder, or `off`


def folder() -> Path | None:
    """Return the folder of the user's where they are kept; none where they are not."""
    return caches.folder("pilots", VARIABLE)


def kept() -> dict[str, str] | None:
    """Return what the core is told: the folder, and the build for which the answers hold."""
    place = folder()
    if place is None:
        return None
    # Builds of one version may differ during development: its file tells them apart.
    library = Path(_core.__file__).stat()
    return {"folder": str(place.absolute()), "build": f"{library.st_size}-{library.st_mtime_ns}"}
