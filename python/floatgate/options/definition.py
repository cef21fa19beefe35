"""What a definition of an option says, and what follows for its value: its type, its limits, its names."""

from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from inspect import get_annotations
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from floatgate.errors import InputError
from floatgate.values.arguments import convert

# Groups of options in help, in their order; those of no group come first.
REQUESTS = "Requests"
RULE = "Steady state"
STATE = "State of the drive"
TRACE = "Traces"
LIMITS = "Limits"
OUTPUT = "Output"
PANELS = (None, REQUESTS, RULE, STATE, TRACE, LIMITS, OUTPUT)

# What completes a value in a shell.
Source = Literal["assignments", "chips", "drives", "keys", "listed", "papers", "workloads"]


@dataclass(frozen=True)
class Option:
    """What an option says of itself, beside its name, type and default."""

    help: str
    metavar: str | None = None
    panel: str | None = None
    least: float | None = None
    most: float | None = None
    shown: str | None = None  # the default in words, where its value says too little
    takes: str = ""  # what a value must be, where type, limits and names do not say it
    flags: tuple[str, ...] = ()  # on the command line, where its name is not all
    listed: bool = False  # several values with commas between; in Python a sequence of them, too
    completes: Source | None = None
    shell: str = ""  # why it is one of the command line only; empty: Python has it, too
    python: str = ""  # what holds in Python where it is not given, if that is something else
    differs: str = ""  # how it differs from the other definition that has its name


@dataclass(frozen=True)
class Argument(Option):
    """An option that is given by its place, not by its name."""


@dataclass(frozen=True)
class Assignments(Option):
    """An option that maps names to values, `NAME=VALUE` on the command line, a mapping in Python."""


@dataclass(frozen=True)
class Field:
    """An option of a class of options."""

    name: str
    kind: Any
    default: Any
    option: Option
    shown: str | None = None  # the default in words

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

    @property
    def flag(self) -> str:
        """How messages name it: `--limit-time`, `DRIVE`."""
        if isinstance(self.option, Argument):
            return self.name.upper()
        return self.option.flags[0] if self.option.flags else "--" + self.name.replace("_", "-")

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types that its value may have, None left out."""
        several = get_origin(self.kind) in (Union, UnionType)
        kinds = get_args(self.kind) if several else (self.kind,)
        return tuple(kind for kind in kinds if kind is not type(None))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it takes; none where it is no choice of names."""
        return tuple(name for kind in self.kinds if get_origin(kind) is Literal for name in get_args(kind))


def usual(shown: str) -> Any:
    """Stand for the default of an option that is None, with what happens then in words."""
    return field(default=None, metadata={"shown": shown})


def fields_of(owner: type) -> tuple[Field, ...]:
    """Return the options that a class defines, in their order."""
    return _fields(owner)


@cache
def _fields(owner: Any) -> tuple[Field, ...]:
    hints = get_type_hints(owner, include_extras=True)
    found = []
    for one in fields(owner):
        kind, option = get_args(hints[one.name])
        found.append(Field(one.name, kind, one.default, option, one.metadata.get("shown", option.shown)))
    return tuple(found)


_DEFINED: dict[str, list[Option]] = {}


def define(owner: type) -> None:
    """Note the options of a class. Raises TypeError where a name has a definition already that is another.

    One that says how it differs may stand beside the other.
    """
    for name, hint in get_annotations(owner).items():
        option = next((one for one in get_args(hint)[1:] if isinstance(one, Option)), None)
        if option is None:
            raise TypeError(f"{owner.__name__}.{name}: no definition: expected Annotated[TYPE, Option(...)]")
        others = _DEFINED.setdefault(name, [])
        if option in others:
            continue
        if not option.differs and any(not other.differs for other in others):
            raise TypeError(f"{owner.__name__}.{name}: another definition of that name is there: expected it")
        others.append(option)


def definitions() -> dict[str, tuple[Option, ...]]:
    """Return the definitions there are, by name; several of one name say how they differ."""
    return {name: tuple(options) for name, options in _DEFINED.items()}


@dataclass(frozen=True)
class CommandOptions:
    """What a command was asked for: every value of its type and within its limits, or InputError."""

    def __init_subclass__(cls) -> None:
        define(cls)

    def __post_init__(self) -> None:
        convert(self)
        for one in fields_of(type(self)):
            check(one, getattr(self, one.name))


def check(one: Field, value: Any) -> None:
    """Refuse a value beyond the limits of an option, or none of its names, with InputError."""
    if value is None:
        return
    if one.names and str not in one.kinds and value not in one.names:
        raise InputError(f"{one.flag} {value}: expected one of {', '.join(one.names)}")
    least, most = one.option.least, one.option.most
    if isinstance(value, bool) or not isinstance(value, int | float) or (least is None and most is None):
        return
    if (least is not None and value < least) or (most is not None and value > most):
        raise InputError(f"{one.flag} {shown(value)}: expected {limits(one)}")


def limits(one: Field) -> str:
    """Say which numbers an option takes."""
    kind = "a whole number" if int in one.kinds else "a number"
    least, most = one.option.least or 0, one.option.most
    return (
        f"{kind} of at least {shown(least)}"
        if most is None
        else f"{kind} from {shown(least)} to {shown(most)}"
    )


def shown(number: float) -> str:
    """A number as it is written on a command line."""
    return str(number) if isinstance(number, int) else f"{number:g}"
