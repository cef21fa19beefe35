"""Which Floatgate this is: two workers that agree in it give the same results."""

from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# What decides a result: the core, the programs, and the drives, chips, papers and examples that come along.
_NOT = ("__pycache__", ".mypy_cache")


def identity() -> str:
    """Return the version and a hash of the core's library, of every source and of all data."""
    from floatgate import _core

    found = sha256()
    for path in sorted(_files(PACKAGE)):
        found.update(f"{path.relative_to(PACKAGE)}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return f"{_core.version()} ({found.hexdigest()[:12]})"


def _files(folder: Path) -> list[Path]:
    """Every file below a folder; what is linked into a checkout lies in a wheel itself."""
    files = []
    for path in folder.iterdir():
        if path.name in _NOT or path.name.startswith("."):
            continue
        files += _files(path) if path.is_dir() else [path]
    return files
