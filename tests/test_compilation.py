"""Compiled kernels: what runs in the process that compiles is what later ones read from the cache."""

from __future__ import annotations

import re

import numpy as np

from poise.compilation import kernel


@kernel(inline=True)
def horner(x, many):
    total = 0.0
    for k in range(many.shape[0]):
        if many[k] > 0.0:
            total = total * x + many[k] / (1.0 + x * x)
        else:
            total = total * x - np.sqrt(abs(many[k])) * np.sin(x)
        for j in range(k):
            total += many[j] * np.cos(total) / (2.0 + np.exp(-total * total))
    return total


@kernel(inline=True)
def several(many):
    # Called from many places, so that it is not simply inlined.
    a = horner(0.1, many) + horner(0.2, many[1:]) + horner(0.3, many[2:])
    b = horner(a, many) * horner(a + 1.0, many[::-1]) - horner(a - 1.0, many)
    return horner(a - b, many) + horner(b, many[1:]) + horner(a * b, many)


def test_kernels_use_their_own_copies_of_helpers():
    # A copy that can be seen outside would be exchanged for the helper's own code, but only in the process
    # that compiles: its results would differ in the last bit from those of every later one.
    assert np.isfinite(several(np.linspace(-1.0, 1.0, 5)))
    (code,) = several.inspect_llvm().values()
    defined = re.findall(r"^define (\w+)? ?.*?@", code, flags=re.MULTILINE)
    assert "internal" in defined  # the helper was not inlined: the test would say nothing
    assert "linkonce_odr" not in defined
