"""
Calls of C functions from compiled code by their address.

An address that is an argument, not a constant, lets numba keep the machine code for the next
process: a ctypes function in compiled code would be built in with the address of this one.
"""

from __future__ import annotations

import ctypes
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def address_of(function: Any) -> int:
    """Return where a function that ctypes found is."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


@intrinsic  # type: ignore[untyped-decorator]
def call_native(typing_context: Any, address: Any, arguments: Any) -> Any:
    """
    Call a C function with integers (also for pointers) and doubles; return what it leaves.

    :param arguments: a tuple. The result is 64 bits wide: a pointer, or rubbish above an int.
    """
    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        native = [context.get_value_type(kind) for kind in signature.args[1].types]
        kind = ir.FunctionType(ir.IntType(64), native)
        function = builder.inttoptr(values[0], kind.as_pointer())
        return builder.call(function, cgutils.unpack_tuple(builder, values[1]))

    return types.int64(address, arguments), build
