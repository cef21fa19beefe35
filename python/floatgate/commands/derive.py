"""`floatgate derive`: the page model of a chip from its cells."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from floatgate import _core
from floatgate._generated.keywords import DeriveKeywords
from floatgate.files import write_whole
from floatgate.inputs import cards
from floatgate.options.definition import OUTPUT, CommandOptions, Option, usual
from floatgate.options.shared import CHIP, SAMPLE, OutFile
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_file
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, PERCENT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.lab.derive import PageModel


@dataclass(frozen=True)
class DeriveOptions(CommandOptions):
    """`floatgate derive`: the page model of a chip from its cells."""

    chip: Annotated[str, CHIP]
    out: OutFile = usual("CHIP-derived.toml")
    report: Annotated[
        Path | None,
        Option(
            "Also draw the tables as an HTML page.",
            metavar="FILE",
            panel=OUTPUT,
            takes="a new file, or one that Floatgate wrote",
            differs="the page's file: the command itself writes another",
        ),
    ] = None
    seed: Annotated[int, SAMPLE] = 1


@offered(DeriveOptions)
def derive(chip: str | PathLike[str], **options: Unpack[DeriveKeywords]) -> "PageModel":
    """Derive the page model of `chip` from its cells: what whole drives with that chip work with.

    The model has program and erase times in ns by wear in program/erase cycles, bit error rates by page
    type, wear, age and reads, and the cycles after which blocks fail. With `out`, a chip file with these
    tables is written, with `report` a page that draws them.

    Raises InputError for a chip without cells or rated cycles, TypeError for an unknown option. It takes
    about a minute.
    """
    asked = take(DeriveOptions, options, chip=chip)
    return derived(asked, asked.out)


def derived(
    asked: DeriveOptions, out: Path | None, progress: Callable[[float], None] = lambda _part: None
) -> "PageModel":
    """Derive what was asked for, and write the chip file to `out` and the page."""
    from floatgate.lab import derive as deriving
    from floatgate.lab.derive.report import page
    from floatgate.lab.simulated import SimulatedSource

    source = SimulatedSource(asked.chip, asked.seed)
    part = source.cells()
    name = Path(asked.chip).stem
    with ExitStack() as opened:
        for path in (out, asked.report):
            if path is not None:
                opened.enter_context(own_file(path, path))
        model = deriving.derive(source.cells, progress)
        provenance = f"floatgate derive {name} --seed {asked.seed}, version {_core.version()}"
        identity = part.identify()
        if out is not None:
            one_shot = cards.values(cards.of_chip(asked.chip))["nand.program"] == "one-shot"
            write_whole(out, deriving.chip_file(model, name, identity.title, one_shot, provenance))
        if asked.report is not None:
            write_whole(asked.report, page(model, identity, provenance))
    return model


@takes(
    DeriveOptions,
    examples=("floatgate derive poster-mlc", "floatgate derive poster-mlc --report poster-mlc.html --seed 2"),
)
def derive_in_shell(asked: DeriveOptions) -> None:
    """Derive a chip's page model from its cells: times, error rates, endurance, effects of data patterns.

    The tables are saved as a chip file based on CHIP. A drive with that chip ages like its cells: `floatgate
    run DRIVE ... --set chip=FILE --set nand.pe_cycles=3000` runs on worn flash.
    """
    out = Path(f"{Path(asked.chip).stem}-derived.toml") if asked.out is None else asked.out
    with Bar("deriving", BAR, PERCENT, LEFT) as bar:
        model = derived(asked, out, lambda part: bar.show(completed=part))
    _show(model)
    for path in (out, asked.report) if asked.report is not None else (out,):
        console.err.print(f"wrote {path}")


def _show(model: "PageModel") -> None:
    """Times and error rates by wear, for a terminal."""
    from floatgate.lab.derive.rates import AGES_S, YEAR

    usual, year = model.steps.index(1.0), AGES_S.index(YEAR)
    head = ("cycles", "t_prog by page type, us", "t_bers, us", "bit errors, new data", "after a year")
    rows = []
    for row in model.rows:
        found = model.rates.rates.get((1.0, row.pe_cycles))
        errors = [max(found[age].usual) for age in (0, year)] if found else []
        times = " ".join(f"{time / 1e3:.0f}" for time in row.t_prog[usual])
        shown = (f"{rate:.1e}" for rate in errors)
        rows.append((str(row.pe_cycles), times, f"{row.t_bers / 1e3:.0f}", *shown))
    console.print_columns(head, rows)
    cycles = model.endurance.cycles
    middle = cycles[len(cycles) // 2]
    console.out.print(f"blocks fail after {cycles[0]:,} to {cycles[-1]:,} cycles, half of them by {middle:,}")
