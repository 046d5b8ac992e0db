"""What Python callers hand over, as the plain data that documents hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from poise.operations.frozen_data import as_plain


def described(value: Any) -> Any:
    """Constraints, foot plants, tracks, scenes and the like as the plain data they are written as."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, msgspec.Struct):
        return as_plain(value)
    if isinstance(value, Mapping):
        return {k: described(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [described(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value
