"""The two streams that a user reads. Away from a terminal, text goes out as it is, without Rich.

A file or a pipe gets the same bytes either way: what Rich would fold, cut or colour is left to it.
"""

import os
import re
import sys
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import rich.table
    from rich.console import Console

WIDE = 160  # in a file or a pipe nothing is cut
_NARROW = 0x300  # letters below have one column each
_PICTURE = re.compile(r":\S*:")
# With these Rich may take a pipe for a terminal, or a terminal for none.
_ASKS_RICH = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JUPYTER_COLUMNS", "JUPYTER_LINES")


class Stream:
    """Standard output, or standard error."""

    def __init__(self, name: str, *, width: int | None = None) -> None:
        self._name = name
        self._width = width

    @cached_property
    def rich(self) -> "Console":
        """Rich's view of it."""
        from rich.console import Console

        width = None if self._is_looked_at else self._width
        return Console(
            stderr=self._name == "stderr", highlight=False, markup=False, soft_wrap=True, width=width
        )

    @cached_property
    def _is_looked_at(self) -> bool:
        """Whether it is a terminal; a stream that was closed before the start is None."""
        stream = getattr(sys, self._name)
        return stream is not None and stream.isatty()

    @cached_property
    def is_terminal(self) -> bool:
        """Whether it can show what moves."""
        if self._is_looked_at or any(name in os.environ for name in _ASKS_RICH):
            return self.rich.is_terminal
        return False

    def print(self, what: "str | Table | Any" = "", *, style: str | None = None) -> None:
        """Print a text as it stands, a table, or anything that Rich shows."""
        plain = None if self.is_terminal else _plain(what)
        if plain is None:
            self.rich.print(what, style=style)
        else:
            stream = getattr(sys, self._name)
            stream.write(plain)
            stream.flush()


def _plain(what: Any) -> str | None:
    """The text that Rich would write to a file; None where that is its to say."""
    if isinstance(what, Table):
        return what.plain()
    return what + "\n" if isinstance(what, str) and _is_simple(what.replace("\n", "")) else None


def _is_simple(text: str) -> bool:
    """Whether each letter has one column, and stands for itself: Rich takes some words for small pictures."""
    narrow = text.isascii() or max(map(ord, text)) < _NARROW
    return narrow and text.isprintable() and not _PICTURE.search(text)


class Table:
    """Columns of text without lines: what a row is about on the left, its numbers to the right."""

    def __init__(self, first: str, columns: Sequence[str], *, is_folded: bool = False) -> None:
        self._head = (first, *columns)
        self._rows: list[tuple[tuple[str, ...], str]] = []
        self._is_folded = is_folded

    def add_row(self, *cells: str, style: str = "") -> None:
        """Add a row; what it lacks on the right is empty."""
        self._rows.append((cells, style))

    def plain(self) -> str | None:
        """The lines of a file; None where they are too long, or not simple."""
        rows = [self._head, *(cells for cells, _ in self._rows)]
        rows = [(*cells, *[""] * (len(self._head) - len(cells))) for cells in rows]
        if any(len(cells) != len(self._head) for cells in rows):
            return None
        if not all(map(_is_cell, (cell for cells in rows for cell in cells))):
            return None
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        if not all(widths) or sum(widths) + len(widths) > WIDE:
            return None
        return "".join(_line(cells, widths) for cells in rows)

    def __rich__(self) -> "rich.table.Table":
        """The same for a terminal."""
        from rich.table import Table as Shown

        table = Shown(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
        table.add_column(
            self._head[0], no_wrap=not self._is_folded, overflow="fold" if self._is_folded else "ellipsis"
        )
        for column in self._head[1:]:
            table.add_column(column, justify="right", no_wrap=True)
        for cells, style in self._rows:
            table.add_row(*cells, style=style)
        return table


def _is_cell(text: str) -> bool:
    """Whether Rich shows a text in a table as it stands."""
    return _is_simple(text) and text == text.strip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """A row: the first cell to the left, the others to the right."""
    shown = [cells[0].ljust(widths[0])]
    shown += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return " ".join(shown) + "\n"
