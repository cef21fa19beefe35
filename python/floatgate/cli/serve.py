"""`floatgate serve`: a drive that other programs use."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from floatgate.cli.options import takes
from floatgate.options.serve import ServeOptions

if TYPE_CHECKING:
    from floatgate.served import Serving


@takes(ServeOptions)
def serve(asked: ServeOptions) -> None:
    """Serve a drive as a network block device (NBD), until Ctrl-C or SIGTERM.

    fio, qemu, nbdcopy and every other client of NBD can use it. Requests take as long as the drive takes for
    them. What the flash holds stays in the image; the next server of the image goes on from there.
    """
    from floatgate.cli import console
    from floatgate.folder import own_folder
    from floatgate.served import ended_by_signals, serve_to_folder

    said: list[str] = []

    def told(serving: "Serving") -> None:
        if not said:
            said.append(serving.uri)
            console.err.print(f"serving    {serving.uri}", markup=False)
        if serving.refused is not None and serving.refused not in said:
            said.append(serving.refused)
            console.err.print(
                f"note       {asked.image}: {serving.refused}: writes are refused", markup=False
            )

    with (
        own_folder(asked.out, Path("out") / f"{Path(asked.drive).stem}-serve", force=asked.force) as folder,
        ended_by_signals() as stopped,
    ):
        document = serve_to_folder(asked, folder, report=asked.report, told=told, stopped=stopped)
        console.print_result(document)
        code = console.farewell(False, folder, asked.report)
    raise typer.Exit(code)
