"""Markers as plain arrays: NumPy archives and JSON, for programs of one's own. Metres, z up, x ahead."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import FileFormatError
from poise.files import write_bytes, write_text
from poise.markers import Markers
from poise.motion.source import Source
from poise.reading import blaming, read_json

KIND = "markers"


def write_npz(markers: Markers, path: Path) -> None:
    """``marker_names``, ``positions`` (F, M, 3) [m], ``rate`` as text, and ``start`` [s] if not 0."""
    made = BytesIO()
    told = {"rate": np.array(str(markers.rate))} | (
        {"start": np.array(markers.start)} if markers.start else {}
    )
    names = np.array(markers.names)
    np.savez(made, allow_pickle=False, marker_names=names, positions=markers.positions, **told)
    write_bytes(path, made.getvalue())


def from_arrays(arrays: dict[str, NDArray[Any]], path: Path) -> Markers:
    """What ``write_npz`` wrote."""
    with blaming(path, "an archive of markers"):
        names = tuple(str(n) for n in arrays["marker_names"].ravel())
        rate = str(arrays["rate"].ravel()[0])
        places = np.asarray(arrays["positions"], dtype=np.float64)
        start = float(arrays["start"].ravel()[0]) if "start" in arrays else 0.0
        return Markers(names, places, rate, path.stem, Source(str(path), "npz"), start=start)


def write_json(markers: Markers, path: Path) -> None:
    """The same as text; a lost marker is null."""
    frames = [
        [None if np.isnan(p[0]) else [float(v) for v in p] for p in frame] for frame in markers.positions
    ]
    told: dict[str, Any] = {"kind": KIND, "rate": str(markers.rate)}
    told |= {"start": markers.start} if markers.start else {}
    told |= {"names": list(markers.names), "positions": frames}
    write_text(path, json.dumps(told, ensure_ascii=False, allow_nan=False) + "\n")


def read_marker_json(path: Path) -> Markers:
    """What ``write_json`` wrote."""
    told = read_json(path)
    if not isinstance(told, dict) or told.get("kind") != KIND:
        raise FileFormatError(path, 'not a marker file: "kind" is not "markers"')
    with blaming(path, "a file of markers"):
        names = tuple(map(str, told["names"]))
        lost = [np.nan] * 3
        places = np.array(
            [[lost if p is None else [float(v) for v in p] for p in frame] for frame in told["positions"]]
        )
        rate = str(told["rate"])
        return Markers(names, places.reshape(len(told["positions"]), len(names), 3), rate, path.stem,
                       Source(str(path), "json"), start=float(told.get("start", 0.0)))  # fmt: skip
