"""The run folder: whole or not there at all."""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path
from typing import Any

from floatgate import files
from floatgate.errors import InputError
from floatgate.results import marker


@contextmanager
def own_folder(out: Path | None, usual: Path, *, force: bool = False) -> Iterator[Path]:
    """Give the folder to write to: `out` where the user named one, else the first free of `usual`, `usual-2`.

    It is claimed by making it, so that of two runs at the same time each has its own; one that is left empty
    is taken away again. With `force` the usual folder is given as it is, to be replaced.
    Raises InputError when the folder cannot be made.
    """
    if out is not None or force:
        yield usual if out is None else out
        return
    with _claimed(usual, "", Path.mkdir) as claimed:
        try:
            yield claimed
        finally:
            with suppress(OSError):  # it holds something: that is what it was claimed for
                claimed.rmdir()


@contextmanager
def own_file(out: Path | None, usual: Path) -> Iterator[Path]:
    """Give the file to write to, as `own_folder` gives a folder: `usual.html`, `usual-2.html`...

    It is there before the work begins, so that an unwritable place is found then; left empty, it goes again.
    Raises InputError when it cannot be made, and where `out` is a file that Floatgate did not write.
    """
    if out is None:
        claimed = _claimed(usual.with_suffix(""), usual.suffix, lambda place: place.touch(exist_ok=False))
    else:
        claimed = _opened(out)
    with claimed as place:
        try:
            yield place
        except OSError as error:
            raise unwritable(place, error) from error
        finally:
            with suppress(OSError):
                if place.is_file() and not place.stat().st_size:
                    place.unlink()


@contextmanager
def _opened(out: Path) -> Iterator[Path]:
    """Give a file that the user named; one that is there is replaced if Floatgate wrote it."""
    with _parents(out):
        try:
            refuse_foreign(out)
            with out.open("ab"):
                pass
            _check_writable(Path(os.path.realpath(out)).parent)  # where the new file is made
        except OSError as error:
            raise unwritable(out, error) from error
        yield out


# What stands in each single file that a command writes: HTML, earlier HTML, chip files.
_MARKS = (b'<meta name="generator" content="Floatgate', b"<footer>Made by Floatgate ", b"Made by `floatgate ")
_MARKED_WITHIN = 8 << 20  # bytes
_STATE_MARK = b"FLGATESN"  # stands at the beginning of a saved state


