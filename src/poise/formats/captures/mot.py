"""MOT and STO: OpenSim's tables of numbers over time; ground forces by the names of their columns.

A plate is a set of columns ``NAME_vx … vz`` (force), ``NAME_px … pz`` (where it acts) and, usually,
``NAME_mx … mz`` or ``NAME_torque_x …`` (moment). y is up and x ahead.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError
from poise.formats.captures.axes import CaptureAxes
from poise.formats.captures.table import numbers
from poise.markers import ForcePlates
from poise.reading import Budget, read_bytes

_COLUMN = re.compile(r"^(?P<plate>.*?)_?(?P<kind>v|p|m|force_v|force_p|torque_|moment_)(?P<axis>[xyz])$")
_KIND = {"v": "v", "force_v": "v", "p": "p", "force_p": "p", "m": "m", "torque_": "m", "moment_": "m"}


def is_table(head: bytes) -> bool:
    """Whether a file that begins so is a table of OpenSim's."""
    return b"endheader" in head.lower()


def read_table(path: Path) -> tuple[tuple[str, ...], Array]:
    """Names of the columns and their numbers (rows, columns)."""
    data = read_bytes(path)
    lines = data.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None or end + 1 >= len(lines):
        raise FileFormatError(path, "there is no endheader line followed by the names of columns")
    names = tuple(lines[end + 1].split())
    rows = [(k + 1, line) for k, line in enumerate(lines[end + 2 :], end + 2) if line.strip()]
    if len(names) < 2 or names[0].lower() != "time" or not rows:
        raise FileFormatError(path, "a table begins with a column named time", line=end + 2)
    Budget(path, len(data)).spend(len(rows) * len(names), "the table")
    return names, numbers(path, rows, len(names))


def holds_forces(names: tuple[str, ...]) -> bool:
    """Whether columns of these names are those of a force plate."""
    found = [m for m in map(_COLUMN.match, names) if m is not None and _KIND[m["kind"]] == "v"]
    plates = {m["plate"] for m in found}
    return any({m["axis"] for m in found if m["plate"] == p} == set("xyz") for p in plates)


def load_forces(path: str | Path) -> ForcePlates:
    """What force plates measured, z up, x ahead."""
    path = Path(path)
    names, table = read_table(path)
    plates: dict[str, dict[str, int]] = {}
    for at, name in enumerate(names):
        found = _COLUMN.match(name)
        if found:
            plates.setdefault(found["plate"], {})[_KIND[found["kind"]] + found["axis"]] = at
    plates = {n: c for n, c in plates.items() if all(f"v{a}" in c for a in "xyz")}
    if not plates:
        raise FileFormatError(
            path, "no force plate found; Poise looks for columns such as ground_force_1_vx, …_vy, …_vz"
        )
    axes, times = CaptureAxes("y", "x"), table[:, 0]
    steps = np.diff(times)
    if len(times) < 2 or not (np.isfinite(times).all() and (steps > 0).all()):
        raise FileFormatError(path, "times must increase from row to row")
    step = float(np.median(steps))
    if not 1e-7 <= step <= 1e6:
        raise FileFormatError(path, f"rows lie {step:g} s apart")
    parts = [np.stack([_columns(table, c, kind) for c in plates.values()], axis=1) for kind in "vpm"]
    force, point, moment = (axes.inside(np.nan_to_num(p)) for p in parts)
    return ForcePlates(tuple(plates), force, point, moment, round(1.0 / step, 6), float(times[0]))


def _columns(table: Array, columns: dict[str, int], kind: str) -> Array:
    found = [table[:, columns[kind + a]] if kind + a in columns else np.zeros(len(table)) for a in "xyz"]
    return np.stack(found, axis=1)
