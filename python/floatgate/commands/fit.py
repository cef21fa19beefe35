"""`floatgate fit`: the page model of a chip from what a rig measured."""

from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.options.effect import without_effect
from floatgate.options.lab import FitOptions
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from floatgate.lab.fit.run import Fit


@takes(FitOptions)
def fit(asked: FitOptions) -> None:
    """Fit times, error rates and endurance to a test rig's logs; write them as a chip's tables.

    Writes report.html, fit.json, tables.toml and, if the chip is known, CHIP-fitted.toml, with which
    `floatgate run DRIVE ... --set chip=FILE --set nand.pe_cycles=3000` runs on flash as measured.
    A log with gaps is refused.
    """
    from rich.progress import Progress

    from floatgate.lab.fit.run import fit_logs, write
    from floatgate.results.folder import own_folder
    from floatgate.shell import console

    if asked.voltages is not None:
        without_effect({"sampled": asked.sampled}, "--voltages is not a log of cycles", "logs with this")
        _voltages(asked, asked.voltages)
        return
    logs = [Path(log) for log in asked.logs]
    with Progress(console=console.err.rich, transient=True, disable=not console.err.is_terminal) as bar:
        task = bar.add_task("fitting", total=1.0)
        done = fit_logs(
            logs, asked.chip, asked.sampled, lambda fraction: bar.update(task, completed=fraction)
        )
    with own_folder(asked.out, Path("out") / f"fit-{done.name}", force=asked.force) as folder:
        written = write(done, folder, force=asked.force)
    if asked.format == "json":
        console.print_json(done.document())
    else:
        _print(done, bool(written))
    console.err.print(f"wrote {folder / (written[-1] if written else 'fit.json')}", markup=False)
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)


def _voltages(asked: FitOptions, path: Path) -> None:
    from floatgate.errors import InputError
    from floatgate.lab.fit import measured
    from floatgate.results.folder import own_folder
    from floatgate.shell import console

    if asked.logs:
        raise InputError(f"{asked.logs[0]}: given beside --voltages: expected logs, or a table of voltages")
    done = measured.fit_voltages(path, asked.chip)
    with own_folder(asked.out, Path("out") / f"fit-{done.name}", force=asked.force) as folder:
        names = measured.write(done, folder, force=asked.force)
    for name in names[-1:]:
        console.err.print(f"wrote {folder / name}", markup=False)
    if asked.format == "json":
        console.print_json(done.document())
    else:
        console.out.print("bit error rates with the best references, by page type", style="bold")
        _table(done.rate_head(), done.rate_rows())
        if done.growth:
            console.out.print()
            _table(measured.GROWTH_HEAD, done.growth_rows())
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)


def _print(done: "Fit", model: bool) -> None:
    from floatgate.lab.fit import words
    from floatgate.shell import console

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

    from floatgate.shell import console

    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(head):
        table.add_column(name, justify="left" if place < 2 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.out.print(table)
