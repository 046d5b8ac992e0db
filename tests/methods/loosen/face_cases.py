"""Small faces for tests: a dome with a few morph targets, animated, on a head that may move."""

from __future__ import annotations

import numpy as np

from poise.character import Body, Character, Joint, MorphTarget, Skin
from poise.manifold import so3
from poise.motion import Clip


def dome(rings: int = 9, around: int = 22, radius: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Half a ball, open towards −x: vertices (N, 3) and triangles."""
    polar = np.linspace(0, np.pi / 2, rings)[1:]
    turn = 2 * np.pi * np.arange(around) / around
    p, t = np.meshgrid(polar, turn, indexing="ij")
    ball = radius * np.stack([np.cos(p), np.sin(p) * np.cos(t), np.sin(p) * np.sin(t)], axis=-1)
    vertices = np.concatenate([[[radius, 0, 0]], ball.reshape(-1, 3)])
    k = 1 + np.arange((rings - 1) * around).reshape(rings - 1, around)
    after = np.roll(k, -1, axis=1)
    faces = [np.stack([np.zeros(around, int), k[0], after[0]], 1)]
    for a in range(rings - 2):
        faces += [np.stack([k[a], k[a + 1], after[a + 1]], 1), np.stack([k[a], after[a + 1], after[a]], 1)]
    return vertices, np.concatenate(faces)


def small_face(joint: Joint | None = None, **size) -> Character:
    """A dome with four targets: two cheeks out, a chin down, a twist; the back is bone."""
    v, f = dome(**size)
    targets = []
    for name, at, way in (
        ("cheekLeft", (0.07, 0.06, 0.0), (0.004, 0.014, 0.006)),
        ("cheekRight", (0.07, -0.06, 0.0), (0.004, -0.014, 0.006)),
        ("chin", (0.06, 0.0, -0.07), (0.002, 0.0, -0.018)),
    ):
        near = np.exp(-0.5 * np.sum((v - np.array(at)) ** 2, axis=1) / 0.03**2)
        own = np.flatnonzero(near > 0.02)
        targets.append(MorphTarget(name, own, near[own, None] * np.array(way)))
    front = np.clip(v[:, 0] / 0.1, 0, 1) ** 2
    twist = 0.15 * front[:, None] * np.cross([1.0, 0, 0], v)
    targets.append(MorphTarget("twist", np.arange(len(v)), twist))
    skin = Skin(v, f, np.zeros((len(v), 1), int), np.ones((len(v), 1)), np.eye(4)[None], tuple(targets))
    return Character("dome", [Body("Head", None, joint or Joint.free())], skin=skin, mass_source="none")


def acting(
    character: Character | None = None, *, rate: int = 25, seconds: float = 2.0, nod: float = 0.0, **more
) -> Clip:
    """Smooth weights, and a head that nods and sways by ``nod`` [rad]."""
    character = character or small_face()
    times = np.arange(round(seconds * rate) + (0 if more.get("loop") else 1)) / rate
    s = 2 * np.pi * times / seconds
    pulse = 0.5 - 0.5 * np.cos(s)
    weights = np.stack(
        [pulse**3, pulse * np.sin(2 * s) ** 2, np.sin(s) ** 4, 0.6 * np.sin(2 * s) * pulse], axis=1
    )
    q = np.tile(character.rest_pose(), (len(times), 1))
    if nod:
        q[:, 3:7] = so3.exp(nod * np.stack([0.4 * np.sin(s), np.sin(2 * s), 0.3 * np.sin(s)], axis=1))
        q[:, :3] += 0.2 * nod * np.stack([np.sin(s), 0.5 * np.sin(2 * s), 0 * s], axis=1)
    return Clip(character, q, rate, morphs=weights, **more)


def smooth_pose(clip: Clip, seconds: float, nod: float):
    """The same curves at any time: world vertices, and the rotation of the head."""
    skin = clip.character.skin

    def at(t: float) -> tuple[np.ndarray, np.ndarray]:
        s = 2 * np.pi * t / seconds
        pulse = 0.5 - 0.5 * np.cos(s)
        weights = [pulse**3, pulse * np.sin(2 * s) ** 2, np.sin(s) ** 4, 0.6 * np.sin(2 * s) * pulse]
        turn = so3.to_matrix(so3.exp(nod * np.array([0.4 * np.sin(s), np.sin(2 * s), 0.3 * np.sin(s)])))
        shift = 0.2 * nod * np.array([np.sin(s), 0.5 * np.sin(2 * s), 0.0])
        rest = clip.character.rest_pose()[:3]
        return skin.shape(weights) @ turn.T + shift + rest, turn

    return at
