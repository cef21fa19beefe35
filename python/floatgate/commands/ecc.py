"""`floatgate ecc measure|codes`: codes that decode, and how often they fail."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

import typer

from floatgate import _core, exits
from floatgate._generated.keywords import EccMeasureKeywords
from floatgate.ecc.elsewhere import RATIO, totals
from floatgate.errors import InputError
from floatgate.files import read_text, shipped, write_whole
from floatgate.options import fields_of
from floatgate.options.definition import Argument, Assignments, CommandOptions, Option, usual
from floatgate.options.effect import without_effect
from floatgate.options.run import nanoseconds
from floatgate.options.shared import (
    AGES,
    ELSEWHERE,
    READS,
    Format,
    Json,
    OutFile,
    Scheduler,
    Seed,
    Workers,
)
from floatgate.options.taking import offered, take
from floatgate.results import notebook
from floatgate.results.folder import own_file
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, ELAPSED, PERCENT, Bar
from floatgate.shell.command import Command
from floatgate.shell.options import takes
from floatgate.values.arguments import named

if TYPE_CHECKING:
    from floatgate.ecc.channels import Channel
    from floatgate.ecc.conduct import Asked, Progress
    from floatgate.ecc.elsewhere import Total
    from floatgate.ecc.table import Measured

__all__ = ["codes", "measure"]
_OF_A_CHIP = ("model", "page", "pe_cycles", "reads", "age", "rank", "knows")
_OF_CELLS = ("pe_cycles", "reads", "age", "rank", "knows")
_SHELL = ("out", "format", "workers", "scheduler")  # what is found does not depend on
app = typer.Typer(help="List LDPC codes that decode, and count their failures.", no_args_is_help=True)


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
    reads: Annotated[int | None, READS] = usual("0")
    age: Annotated[str | None, AGES] = usual("ages that have the rates")
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
    hard_ratio: Annotated[
        float | None,
        Option(
            "The log-likelihood ratio that every bit of a hard read is told with.",
            metavar="RATIO",
            least=0.1,
            most=30.0,
        ),
    ] = usual("that of its rate")
    elsewhere: Annotated[
        str | None,
        Option(
            "Counts of hard reads that a GPU made of the same code, put beside these.",
            metavar="FILE,...",
            takes="files of benches/gpu with commas between",
            listed=True,
        ),
    ] = usual("none")
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


@dataclass(frozen=True)
class LdpcCode:
    """A code that comes along."""

    name: str
    bits: int
    data_bits: int
    rate: float
    edges: int  # ones of its matrix
    origin: str  # its standard, or how it was grown

    def _repr_html_(self) -> str:
        return notebook.table(self.name, ("bits", "data", "rate", "from"), [self.row()])

    def row(self) -> tuple[str, ...]:
        """Return it as people read it, without its name."""
        return (f"{self.bits:,}", f"{self.data_bits:,}", f"{self.rate:.3f}", self.origin)


@named
def codes() -> list[LdpcCode]:
    """Return the LDPC codes that come along: bits of a word, of data, and where each matrix is from."""
    return [_card(card) for card in json.loads(_core.ecc_codes())]


def _card(card: dict[str, Any]) -> LdpcCode:
    return LdpcCode(**{("origin" if key == "from" else key): value for key, value in card.items()})


@offered(EccMeasureOptions)
def measure(code: str | PathLike[str], **options: Unpack[EccMeasureKeywords]) -> "Measured":
    """Count the failures and iterations of `code` over a channel, at one raw bit error rate after the other.

    A point has the words decoded, those whose data came out wrong with the exact interval of their share,
    those of which all checks hold nevertheless, and the words by iterations. `reads` has the points by soft
    bits, with the law that is fitted to them: what it says below the last point is extrapolated. Ctrl-C keeps
    the points that are whole: `interrupted` is then true. With `out`, the table is written to that file.

    Raises InputError for an unknown code, chip or decoder, a matrix that is not what its file says, and rates
    that the channel does not have.
    """
    asked = take(EccMeasureOptions, options, code=code)
    with interruptible() as stopped:
        return measured(asked, asked.out, stopped=stopped)


def measured(
    asked: EccMeasureOptions,
    out: Path | None,
    progress: "Callable[[Progress], None]" = lambda _progress: None,
    stopped: Callable[[], bool] = lambda: False,
) -> "Measured":
    """Count what was asked for, and write the table to a file where one is named."""
    from floatgate.ecc.conduct import Setup, conduct, counting
    from floatgate.ecc.table import Measured, text

    setup = Setup(*_named(asked.code), asked.decoder, asked.parameter, asked.seed)
    card = _card(json.loads(_core.ecc_code(setup.code, setup.file)))
    decoder = tuple((key.removeprefix("decoder."), value) for key, value in setup.trial().decoder())
    points = _points(asked)
    channel = channel_of(asked)
    elsewhere = _elsewhere(asked, points)
    with counting(setup, asked.workers, asked.scheduler, stopped) as counter:
        reads, interrupted = conduct(counter, channel, card.bits, points, progress)
    reads = tuple(replace(read, elsewhere=elsewhere) if read.soft_bits == 1 else read for read in reads)
    found = Measured(
        card.name,
        card.bits,
        card.data_bits,
        card.edges,
        channel.says,
        asked.placement or "information",
        decoder,
        asked.seed,
        reads,
        interrupted,
        points.hard_ratio,
    )
    if out is not None and reads:
        with own_file(out, out):
            write_whole(out, text(found, command(asked)))
    return found


def _named(code: str) -> tuple[str, tuple[str, str] | None]:
    """Return a code's name, and its file's name and text where it is the user's."""
    shipped = {card["name"] for card in json.loads(_core.ecc_codes())}
    if code in shipped or ("/" not in code and not code.endswith(".toml")):
        return code, None
    return Path(code).stem, (code, read_text(code, "a code: bits, data_bits and the rows of its matrix"))


