"""Eight numbers at once: a SIMD value type, so that one source serves plain floats and lanes.

A *lane array* is a C-contiguous float64 array (rows, 8): each row holds one quantity of eight
independent states. A plain array (rows,) holds the same quantities of one state. Kernels touch
both only through

    load(array, row)            a float from a plain array, ``Lanes`` from a lane array
    store(array, row, x)        the reverse (a float spreads over all lanes)
    accumulate(array, row, x)   array[row] += x
    spread(array, x)            the float x as whatever ``array`` holds
    where_less(a, b, x, y)      x where a < b, else y
    fused(a, b, c)              a b + c with a single rounding
    round_even(x), floor(x)

and through ``+ − × ÷``, negation and ``math.sqrt``; they must not branch on loaded values. No
operation mixes lanes, so what becomes of a state depends neither on its lane nor on its neighbours.

``Lanes`` is an LLVM vector, which the compiler maps to the widest registers there are. The plain
alternative (each link's arithmetic in a loop over eight columns) is not vectorised by LLVM:
the blocks of a link and of its parent lie in one array and may overlap for all it knows. On the
46-degree humanoid it took 4.1 times as long per state (2.67 against 0.65 µs): hence the type.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from poise.compilation import FAST

WIDTH = 8
"""States per vector."""

# What these decorators make is called by kernels with other arguments than Python sees.
_intrinsic: Any = intrinsic
_lower_builtin: Any = lower_builtin
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_FLAGS = tuple(sorted(FAST))


class LanesType(types.Type):
    """The compiler's name for eight doubles side by side."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes{WIDTH}")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    """Lanes are held as one LLVM vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _is_number(kind: Any) -> bool:
    return bool(kind == LANES or kind == types.float64)


def _widened(builder: Any, kind: Any, value: Any) -> Any:
    """The value as a vector, a float repeated."""
    if kind == LANES:
        return value
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    index = ir.IntType(32)
    single = builder.insert_element(nothing, value, ir.Constant(index, 0))
    return builder.shuffle_vector(single, nothing, ir.Constant(ir.VectorType(index, WIDTH), [0] * WIDTH))


# Arithmetic ----------------------------------------------------------------------------------


def _register_binary(symbol: Callable[..., Any], instruction: str) -> None:
    @type_callable(symbol)
    def _type(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            if LANES in (a, b) and _is_number(a) and _is_number(b):
                return LANES
            return None

        return typer

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (_widened(builder, kind, x) for kind, x in zip(sig.args, args))
        return getattr(builder, instruction)(a, b, flags=_FLAGS)

    for pair in ((LanesType, LanesType), (LanesType, types.Float), (types.Float, LanesType)):
        _lower_builtin(symbol, *pair)(lower)


_register_binary(operator.add, "fadd")
_register_binary(operator.sub, "fsub")
_register_binary(operator.mul, "fmul")
_register_binary(operator.truediv, "fdiv")


def _register_unary(symbol: Callable[..., Any], emit: Callable[[Any, Any], Any]) -> None:
    @type_callable(symbol)
    def _type(context: Any) -> Any:
        def typer(a: Any) -> Any:
            return LANES if a == LANES else None

        return typer

    @_lower_builtin(symbol, LanesType)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, args[0])


def _call(builder: Any, name: str, *args: Any) -> Any:
    """Call an LLVM intrinsic such as ``llvm.sqrt`` on values of one type."""
    kind = args[0].type
    suffix = f"v{WIDTH}f64" if kind == _VECTOR else "f64"
    full = f"{name}.{suffix}"
    function = builder.module.globals.get(full)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(kind, [kind] * len(args)), full)
    return builder.call(function, args)


_register_unary(operator.neg, lambda builder, x: builder.fneg(x, flags=_FLAGS))
_register_unary(math.sqrt, lambda builder, x: _call(builder, "llvm.sqrt", x))


def _common(builder: Any, sig: Any, args: Any) -> list[Any]:
    """Arguments as vectors if any is one, else as they are."""
    if LANES in sig.args:
        return [_widened(builder, kind, x) for kind, x in zip(sig.args, args)]
    return list(args)


def _elementwise(*kinds: Any) -> Any:
    """The signature of an elementwise operation on floats and lanes."""
    if not all(_is_number(k) for k in kinds):
        raise TypingError(f"expected floats or lanes, not {kinds}")
    return (LANES if LANES in kinds else types.float64)(*kinds)


@_intrinsic
def where_less(context: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """``x`` where a < b, else ``y`` (also where either is not a number)."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        left, right, yes, no = _common(builder, sig, args)
        return builder.select(builder.fcmp_ordered("<", left, right), yes, no)

    return _elementwise(a, b, x, y), emit


@_intrinsic
def fused(context: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c with a single rounding, never reassociated."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.fma", *_common(builder, sig, args))

    return _elementwise(a, b, c), emit


@_intrinsic
def round_even(context: Any, x: Any) -> Any:
    """The nearest whole number, ties to even."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.nearbyint", args[0])

    return _elementwise(x), emit


@_intrinsic
def floor(context: Any, x: Any) -> Any:
    """The largest whole number not above x."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.floor", args[0])

    return _elementwise(x), emit


# Memory --------------------------------------------------------------------------------------


def _held(array: Any) -> Any:
    """What an array holds: floats if it is plain, lanes if it has two axes."""
    if not isinstance(array, types.Array) or array.layout != "C" or array.dtype != types.float64:
        raise TypingError(f"expected a C-contiguous float64 array, not {array}")
    if array.ndim not in (1, 2):
        raise TypingError(f"expected (rows,) or (rows, {WIDTH}), not {array.ndim} axes")
    return types.float64 if array.ndim == 1 else LANES


def _address(context: Any, builder: Any, array: Any, value: Any, row: Any) -> Any:
    data = context.make_array(array)(context, builder, value).data
    if array.ndim == 1:
        return builder.gep(data, [row])
    start = builder.gep(data, [builder.mul(row, ir.Constant(row.type, WIDTH))])
    return builder.bitcast(start, _VECTOR.as_pointer())


@_intrinsic
def load(context: Any, array: Any, row: Any) -> Any:
    """The row of an array."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, sig.args[0], *args), align=8)

    return _held(array)(array, types.intp), emit


@_intrinsic
def store(context: Any, array: Any, row: Any, x: Any) -> Any:
    """Put ``x`` into the row of an array."""
    held = _held(array)
    if not (x == held or x == types.float64):
        raise TypingError(f"cannot store {x} in {array}")

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = _widened(builder, x, args[2]) if held == LANES else args[2]
        builder.store(value, _address(context, builder, sig.args[0], args[0], args[1]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, x), emit


@_intrinsic
def accumulate(context: Any, array: Any, row: Any, x: Any) -> Any:
    """Add ``x`` to the row of an array."""
    held = _held(array)
    if not (x == held or x == types.float64):
        raise TypingError(f"cannot add {x} to {array}")

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        value = _widened(builder, x, args[2]) if held == LANES else args[2]
        total = builder.fadd(builder.load(place, align=8), value, flags=_FLAGS)
        builder.store(total, place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, x), emit


@_intrinsic
def spread(context: Any, array: Any, x: Any) -> Any:
    """The float ``x`` as whatever ``array`` holds."""
    held = _held(array)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _widened(builder, types.float64, args[1]) if held == LANES else args[1]

    return held(array, types.float64), emit
