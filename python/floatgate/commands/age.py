"""`floatgate age`: a drive overwritten until it ends."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.options.drives import AgeOptions
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.ageing.life import Life


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
    from floatgate.results.folder import own_file
    from floatgate.runs.session import interruptible
    from floatgate.shell import console

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
    from floatgate.ageing import compare, life
    from floatgate.shell import console

    if asked.compare is not None:
        _table(compare.HEAD, compare.shown(lives, asked.years))
        return
    one = lives[""]
    _table(life.HEAD, life.shown(one))
    if one.speeds():
        _table(life.SPEED_HEAD, life.speed_shown(one))
    for said in (life.sentence(one, asked.years), *life.remarks(one)):
        console.out.print(said, markup=False)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    from floatgate.shell import console

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in head:
        table.add_column(name, justify="right", overflow="fold")
    for cells in rows:
        table.add_row(*cells)
    console.out.print(table)
