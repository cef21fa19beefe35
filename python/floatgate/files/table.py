"""A table in CSV as one sentence: `# key: value` above it, columns by name, rows with their places."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from floatgate.errors import InputError, one_line
from floatgate.files import TEXT_MOST, read_rows, read_text


@dataclass(frozen=True)
class Table:
    """What stands above a table, and its rows, which are read as they are asked for."""

    said: Mapping[str, str]
    rows: Iterator[tuple[str, dict[str, str]]]  # each with its place, `FILE:LINE`


def read_table(
    path: Path,
    expected: str,
    columns: Sequence[str],
    *,
    optional: Sequence[str] = (),
    has_comments: bool = False,
    most: int = TEXT_MOST,
) -> Table:
    """Read a table with these columns, in their order where none is `optional`.

    Above it every line says `# key: value`, but for comments, which only some tables have.

    Raises InputError, naming the line, for other columns, and for a row or a line above that is none.
    """
    lines = read_text(path, expected, most).splitlines()
    first = next((index for index, line in enumerate(lines) if not line.startswith("#")), len(lines))
    above = [one for one in enumerate(lines[:first], 1) if not has_comments or ":" in one[1]]
    said = dict(said_in(f"{path}:{number}", line) for number, line in above)
    names = lines[first].split(",") if first < len(lines) else []
    known = names == list(columns)
    if optional:
        known = len(set(names)) == len(names) and set(columns) <= set(names) <= {*columns, *optional}
    if not known:
        also = f", and {', '.join(optional)} or not" if optional else ""
        raise InputError(f"{path}:{first + 1}: expected the columns {','.join(columns)}{also}")

    def rows() -> Iterator[tuple[str, dict[str, str]]]:
        for number, fields in read_rows(lines[first + 1 :], path, first + 2, expected):
            place = f"{path}:{number}"
            if len(fields) != len(names):
                raise InputError(f"{place}: {len(fields)} fields: expected {len(names)}: {','.join(names)}")
            yield place, dict(zip(names, fields, strict=True))

    return Table(said, rows())


def said_in(place: str, line: str) -> tuple[str, str]:
    """Read a line `# key: value` above a table."""
    key, colon, value = line[1:].partition(":")
    if not colon:
        raise InputError(f"{place}: {one_line(line)[:80]}: expected '# key: value'")
    return key.strip(), value.strip()
