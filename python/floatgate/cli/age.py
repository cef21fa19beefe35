"""`floatgate age`: a drive overwritten until it takes no more writes."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from floatgate.ageing import Life


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = "table"
    JSON = "json"


def age(
    drive: Annotated[str, typer.Argument(help="A drive whose chip knows endurance, by name or file.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the drive (repeatable).")
    ] = None,
    hot: Annotated[
        str | None,
        typer.Option(
            metavar="W/S", help="W of the writes go to S of the space, as 0.8/0.2.  [default: uniform]"
        ),
    ] = None,
    jump: Annotated[
        float, typer.Option(metavar="SHARE", min=0.0, max=0.2, help="Life passed over at once; 0: nothing.")
    ] = 0.01,
    years: Annotated[
        float, typer.Option(metavar="N", min=0.1, help="Years that DWPD is counted over.")
    ] = 5.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Everything random follows from it.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Report to write.  [default: out/age-DRIVE.html]")
    ] = None,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.TABLE,  # noqa: A002
) -> None:
    """Overwrite a drive at random until it takes no more writes: bytes written, wear, write amplification.

    Blocks fail by their own lives, which the chip's tables know: `--set chip=derived/tlc-3d-256g`. Between
    measured windows whole generations of erases are passed over.
    """
    from rich.progress import Progress

    from floatgate.ageing import age as age_drive
    from floatgate.ageing import page
    from floatgate.cli import console
    from floatgate.session import interruptible

    with interruptible() as interrupt, Progress(console=console.err, transient=True) as bar:
        task = bar.add_task("ageing", total=1.0)
        life = age_drive(
            drive,
            changes or [],
            hot=hot,
            jump=jump,
            seed=seed,
            progress=lambda part: bar.update(task, completed=part),
            stopped=interrupt,
        )
    out = out or Path("out") / f"age-{Path(drive).stem}.html"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(life, years), encoding="utf-8")
    if format is Format.JSON:
        console.print_json(life.document(years))
    else:
        _show(life, years)
    console.err.print(f"wrote {out}", markup=False)


def _show(life: "Life", years: float) -> None:
    from rich.table import Table

    from floatgate.ageing import HEAD, sentence, shown
    from floatgate.cli.console import out

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in HEAD:
        table.add_column(name, justify="right")
    for cells in shown(life):
        table.add_row(*cells)
    out.print(table)
    out.print(sentence(life, years), markup=False)
