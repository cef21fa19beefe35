"""`floatgate age`: a drive overwritten until it ends."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.cli.options import takes
from floatgate.options.drives import AgeOptions

if TYPE_CHECKING:
    from floatgate.ageing import Life


@takes(AgeOptions)
def age(asked: AgeOptions) -> None:
    """Overwrite a drive at random until it ends: bytes written, wear, write amplification, its code's margin.

    It ends when it accepts no more writes, or when its code could no longer read what it holds after the
    retention time of JESD218. Each block has its own endurance, from the chip's tables: `--set
    chip=derived/tlc-3d-256g`. Between measured windows, many cycles are skipped at once. With `--compare`,
    one report shows several lifetimes.
    """
    from rich.progress import Progress

    from floatgate.api.age import check_state, lives_of, written
    from floatgate.cli import console
    from floatgate.folder import own_file
    from floatgate.session import interruptible

    check_state(asked)
    with own_file(asked.out, Path("out") / f"age-{Path(asked.drive).stem}.html") as file:
        with interruptible() as interrupt, Progress(console=console.err.rich, transient=True) as bar:
            task = bar.add_task("ageing", total=1.0)
            lives = lives_of(asked, progress=lambda part: bar.update(task, completed=part), stopped=interrupt)
        written(asked, lives, file)
    if asked.format == "json":
        documents = {name: life.document(asked.years) for name, life in lives.items()}
        console.print_json(documents if asked.compare is not None else documents[""])
    else:
        _show(asked, lives)
    for written_to in (asked.save_state, file):
        if written_to is not None:
            console.err.print(f"wrote {written_to}", markup=False)


def _show(asked: AgeOptions, lives: "dict[str, Life]") -> None:
    from floatgate import ageing, ageing_compare
    from floatgate.cli import console

    if asked.compare is not None:
        _table(ageing_compare.HEAD, ageing_compare.shown(lives, asked.years))
        return
    life = lives[""]
    _table(ageing.HEAD, ageing.shown(life))
    if life.speeds():
        _table(ageing.SPEED_HEAD, ageing.speed_shown(life))
    for said in (ageing.sentence(life, asked.years), *ageing.remarks(life)):
        console.out.print(said, markup=False)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    from floatgate.cli import console

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in head:
        table.add_column(name, justify="right", overflow="fold")
    for cells in rows:
        table.add_row(*cells)
    console.out.print(table)
