"""A head made of formulas: lofted sections with bumps for nose, lips and chin; eyes, lids, brows, ears.

Metres; x to the front, y left, z up from the middle of the head. The mouth is a slit: along it vertices are
double, an upper and a lower lip, and a dark pocket hangs behind them. Pieces remember what they are
(``part``), so that expressions can be written for each.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray

MOUTH, CORNER = -0.043, 0.0245
"""Height of the slit and half its width [m]."""
EYE, EYE_RADIUS, LID_RADIUS = np.array([0.0690, 0.0315, 0.024]), 0.0132, 0.0150
LID_OPEN, LID_SHUT, LOWER_LID = np.radians(38.0), np.radians(-24.0), np.radians(-30.0)
"""Edges of the lids as angles above the middle of the eye [rad]."""
SKIN, LIPS, WHITE, IRIS, PUPIL, DARK, BROW = (
    (0.71, 0.42, 0.29), (0.55, 0.17, 0.14), (0.86, 0.86, 0.84), (0.07, 0.20, 0.33), (0.01, 0.01, 0.012),
    (0.06, 0.012, 0.012), (0.075, 0.035, 0.02),
)  # fmt: skip
"""Linear RGB."""

_SECTIONS = np.array(
    [  # z, front, back, half width, how pointed in front
        (-0.175, 0.046, 0.066, 0.062, 0.0),
        (-0.155, 0.036, 0.062, 0.050, 0.0),
        (-0.130, 0.034, 0.060, 0.046, 0.0),
        (-0.115, 0.042, 0.062, 0.047, 0.05),
        (-0.106, 0.066, 0.064, 0.050, 0.22),
        (-0.098, 0.0845, 0.066, 0.0535, 0.32),
        (-0.088, 0.0885, 0.070, 0.0575, 0.30),
        (-0.070, 0.0890, 0.078, 0.0625, 0.22),
        (-0.043, 0.0880, 0.086, 0.0675, 0.12),
        (-0.015, 0.0880, 0.093, 0.0710, 0.06),
        (0.020, 0.0885, 0.099, 0.0745, 0.02),
        (0.050, 0.0900, 0.101, 0.0765, 0.0),
        (0.075, 0.0860, 0.097, 0.0745, 0.0),
        (0.095, 0.0740, 0.085, 0.0665, 0.0),
        (0.110, 0.0560, 0.066, 0.0525, 0.0),
        (0.120, 0.0350, 0.042, 0.0340, 0.0),
        (0.1245, 0.0160, 0.019, 0.0160, 0.0),
    ]
)


class Head(NamedTuple):
    """A sculpted head."""

    vertices: Array  # (N, 3)
    faces: IntArray  # (T, 3)
    colours: Array  # (N, 4)
    part: IntArray
    """What each vertex belongs to, (N,): an index into ``PARTS``."""
    lower: Array
    """How far each vertex goes with the jaw by where it is on the surface, 0 … 1, (N,)."""


PARTS = ("skin", "pocket", "eye", "lid", "lower lid", "brow", "ear")


def bump(y: Array, z: Array, at: tuple[float, float], wide: tuple[float, float]) -> Array:
    """A Gaussian of height 1 in the frontal plane."""
    return np.asarray(np.exp(-0.5 * (((y - at[0]) / wide[0]) ** 2 + ((z - at[1]) / wide[1]) ** 2)))


def smooth(x: Array, low: float | Array, high: float | Array) -> Array:
    """0 below ``low``, 1 above ``high``, smooth between."""
    s = np.clip((x - low) / (high - low), 0, 1)
    return np.asarray(s * s * (3 - 2 * s))


@lru_cache
def head() -> Head:
    """The whole head."""
    pieces = [_skull(), *(part for side in (1.0, -1.0) for part in _sides(side))]
    starts = np.cumsum([0, *(len(p.vertices) for p in pieces)])
    return Head(
        np.concatenate([p.vertices for p in pieces]),
        np.concatenate([p.faces + s for p, s in zip(pieces, starts)]),
        np.concatenate([p.colours for p in pieces]),
        np.concatenate([p.part for p in pieces]),
        np.concatenate([p.lower for p in pieces]),
    )


def _rows() -> Array:
    """Heights of the sections: close together around mouth and eyes, one of them the slit."""

    def pace(z: float) -> float:
        near = np.exp(-0.5 * ((z - MOUTH) / 0.014) ** 2)
        middle = np.exp(-0.5 * ((z - 0.0) / 0.045) ** 2)
        return float(1 / (1 / 0.0115 + near / 0.0036 + middle / 0.0100))

    up, down = [MOUTH], [MOUTH]
    while up[-1] < 0.1235:
        # Towards the crown sections shrink fast: closer together, as on a sphere.
        up.append(up[-1] + pace(up[-1]) * max(0.12, min(1.0, (0.135 - up[-1]) / 0.055)))
    while down[-1] > -0.170:
        down.append(down[-1] - pace(down[-1]))
    return np.array([*down[:0:-1], *up])


def _skull() -> Head:
    from scipy.interpolate import PchipInterpolator

    z_rows = _rows()
    s = np.linspace(-1, 1, 61)[:-1]
    angle = np.pi * (0.42 * s + 0.58 * s**3)  # close together in front
    front, back, wide, point = PchipInterpolator(_SECTIONS[:, 0], _SECTIONS[:, 1:])(
        np.clip(z_rows, *_SECTIONS[[0, -1], 0])
    ).T
    c, sine = np.cos(angle), np.sin(angle)
    ahead = np.clip(c, 0, None)
    x = np.where(c > 0, front[:, None] * c, back[:, None] * c)
    y = wide[:, None] * sine * (1 - point[:, None] * ahead**2)
    z = np.broadcast_to(z_rows[:, None], x.shape).copy()
    x = x + _relief(y, z) * smooth(c, 0.05, 0.6)
    rows, columns = x.shape
    slit = int(np.argmin(np.abs(z_rows - MOUTH)))
    grid = np.arange(rows * columns).reshape(rows, columns)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    open_ = np.flatnonzero((np.abs(y[slit]) < CORNER) & (c > 0))
    lower_lip = len(vertices) + np.arange(len(open_))
    below = grid.copy()
    below[slit, open_] = lower_lip
    vertices = np.concatenate([vertices, vertices[grid[slit, open_]]])
    top = len(vertices)
    vertices = np.concatenate([vertices, [[-0.003, 0.0, z_rows[-1] + 0.0015]]])
    after = np.roll(np.arange(columns), -1)
    faces = []
    for i in range(rows - 1):
        upper, under = below[i + 1] if i + 1 <= slit else grid[i + 1], grid[i]
        a, b, d, e = under, under[after], upper, upper[after]
        faces += [np.stack([a, b, e], axis=1), np.stack([a, e, d], axis=1)]
    faces.append(np.stack([grid[-1], grid[-1][after], np.full(columns, top)], axis=1))
    side = np.concatenate([y.ravel(), y[slit, open_], [0.0]])
    height = np.concatenate([z.ravel(), z[slit, open_], [0.12]])
    turned = np.concatenate([np.tile(c, rows), c[open_], [0.0]])
    lower = (1 - smooth(height, MOUTH - 0.0005, MOUTH + 0.0005)) * _jaw_fade(height, turned)
    beyond = smooth(np.abs(side), 0.45 * CORNER, 1.02 * CORNER)
    soft = (1 - smooth(height, MOUTH - 0.022, MOUTH + 0.026)) * _jaw_fade(height, turned)
    lower = (1 - beyond) * lower + beyond * soft
    lower[grid[slit, open_]], lower[lower_lip] = 0.0, (1.0 * (1 - beyond) + beyond * soft)[lower_lip]
    upper_soft = (beyond * soft)[grid[slit, open_]]
    lower[grid[slit, open_]] = upper_soft
    colours = np.tile([*SKIN, 1.0], (len(vertices), 1))
    red = _lips(side, height) * (turned > 0)
    colours[:, :3] += red[:, None] * (np.array(LIPS) - SKIN)
    blush = bump(np.abs(side), height, (0.040, -0.018), (0.013, 0.012)) * (turned > 0)
    colours[:, :3] += 0.25 * blush[:, None] * (np.array([0.72, 0.27, 0.2]) - SKIN)
    part = np.zeros(len(vertices), dtype=np.int64)
    skin = Head(vertices, np.concatenate(faces), colours, part, lower)
    return _with_pocket(skin, grid[slit, open_], lower_lip)


def _relief(y: Array, z: Array) -> Array:
    """How far the face stands out in front of its sections [m]."""
    ay = np.abs(y)
    bridge = smooth(z, -0.020, -0.011) * (1 - smooth(z, 0.012, 0.050))
    down = np.clip((0.040 - z) / 0.052, 0, 1)
    nose = bridge * (0.004 + 0.0205 * down**1.4) * np.exp(-0.5 * (y / (0.0062 + 0.0032 * down)) ** 2)
    wings = 0.0075 * bump(ay, z, (0.0115, -0.0105), (0.0045, 0.0052))
    under = -0.003 * bump(y, z, (0.0, -0.024), (0.007, 0.006))
    sockets = -0.0110 * bump(ay, z, (0.031, 0.0235), (0.0125, 0.0100))
    brows = 0.0045 * bump(ay, z, (0.028, 0.046), (0.018, 0.0065))
    cheeks = 0.0050 * bump(ay, z, (0.040, -0.014), (0.014, 0.013))
    taper = np.exp(-0.5 * (y / 0.0155) ** 2) * (1 - smooth(ay, 0.017, CORNER))
    upper = 0.0062 * taper * np.exp(-0.5 * ((z - MOUTH - 0.0052) / 0.0040) ** 2)
    lower = 0.0074 * taper * np.exp(-0.5 * ((z - MOUTH + 0.0062) / 0.0046) ** 2)
    line = -0.0030 * (1 - smooth(ay, 0.019, CORNER + 0.004)) * np.exp(-0.5 * ((z - MOUTH) / 0.0016) ** 2)
    fold = -0.0035 * bump(y, z, (0.0, -0.0635), (0.016, 0.0055))
    chin = 0.0065 * bump(y, z, (0.0, -0.084), (0.015, 0.010))
    hollow = -0.0022 * bump(ay, z, (CORNER + 0.004, MOUTH), (0.005, 0.007))
    return np.asarray(
        nose + wings + under + sockets + brows + cheeks + upper + lower + line + fold + chin + hollow
    )


def _lips(y: Array, z: Array) -> Array:
    """How red a place is, 0 … 1."""
    ay = np.abs(y)
    bow = 0.0105 - 0.0022 * np.exp(-0.5 * (y / 0.0035) ** 2)
    reach = np.sqrt(np.clip(1 - (ay / CORNER) ** 2, 0, 1))
    above = 1 - smooth(z - MOUTH, 0.75 * bow * reach, bow * reach + 1e-4)
    below = 1 - smooth(MOUTH - z, 0.0105 * reach, 0.0135 * reach + 1e-4)
    return np.asarray(np.where(z >= MOUTH, above, below) * (1 - smooth(ay, 0.82 * CORNER, CORNER)))


def _jaw_fade(z: Array, ahead: Array) -> Array:
    """The jaw ends where the neck and the back of the head begin."""
    return smooth(ahead, -0.25, 0.35) * smooth(z, -0.135, -0.100)


def _with_pocket(skin: Head, upper: IntArray, lower: IntArray) -> Head:
    """Inside of the mouth: both lips' edges go back and meet in the dark."""
    v = skin.vertices
    start, count = len(v), len(upper)
    inner = []
    for k, depth in enumerate((0.006, 0.022, 0.040)):
        narrow = 1 - 0.10 * k
        inner += [
            v[upper] * [1, narrow, 1] - [depth, 0, -0.0015 * (k + 1)],
            v[lower] * [1, narrow, 1] - [depth, 0, 0.0015 * (k + 1)],
        ]
    rings = [np.stack([upper, lower])] + [
        start + 2 * k * count + np.arange(2 * count).reshape(2, count) for k in range(3)
    ]
    faces = [skin.faces]
    for near, far in pairwise(rings):
        for row, flip in ((0, False), (1, True)):
            a, b, c, d = near[row, :-1], near[row, 1:], far[row, :-1], far[row, 1:]
            one, two = np.stack([a, b, d], 1), np.stack([a, d, c], 1)
            faces += [one[:, ::-1], two[:, ::-1]] if not flip else [one, two]
    back = rings[-1]
    a, b, c, d = back[0, :-1], back[0, 1:], back[1, :-1], back[1, 1:]
    faces += [np.stack([a, b, d], 1)[:, ::-1], np.stack([a, d, c], 1)[:, ::-1]]
    points = np.concatenate(inner)
    lower_share = np.concatenate([np.concatenate([skin.lower[upper], skin.lower[lower]]) for _ in range(3)])
    dark = np.tile([*DARK, 1.0], (len(points), 1))
    return Head(
        np.concatenate([v, points]),
        np.concatenate(faces),
        np.concatenate([skin.colours, dark]),
        np.concatenate([skin.part, np.full(len(points), PARTS.index("pocket"))]),
        np.concatenate([skin.lower, lower_share]),
    )


