"""The runs of a study on disk: each under its key, written once, by any number of commands at a time.

A command appends what it finishes to a file of its own in `rows/`, a line a run, and turns that into a
Parquet file when it ends or has many. The lock on its file ends with its process, however that ends: what
a killed command left is then read, and put in order, by the next.
"""

import fcntl
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from uuid import uuid4

from floatgate import files
from floatgate.errors import InputError
from floatgate.extras import needed
from floatgate.results.folder import unwritable

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = "rows"
TAIL_MOST = 2_000  # runs that are kept as lines
SEGMENTS_MOST = 16  # more are put together at the end


@dataclass(frozen=True)
class Outcome:
    """What became of a run: its status, why where it did not come to its end, its numbers and remarks."""

    key: str
    status: str  # done, refused, failed, pruned
    reason: str | None = None
    numbers: Mapping[str, Any] = field(default_factory=dict)
    remarks: Sequence[Mapping[str, str]] = ()


# Of several rows of one run, as two commands at a time or a second try bring about, the highest counts.
_RANK = {"failed": 0, "refused": 1, "pruned": 2, "done": 3}


class Store:
    """The runs that a study's folder holds, and the file to which this command adds its own."""

    def __init__(self, folder: Path) -> None:
        self._rows = folder / ROWS
        self._tail: tuple[IO[str], Path] | None = None
        self._written: list[Outcome] = []
        self._seen: dict[Path, int] = {}  # files of other commands, and their sizes

    def outcomes(self, columns: Sequence[str] = ()) -> dict[str, Outcome]:
        """Return what became of each run, with these of its numbers, by its key."""
        found: dict[str, Outcome] = {}
        for segment in self._segments():
            for row in _read(segment, ["key", "status", "reason", *columns]).to_pylist():
                numbers = {name: row[name] for name in columns if row.get(name) is not None}
                _keep(found, Outcome(row["key"], row["status"], row["reason"], numbers))
        for path in self._tails():
            for one in _lines(path):
                _keep(found, one)
        return found

    def table(self) -> "pa.Table":
        """Return all runs: key, status, reason, and each number that any of them has."""
        tables = [_read(path) for path in self._segments()]
        tables += [_table(list(_lines(path))) for path in self._tails()]
        return _join(tables)

    def add(self, outcome: Outcome) -> None:
        """Keep what became of a run. Raises InputError where the disk does not take it."""
        try:
            if self._tail is None:
                self._tail = self._begin()
            file, _ = self._tail
            file.write(json.dumps(vars(outcome), allow_nan=False) + "\n")
            file.flush()
        except OSError as error:
            raise unwritable(self._rows, error) from error
        self._written.append(outcome)
        if len(self._written) >= TAIL_MOST:
            self.close()

    def close(self) -> None:
        """Put the lines of this command into a file of columns."""
        if self._tail is None:
            return
        (file, path), outcomes = self._tail, self._written
        self._tail, self._written = None, []
        with file:
            _settle(outcomes, path)

    def tidy(self) -> None:
        """Put in order what killed commands left, and many files into one; those of living ones stay."""
        for path in self._tails():
            with _alone(path) as mine:
                if mine:
                    _settle(list(_lines(path)), path)
        if len(self._segments()) <= SEGMENTS_MOST:
            return
        with _alone(self._rows / "lock", make=True) as mine:
            segments = self._segments() if mine else []
            if segments:
                write(_join([_read(path) for path in segments]), self._rows / f"{uuid4().hex}.parquet")
            for path in segments:
                path.unlink(missing_ok=True)

    @contextmanager
    def alone(self, *, held: bool) -> Iterator[None]:
        """With `held`, refuse another command that does the same: a search is one sequence of questions."""
        if not held:
            yield
            return
        self._rows.mkdir(exist_ok=True)
        with _alone(self._rows / "search", make=True) as mine:
            if not mine:
                raise InputError(
                    f"{self._rows.parent}: another command searches in this study: expected its end"
                )
            yield

    def others(self) -> bool:
        """Whether other commands add runs at the moment."""
        own = self._tail[1] if self._tail else None
        return any(path != own for path in self._tails())

    def news(self) -> bool:
        """Whether other commands added something since this was asked last."""
        own = self._tail[1] if self._tail else None
        seen = {path: path.stat().st_size for path in [*self._segments(), *self._tails()] if path != own}
        known, self._seen = self._seen, seen
        return bool(self.others() and seen != known)

    def _begin(self) -> tuple[IO[str], Path]:
        """Open a file for lines, locked before it has its name: without a lock it is a dead command's."""
        self._rows.mkdir(exist_ok=True)
        path = self._rows / f"{uuid4().hex}.jsonl"
        unnamed = path.with_suffix(".new")
        file = unnamed.open("w", encoding="utf-8")
        fcntl.flock(file, fcntl.LOCK_EX)
        unnamed.rename(path)
        return file, path

    def _segments(self) -> list[Path]:
        return sorted(self._rows.glob("*.parquet"))

    def _tails(self) -> list[Path]:
        return sorted(self._rows.glob("*.jsonl"))


