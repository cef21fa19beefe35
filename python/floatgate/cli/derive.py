"""`floatgate derive`: the page model of a chip from its cells."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from floatgate.lab.derive import PageModel


def derive(
    chip: Annotated[str, typer.Argument(metavar="CHIP", help="A chip with cells, by name or file.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The chip file to write.  [default: CHIP-derived.toml]"),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Also draw the tables as an HTML page.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Which sample of the chip.")] = 1,
) -> None:
    """Derive a chip's page model from its cells: times, error rates, endurance, effects of data patterns.

    The tables are saved as a chip file based on CHIP. A drive with that chip ages like its cells: `floatgate
    run DRIVE ... --set chip=FILE --set nand.pe_cycles=3000` runs on worn flash.
    """
    import json
    from contextlib import ExitStack

    from rich.progress import Progress

    from floatgate import _core, places
    from floatgate.cli import console
    from floatgate.files import write_whole
    from floatgate.folder import own_file
    from floatgate.lab import derive as deriving
    from floatgate.lab.derive.report import page
    from floatgate.lab.simulated import SimulatedSource

    source = SimulatedSource(chip, seed)
    part = source.cells()
    name = Path(chip).stem
    out = Path(f"{name}-derived.toml") if out is None else out
    with ExitStack() as opened:
        for path in (out, report):
            if path is not None:
                opened.enter_context(own_file(path, path))
        with Progress(console=console.err, transient=True) as bar:
            task = bar.add_task("deriving", total=1.0)
            model = deriving.derive(source.cells, lambda fraction: bar.update(task, completed=fraction))
        entries = json.loads(_core.explain_chip(chip, places.folders()))["entries"]
        facts = {entry["key"]: entry["value"] for entry in entries}
        provenance = f"floatgate derive {name} --seed {seed}, version {_core.version()}"
        identity = part.identify()
        one_shot = facts["nand.program"] == '"one-shot"'
        text = deriving.chip_file(model, name, identity.title, one_shot, provenance)
        write_whole(out, text)
        if report is not None:
            write_whole(report, page(model, identity, provenance))
    _show(model)
    for path in (out, report) if report is not None else (out,):
        console.err.print(f"wrote {path}", markup=False)


def _show(model: "PageModel") -> None:
    """Times and error rates by wear, for whoever looks on."""
    from rich.table import Table

    from floatgate.cli import console
    from floatgate.lab.derive.rates import AGES_S, YEAR

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