def refuse_foreign(path: Path) -> None:
    """Raise InputError where writing to `path` would replace what Floatgate did not write."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is no regular file: expected a new file, or one that Floatgate wrote")
        if not path.exists() or not path.stat().st_size:
            return
        with path.open("rb") as file:
            content = file.read(_MARKED_WITHIN)
    except OSError as error:
        raise unwritable(path, error) from error
    if not any(mark in content for mark in _MARKS):
        raise InputError(
            f"{path}: exists, and Floatgate did not write it: expected a new file, or one of Floatgate's"
        )


def put_page(path: Path, text: str) -> Path:
    """Put a page at `path` in one step and note it among what Floatgate wrote there. Raises InputError."""
    refuse_foreign(path)
    try:
        files.write_whole(path, text)
        marker.add(path)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


@contextmanager
def shared_folder(out: Path, *names: str, force: bool = False) -> Iterator[Path]:
    """Give a folder to add the files `names` to, made if it is not there.

    Raises InputError when that cannot be, and where one of the files is there (unless `force`).
    """
    for name in names:
        check_replaceable(out / name, force=force)
    made = not out.exists()
    with _parents(out):
        try:
            out.mkdir(exist_ok=True)
            _check_writable(out)
            yield out
        except OSError as error:
            raise unwritable(out, error) from error
        finally:
            if made:
                with suppress(OSError):
                    out.rmdir()


def _check_writable(folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def _claimed(usual: Path, suffix: str, make: Callable[[Path], None]) -> Iterator[Path]:
    """Give what `make` made of the first free name."""
    with _parents(usual):
        try:
            claimed = _first_free(usual, suffix, make)
        except OSError as error:
            raise unwritable(usual, error) from error
        yield claimed


@contextmanager
def _parents(place: Path) -> Iterator[None]:
    """Make the folders above `place`; folders that stay empty are removed."""
    new = [folder for folder in place.parents if not folder.exists()]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(place, error) from error
    try:
        yield
    finally:
        with suppress(OSError):
            for folder in new:
                folder.rmdir()


def _first_free(usual: Path, suffix: str, make: Callable[[Path], None]) -> Path:
    for number in count(1):
        ending = "" if number == 1 else f"-{number}"
        place = usual.with_name(usual.name + ending + suffix)
        with suppress(FileExistsError):
            make(place)
            return place
    raise AssertionError("the numbers do not end")


@contextmanager
def atomically(out: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a folder beside `out` to write into, and turn it into `out` when the block ends well.

    It is made at once, so that an unwritable place is found before a long run, not after it. A link to a
    folder means that folder. Raises InputError when `out` exists (unless `force`, and then only if Floatgate
    wrote all that it holds), cannot be written, or the disk is full; nothing is left behind then.
    """
    target = _target(out)
    _refuse_working_folder(out, target)
    _refuse_existing(target, force)
    with _parents(target):
        _sweep(target)
        partial: Path | None = None
        try:
            partial = target.with_name(f".{target.name}.partial-{os.urandom(6).hex()}")
            partial.mkdir()
            with marker.locked(partial):
                yield partial
                marker.complete(partial)
                _publish(partial, target, force)
        except OSError as error:
            raise unwritable(out, error) from error
        except InputError as error:
            if str(partial) not in str(error):
                raise
            raise InputError(str(error).replace(str(partial), str(out))) from error
        finally:
            if partial is not None:
                shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def new_folder(out: Path | None, usual: Path, *, force: bool) -> Iterator[tuple[Path, Path]]:
    """Give a folder to write into, and the one that it becomes when the block ends well, as `own_folder`."""
    with own_folder(out, usual, force=force) as final, atomically(final, force=force) as partial:
        yield partial, final


@contextmanager
def atomically_or_not(out: Path | None, *, force: bool) -> Iterator[Path | None]:
    """Give the folder of `atomically` where `out` names one, else none."""
    if out is None:
        yield None
        return
    with atomically(out, force=force) as partial:
        yield partial


def _target(out: Path) -> Path:
    """The folder that `out` means, through links."""
    if not out.is_symlink():
        return out
    try:
        return out.resolve(strict=True)
    except (OSError, RuntimeError):
        raise InputError(
            f"{out}: is a link that leads nowhere ({out.readlink()}): expected a folder, or a new name"
        ) from None


def _refuse_working_folder(out: Path, target: Path) -> None:
    """Raise InputError for the folder that the command works in, or one around it: it cannot be replaced."""
    with suppress(OSError):  # a working folder that is gone lies nowhere
        if Path.cwd().is_relative_to(os.path.realpath(target)):
            raise InputError(f"{out}: is the working folder, or one around it: expected another folder")


def _refuse_existing(out: Path, force: bool) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"{out}: is a file: expected a folder to write the run into")
    if not any(out.iterdir()):
        return
    if marker.listed(out) is None:
        raise InputError(
            f"{out}: holds files that are no run (no {marker.NAME} says that Floatgate wrote them): "
            "expected a new folder, or one of an earlier run"
        )
    if not force:
        raise InputError(
            f"{out}: holds a run already: expected a new folder (--out), or --force to replace it"
        )
    if foreign := marker.foreign(out):
        raise InputError(
            f"{out / foreign[0]}: Floatgate did not write this file: --force would remove it; "
            "expected it elsewhere, or a new folder"
        )


