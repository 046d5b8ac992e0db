"""Other libraries' kernels work where they cannot be kept: nothing can be written, or the disk is full."""

from __future__ import annotations

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from poise.methods.perform.script.foreign_kernels import kept_where_possible  # noqa: E402

SOURCES = {
    "function": "@numba.njit(cache=True)\ndef f(x):\n    return x + 1.0",
    "ufunc": "@numba.vectorize(['float64(float64)'], cache=True)\ndef f(x):\n    return x + 1.0",
    "generalised": (
        "@numba.guvectorize(['(float64[:], float64[:])'], '(n)->(n)', cache=True)\n"
        "def f(x, out):\n    for i in range(len(x)):\n        out[i] = x[i] + 1.0"
    ),
}


def made(source: str, file: str) -> np.ndarray:
    """What a function of a module at this place makes of 2."""
    names: dict[str, object] = {"numba": numba, "__name__": "somewhere"}
    exec(compile(source, file, "exec"), names)
    return names["f"](np.array([2.0]))


@pytest.mark.parametrize("kind", SOURCES)
def test_where_there_is_no_place_for_them(kind):
    """A file that is not there has no folder that could be written to either."""
    with pytest.raises(RuntimeError, match="cannot cache"):
        made(SOURCES[kind], "/nowhere/library.py")
    with kept_where_possible():
        assert made(SOURCES[kind], "/nowhere/library.py") == pytest.approx(3.0)
    with pytest.raises(RuntimeError, match="cannot cache"):
        made(SOURCES[kind], "/nowhere/library.py")


@pytest.mark.parametrize("kind", SOURCES)
def test_where_the_disk_is_full(kind, tmp_path, monkeypatch):
    from numba.core.caching import IndexDataCacheFile

    def full(*arguments):
        raise OSError(28, "No space left on device")

    file = tmp_path / "library.py"
    file.write_text(SOURCES[kind])
    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    with pytest.raises(OSError, match="No space"):
        made(SOURCES[kind], str(file))
    with kept_where_possible():
        assert made(SOURCES[kind], str(file)) == pytest.approx(3.0)


def test_they_are_kept_where_that_can_be(tmp_path):
    file = tmp_path / "library.py"
    file.write_text(SOURCES["function"])
    with kept_where_possible():
        made(SOURCES["function"], str(file))
    assert list(tmp_path.rglob("*.nbc"))
