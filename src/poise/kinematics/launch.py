"""Running a kernel over frames on as many threads as are worth waking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

SERIAL_BELOW = 16
"""Fewer frames than this run on the calling thread alone.

A frame takes about two microseconds. Waking a second thread takes as long when a core is free, and
milliseconds when none is: an interactive solver asking for one pose must not wait for that. It is
the same compiled code, so the same bits, either way.
"""


def launch(kernel: Callable[..., Any], frames: int, *arguments: Any) -> None:
    """Call a kernel that is parallel over ``frames``."""
    threads = numba.get_num_threads() if frames < SERIAL_BELOW else 1
    if threads == 1:
        kernel(*arguments)
        return
    numba.set_num_threads(1)
    try:
        kernel(*arguments)
    finally:
        numba.set_num_threads(threads)