def _sides(side: float) -> list[Head]:
    """Eye, lids, brow and ear of the left (1) or right (−1)."""
    centre = EYE * [1, side, 1]
    out = []
    # The eyeball, its pole to the front so that iris and pupil are rings.
    polar = np.array([0.0, 0.12, 0.2, 0.27, 0.275, 0.4, 0.53, 0.535, 0.75, 1.0, 1.3, 1.7])
    ring = 2 * np.pi * np.arange(18) / 18
    p, r = np.meshgrid(polar, ring, indexing="ij")
    ball = centre + EYE_RADIUS * np.stack([np.cos(p), np.sin(p) * np.cos(r), np.sin(p) * np.sin(r)], axis=-1)
    paint = np.where((p < 0.272)[..., None], PUPIL, np.where((p < 0.532)[..., None], IRIS, np.array(WHITE)))
    out.append(_sheet(ball, paint, "eye", closed=True))
    # Lids: bands of a larger sphere about the axis through both eyes.
    along = np.radians(np.linspace(-82, 82, 15)) * side
    for name, edge, end in (("lid", LID_OPEN, np.radians(120)), ("lower lid", LOWER_LID, np.radians(-110))):
        lift = np.linspace(edge, end, 8)
        b, a = np.meshgrid(lift, along, indexing="ij")
        shell = centre + LID_RADIUS * np.stack(
            [np.cos(a) * np.cos(b), np.sin(a), np.cos(a) * np.sin(b)], axis=-1
        )
        tone = np.tile(0.93 * np.array(SKIN), (*shell.shape[:2], 1))
        flip = (name == "lower lid") == (side > 0)
        out.append(_sheet(shell, tone, name, flip=not flip))
    # The brow: an arched roll that lies on the forehead.
    t = np.linspace(0, 1, 13)
    place = np.stack(
        [np.zeros(13), 0.012 + 0.036 * t, 0.044 + 0.0065 * np.sin(np.pi * (0.12 + 0.8 * t))], axis=1
    )
    place[:, 0] = _forehead(place[:, 1], place[:, 2]) + 0.0006
    thick = 0.0032 * np.sin(np.pi * np.clip(0.12 + 0.86 * t, 0, 1)) ** 0.7 + 0.0002
    turn = 2 * np.pi * np.arange(10) / 10
    roll = place[:, None] + thick[:, None, None] * np.stack(
        [0.75 * np.cos(turn), 0 * turn, 1.15 * np.sin(turn)], axis=-1
    )
    roll[..., 1] *= side
    out.append(_sheet(roll, np.tile(BROW, (*roll.shape[:2], 1)), "brow", closed=True, flip=side > 0))
    # The ear: a flattened shell.
    u, w = np.meshgrid(np.linspace(0, np.pi, 9), 2 * np.pi * np.arange(14) / 14, indexing="ij")
    ear = np.stack(
        [0.017 * np.sin(u) * np.cos(w), 0.0085 * np.sin(u) * np.sin(w), 0.031 * np.cos(u)], axis=-1
    )
    tilt = 0.22
    ear[..., 0], ear[..., 2] = (
        ear[..., 0] * np.cos(tilt) - ear[..., 2] * np.sin(tilt),
        ear[..., 0] * np.sin(tilt) + ear[..., 2] * np.cos(tilt),
    )
    ear = ear + [-0.006, 0.0755, 0.004]
    ear[..., 1] *= side
    out.append(_sheet(ear, np.tile(SKIN, (*ear.shape[:2], 1)), "ear", closed=True, flip=side < 0))
    return out


