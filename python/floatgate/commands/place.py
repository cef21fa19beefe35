"""`floatgate place`: rules of placement side by side on one workload."""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from floatgate import exits
from floatgate._generated.keywords import PlaceKeywords
from floatgate.commands.run import RunOptions, plan_of
from floatgate.errors import InputError
from floatgate.inputs.workload import variables_of
from floatgate.options import Options, TraceOptions, fields_of
from floatgate.options.definition import CommandOptions, Option, usual
from floatgate.options.shared import (
    ELSEWHERE,
    PRECONDITION,
    Drive,
    Force,
    Format,
    OutFolder,
    Scheduler,
    Seed,
    Settings,
    State,
    Workers,
)
from floatgate.options.taking import offered, take
from floatgate.results.folder import atomically_or_not, new_folder
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.own.policy import Own
    from floatgate.placing.work import Asked, Placed

_RUN = {field.name: field.option for field in fields_of(RunOptions)}
# Options of a run that mean the same for each of many.
SHARED = (
    *("check", "precondition_fill", "layout", "loop", "limit_requests", "limit_time", "memory_limit"),
    *("policy_timeout", *(field.name for field in fields_of(TraceOptions))),
)


@dataclass(frozen=True)
class PlaceOptions(CommandOptions):
    """`floatgate place`: rules of placement side by side on one workload."""

    drive: Drive
    workload: Annotated[str, _RUN["workload"]]
    env: Annotated[tuple[str, ...], _RUN["env"]] = ()
    set: Settings = ()
    rules: Annotated[
        str | None,
        Option(
            "Rules to run beside none.",
            metavar="LIST",
            takes="policies of host.place, FILE.py:CLASS",
            listed=True,
        ),
    ] = usual("all that the workload has something for")
    handles: Annotated[
        int | None, Option("Placement handles of the drive.", metavar="N", least=1, most=31)
    ] = usual("those it declares, else 8")
    zones: Annotated[
        bool, Option("Run the rules on zones of the same flash as well, on which the host keeps blocks.")
    ] = False
    seeds: Annotated[int, Option("Seeds of each rule.", metavar="N", least=1, most=10_000)] = 5
    cycles: Annotated[
        float | None,
        Option("Program/erase cycles that a block lasts.", metavar="N", least=1, most=1e9),
    ] = usual("what the drive's chip says")
    seed: Seed = 1
    precondition: Annotated[State, PRECONDITION] = "workload"
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/place-DRIVE-WORKLOAD")
    force: Force = False
    format: Format = "table"


@offered(PlaceOptions, Options, TraceOptions, only=SHARED)
def place(
    drive: str | PathLike[str],
    workload: str | PathLike[str],
    *,
    policies: "Iterable[Own]" = (),
    **options: Unpack[PlaceKeywords],
) -> "Placed":
    """Run `workload` on `drive` with each rule of placement, and without any; return what each came to.

    `rules` are names of `host.place`, or `FILE.py:CLASS`; `policies` are objects of your own rules, beside
    them. The drive is given `handles` placement handles where it declares none, but without a rule (`none`)
    it is run as it is. With `zones` each rule is run on zones of the same flash as well, by a log of the host
    with as many streams as there are handles (`zones`, `zones:RULE`). `hindsight` knows when data die: a
    reference that no host can follow. Each rule has the same seeds, and the difference to `none` its 95 %
    interval over them. With `out`, place.json, place.csv and report.html are written to that folder. Ctrl-C
    keeps the rules that are done.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    from floatgate.placing.show import write
    from floatgate.placing.work import measure

    given = dict(options)
    trace = {field.name: given.pop(field.name) for field in fields_of(TraceOptions) if field.name in given}
    ran = {name: given.pop(name) for name in SHARED if name in given}
    asked = take(PlaceOptions, given, drive=drive, workload=workload)
    wanted = _asked(asked, ran, trace, policies)
    with atomically_or_not(asked.out, force=asked.force) as folder, interruptible() as stopped:
        done = measure(wanted, workers=asked.workers, scheduler=asked.scheduler, stopped=stopped)
        if folder is not None:
            write(done, folder)
    return done


def _asked(
    asked: PlaceOptions, options: dict[str, Any], trace: dict[str, Any], policies: "Iterable[Own]" = ()
) -> "Asked":
    from floatgate.placing.work import Asked, names

    for one in asked.set:
        if one.partition("=")[0].strip() == "host.place.name":
            raise InputError(f"--set {one}: every rule is another of it: expected --rules with its names")
    state = {"seed": asked.seed, "precondition": asked.precondition}
    plan = plan_of(
        str(asked.drive),
        str(asked.workload),
        asked.set,
        variables_of(asked.env),
        {**options, **state},
        TraceOptions(**trace),
    )
    rules = names([name.strip() for name in asked.rules.split(",")]) if asked.rules is not None else ()
    rules += tuple((repr(one), tuple(one.overrides())) for one in policies)
    return Asked(plan, rules, asked.handles, asked.seeds, asked.cycles, asked.zones)


@takes(
    PlaceOptions,
    options=Options,
    trace=TraceOptions,
    only=SHARED,
    examples=(
        "floatgate place tlc examples/random-write.fio --seeds 3",
        "floatgate place nvme-tlc trace.csv.gz --rules size,rate,hindsight --handles 4",
    ),
)
def place_in_shell(asked: PlaceOptions, *, options: dict[str, Any], trace: dict[str, Any]) -> int:
    """Say which placement of the host's writes a workload would gain from: rules side by side.

    Each rule gives writes their placement handles (FDP); none is the drive as it is.
    Ctrl-C keeps what is done.
    """
    from floatgate.placing.show import head, rows, sentences, write
    from floatgate.placing.work import measure

    wanted = _asked(asked, options, trace)
    usual_out = Path("out") / f"place-{Path(asked.drive).stem}-{wanted.plan.workload.stem}"
    with new_folder(asked.out, usual_out, force=asked.force) as (folder, out):
        with Bar("rules", BAR, "left", LEFT) as bar, interruptible() as stopped:
            done = measure(
                wanted,
                workers=asked.workers,
                scheduler=asked.scheduler,
                progress=lambda part: bar.show(completed=part),
                stopped=stopped,
            )
        write(done, folder)
    if asked.format == "json":
        console.print_json(done.document())
    else:
        console.print_columns(head(done), rows(done), left=(0,), overflow="fold")
        for sentence in (*sentences(done), *done.notes, *map(str, done.remarks)):
            console.out.print(sentence)
    console.err.print(f"wrote {out / 'report.html'}")
    return exits.INTERRUPTED if done.interrupted else 0
