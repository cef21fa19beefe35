"""What results show of themselves in a notebook: a line, and a table, as HTML without a script."""

from collections.abc import Iterable, Sequence


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], says: Iterable[str] = ()) -> str:
    """Return a table with a caption above, and sentences below."""
    from floatgate.report.html import render

    told = [sentence for sentence in says if sentence]
    return render("notebook.html", caption=caption, head=head, rows=list(rows), says=told)
