"""The ends of every declared range: what may be equal to a bound is taken there, by files and in Python;
what lies beyond is refused by name."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

import msgspec
import numpy as np
import pytest

from poise.errors import PoiseError
from poise.operations import reference
from poise.operations.declare import Operation, fields_of
from poise.operations.registry import operations

OWN = [each for each in operations().values() if each.__module__.startswith("poise.")]
VALUES = sorted({v for each in OWN for v in reference.values_of(each)}, key=lambda v: v.__name__)
TOGETHER = {("Spring", "ratio"): {"frequency": 1.0}, ("Spring", "damping"): {"stiffness": 1.0}}
"""What an option is given with."""


def metas(kind: Any) -> list[msgspec.Meta]:
    """Bounds of a number, where an option is one (or nothing)."""
    if get_origin(kind) is Annotated:
        base, *told = get_args(kind)
        if base in (int, float):
            return [m for m in told if isinstance(m, msgspec.Meta)]
        return metas(base)
    parts = [p for p in get_args(kind) if p is not type(None)]
    return metas(parts[0]) if len(parts) == 1 and get_origin(kind) is not tuple else []


def bounded() -> list[Any]:
    found = []
    for cls in [*OWN, *VALUES]:
        options = fields_of(cls)
        if any(f.required for f in options):
            continue
        for field in options:
            for meta in metas(field.type):
                for name in ("ge", "gt", "le", "lt"):
                    if getattr(meta, name) is not None:
                        label = f"{cls.__name__}.{field.name}-{name}"
                        found.append(pytest.param(cls, field, name, getattr(meta, name), id=label))
    return found


@pytest.mark.parametrize(("cls", "field", "bound", "value"), bounded())
def test_ranges_end_where_they_are_declared(cls, field, bound, value):
    whole = any(get_args(m)[:1] == (int,) for m in (field.type,))
    outward = -np.inf if bound in ("ge", "gt") else np.inf
    beyond = value + int(np.sign(outward)) if whole else float(np.nextafter(value, outward))
    outside = value if bound in ("gt", "lt") else beyond
    more = TOGETHER.get((cls.__name__, field.name), {})
    settings = cls.__struct_config__
    tag = {settings.tag_field: settings.tag} if settings.tag_field else {}
    with pytest.raises((msgspec.ValidationError, PoiseError)):
        msgspec.convert({field.name: outside} | more | tag, cls)
    if bound in ("ge", "le"):
        taken = msgspec.convert({field.name: value} | more | tag, cls)
        assert getattr(taken, field.name) == value
        assert issubclass(cls, Operation) or getattr(cls(**{field.name: value}, **more), field.name) == value
