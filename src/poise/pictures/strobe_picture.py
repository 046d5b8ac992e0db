"""Strobed stills: one motion in one picture, as several figures with the paths of chosen points.

Figures are chosen frames, or spaced evenly in time or in distance travelled. One of them is the hero;
the others are ghosts, fainter the further they are from it, or solid in alternating shades. A motion
on the spot is set out in a row, as if it went along; only the hero is where the motion is, and trails
are the true paths, drawn there. ``offset=0`` keeps all figures in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.contacts.support import Support
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip, MeshClip
from poise.pictures.annotations import annotated
from poise.pictures.arrangement import arranged
from poise.pictures.backdrop import Floor
from poise.pictures.camera import Camera
from poise.pictures.compositing import Picture
from poise.pictures.marks import TRAIL_COLOURS, add_ground_shadow, add_target, add_trail
from poise.pictures.material import Material
from poise.pictures.performance import CENTRE_OF_MASS, Performance
from poise.pictures.scene import STILL, Quality, Scene, render
from poise.pictures.surroundings import Surroundings, floor_of
from poise.pictures.views import View
from poise.world import World

STYLES = ("ghosts", "solid")
SPACINGS = ("time", "distance")
GHOST_TINT = "#8cb8f2"
APART = (0.1, 0.06)
"""Ghosts nearer to a drawn figure than this share of its stature, in the mean over bodies, are left out: two
bodies in one place draw as blotches. For figures where they are, and for those set out in a row, which only
stand behind one another where the motion rests. Chosen by eye."""

Trails = Sequence[str] | Mapping[str, str | Material]


def strobe(
    clip: Clip | MeshClip,
    *,
    frames: Sequence[int] | None = None,
    count: int = 5,
    spacing: str = "time",
    hero: int = -1,
    style: str = "ghosts",
    offset: float | None = None,
    trails: Trails = (),
    centre_of_mass: bool = False,
    targets: Sequence[ArrayLike] = (),
    meshes: Sequence[MeshClip] = (),
    world: World | Support | None = None,
    view: str | View = "auto",
    size: tuple[int, int] = (1600, 900),
    margin: float = 0.07,
    quality: Quality = STILL,
    threads: int | None = None,
) -> Picture:
    """A picture (H, W, 3) of several moments of a clip.

    By default a motion on the spot is set out in a row, and only the hero is in its true place.

    Args:
        clip: The motion.
        frames: Numbers of frames, negative from the end. Default: ``count`` of them.
        count: How many moments [≥ 1].
        spacing: "time" or "distance".
        hero: Which of the chosen figures is solid, negative from the end.
        style: How the others look: "ghosts" or "solid".
        offset: How far each figure, and the trails with it, is moved on from the one before, to the right of
            the picture [m]; 0 draws all where they are.
        trails: Bodies or points; a mapping gives materials.
        centre_of_mass: Whether its path, and the path's shadow, are drawn.
        targets: World positions to mark [m], (3,) each.
        meshes: What moves along with the character.
        world: Surfaces to draw; with what carries the motion (``poise.contacts.find``), contacts and forces
            too.
        view: The name of one of ``VIEWS``, "auto", or a `View`.
        size: Width and height [px].
        margin: Part of the picture left free on each side [0 … 0.5).
        quality: How much work goes into it.
        threads: At most so many. Default: one per core.

    Returns:
        Picture: 8-bit sRGB.

    Raises:
        InputError: A frame does not exist, or an option is out of range.
        UnknownNameError: There is no such view, style, spacing or point.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> picture = poise.pictures.strobe(punch, count=3, size=(320, 180), trails=["RightHandCentre"])
        >>> poise.pictures.save_png(picture, "punch.png")
    """
    if style not in STYLES:
        raise UnknownNameError("style", style, STYLES)
    performance = Performance(clip, detail=quality.detail, meshes=meshes, floor=floor_of(world))
    around = Surroundings(performance, world) if world is not None else None
    if around is not None and around.spacious and offset is None:
        offset = 0.0
    chosen = chosen_frames(performance, frames=frames, count=count, spacing=spacing)
    if not -len(chosen) <= hero < len(chosen):
        raise InputError(f"hero {hero} does not exist: there are {len(chosen)} figures")
    main = hero % len(chosen)
    row = arranged(performance, chosen, main, view, size=size, offset=offset)
    look, shifts = row.view, row.shifts

    scene = Scene(floor=Floor(tile=tile_size(performance.stature)), unit=performance.stature)
    drawn: Sequence[int] = range(len(chosen))
    if style != "solid" and frames is None:
        drawn = _apart(performance, chosen, shifts, main, APART[int(bool(row.spread))])
    for k in drawn:
        frame, distance = chosen[k], abs(k - main) / max(1, len(chosen) - 1)
        if k == main or style == "solid":
            shade = 0.0 if (k - main) % 2 == 0 else 0.20
            performance.put(scene.solid, frame, shift=shifts[k], whiten=shade)
        else:
            opacity = 0.74 - 0.40 * distance
            ghost = scene.layer(opacity=opacity, tint=GHOST_TINT, tint_amount=0.9, shadow=0.75 * opacity)
            performance.put(ghost, frame, shift=shifts[k])

    width = 0.0125 * performance.stature
    bounds = [performance.cloud(chosen) + shifts[:, None]]
    # Figures set apart by the picture are one motion on one spot: its paths are drawn once, by the hero.
    carried = np.zeros_like(shifts) if row.spread and offset is None else shifts
    for path, material in _paths(performance, chosen, carried, trails, centre_of_mass):
        add_trail(scene.layer(shadow=0.0), path, material, width=width)
        bounds.append(path[None])
        if material == "centre_of_mass":
            add_ground_shadow(scene.layer(shadow=0.0), path, width=width)
    for target in targets:
        at = checked(target, "target", (3,)) + performance.offset
        add_target(scene, at, radius=0.02 * performance.stature, towards=_facing(look))
        bounds.append(at[None, None])
    if around is not None:
        around.put_surfaces(scene, chosen[main])
        around.put_contacts(scene, chosen, shifts, hero=main)
        bounds.append(around.cloud())
    points = np.concatenate([b.reshape(-1, 3) for b in bounds])
    camera = Camera.framing(
        points, azimuth=look.azimuth, elevation=look.elevation, size=size, margin=margin,
        orthographic=look.orthographic,
    )  # fmt: skip
    image = render(scene, camera, quality=quality, threads=threads)
    return image if around is None else annotated(image, around.labels(camera), around.legend(camera))


def chosen_frames(
    performance: Performance, *, frames: Sequence[int] | None, count: int, spacing: str
) -> list[int]:
    """Frame numbers in order of time; a rest pose put before the motion is only drawn where named."""
    if frames is not None:
        if len(frames) == 0:
            raise InputError("frames must name at least one frame")
        return sorted({performance.frame(int(f)) for f in frames})
    if count < 1:
        raise InputError(f"count must be at least 1, not {count}")
    first, last = performance.first, performance.frames - 1
    if count == 1:
        return [last]
    if spacing == "time":
        wanted = np.linspace(first, last, count)
    elif spacing == "distance":
        # The mean path length over all bodies: also grows when only an arm moves.
        moved = np.linalg.norm(np.diff(performance.positions[first:], axis=0), axis=2).mean(axis=1)
        way = np.concatenate([[0], np.cumsum(moved)])
        wanted = np.linspace(first, last, count) if way[-1] == 0 else np.interp(
            np.linspace(0, way[-1], count), way, np.arange(first, last + 1)
        )  # fmt: skip
    else:
        raise UnknownNameError("spacing", spacing, SPACINGS)
    return sorted({int(round(f)) for f in wanted})


def _apart(
    performance: Performance, chosen: Sequence[int], shifts: Array, main: int, apart: float
) -> list[int]:
    """Which of the chosen figures to draw: the hero, and outward from it those not in another's place."""
    places = performance.positions[list(chosen)] + shifts[:, None]
    drawn = [main]
    for k in sorted(range(len(chosen)), key=lambda k: abs(k - main)):
        off = [np.linalg.norm(places[k] - places[other], axis=1).mean() for other in drawn]
        if min(off) > apart * performance.stature:
            drawn.append(k)
    return sorted(drawn)


