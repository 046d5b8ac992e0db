"""Light on surfaces: for every sample of a geometry buffer, the colour that leaves towards the eye.

    out = albedo · (key · max(0, n·l) · visible + sky · (½ + ½ n_z) · open + ground · (½ − ½ n_z)
                    + fill + rim) + highlight(key) · visible + fresnel · environment · open

in linear light. ``visible`` is the mean over the key's shadow maps, ``open`` the cosine-weighted mean
over the sky's (ambient occlusion). The samples of one pixel share the lights among them: each asks
every S²-th light, their mean asks all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.pictures.lights import Lights
from poise.pictures.rasteriser import (
    BAND,
    FloatImage,
    GeometryBuffer,
    IntImage,
    Surfaces,
    barycentric,
    sample_ray,
)
from poise.pictures.shadow import ShadowMaps, lit
from poise.workers import for_ranges

Vector = tuple[float, float, float]


class Samples(NamedTuple):
    """What each sample of a picture sees, as compiled code takes it."""

    face: IntImage  # (h, w) triangle, −1 where nothing
    left: int
    top: int
    camera: Array  # as packed
    supersample: int
    mirrored: bool


class Setting(NamedTuple):
    """What surfaces are shaded with."""

    materials: Array  # (M, 7) as packed
    lights: Array  # as packed
    sky: Array  # (2, 3) at the zenith and at the horizon
    tint: Array  # (4,) a linear colour, and how much of it
    floor: bool
    unit: float  # [m]
    share: int


def shade(
    buffer: GeometryBuffer,
    surfaces: Surfaces,
    materials: Array,
    lights: Lights,
    key_maps: ShadowMaps,
    sky_maps: ShadowMaps,
    *,
    tint: Array,
    floor: bool,
    unit: float,
    threads: int,
    out: FloatImage,
    share: int | None = None,
) -> None:
    """Write colour and opacity (h, w, 4) into ``out``.

    ``materials`` (M, 7) as packed, ``tint`` (4,) a linear colour and how much of it; with a ``floor`` nothing
    below z = 0 is seen; ``unit`` [m] is the size by which contact and reflection fade (about a
    character's height); ``share``: every how many lights a sample asks (default S²).
    """
    S, camera = buffer.supersample, buffer.camera
    samples = Samples(buffer.face, buffer.left, buffer.top, camera.packed(S), S, camera.mirror)
    sky = np.stack([lights.zenith, lights.horizon])
    setting = Setting(materials, lights.packed(), sky, tint, floor, unit, share or S**2)

    def band(first: int, last: int) -> None:
        _shade(samples, surfaces, setting, key_maps, sky_maps, first, last, out)

    for_ranges(band, buffer.face.shape[0], grain=BAND, threads=threads)


@kernel(inline=True)
def soft_clip(x: float) -> float:
    """Linear up to 0.7, then a shoulder that reaches 1 only at infinity: highlights keep their hue."""
    if x <= 0.7:
        return x
    return 1.0 - 0.3 * np.exp(-(x - 0.7) / 0.3)


@kernel()
def _shade(
    samples: Samples, surfaces: Surfaces, setting: Setting, key_maps: ShadowMaps, sky_maps: ShadowMaps,
    first: int, last: int, out: FloatImage,
) -> None:  # fmt: skip
    S, face = samples.supersample, samples.face
    materials, lights = setting.materials, setting.lights
    colour = np.empty(3)
    for row in range(first, last):
        for col in range(face.shape[1]):
            f = face[row, col]
            out[row, col, 3] = 0.0
            if f < 0:
                continue
            X, Y = col + samples.left, row + samples.top
            ox, oy, oz, dx, dy, dz = sample_ray(samples.camera, S, X, Y)
            a, b, c = surfaces.faces[f, 0], surfaces.faces[f, 1], surfaces.faces[f, 2]
            u, v, t = barycentric(ox, oy, oz, dx, dy, dz, surfaces.vertices, a, b, c)
            x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
            if setting.floor and z < 0.0:
                continue
            m = surfaces.material[f]
            opacity = materials[m, 6]
            if samples.mirrored:  # rough floors mirror only what is near them
                opacity *= np.exp(-max(z, 0.0) / (0.22 * setting.unit))
            length = np.sqrt(dx * dx + dy * dy + dz * dz)
            ex, ey, ez = -dx / length, -dy / length, -dz / length  # towards the eye
            nx, ny, nz, facing = _normal(surfaces.normals, a, b, c, u, v, ex, ey, ez)
            ndl = nx * lights[0, 0] + ny * lights[0, 1] + nz * lights[0, 2]
            visible, opened = 0.0, 1.0  # what shines by itself asks for no light
            if materials[m, 5] < 1.0:
                phase = (X % S + (Y % S) * S) % setting.share
                if ndl > 0.0:
                    visible = _visible(key_maps, phase, setting.share, x, y, z, nx, ny, nz)
                opened = _open(sky_maps, phase, setting.share, x, y, z, nx, ny, nz)
            near_floor = 1.0 - 0.55 * np.exp(-max(z, 0.0) / (0.07 * setting.unit)) if setting.floor else 1.0
            _leaving(setting, m, (nx, ny, nz), (ex, ey, ez), facing, ndl, visible, opened, near_floor, colour)
            # A tint replaces hue, not form: light and shade stay.
            grey = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]
            grey = 0.25 + 1.5 * grey
            tint = setting.tint
            for i in range(3):
                out[row, col, i] = colour[i] + tint[3] * (min(1.0, tint[i] * grey) - colour[i])
            out[row, col, 3] = opacity


@kernel(inline=True)
def _normal(
    normals: Array, a: int, b: int, c: int, u: float, v: float, ex: float, ey: float, ez: float
) -> tuple[float, float, float, float]:
    """The normal at a point of a triangle, and how far it looks towards the eye (ex, ey, ez), 0 … 1."""
    s = 1.0 - u - v
    nx = s * normals[a, 0] + u * normals[b, 0] + v * normals[c, 0]
    ny = s * normals[a, 1] + u * normals[b, 1] + v * normals[c, 1]
    nz = s * normals[a, 2] + u * normals[b, 2] + v * normals[c, 2]
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / length, ny / length, nz / length
    facing = nx * ex + ny * ey + nz * ez
    if facing < 0.0:  # the inside of an open mesh, or a rim's interpolated normal
        if facing < -0.25:
            nx, ny, nz, facing = -nx, -ny, -nz, -facing
        else:
            facing = 0.0
    return nx, ny, nz, facing


@kernel(inline=True)
def _visible(
    maps: ShadowMaps, phase: int, share: int, x: float, y: float, z: float, nx: float, ny: float, nz: float
) -> float:
    """How much of the key is seen from a point: the mean over every ``share``-th of its maps."""
    step = 0.75 * maps.texel
    qx, qy, qz = x + step * nx, y + step * ny, z + step * nz
    visible, asked = 0.0, 0
    for k in range(phase, len(maps.shear), share):
        visible += lit(maps, k, qx, qy, qz)
        asked += 1
    return visible / asked if asked > 0 else 1.0


@kernel(inline=True)
def _open(
    maps: ShadowMaps, phase: int, share: int, x: float, y: float, z: float, nx: float, ny: float, nz: float
) -> float:
    """How much of the sky is seen from a point, weighted by the cosine to its normal."""
    step = 0.9 * maps.texel
    qx, qy, qz = x + step * nx, y + step * ny, z + step * nz
    opened, total = 0.0, 1e-9
    for k in range(phase, len(maps.shear), share):
        to = maps.directions[k]
        weight = nx * to[0] + ny * to[1] + nz * to[2]
        if weight > 0.02:
            weight /= to[2]  # directions come with density ∝ cos
            total += weight
            opened += weight * lit(maps, k, qx, qy, qz)
    # Undersides see hardly any sky: few directions count there, so lean on the prior.
    return (opened + 0.25) / (total + 0.25)


@kernel(inline=True)
def _leaving(
    setting: Setting, m: int, normal: Vector, eye: Vector, facing: float, ndl: float, visible: float,
    opened: float, near_floor: float, colour: Array,
) -> None:  # fmt: skip
    """colour (3,): what leaves material m towards the eye; ``ndl`` is n·l of the key."""
    lights, materials, sky = setting.lights, setting.materials, setting.sky
    nx, ny, nz = normal
    ex, ey, ez = eye
    lx, ly, lz = lights[0]
    fx, fy, fz = lights[2]
    rx, ry, rz = lights[4]
    up = 0.5 + 0.5 * nz
    key_light = max(ndl, 0.0) * visible
    fill_light = max(0.0, (nx * fx + ny * fy + nz * fz + 0.35) / 1.35) * (0.35 + 0.65 * opened)
    grazing = 1.0 - facing
    rim_light = max(0.0, nx * rx + ny * ry + nz * rz + 0.1) * grazing * grazing * (0.3 + 0.7 * opened)

    # GGX highlight of the key; the light's own size widens it.
    rough, emission = materials[m, 3], materials[m, 5]
    alpha2 = max(rough * rough, 0.06) ** 2
    hx, hy, hz = lx + ex, ly + ey, lz + ez
    length = np.sqrt(hx * hx + hy * hy + hz * hz) + 1e-12
    ndh = max(0.0, (nx * hx + ny * hy + nz * hz) / length)
    vdh = max(0.0, (ex * hx + ey * hy + ez * hz) / length)
    bell = ndh * ndh * (alpha2 - 1.0) + 1.0
    k_geometry = 0.5 * (rough + 1.0) * 0.5 * (rough + 1.0) * 0.5
    shape = (max(ndl, 0.0) * (1 - k_geometry) + k_geometry) * (facing * (1 - k_geometry) + k_geometry)
    f0 = 0.08 * materials[m, 4]
    highlight = alpha2 / (bell * bell) * 0.25 / shape * max(ndl, 0.0) * visible
    highlight *= f0 + (1 - f0) * (1 - vdh) ** 5

    # Mirror image of sky and floor, dulled by roughness.
    mz = 2 * facing * nz - ez
    fresnel = f0 + (max(1.0 - rough, f0) - f0) * grazing**5
    fresnel *= opened * materials[m, 4] * 2.0
    high = min(max(0.5 + mz / (0.2 + rough), 0.0), 1.0)

    for i in range(3):
        light = (
            lights[1, i] * key_light
            + lights[6, i] * up * opened
            + lights[7, i] * (1.0 - up) * near_floor
            + lights[3, i] * fill_light
            + lights[5, i] * rim_light
        )
        around = sky[1, i] + (sky[0, i] - sky[1, i]) * max(mz, 0.0)
        around = high * around + (1.0 - high) * lights[7, i] * near_floor
        value = materials[m, i] * light * (1.0 - fresnel) + lights[1, i] * highlight + fresnel * around
        colour[i] = soft_clip(value)
        colour[i] += emission * (materials[m, i] - colour[i])