def _elsewhere(asked: EccMeasureOptions, points: "Asked") -> "tuple[Total, ...]":
    """Read what was counted elsewhere. Raises InputError where it was not counted as these words are."""
    if asked.elsewhere is None:
        return ()
    if points.hard_ratio != RATIO or points.soft_bits[0] > 1 or asked.parameter:
        raise InputError(
            f"--elsewhere {asked.elsewhere}: its hard reads were told with a ratio of {RATIO:g}: "
            f"expected --hard-ratio {RATIO:g}, one soft bit among others and no --parameter"
        )
    return totals(asked.elsewhere.split(","), Path(asked.code).stem, asked.decoder)


def _points(asked: EccMeasureOptions) -> "Asked":
    """Read the lists of the options. Raises InputError with the option's name."""
    from floatgate.ecc.conduct import Asked

    if asked.age is not None and asked.rate is not None:
        raise InputError(f"--rate {asked.rate}: --age says already how old the page is: expected one of both")
    soft = asked.soft_bits or ("1" if asked.channel == "flips" else "1,2,3")
    numbers = [one.strip() for one in soft.split(",")]
    if not numbers or any(one not in ("1", "2", "3") for one in numbers) or len(set(numbers)) < len(numbers):
        raise InputError(f"--soft-bits {soft}: expected 1, 2 or 3, each once")
    if asked.channel == "flips" and numbers != ["1"]:
        raise InputError(
            f"--soft-bits {soft}: nothing is known of flips but the bit: expected 1, or another channel"
        )
    ages = (
        () if asked.age is None else tuple(nanoseconds("--age", one) * 1e-9 for one in asked.age.split(","))
    )
    if ages and asked.easy:
        raise InputError("--easy: --age says already how old the page is: expected one of both")
    soft_bits = tuple(sorted(map(int, numbers)))
    if soft_bits[0] > 1:
        without_effect({"hard_ratio": asked.hard_ratio}, "no read is hard", "it with --soft-bits 1")
    return Asked(
        soft_bits,
        _rates(asked.rate),
        ages,
        asked.failures,
        asked.words,
        asked.easy,
        asked.hard_ratio,
    )


def _rates(listed: str | None) -> tuple[float, ...]:
    if listed is None:
        return ()
    found = []
    for one in listed.split(","):
        try:
            rate = float(one)
        except ValueError:
            rate = 0.0
        if not 1e-9 <= rate <= 0.2:
            raise InputError(f"--rate {one.strip() or listed}: expected a rate from 1e-9 to 0.2")
        found.append(rate)
    return tuple(found)


