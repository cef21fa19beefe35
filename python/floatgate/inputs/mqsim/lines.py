"""Where MQSim reads a trace's lines otherwise than they are meant, without a word.

It cuts a line at each blank, so that two in a row, a tab or an empty line make a number of columns that is
not five: there it takes the trace for ended. A blank at a line's end becomes part of the last column, which
then says "read".
"""

import re
from pathlib import Path

CHUNK = 1 << 20
_ODD = re.compile(rb"(?P<stops>  |\t|\n |\n\r?\n(?=[0-9]))|0 \r?\n")


def read_otherwise(path: Path) -> str | None:
    """Return what is to be said about the first such line of a trace; None when there is none."""
    with path.open("rb") as file:
        before, line = b"\n", 0  # a line's end before the first line, and lines before `before`
        while block := file.read(CHUNK):
            block = before + block
            found = _ODD.search(block)
            if found is not None:
                stops = found["stops"] is not None
                at = found.end() - 1 if stops else found.start()
                return _note(path, line + block[:at].count(b"\n"), stops=stops)
            keep = block[-3:]  # the longest of what is looked for, less a byte
            line += block[: -len(keep)].count(b"\n")
            before = keep
    return None


def _note(path: Path, line: int, *, stops: bool) -> str:
    if stops:
        what = "MQSim takes the trace for ended here: two blanks, a tab, a blank in front or an empty line"
        return f"{path}:{line}: {what}; here all its requests are made"
    what = "MQSim takes this write for a read, because of the blank at its end"
    return f"{path}:{line}: {what}; here it is a write"
