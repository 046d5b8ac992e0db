"""Reading arrays of joint positions: ``.npy`` files, and ``.npz`` archives that hold one.

| array                | meaning                                                       |
|----------------------|---------------------------------------------------------------|
| (F, 22, 3), (F, 263) | HumanML3D: positions, feature vectors; 20 fps                 |
| (F, 21, 3), (F, 251) | KIT: the same; 12.5 fps                                       |
| (F, 24, 3)           | SMPL's joints; 30 fps                                         |
| (F, J, 3)            | any other, with ``parents``                                   |

A leading axis of one is left out; y is up unless the joints say otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from poise.arrays import FARTHEST, Array
from poise.errors import FileFormatError, InputError
from poise.formats.joint_arrays.features import joints_of_features
from poise.formats.joint_arrays.skeletons import FEATURES, KNOWN, ArraySkeleton
from poise.formats.units import Axes, guess_unit, guess_up, standing_height
from poise.formats.weighing import MassOption, Weighing, size_notes
from poise.methods.markers.joint_fit import JointFit, fit_joints
from poise.motion.clip import Clip
from poise.motion.frame_times import exact_rate
from poise.motion.source import Source
from poise.reading import Budget, blaming, read_array, read_bytes


class How(TypedDict, total=False):
    """How an array is to be understood."""

    fps: Fraction | float | str | None
    up: str | None
    scale: float | None
    mass: MassOption


MOST_JOINTS = 400
"""Of a skeleton in an array."""


def load(
    path: str | Path,
    *,
    parents: str | None = None,
    names: str | None = None,
    fps: Fraction | float | str | None = None,
    up: str | None = None,
    scale: float | None = None,
    mass: MassOption = True,
) -> Clip:
    """Read positions of joints and find the motion that explains them.

    ``parents`` are numbers of joints, -1 for the root ("-1,0,1,…"), ``names`` of joints likewise; both are
    known for 21, 22 and 24 joints. ``fps``, ``up`` and ``scale`` (the unit [m]) where the usual is wrong.
    """
    path = Path(path)
    data = read_bytes(path)
    said = _said(parents, names)
    return from_array(read_array(data, path), path, said, fps=fps, up=up, scale=scale, mass=mass)


KEYS = ("joints", "positions", "motion", "xyz")
"""Names of arrays of positions in archives."""
BESIDE = ("parents", "names", "fps", "rate")


def from_arrays(
    arrays: dict[str, NDArray[Any]],
    path: Path,
    *,
    parents: object = None,
    names: object = None,
    **options: Unpack[How],
) -> Clip:
    """The clip of an archive that holds positions of joints."""
    key = next(k for k in KEYS if k in arrays)
    told: dict[str, Any] = {}
    with blaming(path, "an archive of joint positions"):
        if "parents" in arrays:
            told["parents"] = tuple(int(p) for p in arrays["parents"].ravel())
        if "names" in arrays:
            told["names"] = tuple(str(n) for n in arrays["names"].ravel())
        rate = next((arrays[k] for k in ("fps", "rate") if k in arrays), None)
        if rate is not None and options.get("fps") is None:
            options["fps"] = str(rate.ravel()[0])
    return from_array(arrays[key], path, told | _said(parents, names), **options)


def _said(parents: object, names: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if parents is not None:
        try:
            found["parents"] = tuple(int(p) for p in _listed(parents))
        except (TypeError, ValueError):
            raise InputError(f"parents are numbers of joints, as in -1,0,1,2, not {parents!r:.60}") from None
    if names is not None:
        found["names"] = tuple(str(n).strip() for n in _listed(names))
    return found


def _listed(values: Any) -> list[Any]:
    return values.split(",") if isinstance(values, str) else list(values)


def from_array(
    array: NDArray[Any],
    path: Path,
    said: dict[str, Any],
    *,
    fps: Fraction | float | str | None = None,
    up: str | None = None,
    scale: float | None = None,
    mass: MassOption = True,
) -> Clip:
    """The clip of an array."""
    weighed = Weighing.of(mass)
    positions, skeleton, features = _positions(array, path, said)
    if scale is not None and not 1e-6 <= scale <= 1e6:
        raise InputError(f"scale must be the length of the file's unit in metres, not {scale}")
    notes = [skeleton.title] if skeleton.title else []
    sample = positions[:: max(1, len(positions) // 50)]
    axis = up or ("y" if features else guess_up(sample[0], sample, skeleton.names))
    axes = Axes(axis)
    unit = scale
    if unit is None:
        word, unit = guess_unit(standing_height(sample[0], sample, axis), skeleton.names)
        notes.append(f"unit guessed from the height of the figure: {word} (say scale= in metres if not)")
    rate = exact_rate(skeleton.rate if fps is None else fps)
    if fps is None:
        notes.append(f"arrays have no frame rate; {float(rate):g} per second assumed (say fps=)")
    places = axes.vector(positions * unit)
    with blaming(path, "an array of joint positions"):
        fit = fit_joints(
            places, skeleton.names, skeleton.parents, _rest(skeleton, places), float(1 / rate), name=path.stem
        )
    notes += _told(fit)
    character = weighed(fit.character)
    notes += size_notes(character, unit)
    source = Source(str(path), "npy", unit, axis, tuple(notes))
    return Clip(character, fit.q, rate, name=path.stem, source=source)


def _told(fit: JointFit) -> list[str]:
    said = f"rotations found from positions: joints {1000 * fit.error:.1f} mm off (rms)"
    if fit.noise > 1e-3:
        said += f"; bones tell of {1000 * fit.noise:.1f} mm of noise, which is smoothed"
    return [said]


def _positions(array: NDArray[Any], path: Path, said: dict[str, Any]) -> tuple[Array, ArraySkeleton, bool]:
    if array.dtype.kind not in "fiu":
        raise FileFormatError(path, f"an array of {array.dtype}, not of numbers")
    while array.ndim > 2 and array.shape[0] == 1 and array.ndim != 3:
        array = array[0]
    if array.ndim == 3 and array.shape[0] == 1 and array.shape[2] in FEATURES:
        array = array[0]
    if array.ndim == 3 and array.shape[2] != 3 and array.shape[1] == 3:
        array = array.transpose(2, 0, 1)  # (J, 3, F), as motion diffusion models write it
    Budget(path, array.nbytes).spend(array.size, "the array")
    values = np.asarray(array, dtype=np.float64)
    if not values.size or not np.isfinite(values).all() or np.abs(values).max() > FARTHEST:
        raise FileFormatError(
            path, "the array is empty, or holds numbers that are not finite or far too large"
        )
    if values.ndim == 2 and values.shape[1] in FEATURES:
        skeleton = KNOWN[FEATURES[values.shape[1]]]
        return joints_of_features(values, len(skeleton.names)), skeleton, True
    if values.ndim != 3 or values.shape[2] != 3:
        raise FileFormatError(
            path,
            f"an array of shape {values.shape}: joint positions are (frames, joints, 3), feature vectors "
            f"(frames, {' or '.join(map(str, FEATURES))})",
        )
    return values, _skeleton(values.shape[1], path, said), False


def _skeleton(joints: int, path: Path, said: dict[str, Any]) -> ArraySkeleton:
    known = KNOWN.get(joints)
    if joints > MOST_JOINTS:
        raise FileFormatError(path, f"{joints} joints, more than {MOST_JOINTS}")
    if "parents" not in said and known is None:
        listed = ", ".join(map(str, sorted(KNOWN)))
        raise FileFormatError(
            path, f"a skeleton of {joints} joints is not known ({listed} are): say parents=-1,0,1,…"
        )
    parents = said.get("parents", known.parents if known else ())
    names = said.get("names", known.names if known else tuple(f"joint{k}" for k in range(joints)))
    if len(parents) != joints or len(names) != joints or len(set(names)) != joints:
        raise FileFormatError(
            path,
            f"{joints} joints need as many parents and different names, not {len(parents)} and "
            f"{len(set(names))}",
        )
    with blaming(path, "a skeleton"):
        if known is not None and parents == known.parents:
            return replace(known, names=names)
        return ArraySkeleton(names, parents)


def _rest(skeleton: ArraySkeleton, places: Array) -> Array:
    """Directions of bones at rest: the skeleton's own, or those of the first frame."""
    if skeleton.rest is not None:
        return skeleton.rest
    up = np.array(skeleton.parents)
    bones = places[0] - places[0][np.maximum(up, 0)]
    lengths = np.linalg.norm(bones, axis=1, keepdims=True)
    return np.where(lengths > 1e-9, bones / np.maximum(lengths, 1e-9), 0.0)
