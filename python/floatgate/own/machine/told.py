"""Views and arguments of compiled policies, as the core lays them out in memory."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from floatgate.own.machine.block import Block, Field, Shape

# By the names that views give them: numbers, and arrays of them on the drive's memory.
KINDS = {
    "int": types.int64,
    "bool": types.boolean,
    "set": types.uint64,  # one bit each
    "u1": types.uint8,
    "u4": types.uint32,
    "i8": types.int64,
    "u8": types.uint64,
    "?": types.boolean,
}


def shape(name: str, layout: Mapping[str, str]) -> Shape:
    """Return the shape of a view or of arguments: `int`, `bool`, `set`, `random`, `u4[]`, spaced `u4[:]`."""
    fields: dict[str, Field] = {}
    at = 0
    for field, kind in layout.items():
        fields[field] = Field(_type(kind), at)
        at += fields[field].size
    return Shape(name, fields)


def _type(kind: str) -> Any:
    if kind == "random":
        return random()
    item, bracket, rest = kind.partition("[")
    if not bracket:
        return KINDS[kind]
    return types.Array(KINDS[item], 1, "C" if rest == "]" else "A", readonly=True)


@cache
def random() -> Block:
    """Return the Numba type of random streams: a stream, and addresses of the core's functions that draw."""
    addresses = {
        name: Field(types.uintp, 8 * at) for at, name in enumerate(("_stream", "_below", "_unit", "_bits"))
    }
    made = Shape("view.random", addresses)
    made.methods = {"below": _below, "unit": _unit, "bits": _bits}
    return Block(made)


@numba.njit
def _below(self: Any, bound: int) -> Any:
    if bound < 1:
        raise ValueError("below: expected a bound of at least 1")
    return _drawn_below(self._below, self._stream, bound)


@numba.njit
def _unit(self: Any) -> Any:
    return _drawn_unit(self._unit, self._stream)


@numba.njit
def _bits(self: Any) -> Any:
    return _drawn_bits(self._bits, self._stream)


def _drawn(answer: Any, *more: Any) -> Any:
    """Return signature and code of an intrinsic that calls the core's function at an address."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        taken = [context.get_value_type(kind) for kind in signature.args[1:]]
        function = ir.FunctionType(context.get_value_type(signature.return_type), taken)
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])

    return answer(types.uintp, types.uintp, *more), call


@intrinsic
def _drawn_below(_context: Any, _function: Any, _stream: Any, _bound: Any) -> Any:
    return _drawn(types.int64, types.int64)


@intrinsic
def _drawn_unit(_context: Any, _function: Any, _stream: Any) -> Any:
    return _drawn(types.float64)


@intrinsic
def _drawn_bits(_context: Any, _function: Any, _stream: Any) -> Any:
    return _drawn(types.uint64)
