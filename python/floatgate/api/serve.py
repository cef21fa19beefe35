"""`floatgate.serve`: a drive that other programs use."""

from os import PathLike
from pathlib import Path
from typing import Unpack

from floatgate._generated.keywords import ServeKeywords
from floatgate.options.taking import offered, take
from floatgate.results.run import Run
from floatgate.results.temporary import Temporary
from floatgate.serve.drive import ended_by_signals, serve_to_folder
from floatgate.serve.options import ServeOptions


@offered(ServeOptions)
def serve(drive: str | PathLike[str], **options: Unpack[ServeKeywords]) -> Run:
    """Serve `drive` as a network block device until `stop_after` seconds, Ctrl-C or SIGTERM.

    `image` holds what its flash holds; the next server of the image goes on from there. Clients come in at
    `socket` (IMAGE.sock without it) or `port`. Without `out` the run folder lives as long as the returned
    object and its copies. In a thread other than the main one nothing but `stop_after` ends it.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    asked = take(ServeOptions, options, drive=drive)
    temporary = None if asked.out is not None else Temporary()
    folder = temporary.folder / "run" if temporary is not None else Path(str(asked.out))
    try:
        with ended_by_signals() as stopped:
            serve_to_folder(asked, folder, report=asked.report and "report" in options, stopped=stopped)
    except BaseException:
        if temporary is not None:
            temporary.remove()
        raise
    return Run.open(folder) if temporary is None else Run.keeping(temporary)