def tile_size(stature: float) -> float:
    """A round tile of about a third of the figure's size: 1, 2 or 5 times a power of ten [m]."""
    wanted = stature / 3.2
    power = 10.0 ** np.floor(np.log10(wanted))
    steps = np.array([1.0, 2.0, 5.0, 10.0])
    return float(power * steps[np.argmin(np.abs(np.log(steps * power / wanted)))])


def _facing(look: View) -> Array:
    a, e = np.radians(look.azimuth), np.radians(look.elevation)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def _paths(
    performance: Performance, chosen: Sequence[int], shifts: Array, trails: Trails, centre_of_mass: bool
) -> list[tuple[Array, str | Material]]:
    """Paths between the first and the last figure, spread like the figures, with their materials."""
    named = (
        list(trails.items())
        if isinstance(trails, Mapping)
        else [(name, TRAIL_COLOURS[k % len(TRAIL_COLOURS)]) for k, name in enumerate(trails)]
    )
    if centre_of_mass:
        named.append((CENTRE_OF_MASS, "centre_of_mass"))
    span = np.arange(chosen[0], chosen[-1] + 1)
    if len(span) < 2:
        return []
    if len(chosen) > 2:
        from scipy.interpolate import PchipInterpolator

        moved = PchipInterpolator(chosen, shifts)(span)  # smooth, and exact at each figure
    else:
        moved = np.stack([np.interp(span, chosen, shifts[:, axis]) for axis in range(3)], axis=1)
    return [(performance.point(name)[span] + moved, look) for name, look in named]
