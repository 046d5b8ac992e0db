"""Declarations that the decoder can hold: one union too intricate, and msgspec corrupts memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

from poise.operations.registry import operations

LOOK = """
import gc, sys, msgspec
from poise.operations.registry import operation
try:
    msgspec.convert({}, operation(sys.argv[1]))
except msgspec.ValidationError:
    pass
gc.collect()
"""


@pytest.mark.parametrize("name", operations())
def test_decoding_leaves_memory_sound(name):
    """In a process of its own: what is broken ends it."""
    done = subprocess.run([sys.executable, "-c", LOOK, name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr or f"ended by signal {-done.returncode}"
