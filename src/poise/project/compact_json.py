"""Plain data as JSON that people read and compare: what fits on a line stands on one."""

from __future__ import annotations

import json
from typing import Any

WIDTH = 110
"""Characters of a line."""


def readable(data: Any, depth: int = 0) -> str:
    """JSON text; the same data always gives the same."""
    line = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if len(line) + depth <= WIDTH or not isinstance(data, dict | list | tuple) or not data:
        return line
    if not isinstance(data, dict) and not any(isinstance(item, dict | list | tuple) for item in data):
        return line  # a pose is one thing, however long
    space = " " * (depth + 1)
    if isinstance(data, dict):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {readable(v, depth + 1)}" for k, v in data.items()]
        opening, closing = "{", "}"
    else:
        parts = [readable(item, depth + 1) for item in data]
        opening, closing = "[", "]"
    inner = f",\n{space}".join(parts)
    return f"{opening}\n{space}{inner}\n{' ' * depth}{closing}"
