"""`floatgate derive`: tables for whole drives from a chip's cells."""

from pathlib import Path
from typing import Annotated

import typer


def derive(
    chip: Annotated[str, typer.Argument(metavar="CHIP", help="A chip with cells, by name or file.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The chip file to write.  [default: CHIP-worn.toml]"),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Which sample of the chip.")] = 1,
) -> None:
    """Measure program and erase times by wear on a chip's cells; write them as the tables of a chip file.

    A drive with that chip takes its times from them: `floatgate run DRIVE ... --set chip=FILE
    --set nand.pe_cycles=3000` runs on flash that was worn before.
    """
    import json

    from rich.progress import Progress
    from rich.table import Table

    from floatgate import _core, places
    from floatgate.cli import console
    from floatgate.lab import derive as deriving
    from floatgate.lab.simulated import SimulatedSource

    part = SimulatedSource(chip, seed).open()
    listed = {entry["name"]: entry["path"] for entry in json.loads(_core.chips(places.folders()))}
    source = Path(listed.get(chip, chip))
    with Progress(console=console.err, transient=True) as bar:
        task = bar.add_task("deriving", total=1.0)
        rows = deriving.derive(part, lambda fraction: bar.update(task, completed=fraction))
    provenance = (
        f"floatgate derive {source.stem} --seed {seed}, version {_core.version()}, mean of the blocks alive"
    )
    out = out or Path(f"{source.stem}-worn.toml")
    out.write_text(deriving.worn_file(source, rows, provenance), encoding="utf-8")
    table = Table(box=None, pad_edge=False, header_style="dim")
    bits = range(part.identify().bits)
    for head in ("cycles", *(f"t_prog, type {kind}, us" for kind in bits), "t_bers, us", "blocks"):
        table.add_column(head, justify="right")
    for row in rows:
        times = (*row.t_prog, row.t_bers)
        table.add_row(str(row.pe_cycles), *(f"{time / 1e3:.1f}" for time in times), str(row.blocks))
    console.out.print(table)
    console.err.print(f"wrote {out}", markup=False)