def _keep(found: dict[str, Outcome], one: Outcome) -> None:
    if one.key not in found or _RANK[one.status] > _RANK[found[one.key].status]:
        found[one.key] = one


def _settle(outcomes: list[Outcome], lines: Path) -> None:
    """Write outcomes as columns under the name of their lines, which then go."""
    if outcomes:
        write(_table(outcomes), lines.with_suffix(".parquet"))
    lines.unlink(missing_ok=True)


def _lines(path: Path) -> Iterator[Outcome]:
    """Read the lines that are whole: of the last one a killed command may have written a part only."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:  # its command has just put them into columns
        return
    for line in text[: text.rfind(b"\n") + 1].splitlines():
        yield Outcome(**json.loads(line))


@contextmanager
def _alone(path: Path, *, make: bool = False) -> Iterator[bool]:
    """Hold the lock of a file inside the block, if no other process does; it ends with its process."""
    try:
        with path.open("a" if make else "r") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
    except (BlockingIOError, FileNotFoundError):
        yield False


def _table(outcomes: Sequence[Outcome]) -> "pa.Table":
    arrow = needed("pyarrow")
    texts = {name: arrow.array([getattr(one, name) for one in outcomes], arrow.string()) for name in _TEXTS}
    remarks = arrow.array([list(one.remarks) for one in outcomes], remarks_type())
    names = sorted({name for one in outcomes for name in one.numbers})
    columns = {name: arrow.array([one.numbers.get(name) for one in outcomes]) for name in names}
    made: pa.Table = arrow.table(texts | {REMARKS: remarks} | columns)
    return made


_TEXTS = ("key", "status", "reason")
REMARKS = "remarks"  # a column: what each run remarked


def remarks_type() -> "pa.DataType":
    """Return the type of that column."""
    arrow = needed("pyarrow")
    one = arrow.struct([(name, arrow.string()) for name in ("kind", "text", "advice")])
    made: pa.DataType = arrow.list_(one)
    return made


def _join(tables: "Sequence[pa.Table]") -> "pa.Table":
    """Put tables below each other; of several rows with one key one stays."""
    arrow = needed("pyarrow")
    whole: pa.Table = arrow.concat_tables(tables, promote_options="permissive") if tables else _table(())
    rows: dict[Any, int] = {}
    statuses: list[Any] = whole["status"].to_pylist()
    for index, key in enumerate(whole["key"].to_pylist()):
        if key not in rows or _RANK[statuses[index]] > _RANK[statuses[rows[key]]]:
            rows[key] = index
    return whole if len(rows) == len(whole) else whole.take(list(rows.values()))


def _read(path: Path, columns: list[str] | None = None) -> "pa.Table":
    """Read a file of columns; of `columns` the part that it has. Raises InputError for a damaged one."""
    parquet, arrow = needed("pyarrow.parquet"), needed("pyarrow")
    try:
        if columns is None:
            whole: pa.Table = parquet.read_table(path)
            return whole
        there = set(parquet.read_schema(path).names)
        part: pa.Table = parquet.read_table(path, columns=[name for name in columns if name in there])
        return part
    except FileNotFoundError:  # put together with others meanwhile, by another command
        return _table(())
    except (arrow.ArrowException, OSError) as error:
        raise InputError(
            f"{path}: {error}: expected a file that a study wrote; without it its runs go again"
        ) from error


def write(table: "pa.Table", path: Path) -> None:
    """Write a file of columns in one step."""
    parquet = needed("pyarrow.parquet")
    with files.putting(path.parent) as partial:
        parquet.write_table(table, partial / path.name, compression="zstd")
