"""`floatgate fit`: the page model of a chip from what a rig measured."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floatgate.cli.command import without_effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from floatgate.lab.fit.run import Fit


class Format(StrEnum):
    """What goes to standard output."""

    table = "table"
    json = "json"


def fit(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="LOG", help="Test rig logs (CSV) of one part.", show_default=False),
    ] = None,
    chip: Annotated[
        str | None,
        typer.Option(metavar="CHIP", help="The part, by name or file.", show_default="as the logs name it"),
    ] = None,
    sampled: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="Which cycles the logs hold: every, changes, changes 1-2-5, some, or N for every N-th.",
            show_default="as the logs declare, or every",
        ),
    ] = None,
    voltages: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead of logs, measured threshold voltages (CSV: pe_cycles, age, state, mean, sigma).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for tables and report.", show_default="out/fit-NAME"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the results of an earlier fit.")] = False,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.table,  # noqa: A002
) -> None:
    """Fit times, error rates and endurance to a test rig's logs; write them as a chip's tables.

    Writes report.html, fit.json, tables.toml and, if the chip is known, CHIP-fitted.toml, with which
    `floatgate run DRIVE ... --set chip=FILE --set nand.pe_cycles=3000` runs on flash as measured.
    A log with gaps is refused.
    """
    from rich.progress import Progress

    from floatgate.cli import console
    from floatgate.folder import own_folder
    from floatgate.lab.fit.run import fit_logs, write

    if voltages is not None:
        without_effect({"sampled": sampled}, "--voltages is not a log of cycles", "logs with this")
        _voltages(voltages, logs, chip, out, force, format)
        return
    with Progress(console=console.err, transient=True, disable=not console.err.is_terminal) as bar:
        task = bar.add_task("fitting", total=1.0)
        done = fit_logs(logs or [], chip, sampled, lambda fraction: bar.update(task, completed=fraction))
    with own_folder(out, Path("out") / f"fit-{done.name}", force=force) as folder:
        written = write(done, folder, force=force)
    if format is Format.json:
        console.print_json(done.document())
    else:
        _print(done, bool(written))
    console.err.print(f"wrote {folder / (written[-1] if written else 'fit.json')}", markup=False)
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)


def _voltages(
    path: Path,
    logs: list[Path] | None,
    chip: str | None,
    out: Path | None,
    force: bool,
    format: Format,  # noqa: A002
) -> None:
    from floatgate.cli import console
    from floatgate.errors import InputError
    from floatgate.folder import own_folder
    from floatgate.lab.fit import measured

    if logs:
        raise InputError(f"{logs[0]}: given beside --voltages: expected logs, or a table of voltages")
    done = measured.fit_voltages(path, chip)
    with own_folder(out, Path("out") / f"fit-{done.name}", force=force) as folder:
        names = measured.write(done, folder, force=force)
    for name in names[-1:]:
        console.err.print(f"wrote {folder / name}", markup=False)
    if format is Format.json:
        console.print_json(done.document())
    else:
        console.out.print("bit error rates with the best references, by page type", style="bold")
        _table(done.rate_head(), done.rate_rows())
        if done.growth:
            console.out.print()
            _table(measured.GROWTH_HEAD, done.growth_rows())
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)


def _print(done: "Fit", model: bool) -> None:
    from floatgate.cli import console
    from floatgate.lab.fit import words

    blocks = len(done.gathered.lives)
    console.out.print(
        f"{done.name}: {done.gathered.entries:,} entries of {blocks} blocks", markup=False, style="bold"
    )
    for head, rows in ((words.TIME_HEAD, words.times(done)), (words.RATE_HEAD, words.rates(done))):
        if rows:
            console.out.print()
            _table(head, rows)
    console.out.print(f"\n{words.endurance(done)}", markup=False)
    for remark in words.remarks(done, model):
        console.out.print(remark, markup=False, style="yellow")


def _table(head: "Sequence[str]", rows: "Iterable[Sequence[str]]") -> None:
    from rich.table import Table

    from floatgate.cli import console

    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(head):
        table.add_column(name, justify="left" if place < 2 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.out.print(table)
