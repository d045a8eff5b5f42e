"""The bits of floating-point numbers, for arithmetic that the compiler can vectorise."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_KINDS: dict[Any, Any] = {
    types.int32: (types.float32, ir.FloatType()),
    types.int64: (types.float64, ir.DoubleType()),
    types.float32: (types.int32, ir.IntType(32)),
    types.float64: (types.int64, ir.IntType(64)),
}


def _reinterpret(typing_context: Any, value: Any) -> Any:
    kind, in_llvm = _KINDS[value]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], in_llvm)

    return kind(value), generate


# The bits of a number as an integer of the same length, and back.
reinterpret: Any = intrinsic(_reinterpret)
