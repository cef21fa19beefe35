"""`floatgate derive`: the page model of a chip from its cells."""

from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.options.lab import DeriveOptions
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.lab.derive import PageModel


@takes(DeriveOptions)
def derive(asked: DeriveOptions) -> None:
    """Derive a chip's page model from its cells: times, error rates, endurance, effects of data patterns.

    The tables are saved as a chip file based on CHIP. A drive with that chip ages like its cells: `floatgate
    run DRIVE ... --set chip=FILE --set nand.pe_cycles=3000` runs on worn flash.
    """
    from rich.progress import Progress

    from floatgate.api.derive import derived
    from floatgate.shell import console

    out = Path(f"{Path(asked.chip).stem}-derived.toml") if asked.out is None else asked.out
    bar = Progress(console=console.err.rich, transient=True)
    task = bar.add_task("deriving", total=1.0)

    def show(fraction: float) -> None:
        bar.start()  # not before: what is refused at once has no bar
        bar.update(task, completed=fraction)

    try:
        model = derived(asked, out, show)
    finally:
        if bar.live.is_started:
            bar.stop()
    _show(model)
    for path in (out, asked.report) if asked.report is not None else (out,):
        console.err.print(f"wrote {path}", markup=False)


def _show(model: "PageModel") -> None:
    """Times and error rates by wear, for a terminal."""
    from rich.table import Table

    from floatgate.lab.derive.rates import AGES_S, YEAR
    from floatgate.shell import console

    usual, year = model.steps.index(1.0), AGES_S.index(YEAR)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in ("cycles", "t_prog by page type, us", "t_bers, us", "bit errors, new data", "after a year"):
        table.add_column(head, justify="right")
    for row in model.rows:
        found = model.rates.rates.get((1.0, row.pe_cycles))
        errors = [max(found[age].usual) for age in (0, year)] if found else []
        times = " ".join(f"{time / 1e3:.0f}" for time in row.t_prog[usual])
        shown = (f"{rate:.1e}" for rate in errors)
        table.add_row(str(row.pe_cycles), times, f"{row.t_bers / 1e3:.0f}", *shown)
    console.out.print(table)
    cycles = model.endurance.cycles
    middle = cycles[len(cycles) // 2]
    console.out.print(f"blocks fail after {cycles[0]:,} to {cycles[-1]:,} cycles, half of them by {middle:,}")
