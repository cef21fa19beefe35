"""`floatgate report`: make the report of a run folder again."""

from floatgate.options.listing import ReportOptions
from floatgate.shell.options import takes


@takes(ReportOptions)
def report(asked: ReportOptions) -> None:
    """Regenerate report.html from the files in the run folder."""
    from floatgate.api.files import reported
    from floatgate.shell import console

    console.err.print(f"wrote {reported(asked)}", markup=False)
