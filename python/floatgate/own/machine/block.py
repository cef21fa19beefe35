"""A type for Numba: an object whose attributes lie in memory, each at its place.

So compiled methods read `self.limit`, `view.lpn[slot]` and call `view.random.below(4)` as plain ones would.
What a policy keeps and what it is shown are both such blocks; each attribute takes a multiple of eight bytes.
"""

from dataclasses import dataclass, field
from typing import Any

from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed, impl_ret_new_ref
from numba.core.typing import templates
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
)
from numba.np.arrayobj import get_itemsize, make_array, populate_array

WORD = 8


@dataclass(frozen=True)
class Field:
    """An attribute of a block: Numba type, byte offset, and whether it can be set, or a constant text."""

    type: Any
    at: int
    is_open: bool = False
    text: str | None = None

    @property
    def size(self) -> int:
        """Number of bytes of the attribute; an array takes its address, its shape and its strides."""
        if self.text is not None:
            return 0
        return WORD * (1 + 2 * self.type.ndim) if isinstance(self.type, types.Array) else WORD


@dataclass(eq=False)
class Shape:
    """Attributes and methods of blocks; blocks of one shape share machine code."""

    name: str
    fields: dict[str, Field]
    closed: dict[str, str] = field(default_factory=dict)  # attributes that cannot be had, and why
    methods: dict[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of bytes of a block."""
        return sum(field.size for field in self.fields.values())


class Block(types.Type):
    """The Numba type of blocks of one shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        super().__init__(name=f"{shape.name}<{id(shape)}>")


@register_model(Block)
class _Address(models.OpaqueModel):
    """The value of a block in machine code: its address."""


@infer_getattr
class _Attribute(templates.AttributeTemplate):
    key = Block

    def generic_resolve(self, block: Block, name: str) -> Any:
        shape = block.shape
        if name in shape.fields:
            return shape.fields[name].type
        if name in shape.methods:
            return _bound(self.context, block, name)
        if name in shape.closed:
            raise TypingError(f"{shape.name}.{name}: {shape.closed[name]}")
        there = ", ".join(one for one in [*shape.fields, *shape.methods] if not one.startswith("_"))
        made = " (what is kept is made in attach)" if shape.name == "self" else ""
        raise TypingError(f"{shape.name} has no {name}: there are {there}{made}")


def _bound(context: Any, block: Block, name: str) -> Any:
    """Return the Numba type of a block's method, which is compiled when it is called."""
    _methods_are_lowered(name)

    class Method(templates.AbstractTemplate):
        key = (Block, name)

        def generic(self, args: Any, kws: Any) -> Any:
            method = types.Dispatcher(block.shape.methods[name])
            signature: Any = method.get_call_type(context, (block, *args), kws)
            return signature.as_method()

    return types.BoundFunction(Method, block)


_lowered: set[str] = set()


def _methods_are_lowered(name: str) -> None:
    """Tell Numba, once for each name, how methods of this name are called."""
    if name in _lowered:
        return
    _lowered.add(name)

    @lower_builtin((Block, name), Block, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        method = types.Dispatcher(signature.args[0].shape.methods[name])
        function = context.get_function(method, signature)
        answer = function(builder, args)
        context.add_linking_libs(getattr(function, "libs", ()))
        return impl_ret_new_ref(context, builder, signature.return_type, answer)


@lower_getattr_generic(Block)
def _get(context: Any, builder: Any, block: Block, value: Any, name: str) -> Any:
    of = block.shape.fields[name]
    if of.text is not None:
        return context.get_constant_generic(builder, of.type, of.text)
    if isinstance(of.type, types.Array):
        return impl_ret_borrowed(context, builder, of.type, _array(context, builder, of, value))
    return context.unpack_value(builder, of.type, _place(context, builder, of.at, of.type, value))


@lower_setattr_generic(Block)
def _set(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    of = signature.args[0].shape.fields[name]
    context.pack_value(builder, of.type, args[1], _place(context, builder, of.at, of.type, args[0]))


def _place(context: Any, builder: Any, at: int, kind: Any, block: Any) -> Any:
    return builder.bitcast(cgutils.gep_inbounds(builder, block, at), context.get_data_type(kind).as_pointer())


def _array(context: Any, builder: Any, of: Field, block: Any) -> Any:
    """Return an array on memory that another object keeps, in machine code."""
    count = 1 + 2 * of.type.ndim
    words = [
        builder.load(_place(context, builder, of.at + WORD * word, types.intp, block))
        for word in range(count)
    ]
    array = make_array(of.type)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(words[0], context.get_data_type(of.type.dtype).as_pointer()),
        shape=words[1 : 1 + of.type.ndim],
        strides=words[1 + of.type.ndim :],
        itemsize=context.get_constant(types.intp, get_itemsize(context, of.type)),
        meminfo=None,
    )
    return array._getvalue()
