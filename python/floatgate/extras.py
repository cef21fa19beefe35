"""Packages that only some commands need: which extra installs them, and how a missing one is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from floatgate.errors import InputError

# The extra of `pyproject.toml` that brings each package: `lab` is for characterize, derive, fit and
# grid, and for some papers.
EXTRAS = {
    "numpy": "lab",
    "scipy": "lab",
    "pandas": "frames",
    "polars": "frames",
    "pyarrow": "frames",
    "optuna": "study",
    "SALib": "study",
    "distributed": "cluster",
    "numba": "compiled",
    "prometheus_client": "metrics",
}


def needed(package: str) -> Any:
    """Import a package of an extra, or a module that needs one.

    Raises InputError with the command that installs it.
    """
    with telling():
        return import_module(package)


@contextmanager
def telling() -> Iterator[None]:
    """Raise InputError, with the command that installs it, where a package of an extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        said = told(error)
        if said is None:
            raise
        raise InputError(said) from error


def told(error: ModuleNotFoundError) -> str | None:
    """Say how to install what was not found; None where it belongs to no extra."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return f"{package} is not installed, which this needs: pip install 'floatgate[{EXTRAS[package]}]'"
