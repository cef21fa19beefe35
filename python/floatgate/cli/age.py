"""`floatgate age`: a drive overwritten until it takes no more writes."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floatgate.cli import console

if TYPE_CHECKING:
    from floatgate.ageing import Conditions, Life


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = "table"
    JSON = "json"


def age(
    drive: Annotated[str, typer.Argument(help="A drive whose chip has endurance tables, by name or file.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the drive (repeatable).")
    ] = None,
    hot: Annotated[
        str | None,
        typer.Option(
            metavar="W/S", help="W of the writes go to S of the space: 0.8/0.2.  [default: uniform]"
        ),
    ] = None,
    jump: Annotated[
        float, typer.Option(metavar="SHARE", min=0.0, max=0.2, help="Lifetime skipped at once; 0: none.")
    ] = 0.01,
    measure: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0.0, max=1.0, help="Lifetime between two speed measurements; 0: none."
        ),
    ] = 0.02,
    compare: Annotated[
        str | None,
        typer.Option(metavar="KEY=A,B,...", help="One lifetime per value; +KEY=V adds a setting."),
    ] = None,
    years: Annotated[
        float, typer.Option(metavar="N", min=0.1, help="Years over which DWPD is computed.")
    ] = 5.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of every random stream.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Report to write.  [default: out/age-DRIVE.html]")
    ] = None,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.TABLE,  # noqa: A002
) -> None:
    """Overwrite a drive at random until it accepts no more writes: bytes written, wear, write amplification.

    Each block has its own endurance, from the chip's tables: `--set chip=derived/tlc-3d-256g`. Between
    measured windows, many cycles are skipped at once. With `--compare`, one report shows several
    lifetimes.
    """
    how: Conditions = {"hot": hot, "jump": jump, "measure": measure, "seed": seed}
    from floatgate.folder import own_file

    with own_file(out, Path("out") / f"age-{Path(drive).stem}.html") as file:
        if compare is not None:
            _compare(drive, changes or [], compare, how, years, file, format)
        else:
            _one(drive, changes or [], how, years, file, format)
    console.err.print(f"wrote {file}", markup=False)


def _one(drive: str, changes: list[str], how: "Conditions", years: float, out: Path, shape: Format) -> None:
    from rich.progress import Progress

    from floatgate.ageing import age as age_drive, page
    from floatgate.files import write_whole
    from floatgate.session import interruptible

    with interruptible() as interrupt, Progress(console=console.err, transient=True) as bar:
        task = bar.add_task("ageing", total=1.0)
        life = age_drive(
            drive,
            changes,
            **how,
            progress=lambda part: bar.update(task, completed=part),
            stopped=interrupt,
        )
    write_whole(out, page(life, years))
    if shape is Format.JSON:
        console.print_json(life.document(years))
    else:
        _show(life, years)


def _compare(
    drive: str, changes: list[str], asked: str, how: "Conditions", years: float, out: Path, shape: Format
) -> None:
    from rich.progress import Progress

    from floatgate.ageing_compare import HEAD, compare, page, shown
    from floatgate.files import write_whole
    from floatgate.session import interruptible

    with interruptible() as interrupt, Progress(console=console.err, transient=True) as bar:
        task = bar.add_task("ageing", total=1.0)
        lives = compare(
            drive,
            changes,
            asked,
            how,
            progress=lambda part: bar.update(task, completed=part),
            stopped=interrupt,
        )
    write_whole(out, page(drive, asked, lives, how, years))
    if shape is Format.JSON:
        console.print_json({name: life.document(years) for name, life in lives.items()})
    else:
        _table(HEAD, shown(lives, years))


def _show(life: "Life", years: float) -> None:
    from floatgate.ageing import HEAD, SPEED_HEAD, sentence, shown, speed_shown

    _table(HEAD, shown(life))
    if life.speeds():
        _table(SPEED_HEAD, speed_shown(life))
    console.out.print(sentence(life, years), markup=False)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in head:
        table.add_column(name, justify="right", overflow="fold")
    for cells in rows:
        table.add_row(*cells)
    console.out.print(table)
