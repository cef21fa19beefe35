"""`floatgate.age` and `floatgate.age_compare`: drives overwritten until they take no more writes."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import Unpack

from floatgate._generated.keywords import AgeKeywords
from floatgate.ageing import compare, life
from floatgate.ageing.life import Conditions, Life
from floatgate.errors import InputError
from floatgate.files import write_whole
from floatgate.options.drives import AgeOptions
from floatgate.options.effect import without_effect
from floatgate.options.taking import offered, take
from floatgate.results.folder import check_state_file, own_file
from floatgate.runs.session import interruptible


@offered(AgeOptions, but=("compare", "scheduler"))
def age(drive: str | PathLike[str], **options: Unpack[AgeKeywords]) -> Life:
    """Overwrite `drive` at random until it ends, and return its life.

    The life has a row for each measured window: bytes written by the host, write amplification, wear in
    program/erase cycles, bad blocks. Each block has its own endurance, from the chip's tables:
    `set={"chip": "derived/tlc-3d-256g"}`. Ctrl-C ends it early: `life.ended` is then false. With `out`, the
    report is written there.

    It ends when the drive accepts no more writes, or when its code could no longer read what it holds at the
    end of the retention time of JESD218: `life.cause` says which.

    Raises InputError for a drive whose chip knows neither endurance nor errors, or whose tables end too
    early, TypeError for an unknown option.
    """
    return _aged(take(AgeOptions, options, drive=drive))[""]


@offered(AgeOptions)
def age_compare(
    drive: str | PathLike[str], compare: str, *, scheduler: str | None = None, **options: Unpack[AgeKeywords]
) -> dict[str, Life]:
    """Age `drive` with each value of a key, `"ftl.wear.name=none,static"`; return the lives by value.

    Every value may bring settings of its own: `"ftl.wear.name=none,static+ftl.wear.threshold=1000"`. As many
    lives run at once as there are processors and memory for; with `scheduler`, as the Dask cluster of that
    address has. Everything else is as in `floatgate.age`.

    Raises InputError where there are not two different values or more, and as `age` does.
    """
    return _aged(take(AgeOptions, options, drive=drive, compare=compare, scheduler=scheduler))


def _aged(asked: AgeOptions) -> dict[str, Life]:
    with own_file(asked.out, asked.out) if asked.out is not None else nullcontext() as file:
        with interruptible() as stopped:
            lives = lives_of(asked, stopped=stopped)
        if file is not None:
            written(asked, lives, file)
    return lives


def lives_of(
    asked: AgeOptions,
    *,
    progress: Callable[[float], None] = lambda _part: None,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Life]:
    """Age a drive as it was asked for: the life by the value compared, or by nothing."""
    how = _conditions(asked)
    check_state(asked)
    if asked.compare is not None:
        return compare.compare(
            asked.drive,
            asked.set,
            asked.compare,
            how,
            scheduler=asked.scheduler,
            progress=progress,
            stopped=stopped,
        )
    without_effect({"scheduler": asked.scheduler}, "one life is not spread", "--compare with this option")
    state = asked.save_state
    aged = life.age(asked.drive, asked.set, **how, save_state=state, progress=progress, stopped=stopped)
    return {"": aged}


def check_state(asked: AgeOptions) -> None:
    """Refuse a state that would replace something else, or that several lives would write."""
    if asked.save_state is None:
        without_effect({"force": asked.force or None}, "no state is saved", "--save-state with this option")
        return
    if asked.compare is not None:
        given = f"--save-state {asked.save_state}"
        raise InputError(f"{given}: one state cannot stand for several lives: expected no --compare")
    check_state_file(Path(asked.save_state), force=asked.force)


def written(asked: AgeOptions, lives: Mapping[str, Life], file: Path) -> None:
    """Write the report."""
    if asked.compare is not None:
        page = compare.page(asked.drive, asked.compare, lives, _conditions(asked), asked.years)
    else:
        page = life.page(lives[""], asked.years)
    write_whole(file, page)


def _conditions(asked: AgeOptions) -> Conditions:
    return {
        "hot": asked.hot,
        "jump": asked.jump,
        "window": asked.window,
        "measure": asked.measure,
        "seed": asked.seed,
        "jedec": asked.jedec,
        "years": asked.years,
        "duty": asked.duty,
        "temperature": asked.temperature,
        "off_temperature": asked.off_temperature,
    }