def _forehead(y: Array, z: Array) -> Array:
    """The skin's x at places of the upper face."""
    from scipy.interpolate import PchipInterpolator

    front, _, wide, _ = PchipInterpolator(_SECTIONS[:, 0], _SECTIONS[:, 1:])(z).T
    c = np.sqrt(np.clip(1 - (y / wide) ** 2, 0, 1))
    return np.asarray(front * c + _relief(y, z) * smooth(c, 0.05, 0.6))


def _sheet(grid: Array, paint: Array, part: str, *, closed: bool = False, flip: bool = False) -> Head:
    """A grid of points (a, b, 3) as triangles; ``closed`` joins the last column with the first."""
    a, b = grid.shape[:2]
    k = np.arange(a * b).reshape(a, b)
    right = np.roll(k, -1, axis=1) if closed else k
    here, there = (k, right) if closed else (k[:, :-1], k[:, 1:])
    p, q, r, s = here[:-1], there[:-1], here[1:], there[1:]
    faces = np.concatenate([np.stack([p, q, s], -1).reshape(-1, 3), np.stack([p, s, r], -1).reshape(-1, 3)])
    faces = faces[:, ::-1] if flip else faces
    flat = grid.reshape(-1, 3)
    area = np.linalg.norm(
        np.cross(flat[faces[:, 1]] - flat[faces[:, 0]], flat[faces[:, 2]] - flat[faces[:, 0]]), axis=1
    )
    colours = np.concatenate([paint.reshape(-1, 3), np.ones((a * b, 1))], axis=1)
    return Head(flat, faces[area > 1e-12], colours, np.full(a * b, PARTS.index(part)), np.zeros(a * b))