def channel_of(asked: EccMeasureOptions) -> "Channel":
    """Make the channel. Raises InputError for what is unknown, or would do nothing."""
    from floatgate.ecc.channels import Cells, Condition, Flips, Normal

    placement = asked.placement or "information"
    if asked.channel in ("flips", "gauss"):
        others = {name: getattr(asked, name) for name in _OF_A_CHIP}
        without_effect(others, f"{asked.channel} is no chip", "it with --channel CHIP")
        if asked.channel == "flips":
            without_effect(
                {"placement": asked.placement}, "flips have no references", "it with another channel"
            )
            return Flips()
        return Normal("Gaussian noise", placement)
    tables = asked.model == "tables"
    chip = _core.Chip(asked.channel, shipped.folders(), asked.seed, [], tables)
    identity = json.loads(chip.identify())
    bits, page = identity["bits"], asked.page or 0
    if page >= bits:
        raise InputError(f"--page {page}: {asked.channel} has {bits} bits a cell: expected 0 to {bits - 1}")
    if tables:
        others = {name: getattr(asked, name) for name in _OF_CELLS}
        without_effect(others, "of tables a rate is all that is known", "it with --model cells")
        name = Path(asked.channel).stem
        return Normal(f"{name}, tables: normal states, page {page}", placement, bits, page)
    if asked.knows == "mean" and asked.rank is None:
        raise InputError("--knows mean: the page is of the mean block already: expected --rank with it")
    rated = identity["rated"]["pe_cycles"]
    pe_cycles = rated if asked.pe_cycles is None else asked.pe_cycles
    if pe_cycles is None:
        raise InputError(f"chip {asked.channel}: pe_cycles_rated: missing: expected --pe-cycles")
    condition = Condition(page, pe_cycles, asked.reads or 0, asked.rank, asked.knows == "mean")
    return Cells(asked.channel, asked.seed, condition, placement)


def command(asked: EccMeasureOptions) -> str:
    """Return the command that counts the same."""
    words = ["floatgate", "ecc", "measure", Path(asked.code).name]
    for one in fields_of(EccMeasureOptions):
        value = getattr(asked, one.name)
        if one.name == "code" or one.name in _SHELL or (value == one.default and one.name != "seed"):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            words += [one.flag] if each is True else [one.flag, str(each)]
    return shlex.join(words)


@app.command(cls=Command)
@takes(EccCodesOptions, examples=("floatgate ecc codes", "floatgate ecc codes --json"))
def codes_in_shell(asked: EccCodesOptions) -> None:
    """List the LDPC codes that come along, and the decoders."""
    decoders = json.loads(_core.ecc_decoders())
    if asked.json:
        console.print_json({"codes": json.loads(_core.ecc_codes()), "decoders": decoders})
        return
    console.print_rows("code", ("bits", "data", "rate", "from"), ((one.name, *one.row()) for one in codes()))
    for one in decoders:
        console.out.print(f"\n{one['name']}", style="bold")
        console.out.print(one["rule"])


@app.command(cls=Command)
@takes(
    EccMeasureOptions,
    examples=(
        "floatgate ecc measure nand-4k-889 --rate 0.0085,0.008",
        "floatgate ecc measure nand-4k-928 --channel tlc-3d-256g --pe-cycles 9000 --soft-bits 2",
    ),
)
def measure_in_shell(asked: EccMeasureOptions) -> int:
    """Count the failures and iterations of an LDPC code by decoding words, and write them as a table.

    Each point is decoded until enough words have failed. What the law of the points says below them is
    extrapolated, and called so. Ctrl-C keeps the points that are whole.
    """
    usual = Path(f"{Path(asked.code).stem}-{Path(asked.channel).stem}.toml")
    bar = Bar("{task.description}", BAR, PERCENT, ELAPSED, "{task.fields[count]}", count="")

    def moved(to: "Progress") -> None:
        bar.show(
            completed=to.part,
            description=f"soft bits {to.soft_bits}, rate {to.rate:.4g}",
            count=f"{to.failures:,} of {to.words:,} words failed",
        )

    with own_file(asked.out, usual) as out, interruptible() as stopped, bar:
        found = measured(asked, out, moved, stopped)
    return _show(found, out, asked.format)


def _show(found: "Measured", out: Path, format: str) -> int:  # noqa: A002
    from floatgate.ecc.table import HEAD, row, told

    if format == "json":
        console.print_json(found.document())
    else:
        console.out.print(f"{found.code} over {found.channel}", style="bold")
        console.print_rows(HEAD[0], HEAD[1:], map(row, found.points))
        for read in found.reads:
            console.out.print(told(read))
    if found.points:
        console.err.print(f"wrote {out}")
    if found.interrupted:
        console.err.print(f"interrupted after {len(found.points)} points")
        return exits.INTERRUPTED
    return 0
