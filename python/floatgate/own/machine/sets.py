"""`floatgate.own.sets` as machine code."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from floatgate.own.sets import first_in


@intrinsic
def _trailing_zeros(_context: Any, _of: Any) -> Any:
    def call(_lowering: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), call


@overload(first_in)
def _first_in(of: Any, start: Any) -> Any:
    """At 64 no bit was found; a shift by 64 or more is not defined."""
    if not (isinstance(of, types.Integer) and isinstance(start, types.Integer)):
        return None

    def first(of: Any, start: Any) -> Any:
        if not 0 <= start < 64:
            return -1
        found = _trailing_zeros(types.uint64(of) & (types.uint64(0xFFFFFFFFFFFFFFFF) << types.uint64(start)))
        return found if found < 64 else -1

    return first
