"""A user's functions before they are compiled: loops see when to end, and what is set keeps its kind.

A loop in machine code cannot be ended from outside, so each turn looks at a word that the core sets once a
question has been open for too long. Lines stay where they are, so that messages name the user's own.
"""

import ast
from functools import cache
from types import FunctionType
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from floatgate import _core

LOOK, KEPT = "__floatgate_look", "__floatgate_kept_"


def watched(function: FunctionType, text: str, globals_: dict[str, Any]) -> FunctionType:
    """Return `function`, written in `text`, as one whose loops can be ended; it sees `globals_`."""
    code = function.__code__
    found = _definition(ast.parse(text), function.__name__, code.co_firstlineno)
    if found is None or code.co_freevars:
        return function
    found.decorator_list = []
    found.returns = None
    for argument in ast.walk(found.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    module = ast.Module([_Looking().visit(found)], [])
    made: dict[str, Any] = {}
    set_ = {node.attr for node in ast.walk(found) if isinstance(node, ast.Attribute)}
    globals_ |= {LOOK: _look} | {KEPT + name: _kept(name) for name in set_}
    exec(compile(ast.fix_missing_locations(module), code.co_filename, "exec"), globals_, made)
    again: FunctionType = made[function.__name__]
    again.__defaults__, again.__qualname__ = function.__defaults__, function.__qualname__
    again.__module__ = function.__module__
    return again


def _definition(tree: ast.AST, name: str, line: int) -> ast.FunctionDef | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == line:
                return node
    return None


class _Looking(ast.NodeTransformer):
    """Adds a call of `_look` to each turn of a loop, and a check of the kind of number to assignments."""

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._loop(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._loop(node)

    def _loop(self, node: ast.While | ast.For) -> ast.AST:
        self.generic_visit(node)
        look = ast.Expr(ast.Call(ast.Name(LOOK, ast.Load()), [], []))
        node.body.insert(0, _at(look, node))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
            node.value = _at(_kept_call(node.targets[0], node.value), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.target, ast.Attribute):
            there = ast.Attribute(node.target.value, node.target.attr, ast.Load())
            made = ast.Assign([node.target], _kept_call(node.target, ast.BinOp(there, node.op, node.value)))
            _at(made, node)
            return made
        return node


def _kept_call(target: ast.Attribute, value: ast.expr) -> ast.expr:
    there = ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Call(ast.Name(KEPT + target.attr, ast.Load()), [target.value, there, value], [])


def _at(node: Any, place: ast.AST) -> Any:
    """Return the node, with the line of another node for all parts that have no line yet."""
    for one in ast.walk(node):
        if "lineno" in one._attributes and not hasattr(one, "lineno"):
            ast.copy_location(one, place)
    return node


@cache
def _kept(name: str) -> Any:
    """Return the intrinsic for assignments to the attribute `name`; it refuses numbers of another kind."""

    @intrinsic
    def kept(_context: Any, block: Any, old: Any, new: Any) -> Any:
        shape = getattr(block, "shape", None)
        if shape is None or name not in shape.fields or not shape.fields[name].is_open:
            of = "" if shape is None else f"{shape.name}."
            raise TypingError(f"{of}{name} cannot be set: expected a number that attach made")
        whole = (types.Integer, types.Boolean)
        fits = isinstance(new, whole) if isinstance(old, whole) else isinstance(new, (*whole, types.Float))
        if not fits:
            raise TypingError(
                f"{shape.name}.{name} was made as {old} and cannot hold {new}: expected its kind"
            )

        def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.cast(builder, args[2], signature.args[2], signature.return_type)

        return old(block, old, new), call

    return kept


@intrinsic
def _look(_context: Any) -> Any:
    """Ends the call when the core says that the call has taken too long."""
    word, late = _core.compiled_watch()

    def call(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        narrow = ir.IntType(32)
        at = builder.inttoptr(ir.Constant(context.get_value_type(types.uintp), word), narrow.as_pointer())
        # Ordered, so that it is read in each turn.
        said = builder.load_atomic(at, "monotonic", 4)
        with builder.if_then(cgutils.is_not_null(builder, said), likely=False):
            function = ir.FunctionType(narrow, [])
            address = ir.Constant(context.get_value_type(types.uintp), late)
            is_late = builder.call(builder.inttoptr(address, function.as_pointer()), [])
            with builder.if_then(cgutils.is_not_null(builder, is_late), likely=False):
                context.call_conv.return_user_exc(builder, TimeoutError, ("too late",))
        return context.get_dummy_value()

    return types.void(), call
