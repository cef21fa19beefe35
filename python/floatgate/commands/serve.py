"""`floatgate serve`: a drive that other programs use."""

import os
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import typer

from floatgate._generated.keywords import ServeKeywords
from floatgate.files.temporary import Temporary
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder
from floatgate.serve.options import ServeOptions
from floatgate.shell import console
from floatgate.shell.options import takes
from floatgate.shell.watching import Watching

if TYPE_CHECKING:
    from floatgate.results.run import Run
    from floatgate.serve.drive import Serving


@offered(ServeOptions)
def serve(drive: str | PathLike[str], **options: Unpack[ServeKeywords]) -> "Run":
    """Serve `drive` as a network block device until `stop_after` seconds, Ctrl-C or SIGTERM.

    `image` holds what its flash holds; the next server of the image goes on from there. Clients come in at
    `socket` (IMAGE.sock without it) or `port`. Without `out` the run folder lives as long as the returned
    object and its copies. In a thread other than the main one nothing but `stop_after` ends it.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    from floatgate.results.run import Run
    from floatgate.serve.drive import ended_by_signals, serve_to_folder

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


@takes(
    ServeOptions,
    examples=(
        "floatgate serve tlc --image tlc.img",
        "floatgate serve nvme-qlc --image qlc.img --port 10809 --pace max",
    ),
)
def serve_in_shell(asked: ServeOptions) -> None:
    """Serve a drive as a network block device (NBD), until Ctrl-C or SIGTERM.

    fio, qemu, nbdcopy and every other client of NBD can use it. Requests take as long as the drive takes for
    them. What the flash holds stays in the image; the next server of the image goes on from there.
    """
    from floatgate.serve.drive import ended_by_signals, serve_to_folder

    said: list[str] = []

    def say(name: str, text: str | None) -> None:
        if text is not None and text not in said:
            said.append(text)
            console.err.print(f"{name:<10} {text}")

    def told(serving: "Serving") -> None:
        say("serving", serving.uri)
        say("process", str(os.getpid()))
        say("metrics", serving.metrics)
        now = serving.progress
        if now["refused"] is not None:
            say("note", f"{asked.image}: {now['refused']}: writes are refused")
        if now["record_ended"] is not None:
            say("note", f"{asked.record}: {now['record_ended']}: the trace ends there")
        if now["is_without_state"]:
            say("note", f"{asked.image}.state: it was lost: the drive begins as after a power cut")
        if now["damaged_reads"]:
            say("note", f"{asked.image}: data are damaged: their readers get errors")
        watching.show(serving)

    with (
        own_folder(asked.out, Path("out") / f"{Path(asked.drive).stem}-serve", force=asked.force) as folder,
        ended_by_signals() as stopped,
    ):
        with Watching(wanted=asked.watch) as watching:
            document = serve_to_folder(asked, folder, report=asked.report, told=told, stopped=stopped)
        console.print_result(document)
        code = console.run_farewell(False, folder, asked.report)
    raise typer.Exit(code)
