"""The one door through which files come in, and those through which tables of text and single files go out.

What is read is a regular file of a bounded size, in UTF-8, of bounded depth, with numbers of bounded length;
anything else at a path is one line about that path. Nothing here waits for a pipe or fills the memory.
"""

import codecs
import csv
import errno
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import file_digest as hashed
from math import inf
from pathlib import Path
from typing import Any, NoReturn

from floatgate.errors import InputError, one_line
from floatgate.files.shipped import here_or_example

MIB = 1 << 20
TEXT_MOST = 64 * MIB  # a job file, a table of voltages, a profile
TOML_MOST = 4 * MIB  # a plan, a price list, a paper
JSON_MOST = 256 * MIB  # a result, with its map of wear
LINES_MOST = 256 * MIB  # a rig's log that is read at once
DEPTH_MOST = 64  # objects and lists inside each other
DIGITS_MOST = 18  # of a whole number, which then fits 64 bits


def regular(path: Path | str, expected: str) -> Path:
    """Return the path of a regular file. Raises InputError for a folder, a pipe, a device, or nothing."""
    path = here_or_example(Path(path))
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        _refuse(path, error, expected)
    if not stat.S_ISREG(mode):
        found = "is a folder" if stat.S_ISDIR(mode) else "is a pipe or a device, no regular file"
        raise InputError(f"{_shown(path)}: {found}: expected {expected}")
    return path


def read_bytes(path: Path | str, expected: str, most: int = TEXT_MOST) -> bytes:
    """Return what a file, or an example, holds. Raises InputError, which ends in `expected`."""
    path = here_or_example(Path(path))
    try:
        # Not blocking: a pipe without a writer must not be waited for, not even to see that it is one.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        _refuse(path, error, expected)
    try:
        with os.fdopen(descriptor, "rb") as file:
            regular(path, expected)
            content = file.read(most + 1)
    except OSError as error:
        _refuse(path, error, expected)
    if len(content) > most:
        raise InputError(f"{_shown(path)}: more than {most // MIB} MiB: expected {expected}")
    return content


def digest(path: Path | str, expected: str = "a file to read") -> str:
    """Return the SHA-256 of a file of any size, or an example. Raises InputError, ending in `expected`."""
    try:
        with regular(path, expected).open("rb") as file:
            return hashed(file, "sha256").hexdigest()
    except OSError as error:
        _refuse(Path(path), error, expected)


def read_text(path: Path | str, expected: str, most: int = TEXT_MOST) -> str:
    """Return the text of a file in UTF-8, with a mark of that encoding or without."""
    content = read_bytes(path, expected, most)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{_shown(path)}: UTF-16: expected {expected} in UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{_shown(path)}:{line}: not UTF-8: expected {expected}") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{_shown(path)}:{line}: a zero byte: expected {expected}")
    return text


def read_json(path: Path | str, expected: str, most: int = JSON_MOST) -> dict[str, Any]:
    """Return the object in a JSON file: no key twice, no number that is none, nothing nested endlessly."""
    text = read_text(path, expected, most)
    try:
        document = _parsed(text, float)  # Calling `_real` for each number would take a third of the time.
        if not _bounded(document):
            _parsed(text, _real)  # says which number it is
    except RecursionError:
        raise InputError(f"{_shown(path)}: nested too deep: expected {expected}") from None
    except ValueError as error:
        raise InputError(f"{_shown(path)}: not JSON ({one_line(error)[:200]}): expected {expected}") from None
    if not isinstance(document, dict):
        raise InputError(f"{_shown(path)}: not a JSON object: expected {expected}")
    return document


