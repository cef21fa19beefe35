"""`floatgate.reproduce` and `floatgate.papers`: published numbers beside simulated ones."""

from os import PathLike
from typing import Unpack

from floatgate._generated.keywords import ReproduceKeywords
from floatgate.files import shipped
from floatgate.options.lab import ReproduceOptions
from floatgate.options.taking import offered, take
from floatgate.reproduce import run as reproducing
from floatgate.reproduce.paper import Paper, find
from floatgate.reproduce.run import Reproduced
from floatgate.results.temporary import given_or_temporary
from floatgate.runs.session import interruptible
from floatgate.values.arguments import named


@offered(ReproduceOptions)
def reproduce(*paper: str | PathLike[str], **options: Unpack[ReproduceKeywords]) -> Reproduced:
    """Reproduce papers, all of them when none is named: the quick cases, or all of them with `full=True`.

    What comes out has a row for each number: published, simulated, deviation, tolerance and verdict, in the
    unit that the paper gives; `unexplained` are the misses that no README explains. With `out`, results.csv,
    reproduce.html and the figures are written to that folder. Ctrl-C keeps the rows that are done
    (`interrupted`), and writes nothing.

    Raises InputError for an unknown paper, Fault for a broken invariant, TypeError for an unknown option.
    """
    asked = take(ReproduceOptions, options, paper=paper)
    chosen = find(list(asked.paper), shipped.papers())
    with given_or_temporary(asked.out, "reproduced") as out, interruptible() as stopped:
        return reproducing.reproduce(
            chosen,
            out,
            force=asked.force,
            full=bool(asked.full),
            causes=asked.causes,
            record=asked.record,
            workers=asked.workers,
            scheduler=asked.scheduler,
            stopped=stopped,
        )


@named
def papers() -> list[Paper]:
    """Return the papers that come with Floatgate, each with what it claims and shows."""
    return find([], shipped.papers())
