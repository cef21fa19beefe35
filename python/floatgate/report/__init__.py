"""The report: one self-contained HTML file, made from the files of a run folder alone."""

from pathlib import Path

from floatgate import marker
from floatgate.files import write_whole
from floatgate.folder import refuse_foreign, unwritable


def write_report(folder: Path, path: Path) -> Path:
    """Make the report of the run in `folder` and write it to `path`.

    Raises InputError when the folder is not a whole run, or `path` cannot be written.
    """
    from floatgate.report.page import page
    from floatgate.report.source import Source

    text = page(Source.read(folder))
    refuse_foreign(path)
    try:
        write_whole(path, text)
        marker.add(path)
    except OSError as error:
        raise unwritable(path, error) from error
    return path
