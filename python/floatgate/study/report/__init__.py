"""The report of a study: one self-contained HTML file, made from its folder alone."""

from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.results.folder import put_page

if TYPE_CHECKING:
    from floatgate.study.result import Study


def write_report(study: "Study", path: Path) -> Path:
    """Make the report of a study and write it to `path`.

    Raises InputError where the study's table is not there, or `path` cannot be written.
    """
    from floatgate.study.report.page import page

    return put_page(path, page(study))
