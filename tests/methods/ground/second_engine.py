"""What contacts cannot carry, by code that shares nothing with the solver but the contacts."""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.optimize import nnls

from poise.contacts.find import find
from poise.dynamics.mujoco_model import model
from poise.kinematics import Kinematics

TRIM = 4


def uncarried(clip, q, support=None) -> np.ndarray:
    """Whether each sample of frames q is out of what the contacts of ``clip`` (or those that are given) can
    carry (friction 1, patches of 2 cm), by MuJoCo's inverse dynamics and SciPy's least squares."""
    character, support = clip.character, find(clip) if support is None else support
    patches, radius, dt = support.need.patches, support.need.radius, clip.dt
    made = model(character, contacts=False, limits=False, passive=False)
    data, before, after = mujoco.MjData(made), np.zeros(made.nv), np.zeros(made.nv)
    skin = patches.places(Kinematics(character, q)) - [0, 0, 1] * radius[:, None]
    on = np.zeros((len(q), len(patches)), bool)
    for contact in support.contacts:
        for touch in contact.touches:
            on[max(0, touch.start - 1) : touch.end + 2, patches.names.index(touch.patch)] = True
    bad = []
    scale = np.array([1, 1, 1, 0.3, 0.3, 0.3]) * character.total_mass * 9.81
    for f in range(TRIM, len(q) - TRIM):
        mujoco.mj_differentiatePos(made, before, dt, q[f - 1], q[f])
        mujoco.mj_differentiatePos(made, after, dt, q[f], q[f + 1])
        data.qpos[:], data.qvel[:], data.qacc[:] = q[f], 0.5 * (before + after), (after - before) / dt
        mujoco.mj_inverse(made, data)
        root, at = data.qfrc_inverse, skin[f, on[f]].mean(axis=0) if on[f].any() else data.subtree_com[0]
        moment = data.xmat[1].reshape(3, 3) @ root[3:6] + np.cross(data.xpos[1] - at, root[:3])
        left = need = np.concatenate([root[:3], moment]) / scale
        if on[f].any():
            corners = (skin[f, on[f]] - at)[:, None] + 0.02 * np.array(
                [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
            )
            edges = np.array([[1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1]])
            pairs = [(p, e) for p in corners.reshape(-1, 3) for e in edges]
            cone = np.array([np.concatenate([e, np.cross(p, e) / 0.3]) for p, e in pairs]).T
            left = need - cone @ nnls(cone, need)[0]
        bad.append(np.linalg.norm(left[:3]) > 0.05 or 0.3 * np.linalg.norm(left[3:]) > 0.03)
    return np.array(bad)
