"""The options of a run that its result keeps and the core is given, and those of reading a trace."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import copies
from floatgate.options.definition import (
    LIMITS,
    OUTPUT,
    STATE,
    TRACE,
    Option,
    define,
)
from floatgate.options.shared import (
    LOAD_STATE,
    PRECONDITION,
    SAVE_STATE,
    Detail,
    Seed,
    State,
)
from floatgate.values.arguments import convert

SEEDS = 1 << 64  # seeds there are
ALIGNMENTS = ("round", "offset")  # of addresses inside a sector
DEPTH = 32  # requests outstanding with --as-fast-as-possible where --depth does not say


@dataclass(frozen=True)
class Options:
    """What a run does beside the drive and the workload; the names are those of the command line."""

    seed: Seed = 1
    check: Annotated[bool, Option("Check the run with an independent model.")] = False
    requests: Annotated[bool, Option("Keep every request: requests.parquet.", panel=OUTPUT)] = False
    timeline: Annotated[bool, Option("Keep a Perfetto timeline.", panel=OUTPUT)] = False
    timeline_detail: Annotated[
        Detail, Option("What --timeline shows: channels and dies, or one of them.", panel=OUTPUT)
    ] = "all"
    precondition: Annotated[State, PRECONDITION] = "none"
    precondition_fill: Annotated[
        float | None, Option("Share of the drive to fill.", metavar="RATIO", panel=STATE, least=0, most=1)
    ] = None
    layout: Annotated[
        bool, Option("First write the data the workload expects on the drive.", panel=STATE)
    ] = True
    load_state: Annotated[str | None, LOAD_STATE] = None
    loop: Annotated[
        str | int | None,
        Option(
            "Run the workload N times, or until its long-run write amplification is "
            "known to 5 % (at most 100 times, or until=waf:5%,max=20).",
            metavar="N|until=waf:5%",
            takes="a number of at least 1, or until=waf:SHARE",
            panel=LIMITS,
        ),
    ] = None
    sample: Annotated[
        str | None,
        Option(
            "Run windows in detail, carry the drive's state forward between them: auto, or errors asked.",
            metavar="auto|NAME:ERROR",
            takes="auto, or waf, iops, mean, p99 with the errors that they may have: waf:1%,iops:2%",
            panel=LIMITS,
        ),
    ] = None
    limit_requests: Annotated[
        int | None, Option("End after N requests.", metavar="N", panel=LIMITS, least=1)
    ] = None
    limit_time: Annotated[
        str | None,
        Option("End after this simulated time: 10s.", metavar="TIME", takes="a time above 0", panel=LIMITS),
    ] = None
    memory_limit: Annotated[
        str | int | None,
        Option(
            "Memory for the drives of this command: 8GiB. Larger drives are refused; "
            "those of --repeat wait for each other.",
            metavar="SIZE",
            takes="a size above 0",
            panel=LIMITS,
            shown="free memory of the machine",
        ),
    ] = None
    policy_timeout: Annotated[
        str,
        Option(
            "Time that a policy in Python may take for one answer: 1s.",
            metavar="TIME",
            takes="a time above 0",
            panel=LIMITS,
        ),
    ] = "10s"
    save_state: Annotated[str | None, SAVE_STATE] = None

    def __post_init__(self) -> None:
        convert(self)

    def verify(self) -> None:
        """Refuse values that can mean nothing, and options that would do nothing, with InputError."""
        if not 0 <= self.seed < SEEDS:
            raise InputError(f"--seed {self.seed}: expected a whole number from 0 to {SEEDS - 1}")
        if self.precondition not in get_args(State):
            raise InputError(
                f"--precondition {self.precondition}: expected one of {', '.join(get_args(State))}"
            )
        if self.load_state is not None and self.precondition != "none":
            raise InputError(
                f"--precondition {self.precondition}: --load-state gives the state already: expected one"
            )
        self._check_fill()
        if self.limit_requests is not None and self.limit_requests < 1:
            raise InputError(f"--limit-requests {self.limit_requests}: expected a number of at least 1")
        if self.limit_time is not None and not nanoseconds("--limit-time", self.limit_time):
            raise InputError(f"--limit-time {self.limit_time}: expected a time above 0, such as 10s")
        if not self.policy_timeout_ns():
            raise InputError(f"--policy-timeout {self.policy_timeout}: expected a time above 0, such as 1s")
        if (limit := self.memory_bytes()) is not None and limit < 1:
            raise InputError(f"--memory-limit {self.memory_limit}: expected a size above 0, such as 8GiB")

    def policy_timeout_ns(self) -> int:
        """Give the time that a policy in Python may take for one answer."""
        return nanoseconds("--policy-timeout", self.policy_timeout)

    def memory_bytes(self) -> int | None:
        """Give the bytes of memory that drives may take, None for all there are; a bare number is bytes."""
        limit = self.memory_limit
        return size_bytes("--memory-limit", limit) if isinstance(limit, str) else limit

    def _check_fill(self) -> None:
        fill = self.precondition_fill
        if fill is None:
            return
        if not 0 < fill <= 1:
            raise InputError(
                f"--precondition-fill {fill:g}: expected a share above 0, at most 1 (a fresh drive is empty: "
                "leave out --precondition)"
            )
        if self.precondition == "none":
            raise InputError(
                f"--precondition-fill {fill:g}: nothing is written before: expected --precondition with this"
            )

    def to_json(self, *, requests: bool = False) -> str:
        """Return the options that are set, as the core takes them; `requests`: keep every one."""
        options = {name: value for name, value in asdict(self).items() if value is not None}
        if self.load_state is not None:
            options["load_state"] = copies.place(self.load_state)
        if self.loop is not None:
            options["loop"] = str(self.loop)
        options["requests"] = self.requests or requests
        del options["policy_timeout"]  # of this process, not of the run
        if self.limit_time is not None:
            options["limit_ns"] = nanoseconds("--limit-time", options.pop("limit_time"))
        if self.memory_limit is not None:
            options["memory_limit"] = self.memory_bytes()
        if self.precondition_fill is not None:
            options["fill"] = options.pop("precondition_fill")
        if self.precondition not in ("none", "fill"):
            from floatgate.files.pilots import kept

            options["pilots"] = kept()
        return json.dumps(options)


@dataclass(frozen=True)
class TraceOptions:
    """How a trace is read and replayed; the names are those of the command line."""

    trace_format: Annotated[
        str | None,
        Option("See `floatgate trace formats`.", metavar="NAME", takes="a name of that list", panel=TRACE),
    ] = None
    columns: Annotated[
        str | None,
        Option(
            'Any table: "time:ms op offset:bytes size:sectors", or a file with that '
            "(docs/reference/traces.md).",
            metavar="NAMES",
            takes="names of columns",
            panel=TRACE,
        ),
    ] = None
    align: Annotated[
        str | None,
        Option(
            "Unaligned addresses: round (all sectors touched), offset (shift all equally).",
            metavar="HOW",
            takes="round or offset",
            panel=TRACE,
        ),
    ] = None
    member: Annotated[
        str | None,
        Option("Which file of an archive.", metavar="NAME", takes="a name in the archive", panel=TRACE),
    ] = None
    wrap: Annotated[bool, Option("Take addresses modulo the capacity.", panel=TRACE)] = False
    scale: Annotated[bool, Option("Scale addresses to the drive.", panel=TRACE)] = False
    compact: Annotated[
        bool, Option("Place touched pages side by side (the default if only that fits).", panel=TRACE)
    ] = False
    sort: Annotated[bool, Option("Sort the trace, however far out of order.", panel=TRACE)] = False
    volume: Annotated[
        tuple[str, ...],
        Option("Only this volume (repeatable).", metavar="V", takes="a volume of the trace", panel=TRACE),
    ] = ()
    speedup: Annotated[
        float | None, Option("Divide times by F.", metavar="F", takes="a number above 0", panel=TRACE)
    ] = None
    as_fast_as_possible: Annotated[bool, Option("Ignore times: keep --depth outstanding.", panel=TRACE)] = (
        False
    )
    depth: Annotated[
        int | None, Option("With --as-fast-as-possible.", metavar="N", panel=TRACE, least=1, shown="32")
    ] = None
    skip_bad_lines: Annotated[bool, Option("Skip unreadable lines; count them.", panel=TRACE)] = False
    exact_footprint: Annotated[bool, Option("Count touched units exactly.", panel=TRACE)] = False
    action: Annotated[
        str | None,
        Option(
            "blkparse, blktrace: these events.",
            metavar="A",
            takes="letters of actions",
            panel=TRACE,
            shown="D, or else Q, C",
        ),
    ] = None
    since: Annotated[
        str | None,
        Option(
            "Leave out requests before this time, from the first request: 10s.",
            metavar="TIME",
            takes="a time",
            panel=TRACE,
        ),
    ] = None
    until: Annotated[
        str | None, Option("Leave out requests after this time.", metavar="TIME", takes="a time", panel=TRACE)
    ] = None

    def __post_init__(self) -> None:
        convert(self)
        if self.columns is not None:
            object.__setattr__(self, "columns", _columns(self.columns))

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, by name."""
        plain = TraceOptions()
        return {name: value for name, value in vars(self).items() if value != getattr(plain, name)}

    def check(self) -> None:
        """Refuse options that contradict each other, with InputError."""
        if sum((self.wrap, self.scale, self.compact)) > 1:
            raise InputError("--wrap, --scale, --compact: more than one given: expected at most one")
        if self.speedup is not None and not self.speedup > 0:
            raise InputError(f"--speedup {self.speedup:g}: expected a number above 0 (2: twice as fast)")
        if self.depth is not None and self.depth < 1:
            raise InputError(f"--depth {self.depth}: expected a number of at least 1")
        if self.align not in (None, *ALIGNMENTS):
            raise InputError(f"--align {self.align}: expected one of {', '.join(ALIGNMENTS)}")
        if self.depth is not None and not self.as_fast_as_possible:
            raise InputError(f"--depth {self.depth}: expected together with --as-fast-as-possible")
        if self.speedup is not None and self.as_fast_as_possible:
            raise InputError(
                f"--speedup {self.speedup:g}: --as-fast-as-possible drops times: expected one of both"
            )

    def for_core(self) -> dict[str, Any]:
        """Return the options in the names and units of the core's trace reader."""
        self.check()
        addresses = next((name for name in ("wrap", "scale", "compact") if getattr(self, name)), "auto")
        asked = DEPTH if self.depth is None else self.depth
        depth = asked if self.as_fast_as_possible else None
        options: dict[str, Any] = {
            "format": self.trace_format,
            "columns": self.columns,
            "align": "refuse" if self.align is None else self.align,
            "member": self.member,
            "addresses": addresses,
            "sort": self.sort,
            "volumes": list(self.volume),
            "as_fast_as_possible": depth,
            "skip_bad_lines": self.skip_bad_lines,
            "exact_footprint": self.exact_footprint,
            "from_ns": None if self.since is None else nanoseconds("--since", self.since),
            "until_ns": None if self.until is None else nanoseconds("--until", self.until),
        }
        optional = {"speedup": self.speedup, "action": self.action}
        return options | {name: value for name, value in optional.items() if value is not None}