def _sweep(target: Path) -> None:
    """Clear away what commands left beside `target` that were killed; a run they had put aside comes back."""
    for folder in target.parent.glob(f".{escape(target.name)}.aside-*"):
        if marker.is_abandoned(folder):
            with suppress(OSError):
                if target.exists():
                    marker.remove(folder)
                else:
                    folder.rename(target)
    for folder in target.parent.glob(f".{escape(target.name)}.partial-*"):
        if marker.is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _publish(partial: Path, out: Path, force: bool) -> None:
    """Put `partial` in the place of `out`; a run that was there is removed only after that.

    Raises InputError when another command wrote to `out` first; what was computed is then beside it.
    """
    for path in sorted(partial.rglob("*")):
        files.sync(path)
    try:
        partial.rename(out)  # replaces an empty folder in one step: its name is never free in between
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not force:
            beside = _first_free(out, "", Path.mkdir)
            partial.rename(beside)
            raise InputError(
                f"{out}: another command wrote there meanwhile; what this one computed is in {beside}"
            ) from error
        _refuse_existing(out, force)
        aside = partial.with_name(partial.name.replace(".partial-", ".aside-"))
        out.rename(aside)
        partial.rename(out)
        marker.remove(aside)


def check_state_file(path: Path, *, force: bool) -> None:
    """As `check_replaceable`; a saved state says what it is, so `force` replaces nothing else."""
    named = "--save-state"
    check_replaceable(path, force=force, named=named)
    try:
        if not path.exists() or not path.stat().st_size:
            return
        with path.open("rb") as file:
            is_state = file.read(len(_STATE_MARK)) == _STATE_MARK
    except OSError as error:
        raise unwritable(path, error) from error
    if not is_state:
        raise InputError(f"{named} {path}: exists, and is no saved state: expected a new file, or a state")


def check_replaceable(path: Path, *, force: bool, named: str = "") -> None:
    """Raise InputError where a file written to `path` would replace what was not asked to go.

    What such a file holds does not say who wrote it, so `force` says that it may go. `named` is the option
    that names it.
    """
    place = f"{named} {path}".lstrip()
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{place}: is no regular file: expected a new file, or an earlier one")
    if path.exists() and not force:
        raise InputError(f"{place}: exists: expected a new file, or --force to replace it")


def unwritable(path: Path, error: OSError) -> InputError:
    """Say in one line why `path` could not be written, and what to do."""
    hints = {
        errno.ENOSPC: "free some space or choose another disk",
        errno.EDQUOT: "free some space or choose another disk",
        errno.EACCES: "choose a folder you may write to",
        errno.EPERM: "choose a folder you may write to",
        errno.EROFS: "choose a folder on a writable disk",
        errno.EEXIST: "a part of the path is a file",
        errno.ENOTDIR: "a part of the path is a file",
    }
    reason = (error.strerror or str(error)).lower()
    hint = hints.get(error.errno or 0, "choose another folder")
    return InputError(f"{path}: cannot be written: {reason} ({hint}; nothing was written there)")


def write_json(path: Path, document: Any) -> None:
    """Write `document` so that equal documents are equal bytes."""
    path.write_text(to_text(document) + "\n", encoding="utf-8")


_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def to_text(value: Any, indent: str = "") -> str:
    """Return `value` as JSON for people: a key a line, but a list of numbers on one.

    Raises ValueError for a number that JSON cannot hold.
    """
    inner = indent + " "
    if isinstance(value, dict) and value:
        lines = (f"{inner}{json.dumps(key)}: {to_text(item, inner)}" for key, item in value.items())
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[\n" + ",\n".join(inner + to_text(item, inner) for item in value) + f"\n{indent}]"
    return _written(value)


def read_json(path: Path) -> dict[str, Any]:
    """Read a document written by `write_json`.

    Raises InputError when it is missing or damaged.
    """
    return files.read_json(path, "a result that floatgate wrote")
