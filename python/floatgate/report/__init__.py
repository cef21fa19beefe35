"""The report: one self-contained HTML file, made from the files of a run folder alone."""

from pathlib import Path

from floatgate import callable_room
from floatgate.results.folder import put_page


def write_report(folder: Path, path: Path, *, is_own: bool = False) -> Path:
    """Make the report of the run in `folder` and write it to `path`; `is_own`: this process wrote the run.

    Raises InputError when the folder is not a whole run, or `path` cannot be written.
    """
    from floatgate.report.page import page
    from floatgate.report.source import Source

    return put_page(path, page(Source.read(folder, is_own=is_own)))


def in_notebook(folder: Path, caption: str) -> str:
    """Return headline and first figure of the run in `folder` as HTML without a script.

    Raises InputError when the folder is not a whole run.
    """
    from floatgate.report.draw import svg
    from floatgate.report.figures import all_figures
    from floatgate.report.html import as_image, render
    from floatgate.report.source import Source
    from floatgate.results.headline import headline

    source = Source.read(folder)
    first = next(iter(all_figures(source).values()), None)
    return render(
        "headline.html",
        caption=caption,
        metrics=headline(source.document),
        image=None if first is None else as_image(svg(first)),
    )


callable_room.answers(__name__, "floatgate.commands.report")
