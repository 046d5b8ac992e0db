"""A clip's frames with more on both sides, for filters that look at a neighbourhood.

Loops go on round and round, moved on by their travel. Plain clips are reflected through their end
poses, q₋ₙ = q₀ ⊕ −(qₙ ⊖ q₀), so that steady motion goes on steadily.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.manifold import ProductManifold, so3
from poise.motion.clip import Clip


def extended(clip: Clip, reach: int) -> Array:
    """Configurations of frames −reach … F − 1 + reach, (F + 2 reach, nq)."""
    if clip.loop:
        index = np.arange(-reach, clip.frames + reach)
        q = np.array(clip.travel.apply(clip.character, clip.q[index % clip.frames], index // clip.frames))
    else:
        q = clip.q
        while (have := (len(q) - clip.frames) // 2) < reach:
            if len(q) == 1:
                q = np.repeat(q, 2 * reach + 1, axis=0)
                break
            # A reach beyond the clip takes several reflections, each of what there is.
            more = min(reach - have, len(q) - 1)
            manifold = clip.character.manifold
            before = _through(manifold, q[0], q[more:0:-1])
            after = _through(manifold, q[-1], q[-2 : -2 - more : -1])
            q = np.concatenate([before, q, after])
        q = np.array(q)
    q[reach : reach + clip.frames] = clip.q
    return q


def _through(manifold: ProductManifold, pose: Array, q: Array) -> Array:
    """``q`` (n, nq) reflected through a pose: coordinates 2p − q, rotations p q⁻¹ p."""
    out = 2.0 * pose - q
    slots = manifold.rotation_slots[0]
    if slots.size:
        centre = pose[slots]
        out[:, slots] = so3.multiply(so3.multiply(centre, so3.conjugate(q[:, slots])), centre)
    return out


def chosen_dofs(character: Character, joints: str | Sequence[str]) -> NDArray[np.bool_]:
    """Which degrees of freedom belong to the joints that a pattern, or several, select, (nv,)."""
    patterns = [joints] if isinstance(joints, str) else list(joints)
    bodies = {i for pattern in patterns for i in character.select(pattern)}
    return np.isin(character.dof_body, sorted(bodies))
