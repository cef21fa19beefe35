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


def needed(package: str, extra: str = "") -> Any:
    """Import a module of an extra. Raises InputError with the command that installs it or its `extra`."""
    with telling(extra):
        return import_module(package)


@contextmanager
def telling(extra: str = "") -> Iterator[None]:
    """Raise InputError, with the command that installs it, where a package of an extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        said = told(error, extra)
        if said is None:
            raise
        raise InputError(said) from error


def told(error: ModuleNotFoundError, extra: str = "") -> str | None:
    """Say how to install what was not found; None where it belongs to no extra."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    extra = extra or EXTRAS[package]
    return f"{package} is not installed, which this needs: pip install 'floatgate[{extra}]'"
