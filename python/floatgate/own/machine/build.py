"""Compilation of a policy object: from an object of a compiled class to functions that the core calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

import numba
from numba.core import types
from numba.core.dispatcher import Dispatcher

from floatgate.own.compiled import Compiled, Question, layout, methods_of
from floatgate.own.found import text_of
from floatgate.own.machine import (
    raised,
    refused,
    sets,  # noqa: F401 - what views call
    state,
    told,
)
from floatgate.own.machine.block import Block, Shape
from floatgate.own.machine.watched import watched

# Out of bounds is an error and no other memory; what is divided by zero raises, too.
OPTIONS = {"boundscheck": True, "error_model": "python"}


@dataclass(frozen=True)
class Machine:
    """A compiled policy object: address of its state, and address of the function for each question."""

    state: state.State
    entries: Mapping[str, tuple[int, int]]  # address, and bytes of what it is told

    @property
    def address(self) -> int:
        """Address of the memory block with the object's state."""
        return int(self.state.memory.ctypes.data)


_made: dict[tuple[Any, ...], dict[str, Any]] = {}


def machine(policy: Compiled) -> Machine:
    """Make machine code of an object, once it is attached; objects of one class with like state share it.

    Raises InputError with the file's line for what Numba cannot compile.
    """
    raised.listen()
    cls = type(policy)
    kept = state.state(policy)
    key = (cls, *state.key(kept.shape))
    if key not in _made:
        _made[key] = _entries(cls, kept.shape)
    entries = {
        name: (entry.address, _told(cls.questions[name]).shape.size) for name, entry in _made[key].items()
    }
    return Machine(kept, entries)


def _entries(cls: type[Compiled], shape: Shape) -> dict[str, Any]:
    """Compile the methods of a class that answer questions, for objects with state of this shape."""
    spaces: dict[int, dict[str, Any]] = {}
    for name, method in methods_of(cls).items():
        shape.methods[name] = _compilable(method, spaces)
    block = Block(shape)
    entries = {}
    for name, question in cls.questions.items():
        if name in shape.methods:
            with refused.in_one_line(cls, name):
                entries[name] = _entry(cls, name, question, block)
    return entries


def _compilable(function: FunctionType, spaces: dict[int, dict[str, Any]]) -> Any:
    """Return a user's function for Numba; functions of its file that it calls are compiled, too."""
    outside = function.__globals__
    if id(outside) not in spaces:
        space = spaces[id(outside)] = dict(outside)
        for name, value in outside.items():
            plain = value.py_func if isinstance(value, Dispatcher) else value
            if isinstance(plain, FunctionType) and plain.__globals__ is outside:
                space[name] = _compilable(plain, spaces)
    text = text_of(function)
    ready = watched(function, text, spaces[id(outside)]) if text is not None else function
    return numba.njit(ready, **OPTIONS)


@cache
def _view(view: Any) -> dict[str, Any]:
    """Return the methods of a view for Numba."""
    own = {name: value for name, value in vars(view).items() if isinstance(value, FunctionType)}
    return {name: numba.njit(value) for name, value in own.items()}


_shapes: dict[int, tuple[Question, Block]] = {}


def _told(question: Question) -> Block:
    """Return the Numba type of the arguments of a question."""
    if id(question) not in _shapes:
        viewed = {} if question.view is None else layout(question.view)
        made = told.shape("view", viewed | dict(question.arguments))
        view: Any = question.view
        made.methods = {} if view is None else _view(view)
        _shapes[id(question)] = (question, Block(made))
    return _shapes[id(question)][1]


# How an answer of each kind is written down.
WRITTEN = {
    ("int",): "answer[0] = said",
    ("bool",): "answer[0] = 1 if said else 0",
    ("int or None",): "answer[0] = -1 if said is None else said",
    ("int", "int"): "answer[0] = said[0]; answer[1] = said[1]",
    ("bool", "int"): "answer[0] = 1 if said[0] else 0; answer[1] = said[1]",
    (): "pass",
}


def _entry(cls: type[Compiled], name: str, question: Question, block: Block) -> Any:
    """Compile a question's function of state, arguments and place of the answer; it returns 1, else 0."""
    tells = _told(question)
    method = block.shape.methods[name]
    view = (tells,) if question.view is not None else ()
    given = tuple(tells.shape.fields[argument].type for argument in question.arguments)
    method.compile((block, *view, *given))
    said = method.overloads[(block, *view, *given)].signature.return_type
    answer = refused.checked(cls, name, said)
    arguments = [
        "self",
        *(["told"] if view else []),
        *(f"told.{argument}" for argument in question.arguments),
    ]
    text = (
        "def entry(self, told, answer):\n"
        f"    said = method({', '.join(arguments)})\n"
        f"    {WRITTEN[answer]}\n"
        "    return 1\n"
    )
    made: dict[str, Any] = {"method": method}
    exec(compile(text, f"<{cls.__name__}.{name}>", "exec"), made)
    signature = types.int32(block, tells, types.CPointer(types.int64))
    return numba.cfunc(signature, **OPTIONS)(made["entry"])
