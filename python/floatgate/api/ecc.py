"""`floatgate.ecc.measure` and `floatgate.ecc.codes`: codes that decode, and how often they fail."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from floatgate import _core
from floatgate._generated.keywords import EccMeasureKeywords
from floatgate.ecc.channels import Cells, Channel, Condition, Flips, Normal
from floatgate.ecc.conduct import Asked, Progress, Setup, conduct, counting
from floatgate.ecc.table import Measured, text
from floatgate.errors import InputError
from floatgate.files import read_text, shipped, write_whole
from floatgate.options import fields_of
from floatgate.options.ecc import EccMeasureOptions
from floatgate.options.effect import without_effect
from floatgate.options.run import nanoseconds
from floatgate.options.taking import offered, take
from floatgate.results import notebook
from floatgate.results.folder import own_file
from floatgate.runs.session import interruptible
from floatgate.values.arguments import named

__all__ = ["codes", "measure"]

_OF_A_CHIP = ("model", "page", "pe_cycles", "reads", "age", "rank", "knows")
_OF_CELLS = ("pe_cycles", "reads", "age", "rank", "knows")


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
def measure(code: str | PathLike[str], **options: Unpack[EccMeasureKeywords]) -> Measured:
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
    progress: Callable[[Progress], None] = lambda _progress: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Measured:
    """Count what was asked for, and write the table to a file where one is named."""
    setup = Setup(*_named(asked.code), asked.decoder, asked.parameter, asked.seed)
    card = _card(json.loads(_core.ecc_code(setup.code, setup.file)))
    decoder = tuple((key.removeprefix("decoder."), value) for key, value in setup.trial().decoder())
    points = _points(asked)
    channel = channel_of(asked)
    with counting(setup, asked.workers, asked.scheduler, stopped) as counter:
        reads, interrupted = conduct(counter, channel, card.bits, points, progress)
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


def _points(asked: EccMeasureOptions) -> Asked:
    """Read the lists of the options. Raises InputError with the option's name."""
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
    return Asked(tuple(sorted(map(int, numbers))), _rates(asked.rate), ages, asked.failures, asked.words)


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


def channel_of(asked: EccMeasureOptions) -> Channel:
    """Make the channel. Raises InputError for what is unknown, or would do nothing."""
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


_SHELL = ("out", "format", "workers", "scheduler")  # what is found does not depend on


def command(asked: EccMeasureOptions) -> str:
    """Return the command that counts the same."""
    words = ["floatgate", "ecc", "measure", Path(asked.code).name]
    for one in fields_of(EccMeasureOptions):
        value = getattr(asked, one.name)
        if one.name == "code" or one.name in _SHELL or (value == one.default and one.name != "seed"):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            words += [one.flag, str(each)]
    return shlex.join(words)
