"""Policies that are asked for each request or unit: their methods become machine code, `@fg.compiled`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar

from floatgate.errors import InputError
from floatgate.extras import needed
from floatgate.own.lent import Random
from floatgate.own.policy import Own


@dataclass(frozen=True)
class Question:
    """What a compiled method is told and how it answers, in the words of `floatgate.own.machine`."""

    arguments: Mapping[str, str] = field(default_factory=dict)
    view: type["View"] | None = None  # comes first, before the arguments
    answer: tuple[str, ...] = ()  # int, bool, or `int or None`; none: it is told something
    is_first_enough: bool = False  # the rest of the answer may be left out: it stays as it was


DieSet: TypeAlias = Annotated[int, "set"]  # one bit for each die


class View:
    """What a compiled policy is shown: numbers, arrays on the drive's memory; right during the call.

    Its annotations say how the core lays it out, in their order.
    """

    spaced: ClassVar[bool] = False  # whether the values of its arrays lie apart


def layout(view: type[View]) -> dict[str, str]:
    """Return the attributes of a view, each with its kind in the words of `floatgate.own.machine`."""
    kinds = {int: "int", bool: "bool", DieSet: "set", "Random": "random", Random: "random"}
    found = {}
    for name, kind in view.__annotations__.items():
        if kind in kinds:
            found[name] = kinds[kind]
        elif isinstance(kind, str):
            item = needed("numpy").dtype(kind.removeprefix("NDArray[np.").removesuffix("]"))
            found[name] = f"{item.str[1:].replace('b1', '?')}[{':' if view.spaced else ''}]"
    return found


class Compiled(Own):
    """A policy whose questions are asked for each request or unit: it is decorated with `@fg.compiled`.

    `attach`, and what else is asked once, stays Python. It makes the state: NumPy arrays and numbers.
    """

    questions: ClassVar[Mapping[str, Question]]  # which methods become machine code
    is_compiled: ClassVar[bool] = False


Class = TypeVar("Class", bound=type)


def compiled(cls: Class) -> Class:
    """Let the methods of a policy's class become machine code when a drive first asks it.

    Raises InputError for a class that is no policy, or one of a decision that is made too seldom to need it.
    """
    if not (isinstance(cls, type) and issubclass(cls, Own)):
        raise InputError(
            f"{getattr(cls, '__name__', cls)}: expected a class of fg.regulator.Policy or another seam's"
        )
    if not issubclass(cls, Compiled):
        raise InputError(f"{cls.__name__}: {cls.seam} takes plain Python: expected no @fg.compiled")
    cls.is_compiled = True
    return cls


def methods_of(cls: type[Compiled]) -> dict[str, FunctionType]:
    """Return the methods that become machine code: answers to questions, and what they may call."""
    found: dict[str, FunctionType] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Own) and base is not Own and "must" not in vars(base) and base is not Compiled:
            found |= {name: value for name, value in vars(base).items() if isinstance(value, FunctionType)}
    plain = set(cls.must + cls.may) - set(cls.questions)
    return {name: value for name, value in found.items() if name not in plain}


def is_compiled(cls: type[Any]) -> bool:
    """Return whether a class's methods become machine code."""
    return issubclass(cls, Compiled) and cls.is_compiled
