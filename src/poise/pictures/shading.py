"""Light on surfaces: for every sample of a geometry buffer, the colour that leaves towards the eye.

    out = albedo · (key · max(0, n·l) · visible + sky · (½ + ½ n_z) · open + ground · (½ − ½ n_z)
                    + fill + rim) + highlight(key) · visible + fresnel · environment · open

in linear light. ``visible`` is the mean over the key's shadow maps, ``open`` the cosine-weighted mean
over the sky's (ambient occlusion). The samples of one pixel share the lights among them: each asks
every S²-th light, their mean asks all.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
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
    mirrored = buffer.camera.mirror
    sky = np.stack([lights.zenith, lights.horizon])
    camera, rig = buffer.camera.packed(buffer.supersample), lights.packed()

    def band(first: int, last: int) -> None:
        _shade(
            buffer.face, buffer.left, buffer.top, camera, buffer.supersample,
            surfaces.vertices, surfaces.normals, surfaces.faces, surfaces.material, materials,
            rig, sky,
            key_maps.shear, key_maps.origin, key_maps.shape, key_maps.start, key_maps.heights, key_maps.texel,
            sky_maps.directions, sky_maps.shear, sky_maps.origin, sky_maps.shape, sky_maps.start,
            sky_maps.heights, sky_maps.texel, tint, floor, unit, mirrored,
            share or buffer.supersample**2, first, last, out,
        )  # fmt: skip

    for_ranges(band, buffer.face.shape[0], grain=BAND, threads=threads)


@kernel(inline=True)
def soft_clip(x: float) -> float:
    """Linear up to 0.7, then a shoulder that reaches 1 only at infinity: highlights keep their hue."""
    if x <= 0.7:
        return x
    return 1.0 - 0.3 * np.exp(-(x - 0.7) / 0.3)


@kernel()
def _shade(
    face: IntImage, left: int, top: int, camera: Array, supersample: int,
    vertices: Array, normals: Array, faces: IntArray, material: IntImage, materials: Array,
    lights: Array, sky: Array,
    key_shear: Array, key_origin: Array, key_shape: IntArray, key_start: IntArray, key_heights: FloatImage,
    key_texel: float,
    sky_direction: Array, sky_shear: Array, sky_origin: Array, sky_shape: IntArray, sky_start: IntArray,
    sky_heights: FloatImage, sky_texel: float,
    tint: Array, floor: bool, unit: float, mirrored: bool, share: int, first: int, last: int, out: FloatImage,
) -> None:  # fmt: skip
    S = supersample
    lx, ly, lz = lights[0]
    fx, fy, fz = lights[2]
    rx, ry, rz = lights[4]
    key_count, sky_count = len(key_shear), len(sky_shear)
    colour = np.empty(3)
    for row in range(first, last):
        for col in range(face.shape[1]):
            f = face[row, col]
            out[row, col, 3] = 0.0
            if f < 0:
                continue
            X, Y = col + left, row + top
            ox, oy, oz, dx, dy, dz = sample_ray(camera, S, X, Y)
            a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
            u, v, t = barycentric(ox, oy, oz, dx, dy, dz, vertices, a, b, c)
            x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
            if floor and z < 0.0:
                continue
            m = material[f]
            opacity = materials[m, 6]
            if mirrored:  # rough floors mirror only what is near them
                opacity *= np.exp(-max(z, 0.0) / (0.22 * unit))
            s = 1.0 - u - v
            nx = s * normals[a, 0] + u * normals[b, 0] + v * normals[c, 0]
            ny = s * normals[a, 1] + u * normals[b, 1] + v * normals[c, 1]
            nz = s * normals[a, 2] + u * normals[b, 2] + v * normals[c, 2]
            length = np.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx / length, ny / length, nz / length
            length = np.sqrt(dx * dx + dy * dy + dz * dz)
            ex, ey, ez = -dx / length, -dy / length, -dz / length  # towards the eye
            facing = nx * ex + ny * ey + nz * ez
            if facing < 0.0:  # the inside of an open mesh, or a rim's interpolated normal
                if facing < -0.25:
                    nx, ny, nz, facing = -nx, -ny, -nz, -facing
                else:
                    facing = 0.0
            emission = materials[m, 5]
            phase = (X % S + (Y % S) * S) % share

            ndl = nx * lx + ny * ly + nz * lz
            visible = 0.0
            if ndl > 0.0 and emission < 1.0:
                step = 0.75 * key_texel
                qx, qy, qz = x + step * nx, y + step * ny, z + step * nz
                asked = 0
                for k in range(phase, key_count, share):
                    visible += lit(
                        key_shear, key_origin, key_shape, key_start, key_heights, key_texel, k, qx, qy, qz
                    )
                    asked += 1
                visible = visible / asked if asked > 0 else 1.0

            opened, total = 0.0, 1e-9
            if emission < 1.0:
                step = 0.9 * sky_texel
                qx, qy, qz = x + step * nx, y + step * ny, z + step * nz
                for k in range(phase, sky_count, share):
                    weight = nx * sky_direction[k, 0] + ny * sky_direction[k, 1] + nz * sky_direction[k, 2]
                    if weight > 0.02:
                        weight /= sky_direction[k, 2]  # directions come with density ∝ cos
                        total += weight
                        opened += weight * lit(
                            sky_shear, sky_origin, sky_shape, sky_start, sky_heights, sky_texel, k, qx, qy, qz
                        )
            # Undersides see hardly any sky: few directions count there, so lean on the prior.
            opened = (opened + 0.25) / (total + 0.25)
            near_floor = 1.0 - 0.55 * np.exp(-max(z, 0.0) / (0.07 * unit)) if floor else 1.0

            up = 0.5 + 0.5 * nz
            key_light = max(ndl, 0.0) * visible
            fill_light = max(0.0, (nx * fx + ny * fy + nz * fz + 0.35) / 1.35) * (0.35 + 0.65 * opened)
            grazing = 1.0 - facing
            rim_light = max(0.0, nx * rx + ny * ry + nz * rz + 0.1) * grazing * grazing * (0.3 + 0.7 * opened)

            # GGX highlight of the key; the light's own size widens it.
            rough = materials[m, 3]
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
                value = (
                    materials[m, i] * light * (1.0 - fresnel) + lights[1, i] * highlight + fresnel * around
                )
                colour[i] = soft_clip(value)
                colour[i] += emission * (materials[m, i] - colour[i])
            # A tint replaces hue, not form: light and shade stay.
            grey = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]
            grey = 0.25 + 1.5 * grey
            for i in range(3):
                out[row, col, i] = colour[i] + tint[3] * (min(1.0, tint[i] * grey) - colour[i])
            out[row, col, 3] = opacity
