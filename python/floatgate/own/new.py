"""A file to start from: a policy in Python that does something sensible and passes its checks."""

from importlib.resources import files
from pathlib import Path

from floatgate.errors import InputError, meant
from floatgate.files import write_whole
from floatgate.own.seams import OFTEN, SEAMS, refusal


def new(seam: str, file: Path, *, force: bool = False) -> None:
    """Write a policy for `seam`, with or without `ftl.`, to `file`.

    Raises InputError for a seam that takes none, or a file that is there already.
    """
    full = seam if seam in (*SEAMS, *OFTEN) else f"ftl.{seam}"
    if full not in SEAMS:
        known = [name.removeprefix("ftl.") for name in SEAMS]
        hint = meant(seam.removeprefix("ftl."), known)
        raise InputError(f"{seam}: {refusal(full)}: expected one of {', '.join(known)}{hint}")
    if file.suffix != ".py":
        raise InputError(f"{file}: expected the name of a Python file: {file.stem}.py")
    if file.exists() and not force:
        raise InputError(f"{file}: is there already: expected a new file, or --force to replace it")
    module = SEAMS[full][0].__module__.rsplit(".", 1)[-1]
    skeleton = files("floatgate.own").joinpath("skeletons", f"{module}.py")
    write_whole(file, skeleton.read_text(encoding="utf-8"))
