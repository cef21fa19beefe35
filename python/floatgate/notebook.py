"""What results show of themselves in a notebook: a line, and a table, as HTML without a script."""

from collections.abc import Iterable, Sequence
from html import escape


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], says: Iterable[str] = ()) -> str:
    """Return a table with a caption above, and sentences below."""
    titles = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    below = "".join(f"<p>{escape(sentence)}</p>" for sentence in says if sentence)
    return f"<table><caption>{escape(caption)}</caption><tr>{titles}</tr>{body}</table>{below}"
