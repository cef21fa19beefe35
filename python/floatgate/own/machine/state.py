"""State of an object of a compiled class as a memory block: its parameters, and what `attach` made."""

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import types

from floatgate.own.machine.block import WORD, Field, Shape
from floatgate.own.policy import Own, parameters_of

_ASIDE = ("_given", "is_compiled")  # what every object of a policy has besides
NUMBERS = {bool: types.boolean, int: types.int64, float: types.float64}


@dataclass(frozen=True)
class State:
    """State of a policy object: shape and memory of its block, and the arrays to which the block points."""

    shape: Shape
    memory: "np.ndarray[Any, Any]"
    arrays: tuple["np.ndarray[Any, Any]", ...]


def state(policy: Own) -> State:
    """Copy the attributes of a policy object into a new memory block, and return it."""
    shape = Shape("self", {})
    words: list[Any] = []
    arrays: list[Any] = []
    for name, value, is_open in _attributes(policy):
        if isinstance(value, str):
            shape.fields[name] = Field(types.unicode_type, 0, text=value)
            continue
        kind = _type(value)
        if kind is None:
            what = type(value).__name__
            shape.closed[name] = f"a {what}: expected a number or a NumPy array of numbers, made in attach"
            continue
        shape.fields[name] = Field(kind, WORD * len(words), is_open and not isinstance(kind, types.Array))
        if isinstance(kind, types.Array):
            arrays.append(value)
            words += [value.ctypes.data, *value.shape, *value.strides]
        else:
            words.append(np.asarray(value, dtype=str(kind) if kind is not types.boolean else "bool"))
    memory = np.zeros(WORD * max(len(words), 1), dtype=np.uint8)
    for at, word in enumerate(words):
        raw = np.asarray(word, dtype=np.int64 if isinstance(word, int) else None).tobytes()
        memory[WORD * at : WORD * at + len(raw)] = np.frombuffer(raw, dtype=np.uint8)
    return State(shape, memory, tuple(arrays))


def _attributes(policy: Own) -> list[tuple[str, Any, bool]]:
    """Return each attribute as name, value, and whether methods can set it; parameters cannot be set."""
    parameters = [parameter.name for parameter in parameters_of(type(policy))]
    known = {name: (getattr(policy, name), False) for name in parameters}
    for base in reversed(type(policy).__mro__):
        own = issubclass(base, Own)
        said = {
            name: value
            for name, value in vars(base).items()
            if own and type(value) in NUMBERS and name not in _ASIDE
        }
        known |= {
            name: (value, name.startswith("_")) for name, value in said.items() if name not in parameters
        }
    known |= {
        name: (value, True)
        for name, value in vars(policy).items()
        if name not in parameters and name not in _ASIDE
    }
    return [(name, value, is_open) for name, (value, is_open) in known.items()]


def _type(value: object) -> Any:
    """Return the Numba type of an attribute's value; None if a block cannot hold the value."""
    if type(value) in NUMBERS:
        return NUMBERS[type(value)]
    try:
        if isinstance(value, np.ndarray):
            return numba.typeof(value)
        if isinstance(value, np.bool | np.number) and value.dtype.kind in "biuf":
            return numba.from_dtype(value.dtype)
    except (ValueError, NotImplementedError, numba.core.errors.NumbaError):
        return None
    return None


def key(shape: Shape) -> tuple[Any, ...]:
    """Return the key of a shape: states whose shapes have the same key share machine code."""
    fields = tuple(
        (name, field.type, field.at, field.is_open, field.text) for name, field in shape.fields.items()
    )
    return fields, tuple(sorted(shape.closed.items()))
