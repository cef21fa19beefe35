"""`floatgate.compare`: two sets of runs that differ in one key, seed by seed."""

from os import PathLike
from pathlib import Path
from typing import Unpack

from floatgate._generated.keywords import CompareKeywords
from floatgate.compare.work import Compared, compare as work_out
from floatgate.compare.write import write
from floatgate.errors import InputError
from floatgate.options.compare import CompareOptions
from floatgate.options.taking import offered, take


@offered(CompareOptions)
def compare(a: str | PathLike[str], b: str | PathLike[str], **options: Unpack[CompareKeywords]) -> Compared:
    """Compare the runs in two folders that differ in one key, pair by pair of the same seed.

    `a` and `b` are folders of `repeat` or of studies. Each comparison has the mean difference B - A and the
    ratio B / A with 95 % intervals of paired differences, and its verdict: `A lower`, `B lower`, `cannot be
    told`; for studies there is one for each combination of the other keys. Flags and remarks of the runs
    stand beside. With `out`, compare.json, compare.csv and report.html are written to that folder.

    Raises InputError for sets of different versions, workloads or drives, naming the key that differs, and
    for fewer than five pairs.
    """
    asked = take(CompareOptions, options, a=a, b=b)
    done = compared_of(asked)
    if asked.out is not None:
        write(done, asked.out, force=asked.force)
    return done


def compared_of(asked: CompareOptions) -> Compared:
    """Compare what was asked for."""
    return work_out(
        Path(asked.a), Path(asked.b), _listed("--metric", asked.metric), _listed("--key", asked.key)
    )


def _listed(option: str, text: str | None) -> tuple[str, ...]:
    """Return the names of a list with commas. Raises InputError where one is empty."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{option} {text}: an empty name: expected names with commas between")
    return names
