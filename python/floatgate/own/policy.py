"""What every policy in Python is: a class with parameters, whose objects choose themselves for a drive."""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, MappingProxyType
from typing import Any, ClassVar, get_origin, get_type_hints

from floatgate.errors import InputError, meant
from floatgate.values.arguments import assignment

KINDS = (int, float, bool, str)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a policy: an annotated attribute of its class."""

    name: str
    kind: str  # int, float, bool or str
    default: int | float | bool | str | None  # None: required


class Own:
    """A policy in Python. Its parameters are annotated attributes, with their defaults: `d: int = 10`.

    An object of it stands for the policy with these parameters: `fg.run(..., policies=[Mine(d=4)])`. The
    drive makes its own objects, one for each die, and asks them; what they keep they make in `attach`.
    """

    seam: ClassVar[str]
    must: ClassVar[tuple[str, ...]]  # what every policy of the seam defines
    may: ClassVar[tuple[str, ...]]  # what it may define besides
    beside: ClassVar[Mapping[str, type]] = MappingProxyType({})  # what it is shown and answers with, by name

    def __init__(self, **parameters: int | float | bool | str) -> None:
        """Take parameters by name. Raises InputError for an unknown or ill-typed one."""
        known = {parameter.name: parameter for parameter in parameters_of(type(self))}
        for name, value in parameters.items():
            if name not in known:
                raise InputError(f"{type(self).__name__}: {name}: no such parameter{_expected(name, known)}")
            setattr(self, name, _as_declared(type(self).__name__, known[name], value))
        for name, parameter in known.items():
            if parameter.default is None and name not in parameters:
                raise InputError(f"{type(self).__name__}: {name}: missing: expected {_article(parameter)}")
        self._given = dict(parameters)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}({given})"

    def overrides(self) -> list[str]:
        """Return the policy as `--set` takes it."""
        from floatgate.own import found

        chosen = [f"{self.seam}.name={found.called(type(self))}"]
        return chosen + [assignment(f"{self.seam}.{key}", value) for key, value in self._given.items()]


def parameters_of(cls: type[Own]) -> tuple[Parameter, ...]:
    """Return the parameters of a policy's class, in the order in which they are written.

    Raises InputError for a kind of parameter that no configuration can hold.
    """
    own: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Own) and "must" not in vars(base) and base is not Own:
            own |= vars(base).get("__annotations__", {})
    hints = get_type_hints(cls)
    found = []
    for name in own:
        kind = hints[name]
        if get_origin(kind) is ClassVar or kind is ClassVar or name.startswith("_"):
            continue
        if kind not in KINDS:
            raise InputError(
                f"{cls.__name__}: {name}: a parameter of type {kind!r}: expected int, float, bool or str "
                "(what a policy keeps begins with _ or is made in attach)"
            )
        parameter = Parameter(name, kind.__name__, None)
        if hasattr(cls, name):
            parameter = Parameter(
                name, kind.__name__, _as_declared(cls.__name__, parameter, getattr(cls, name))
            )
        found.append(parameter)
    return tuple(found)


def _as_declared(owner: str, parameter: Parameter, value: object) -> int | float | bool | str:
    """The value as the parameter's type; a whole number is as good as one with a fraction."""
    kind = getattr(builtins, parameter.kind)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (type(value) is int and value < 0):
        raise InputError(f"{owner}: {parameter.name} = {value!r}: expected {_article(parameter)}")
    return value  # type: ignore[return-value]


def _article(parameter: Parameter) -> str:
    words = {
        "int": "a whole number of at least 0",
        "float": "a number",
        "bool": "true or false",
        "str": "text",
    }
    return words[parameter.kind]


def _expected(name: str, known: Mapping[str, object]) -> str:
    if not known:
        return ": expected none, the policy has no parameters"
    return f": expected one of {', '.join(known)}{meant(name, known)}"


def defined(cls: type[Own]) -> frozenset[str]:
    """Return the questions and notifications that a class defines itself."""
    return frozenset(
        name
        for name in (*cls.must, *cls.may)
        if any(name in vars(base) for base in cls.__mro__ if "must" not in vars(base) and base is not Own)
    )


def place(cls: type[Own], method: str | None = None) -> str:
    """Return where a class, or one of its methods, is written: `mine.py:12`."""
    from floatgate.own import found

    function = getattr(cls, method, None) if method else None
    if isinstance(function, FunctionType):
        return f"{Path(function.__code__.co_filename).name}:{function.__code__.co_firstlineno}"
    return found.called(cls).rsplit(":", 1)[0]
