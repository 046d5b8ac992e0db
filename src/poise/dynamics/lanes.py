"""Eight numbers at once: a SIMD value type, so that one source serves plain floats, lanes and graphics cards.

A *lane array* is a C-contiguous float64 array (rows, 8): each row holds one quantity of eight
independent states. A plain array (rows,) holds the same quantities of one state. A *narrow* lane array
(rows, 1, 4) holds those of four: where there are no more, they take little over half the time. A *column*,
``table[:, :, :, lane:]`` of a table (rows, 1, 1, 8), is one lane of a lane array: what a thread of a graphics
card works on beside its neighbours, whose numbers lie beside its own. (The number of axes is all of a shape
that the compiler knows, and steps of eight that it knows cost no multiplication.) Kernels touch them only
through

    load(array, row)            a float from a plain array or a column, ``Lanes`` from a lane array
    store(array, row, x)        the reverse (a float spreads over all lanes)
    accumulate(array, row, x)   array[row] += x
    spread(array, x)            the float x as whatever ``array`` holds
    put(array, row, lane, x)    the float x into one lane; ``get(array, row, lane)`` the reverse
    width(array)                its number of lanes
    where_less(a, b, x, y)      x where a < b, else y
    fused(a, b, c)              a b + c with a single rounding
    round_even(x), floor(x)

and through ``+ − × ÷``, negation and ``math.sqrt``; they must not branch on loaded values. No
operation mixes lanes, so what becomes of a state depends neither on its lane nor on its neighbours; wide
and narrow lanes give the same bits.

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
from numba.core.cpu import CPUContext
from numba.core.errors import TypingError
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from poise.compilation import FAST

WIDTH = 8
"""States per vector."""
NARROW = 4  # in a narrow vector
COLUMN = 4
"""Axes by which a column is known."""

# What these decorators make is called by kernels with other arguments than Python sees.
_intrinsic: Any = intrinsic
_lower_builtin: Any = lower_builtin
_FLAGS = tuple(sorted(FAST))


class LanesType(types.Type):
    """The compiler's name for eight, or four, doubles side by side."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"Lanes{width}")
        self.width = width
        self.vector = ir.VectorType(ir.DoubleType(), width)


LANES = LanesType(WIDTH)
NARROW_LANES = LanesType(NARROW)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    """Lanes are held as one LLVM vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)  # type: ignore[no-untyped-call]


def _widened(builder: Any, kind: Any, value: Any, wanted: Any) -> Any:
    """The value as what is wanted, a float repeated."""
    if kind == wanted:
        return value
    nothing = ir.Constant(wanted.vector, ir.Undefined)
    index = ir.IntType(32)
    single = builder.insert_element(nothing, value, ir.Constant(index, 0))
    first = ir.Constant(ir.VectorType(index, wanted.width), [0] * wanted.width)
    return builder.shuffle_vector(single, nothing, first)


# Arithmetic ----------------------------------------------------------------------------------


def _register_binary(symbol: Callable[..., Any], instruction: str) -> None:
    @type_callable(symbol)
    def _type(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            if isinstance(a, LanesType) and b in (a, types.float64):
                return a
            return b if isinstance(b, LanesType) and a == types.float64 else None

        return typer

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (_widened(builder, kind, x, sig.return_type) for kind, x in zip(sig.args, args))
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
            return a if isinstance(a, LanesType) else None

        return typer

    @_lower_builtin(symbol, LanesType)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, args[0])


def _call(builder: Any, name: str, *args: Any) -> Any:
    """Call an LLVM intrinsic such as ``llvm.sqrt`` on values of one type."""
    kind = args[0].type
    suffix = f"v{kind.count}f64" if isinstance(kind, ir.VectorType) else "f64"
    full = f"{name}.{suffix}"
    function = builder.module.globals.get(full)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(kind, [kind] * len(args)), full)
    return builder.call(function, args)


_register_unary(operator.neg, lambda builder, x: builder.fneg(x, flags=_FLAGS))
_register_unary(math.sqrt, lambda builder, x: _call(builder, "llvm.sqrt", x))


def _common(builder: Any, sig: Any, args: Any) -> list[Any]:
    """Arguments as vectors if any is one, else as they are."""
    return [_widened(builder, kind, x, sig.return_type) for kind, x in zip(sig.args, args)]


def _elementwise(*kinds: Any) -> Any:
    """The signature of an elementwise operation on floats and lanes; wide and narrow ones do not mix."""
    lanes = set(kinds) - {types.float64}
    if len(lanes) > 1 or not all(isinstance(kind, LanesType) for kind in lanes):
        raise TypingError(f"expected floats or lanes of one width, not {kinds}")
    return (lanes.pop() if lanes else types.float64)(*kinds)


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


def _whole(context: Any, builder: Any, name: str, x: Any) -> Any:
    """A whole number near x: an instruction of processors, a library's function on cards."""
    if isinstance(context, CPUContext):
        return _call(builder, f"llvm.{name}", x)
    function = builder.module.globals.get(f"__nv_{name}")
    if function is None:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        function = ir.Function(builder.module, kind, f"__nv_{name}")
    return builder.call(function, [x])


