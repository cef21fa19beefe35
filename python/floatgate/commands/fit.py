"""`floatgate fit`: the page model of a chip from what a rig measured."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from floatgate._generated.keywords import FitKeywords, FitVoltagesKeywords
from floatgate.errors import InputError
from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.effect import without_effect
from floatgate.options.shared import Force, Format, OutFolder
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, PERCENT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from floatgate.lab.fit.measured import VoltageFit
    from floatgate.lab.fit.run import Fit


@dataclass(frozen=True)
class FitOptions(CommandOptions):
    """`floatgate fit`: the page model of a chip from what a rig measured."""

    logs: Annotated[
        tuple[str, ...],
        Argument(
            "Test rig logs (CSV) of one part.", metavar="LOG", takes="files of docs/how-to/laboratory.md"
        ),
    ] = ()
    chip: Annotated[
        str | None,
        Option(
            "The part, by name or file.",
            metavar="CHIP",
            takes="a chip's name or file",
            completes="chips",
            differs="an option: the logs name their part",
        ),
    ] = usual("as the logs name it")
    sampled: Annotated[
        str | None,
        Option(
            "Which cycles the logs hold: every, changes, changes 1-2-5, some, or N for every N-th.",
            metavar="RULE",
            takes="a rule",
        ),
    ] = usual("as the logs declare, or every")
    voltages: Annotated[
        Path | None,
        Option(
            "Instead of logs, measured threshold voltages (CSV: pe_cycles, age, state, mean, sigma).",
            metavar="FILE",
            takes="a table of voltages",
        ),
    ] = None
    out: OutFolder = usual("out/fit-NAME")
    force: Force = False
    format: Format = "table"


@offered(FitOptions, but=("voltages",))
def fit(*logs: str | PathLike[str], **options: Unpack[FitKeywords]) -> "Fit":
    """Fit times, error rates and endurance to the logs (CSV) of a test rig.

    The fit has laws of program and erase times in ns over wear in program/erase cycles, of error rates and
    of endurance, each with how well it holds (`poor` names the laws that do not); `document()` holds every
    number. With `out`, report.html, fit.json, tables.toml and, for a known chip, a chip file with the fitted
    tables are written to that folder.

    Raises InputError, naming file and line, for a log that is none or has gaps.
    """
    from floatgate.lab.fit.run import write

    asked = take(FitOptions, options, logs=logs)
    done = _fitted(asked)
    if asked.out is not None:
        write(done, asked.out, force=asked.force)
    return done


def _fitted(asked: FitOptions, progress: Callable[[float], None] = lambda _fraction: None) -> "Fit":
    from floatgate.lab.fit.run import fit_logs

    return fit_logs([Path(log) for log in asked.logs], asked.chip, asked.sampled, progress)


@offered(FitOptions, but=("logs", "sampled"))
def fit_voltages(voltages: str | PathLike[str], **options: Unpack[FitVoltagesKeywords]) -> "VoltageFit":
    """Turn measured threshold voltages (CSV: pe_cycles, age, state, mean, sigma) into error rates.

    The fit has bit error rates by page type, with the best references and with fixed ones, and how means and
    widths in volts grow with wear. With `out`, the same files as those of `floatgate.fit` are written.

    Raises InputError for a table that is none, and for a chip with another number of states.
    """
    from floatgate.lab.fit import measured

    asked = take(FitOptions, options, voltages=voltages)
    assert asked.voltages is not None
    done = measured.fit_voltages(asked.voltages, asked.chip)
    if asked.out is not None:
        measured.write(done, asked.out, force=asked.force)
    return done


@takes(
    FitOptions,
    examples=(
        "floatgate fit rig.csv --chip poster-mlc",
        "floatgate fit rig-1.csv rig-2.csv --chip poster-mlc --sampled changes --out out/fit",
    ),
)
def fit_in_shell(asked: FitOptions) -> None:
    """Fit times, error rates and endurance to a test rig's logs; write them as a chip's tables.

    Writes report.html, fit.json, tables.toml and, if the chip is known, CHIP-fitted.toml, with which
    `floatgate run DRIVE ... --set chip=FILE --set nand.pe_cycles=3000` runs on flash as measured.
    A log with gaps is refused.
    """
    from floatgate.lab.fit.run import write

    if asked.voltages is not None:
        without_effect({"sampled": asked.sampled}, "--voltages is not a log of cycles", "logs with this")
        _voltages(asked, asked.voltages)
        return
    with Bar("fitting", BAR, PERCENT, LEFT) as bar:
        done = _fitted(asked, lambda fraction: bar.show(completed=fraction))
    with own_folder(asked.out, Path("out") / f"fit-{done.name}", force=asked.force) as folder:
        written = write(done, folder, force=asked.force)
    if asked.format == "json":
        console.print_json(done.document())
    else:
        _print(done, bool(written))
    console.err.print(f"wrote {folder / (written[-1] if written else 'fit.json')}")
    console.err.print(f"wrote {folder / 'report.html'}")


def _voltages(asked: FitOptions, path: Path) -> None:
    from floatgate.lab.fit import measured

    if asked.logs:
        raise InputError(f"{asked.logs[0]}: given beside --voltages: expected logs, or a table of voltages")
    done = measured.fit_voltages(path, asked.chip)
    with own_folder(asked.out, Path("out") / f"fit-{done.name}", force=asked.force) as folder:
        names = measured.write(done, folder, force=asked.force)
    for name in names[-1:]:
        console.err.print(f"wrote {folder / name}")
    if asked.format == "json":
        console.print_json(done.document())
    else:
        console.out.print("bit error rates with the best references, by page type", style="bold")
        _table(done.rate_head(), done.rate_rows())
        if done.growth:
            console.out.print()
            _table(measured.GROWTH_HEAD, done.growth_rows())
    console.err.print(f"wrote {folder / 'report.html'}")


def _print(done: "Fit", model: bool) -> None:
    from floatgate.lab.fit import words

    blocks = len(done.gathered.lives)
    console.out.print(f"{done.name}: {done.gathered.entries:,} entries of {blocks} blocks", style="bold")
    for head, rows in ((words.TIME_HEAD, words.times(done)), (words.RATE_HEAD, words.rates(done))):
        if rows:
            console.out.print()
            _table(head, rows)
    console.out.print(f"\n{words.endurance(done)}")
    for remark in words.remarks(done, model):
        console.out.print(remark, style="yellow")


def _table(head: "Sequence[str]", rows: "Iterable[Sequence[str]]") -> None:
    console.print_columns(head, rows, left=(0, 1), no_wrap=True)
