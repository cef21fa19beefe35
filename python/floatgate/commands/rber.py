"""`floatgate rber`: raw bit error rates of a chip's or a drive's pages."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from floatgate._generated.keywords import RberKeywords
from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.run import nanoseconds, whole_numbers
from floatgate.options.shared import AGES, READS, SAMPLE, Force, Format, OutFolder, Settings
from floatgate.options.taking import offered, take
from floatgate.results.folder import atomically, own_folder
from floatgate.shell import console
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.lab.rber import PageErrors

WEAR_MOST = 10_000_000


@dataclass(frozen=True)
class RberOptions(CommandOptions):
    """`floatgate rber`: raw bit error rates of a chip's or a drive's pages."""

    part: Annotated[
        str,
        Argument(
            "A drive or a chip, by name (`floatgate drives`, `floatgate chips`) or file.",
            metavar="DRIVE|CHIP",
            takes="the name or file of a drive or a chip",
            completes="drives",
        ),
    ]
    set: Settings = ()
    wear: Annotated[
        str | None,
        Option(
            "Program/erase cycles of the blocks.",
            metavar="N,...",
            takes="whole numbers with commas between: 0,1000,3000",
            listed=True,
        ),
    ] = usual("0, half the rated cycles, the rated cycles")
    age: Annotated[str, AGES] = "0s,30d,365d"
    reads: Annotated[int, READS] = 0
    model: Annotated[
        Literal["cells", "tables"] | None, Option("The chip's cells, or the tables that drives use.")
    ] = usual("tables where the chip has them")
    seed: Annotated[int | None, SAMPLE] = usual("1")
    out: OutFolder = usual("out/rber-NAME")
    force: Force = False
    format: Format = "table"


@offered(RberOptions)
def rber(part: str | PathLike[str], **options: Unpack[RberKeywords]) -> "PageErrors":
    """Return the raw bit error rates of the pages of `part`, a drive or a chip, by wear and age.

    Each page type has its rate with the default references and with the best ones. Where the drive has a
    code, it also has the read that corrects it: the step of the retry table, soft bits, retries, and the
    chance that a codeword is uncorrectable in the first attempt and after all. Runs use the same
    rates; these are of data written with the usual program step and voltages, not in SLC mode. Nothing is
    simulated. With `out`, rber.json and report.html are written to that folder.

    Raises InputError for an unknown part, a drive without bit errors, or a chip that lacks what the model
    needs.
    """
    asked = take(RberOptions, options, part=part)
    found = rates_of(asked)
    if asked.out is not None:
        with atomically(asked.out, force=asked.force) as folder:
            found.write(folder)
    return found


def rates_of(asked: RberOptions) -> "PageErrors":
    """Work out the rates that were asked for."""
    from floatgate.lab import rber as lab

    wear = () if asked.wear is None else whole_numbers("--wear", asked.wear, 0, WEAR_MOST)
    ages = tuple(sorted({nanoseconds("--age", one.strip()) for one in asked.age.split(",")}))
    return lab.errors(asked.part, asked.set, wear, ages, asked.reads, asked.model, asked.seed)


@takes(
    RberOptions,
    examples=(
        "floatgate rber nvme-tlc --wear 0,1000,3000 --age 0s,30d,365d",
        "floatgate rber tlc-3d-256g --model cells --wear 3000 --reads 100000",
    ),
)
def rber_in_shell(asked: RberOptions) -> int:
    """Show raw bit error rates by page type, wear and age, and how a drive's code reads such pages.

    Runs use the same rates: of the chip's tables, or of another error model of the drive. A chip's cells are
    what its tables are derived from.
    """
    usual_out = Path("out") / f"rber-{Path(asked.part).stem}"
    with own_folder(asked.out, usual_out, force=asked.force) as out:
        found = rates_of(asked)
        with atomically(out, force=asked.force) as folder:
            found.write(folder)
    if asked.format == "json":
        console.print_json(found.document())
    else:
        console.out.print(f"{found.name}: {found.title}", style="bold")
        console.print_columns(*found.table(), overflow="fold")
        for sentence in found.sentences():
            console.out.print(sentence)
    return console.farewell(out / "report.html")
