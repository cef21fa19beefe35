"""`floatgate age`: a drive overwritten until it ends."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from floatgate._generated.keywords import AgeKeywords
from floatgate.errors import InputError
from floatgate.files import write_whole
from floatgate.options.definition import LIMITS, CommandOptions, Option, usual
from floatgate.options.effect import without_effect
from floatgate.options.shared import (
    ELSEWHERE,
    SAVE_STATE,
    Drive,
    Force,
    Format,
    OutFile,
    Scheduler,
    Seed,
    Settings,
)
from floatgate.options.taking import offered, take
from floatgate.results.folder import check_state_file, own_file
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, PERCENT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.ageing.life import Conditions, Life


@dataclass(frozen=True)
class AgeOptions(CommandOptions):
    """`floatgate age`: a drive overwritten until it ends."""

    drive: Drive
    set: Settings = ()
    hot: Annotated[
        str | None,
        Option(
            "W of the writes go to S of the space: 0.8/0.2.",
            metavar="W/S",
            takes="two shares, above 0",
        ),
    ] = usual("uniform")
    jump: Annotated[
        float, Option("Lifetime skipped at once; 0: none.", metavar="SHARE", least=0, most=0.2)
    ] = 0.01
    window: Annotated[
        float,
        Option("Drive writes simulated between two jumps.", metavar="N", least=0.01, most=100),
    ] = 1.0
    measure: Annotated[
        float, Option("Lifetime between two speed measurements; 0: none.", metavar="SHARE", least=0, most=1)
    ] = 0.02
    compare: Annotated[
        str | None,
        Option(
            "One lifetime per value; +KEY=V adds a setting.",
            metavar="KEY=A,B,...",
            takes="a key and two different values or more",
        ),
    ] = None
    years: Annotated[
        float, Option("Years over which the writes are spread.", metavar="N", least=0.1, most=200)
    ] = 5.0
    limit_writes: Annotated[
        float | None,
        Option(
            "End after N drive writes.",
            metavar="N",
            panel=LIMITS,
            least=0.01,
            most=1e7,
        ),
    ] = usual("at its end")
    limit_dwpd: Annotated[
        float | None,
        Option("End after --years of N drive writes a day.", metavar="N", panel=LIMITS, least=1e-4, most=1e4),
    ] = usual("at its end")
    jedec: Annotated[
        Literal["client", "enterprise"] | None,
        Option("Class of JESD218: how long data must last without power, and how surely."),
    ] = usual("enterprise with capacitors, else client")
    duty: Annotated[
        float | None,
        Option("Time for which the drive is powered.", metavar="SHARE", least=0, most=1),
    ] = usual("client 1/3, enterprise 1")
    temperature: Annotated[
        float | None,
        Option("Degrees Celsius with power.", metavar="C", least=-60, most=200),
    ] = usual("client 40, enterprise 55")
    off_temperature: Annotated[
        float | None,
        Option("Degrees Celsius without power.", metavar="C", least=-60, most=200),
    ] = usual("client 30, enterprise 40")
    save_state: Annotated[str | None, SAVE_STATE] = None
    seed: Seed = 1
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFile = usual("out/age-DRIVE.html")
    force: Force = False
    format: Format = "table"


@offered(AgeOptions, but=("compare", "scheduler"))
def age(drive: str | PathLike[str], **options: Unpack[AgeKeywords]) -> "Life":
    """Overwrite `drive` at random until it ends, and return its life.

    The life has a row for each measured window: bytes written by the host, write amplification, wear in
    program/erase cycles, bad blocks. Each block has its own endurance, from the chip's tables:
    `set={"chip": "derived/tlc-3d-256g"}`. Ctrl-C ends it early: `life.ended` is then false. With `out`, the
    report is written there.

    It ends when the drive accepts no more writes, or when its code could no longer read what it holds at the
    end of the retention time of JESD218: `life.cause` says which. With `limit_writes` it ends after so many
    drive writes, at the next window, with `limit_dwpd` after `years` of so many drive writes a day: with
    `save_state` that is the drive of some years, for runs.

    Raises InputError for a drive whose chip knows neither endurance nor errors, or whose tables end too
    early, TypeError for an unknown option.
    """
    return _aged(take(AgeOptions, options, drive=drive))[""]


@offered(AgeOptions)
def age_compare(
    drive: str | PathLike[str], compare: str, *, scheduler: str | None = None, **options: Unpack[AgeKeywords]
) -> "dict[str, Life]":
    """Age `drive` with each value of a key, `"ftl.wear.name=none,static"`; return the lives by value.

    Every value may bring settings of its own: `"ftl.wear.name=none,static+ftl.wear.threshold=1000"`. As many
    lives run at once as there are processors and memory for; with `scheduler`, as the Dask cluster of that
    address has. Everything else is as in `floatgate.age`.

    Raises InputError where there are not two different values or more, and as `age` does.
    """
    return _aged(take(AgeOptions, options, drive=drive, compare=compare, scheduler=scheduler))


def _aged(asked: AgeOptions) -> "dict[str, Life]":
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
) -> "dict[str, Life]":
    """Age a drive as it was asked for: the life by the value compared, or by nothing."""
    from floatgate.ageing import compare, life

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


def written(asked: AgeOptions, lives: "Mapping[str, Life]", file: Path) -> None:
    """Write the report."""
    from floatgate.ageing import compare, life

    if asked.compare is not None:
        page = compare.page(asked.drive, asked.compare, lives, _conditions(asked), asked.years)
    else:
        page = life.page(lives[""], asked.years)
    write_whole(file, page)


def _conditions(asked: AgeOptions) -> "Conditions":
    from floatgate.ageing import life

    names = life.Conditions.__annotations__
    found: Conditions = life.Conditions(**{name: getattr(asked, name) for name in names})  # type: ignore[typeddict-item]
    if asked.limit_dwpd is not None:
        without_effect({"limit_writes": asked.limit_writes}, "--limit-dwpd says the same", "one of both")
        found["limit_writes"] = asked.limit_dwpd * asked.years * life.DAYS_PER_YEAR
    return found


@takes(
    AgeOptions,
    examples=(
        "floatgate age tlc --set chip=derived/tlc-3d-256g",
        "floatgate age tlc --set chip=derived/tlc-3d-256g --compare ftl.wear.name=none,dynamic,static",
    ),
)
def age_in_shell(asked: AgeOptions) -> None:
    """Overwrite a drive at random until it ends: bytes written, wear, write amplification, its code's margin.

    It ends when it accepts no more writes, or when its code could no longer read what it holds after the
    retention time of JESD218. Each block has its own endurance, from the chip's tables: `--set
    chip=derived/tlc-3d-256g`. Between measured windows, many cycles are skipped at once. With `--compare`,
    one report shows several lifetimes.
    """
    check_state(asked)
    with own_file(asked.out, Path("out") / f"age-{Path(asked.drive).stem}.html") as file:
        with interruptible() as interrupt, Bar("ageing", BAR, PERCENT, LEFT) as bar:
            lives = lives_of(asked, progress=lambda part: bar.show(completed=part), stopped=interrupt)
        written(asked, lives, file)
    if asked.format == "json":
        documents = {name: life.document(asked.years) for name, life in lives.items()}
        console.print_json(documents if asked.compare is not None else documents[""])
    else:
        _show(asked, lives)
    for written_to in (asked.save_state, file):
        if written_to is not None:
            console.err.print(f"wrote {written_to}")


def _show(asked: AgeOptions, lives: "dict[str, Life]") -> None:
    from floatgate.ageing import compare, life

    if asked.compare is not None:
        console.print_columns(compare.HEAD, compare.shown(lives, asked.years), overflow="fold")
        return
    one = lives[""]
    console.print_columns(life.HEAD, life.shown(one), overflow="fold")
    if one.speeds():
        console.print_columns(life.SPEED_HEAD, life.speed_shown(one), overflow="fold")
    for said in (life.sentence(one, asked.years), *life.remarks(one)):
        console.out.print(said)
