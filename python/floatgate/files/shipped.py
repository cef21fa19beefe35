"""Where the drives, chips, papers and examples are that come with Floatgate.

In a checkout `floatgate/data` links to the folders in the repository's root; in a wheel it holds copies.
"""

from collections.abc import Sequence
from pathlib import Path

from floatgate.files import copies

_DATA = Path(__file__).parents[1] / "data"
EXAMPLES = "examples"


def drives() -> Path:
    """Return the folder of drive files."""
    return (_DATA / "drives").resolve()


def chips() -> Path:
    """Return the folder of chip files."""
    return (_DATA / "chips").resolve()


def papers() -> Path:
    """Return the folder of reproduced papers."""
    return (_DATA / "papers").resolve()


def examples() -> Path:
    """Return the folder of examples."""
    return (_DATA / EXAMPLES).resolve()


def here_or_example(path: Path) -> Path:
    """Return `path`; where nothing lies there and it names an example, `examples/NAME`, that example.

    In a worker on another machine, it is where the user's file of this name lies there.
    """
    path = Path(copies.place(str(path)))
    if path.parts[:1] != (EXAMPLES,) or path.exists():
        return path
    example = examples().joinpath(*path.parts[1:])
    return example if example.is_file() else path


def folders() -> list[str]:
    """Return the folders in which the core looks for `drives/` and `chips/`, in order."""
    return [_shown(drives().parent)]


def without_root(place: str, roots: Sequence[str]) -> str:
    """Return a place in a file that comes with Floatgate, below one of `roots`, as it reads everywhere."""
    for root in roots:
        place = place.removeprefix(root + "/")
    return place


def _shown(folder: Path) -> str:
    """Return the folder relative to the working directory where it lies below it.

    The places named in results then read the same in every checkout.
    """
    try:
        return str(folder.relative_to(Path.cwd()))
    except ValueError:
        return str(folder)
