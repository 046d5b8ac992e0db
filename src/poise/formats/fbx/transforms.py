"""Where models of an FBX file are: places, pivots, pre- and post-rotations, scales, and what is inherited.

    local = T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹

(the names are FBX's: RotationOffset, RotationPivot, PreRotation …). Pre- and post-rotation and the order of
rotations count only where ``RotationActive`` says so. What a child inherits of its parent's rotation R and
scale S, with its own r and s: R S r s (1), R r S s (0), or R r s (2, as Maya's joints that compensate).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array
from poise.formats.fbx.objects import FbxObject

ORDERS = ("xyz", "xzy", "yzx", "yxz", "zxy", "zyx", "xyz")
"""By number, the axis that is turned about first before the others."""
SPHERIC = 6
"""An order that is none: few programs write it, and they read it as the first."""
_AXES = {"x": 0, "y": 1, "z": 2}

Animated = Callable[[str, Array], Array]
"""Values (F, 3) of a property over time, from its name and what it is at rest (3,)."""


def turning(angles: Array, order: str = "xyz") -> Array:
    """Rotations (…, 3, 3) of angles about x, y, z (…, 3) [deg], in turn about fixed axes."""
    parts = [_about(_AXES[axis], np.radians(angles[..., _AXES[axis]])) for axis in order]
    return np.asarray(parts[2] @ parts[1] @ parts[0])


def _about(axis: int, angle: Array) -> Array:
    """Rotations (…, 3, 3) about an axis of the frame."""
    out = np.zeros((*angle.shape, 3, 3))
    one, other = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., one, one] = out[..., other, other] = np.cos(angle)
    out[..., other, one] = np.sin(angle)
    out[..., one, other] = -out[..., other, one]
    return out


def rotation_order(model: FbxObject) -> str:
    """The axis that a model is turned about first before the others; the usual order where none counts."""
    active = model.number("RotationActive") != 0
    return ORDERS[int(model.number("RotationOrder")) % len(ORDERS)] if active else "xyz"


def spheric(model: FbxObject) -> bool:
    """Whether it says that it is not turned about axes in turn."""
    active = model.number("RotationActive") != 0
    return active and int(model.number("RotationOrder")) % len(ORDERS) == SPHERIC


def local_matrices(model: FbxObject, animated: Animated) -> Array:
    """A model in its parent's frame, (F, 4, 4), units of the file."""
    active = model.number("RotationActive") != 0
    order = rotation_order(model)
    move = animated("Lcl Translation", model.vector("Lcl Translation"))
    turn = turning(animated("Lcl Rotation", model.vector("Lcl Rotation")), order)
    scale = animated("Lcl Scaling", model.vector("Lcl Scaling", 1.0))
    if active:
        pre, post = (turning(model.vector(name)) for name in ("PreRotation", "PostRotation"))
        turn = pre @ turn @ post.T
    pivot, hub = model.vector("RotationPivot"), model.vector("ScalingPivot")
    linear = turn * scale[:, None, :]
    inner = model.vector("ScalingOffset") + hub - pivot
    out = np.zeros((len(move), 4, 4))
    out[:, :3, :3], out[:, 3, 3] = linear, 1.0
    out[:, :3, 3] = move + model.vector("RotationOffset") + pivot + turn @ inner - linear @ hub
    return out


def geometric(model: FbxObject) -> Array:
    """What is done to a model's mesh alone (4, 4)."""
    out = np.eye(4)
    scale = model.vector("GeometricScaling", 1.0)
    out[:3, :3] = turning(model.vector("GeometricRotation")) * scale
    out[:3, 3] = model.vector("GeometricTranslation")
    return out


def inherited(local: Array, scale_above: Array, kind: int) -> Array:
    """A local transform (F, 4, 4) under which plain nodes end up where FBX's rule ``kind`` puts a model.

    With S the scale of its parent, ``scale_above`` (F, 3), a plain node inherits R S, so what it gets is
    S⁻¹ r S s (0) or S⁻¹ r s (2).
    """
    even = np.allclose(scale_above, scale_above[:, :1], rtol=1e-7, atol=0.0)
    if kind == 1 or (kind == 0 and even) or not np.all(scale_above):
        return local
    out = local.copy()
    linear = local[:, :3, :3]
    if kind == 0:
        linear = linear * scale_above[:, None, :]
    out[:, :3, :3] = linear / scale_above[:, :, None]
    return out
