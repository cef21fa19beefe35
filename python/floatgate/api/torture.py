"""`floatgate.torture`: the power of drives fails, again and again, and every unit is checked."""

from os import PathLike
from typing import Unpack

from floatgate._generated.keywords import TortureKeywords
from floatgate.options.taking import offered, take
from floatgate.options.torture import TortureOptions
from floatgate.runs.session import interruptible
from floatgate.runs.torture import Tortured, torture as run_cases


@offered(TortureOptions)
def torture(*drive: str | PathLike[str], **options: Unpack[TortureKeywords]) -> Tortured:
    """Cut the power of small copies of drives under random hosts, and check every unit after each cut.

    What comes out has a case for each run, with what its cuts destroyed, and in `violations` what was
    promised and not kept: it should be empty. With `out`, torture.json is written to that folder. Ctrl-C
    keeps the cases that are done (`interrupted`).

    Raises InputError for an unknown drive, or one whose power cannot be cut.
    """
    asked = take(TortureOptions, options, drive=drive)
    with interruptible() as stopped:
        return run_cases(asked, asked.out, stopped=stopped)
