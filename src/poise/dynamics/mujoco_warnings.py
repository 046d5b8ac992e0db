"""MuJoCo's warnings as text, in place of lines on standard error and a log file in the working folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Within this, every warning of MuJoCo is put into the list (each once) and nowhere else."""
    import mujoco

    heard: list[str] = []

    def hear(message: str | bytes) -> None:
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        line = " ".join(text.split())
        if line not in heard:
            heard.append(line)

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(hear)
    try:
        yield heard
    finally:
        mujoco.set_mju_user_warning(before)