@_intrinsic
def round_even(context: Any, x: Any) -> Any:
    """The nearest whole number, ties to even."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _whole(context, builder, "nearbyint", args[0])

    return _elementwise(x), emit


@_intrinsic
def floor(context: Any, x: Any) -> Any:
    """The largest whole number not above x."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _whole(context, builder, "floor", args[0])

    return _elementwise(x), emit


# Memory --------------------------------------------------------------------------------------


def _held(array: Any) -> Any:
    """What an array holds: floats if it is plain or a column, lanes if it has two or three axes."""
    if not isinstance(array, types.Array) or array.dtype != types.float64:
        raise TypingError(f"expected a float64 array, not {array}")
    if array.ndim not in (1, 2, 3, COLUMN):
        raise TypingError(
            f"expected (rows,), (rows, {WIDTH}), (rows, 1, {NARROW}) or a column, not {array.ndim} axes"
        )
    if array.layout != "C" and array.ndim != COLUMN:
        raise TypingError(f"expected a C-contiguous array, not {array}")
    return (types.float64, LANES, NARROW_LANES, types.float64)[array.ndim - 1]


def _step(array: Any) -> int:
    """Numbers from one row to the next."""
    return (1, WIDTH, NARROW, WIDTH)[array.ndim - 1]


def _address(context: Any, builder: Any, array: Any, value: Any, row: Any) -> Any:
    data, held = context.make_array(array)(context, builder, value).data, _held(array)
    start = builder.gep(data, [builder.mul(row, ir.Constant(row.type, _step(array)))])
    if held == types.float64:
        return start
    return builder.bitcast(start, held.vector.as_pointer())


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
        value = _widened(builder, x, args[2], held)
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
        value = _widened(builder, x, args[2], held)
        total = builder.fadd(builder.load(place, align=8), value, flags=_FLAGS)
        builder.store(total, place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, x), emit


@_intrinsic
def spread(context: Any, array: Any, x: Any) -> Any:
    """The float ``x`` as whatever ``array`` holds."""
    held = _held(array)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _widened(builder, types.float64, args[1], held)

    return held(array, types.float64), emit


@_intrinsic
def width(context: Any, array: Any) -> Any:
    """How many lanes a lane array has; a column is one."""
    held = _held(array)
    lanes = held.width if isinstance(held, LanesType) else 1

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.get_constant(types.intp, lanes)

    return types.intp(array), emit


def _lane(context: Any, builder: Any, array: Any, value: Any, row: Any, lane: Any) -> Any:
    start = _address(context, builder, array, value, row)
    return builder.gep(builder.bitcast(start, ir.DoubleType().as_pointer()), [lane])


@_intrinsic
def put(context: Any, array: Any, row: Any, lane: Any, x: Any) -> Any:
    """The float ``x`` into one lane of a row."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[3], _lane(context, builder, sig.args[0], *args[:3]))
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, types.float64), emit


@_intrinsic
def get(context: Any, array: Any, row: Any, lane: Any) -> Any:
    """One lane of a row."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_lane(context, builder, sig.args[0], *args))

    return types.float64(array, types.intp, types.intp), emit
