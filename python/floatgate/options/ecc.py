"""Options of the commands about codes that decode."""

from dataclasses import dataclass
from typing import Annotated, Literal

from floatgate.options.definition import Argument, Assignments, CommandOptions, Option, usual
from floatgate.options.shared import ELSEWHERE, Format, Json, OutFile, Scheduler, Seed, Workers

WORDS = 100_000  # decoded at a point at most, where nothing else is said


@dataclass(frozen=True)
class EccCodesOptions(CommandOptions):
    """`floatgate ecc codes`: the codes and decoders there are."""

    json: Json = False


@dataclass(frozen=True)
class EccMeasureOptions(CommandOptions):
    """`floatgate ecc measure`: failures and iterations of a code, counted."""

    code: Annotated[
        str,
        Argument("A code, by name (`floatgate ecc codes`) or file.", takes="a code's name or file"),
    ]
    channel: Annotated[
        str,
        Option(
            "What becomes of its bits: flips, Gaussian noise, or a page of a chip.",
            metavar="flips|gauss|CHIP",
            takes="flips, gauss, or a chip's name or file",
            completes="chips",
        ),
    ] = "flips"
    model: Annotated[
        Literal["cells", "tables"] | None, Option("The chip's cells, or the tables that drives use.")
    ] = usual("cells")
    page: Annotated[int | None, Option("Which page of a wordline, from 0.", metavar="N", least=0, most=3)] = (
        usual("0")
    )
    pe_cycles: Annotated[
        int | None,
        Option("Program/erase cycles of the page's block.", metavar="N", least=0, most=10_000_000),
    ] = usual("the rated ones")
    reads: Annotated[
        int | None,
        Option("Reads of the block since the page was written.", metavar="N", least=0, most=10**12),
    ] = usual("0")
    age: Annotated[
        str | None,
        Option(
            "Ages of the page, at the chip's reference temperature.",
            metavar="TIME,...",
            takes="times with commas between: 30d,365d",
            listed=True,
        ),
    ] = usual("ages that have the rates")
    rate: Annotated[
        str | None,
        Option(
            "Raw bit error rates of a read with one comparison at each boundary.",
            metavar="RATE,...",
            takes="rates with commas between: 0.008,0.0075",
            listed=True,
        ),
    ] = usual("from where most words fail to where too few do to be counted")
    soft_bits: Annotated[
        str | None,
        Option(
            "Soft bits: 2^k - 1 comparisons at each boundary.",
            metavar="K,...",
            takes="1, 2 or 3, several with commas between",
            listed=True,
        ),
    ] = usual("1 for flips, else 1,2,3")
    placement: Annotated[
        Literal["information", "even", "ratio"] | None,
        Option("Where references lie: by mutual information, evenly, by a constant ratio of densities."),
    ] = usual("information")
    rank: Annotated[
        float | None,
        Option(
            "The page is of the block of this rank, from the best, 0, to the worst, 1.",
            metavar="SHARE",
            least=0.001,
            most=0.999,
        ),
    ] = usual("the mean of all blocks")
    knows: Annotated[
        Literal["page", "mean"] | None,
        Option("What the controller's tables are of: the page itself, or the mean of all blocks."),
    ] = usual("page")
    decoder: Annotated[
        str, Option("How words are decoded.", metavar="NAME", takes="a decoder of `floatgate ecc codes`")
    ] = "min-sum-8"
    parameter: Annotated[
        tuple[str, ...],
        Assignments(
            "A parameter of the decoder (repeatable).",
            metavar="KEY=VALUE",
            takes="a parameter of the decoder and its value: iterations=12",
        ),
    ] = ()
    failures: Annotated[
        int, Option("Failures after which a point is done.", metavar="N", least=1, most=10**9)
    ] = 100
    words: Annotated[
        int, Option("Words decoded at each point at most.", metavar="N", least=64, most=4 * 10**9)
    ] = WORDS
    easy: Annotated[
        bool, Option("Go on to rates at which next to nothing fails, for what iterations take there.")
    ] = False
    seed: Seed = 1
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFile = usual("CODE-CHANNEL.toml")
    format: Format = "table"