def read_toml(path: Path | str, expected: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file and its table."""
    import tomllib

    text = read_text(path, expected, TOML_MOST)
    try:
        # Dotted keys nest without a bracket, and the parser takes the square of their length.
        if any(line.partition("=")[0].count(".") > DEPTH_MOST for line in text.splitlines()):
            raise RecursionError
        table = tomllib.loads(text, parse_float=_toml_float)
        _bounded(table)
    except RecursionError:
        raise InputError(f"{_shown(path)}: nested too deep: expected {expected}") from None
    except ValueError as error:
        raise InputError(f"{_shown(path)}: {one_line(error)[:200]}: expected {expected}") from None
    return text, table


def read_rows(
    lines: Iterable[str], place: Path | str, first: int, expected: str
) -> Iterator[tuple[int, list[str]]]:
    """Give the rows of a table with the numbers of their lines, the first of which is `first`."""
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            number = first + reader.line_num - 1
            raise InputError(f"{_shown(place)}:{number}: {one_line(error)}: expected {expected}") from None
        if fields is None:
            return
        yield first + reader.line_num - 1, fields


def whole(text: str) -> int | None:
    """Return the whole number that is written in digits; None for anything else, and for too many of them."""
    if not text.isascii() or not text.isdigit() or len(text) > DIGITS_MOST:
        return None
    return int(text)


class Figure(str):
    """A number that is written already: it goes into a table as it is, minus sign and all."""

    __slots__ = ()


def ten_digits(value: Any) -> Any:
    """Write a fraction so that whole nanoseconds stay whole and noise beyond ten digits goes."""
    return Figure(format(value, ".10g")) if isinstance(value, float) else value


def write_rows(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table as CSV; a text that a spreadsheet would take for a formula gets a quote before it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([cell(name) for name in head])
        writer.writerows([cell(value) for value in row] for row in rows)


def write_lines(path: Path, head: Sequence[str], lines: Iterable[str], before: str) -> None:
    """Write a table of millions of rows as CSV: `before`, a head, and lines of numbers and words of ours."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(before)
        file.write(",".join(head) + "\n")
        file.writelines(lines)


@contextmanager
def putting(folder: Path) -> Iterator[Path]:
    """Give a folder for files that go into `folder` when the block ends well, each of them in one step.

    What has their names there stays whole until then, and for good where the block fails or is killed.
    """
    partial = folder / f".partial-{os.urandom(6).hex()}"
    partial.mkdir()
    try:
        yield partial
        written = sorted(partial.iterdir())
        for path in written:
            sync(path)
        for path in written:
            there = folder / path.name
            if there.exists():
                shutil.copymode(there, path)
            path.replace(there)
        sync(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_whole(path: Path, text: str) -> None:
    """Put `text` at `path`, or where a link there leads, in one step: what was there is whole until then."""
    place = Path(os.path.realpath(path))
    with putting(place.parent) as partial:
        (partial / place.name).write_text(text, encoding="utf-8")


def sync(path: Path) -> None:
    """Force a file or a folder onto the disk: a full one may show only here."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cell(value: Any) -> Any:
    """Return what stands for a value in a table: nothing for None, numbers as they are."""
    if value is None:
        return ""
    if not isinstance(value, str) or isinstance(value, Figure):
        return value
    quote = "'" if value.startswith(_FORMULAS) else ""
    return quote + value.replace("\r", " ")  # which some take for the end of the row


_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet begins to compute


def _shown(path: Path | str) -> str:
    """A path as a message names it: bytes that are no text are escaped."""
    return str(path).encode(errors="surrogateescape").decode(errors="backslashreplace")


def _refuse(path: Path, error: OSError | ValueError, expected: str) -> NoReturn:
    if isinstance(error, ValueError):
        reason = "no path"
    elif error.errno in (errno.ENOENT, errno.ENOTDIR):
        reason = "no such file"
    else:
        reason = (error.strerror or str(error)).lower()
    raise InputError(f"{_shown(path)}: {reason}: expected {expected}") from None


def _parsed(text: str, real: Callable[[str], float]) -> Any:
    return json.loads(
        text, object_pairs_hook=_object, parse_int=_whole, parse_float=real, parse_constant=_constant
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)[:80]!r} twice")
    return found


def _whole(text: str) -> int:
    if len(text) > DIGITS_MOST + 2:  # 20 digits and a sign: what 64 bits hold
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if value in (inf, -inf):
        raise ValueError(f"a number beyond all bounds: {text[:40]}")
    return value


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _toml_float(text: str) -> float:
    value = _real(text.replace("_", ""))
    if value != value:
        raise ValueError(f"{text} is no number")
    return value


def _bounded(value: Any) -> bool:
    """Return whether no number is infinite. Raises RecursionError where something is nested too deep."""
    level: list[Any] = [[value]]
    bounded = True
    for _ in range(1 + DEPTH_MOST):
        within = [outer.values() if isinstance(outer, dict) else outer for outer in level]
        bounded = bounded and not any(inf in each or -inf in each for each in within)
        level = [inner for each in within for inner in each if isinstance(inner, dict | list)]
        if not level:
            return bounded
    raise RecursionError