for _owner in (Options, TraceOptions):
    define(_owner)


def _columns(given: str) -> str:
    """What names the columns of a table: `given` itself, or the text of that file, with @ or not.

    Raises InputError when that file is none that can be read.
    """
    named = given.startswith("@")
    path = Path(given.removeprefix("@"))
    try:
        if not named and not path.is_file():
            return given
    except OSError:  # no path at all: a long list of columns
        return given
    from floatgate.files import MIB, read_text

    try:
        return read_text(path, "a file that names a table's columns", MIB)
    except InputError as error:
        raise InputError(f"--columns {error}") from None


def nanoseconds(option: str, text: str) -> int:
    """Read a time with its unit, given to `option`.

    Raises InputError when the unit is missing or unknown.
    """
    return _read(_core.nanoseconds, option, text)


def whole_numbers(option: str, text: str, least: int, most: int) -> tuple[int, ...]:
    """Read whole numbers with commas between, given to `option`; return them in order, each once.

    Raises InputError.
    """
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not part.isdecimal() or not least <= int(part) <= most:
            raise InputError(f"{option} {part}: expected whole numbers from {least} to {most}, such as 1,2,4")
    return tuple(sorted({int(part) for part in parts}))


def size_bytes(option: str, text: str) -> int:
    """Read a size with its unit, given to `option`.

    Raises InputError when the unit is missing or unknown.
    """
    return _read(_core.size_bytes, option, text)


def _read(reader: Callable[[str], int], option: str, text: str) -> int:
    try:
        return reader(text)
    except InputError as error:
        raise InputError(f"{option} {text}: {error}") from None
