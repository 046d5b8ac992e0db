"""What is around a figure and what carries it: surfaces, patches that touch, forces as arrows.

Discs lie on the surface below a patch that touches, coloured by the manner of its contact; where a contact
hovers, a line leads up to the skin. An arrow for every part that carries is as long as its share of
the weight. What no contact explains is an arrow in the colour of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.arrays import Array
from poise.contacts.patches import Patches, patches
from poise.contacts.support import Contact, Support
from poise.pictures.annotations import Key, Label
from poise.pictures.camera import Camera
from poise.pictures.marks import arrow, rod
from poise.pictures.material import Material
from poise.pictures.mesh import cylinder
from poise.pictures.performance import Performance
from poise.pictures.scene import Layer, Scene
from poise.pictures.surfaces import ASKED, GIVEN, DrawnSurface, asked_layers, drawn_surface, ground_level
from poise.world import Ball, Bar, Box, Field, Ground, World

MANNERS = {
    "stands": "#2b8a57",
    "rolls": "#2f6fb3",
    "pivots": "#1b9aaa",
    "slides": "#d9a400",
    "grips": "#b5651d",
    "lies": "#6b7f3a",
    "pushes": "#8a5a83",
}
"""Colours of manners of contact, in pictures and in the studio."""
GAP = "#f06a1a"
"""Contacts that hover above their surface."""
FORCE = "#d6336c"
MARKED = (FORCE, GAP, *MANNERS.values(), "#7b4bb3")
"""Colours of marks, which a film must not lose."""
WEIGHT = 0.30
"""Length of an arrow that carries the whole weight, over the figure's size."""
LEAST = 0.05
"""Forces below this are not drawn [weights]."""
LOST = 0.3
"""What no contact explains is drawn beyond this [weights]."""
HOVERS = 0.02
"""Contacts that are this far above their surface have a gap [m] for a figure of 1.75 m."""
NEAR = 0.8
"""Surfaces within this of the motion belong into the picture [m]."""


class Surroundings:
    """The world around a performance, and what carries it in its frames."""

    def __init__(self, performance: Performance, around: World | Support, times: Array | None = None) -> None:
        self.performance = performance
        self.support = around if isinstance(around, Support) else None
        self.world = around.world if isinstance(around, Support) else around
        clip = performance.clip
        self.moments = np.asarray(clip.times if times is None else times) * float(clip.rate)
        """Frames of the clip, also between them (F,)."""
        self.scale = performance.stature / 1.75
        cloud = performance.cloud(performance.some_frames(48)).reshape(-1, 3) - performance.offset
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        drawn = (drawn_surface(s, low, high) for s in self.world.surfaces)
        self.surfaces: tuple[DrawnSurface, ...] = tuple(
            each for each in drawn if each is not None and _near(each, low, high)
        )

    @property
    def spacious(self) -> bool:
        """Whether there is more than a floor: figures then stay where they are."""
        return bool(self.surfaces)

    def cloud(self) -> Array:
        """Points (P, 3) of the picture that bound what is around, but for slopes."""
        things = [s.skin.vertices for s in self.surfaces if not isinstance(s.surface.shape, Ground | Field)]
        return np.concatenate([*things, np.zeros((0, 3))]) + self.performance.offset

    def put_surfaces(self, scene: Scene) -> None:
        """Put surfaces into a scene."""
        if not self.surfaces:
            return
        asked, lines = asked_layers(scene)
        for each in self.surfaces:
            each.put(scene.solid, asked, lines, self.performance.offset, self.scale)

    def put_contacts(
        self, scene: Scene, frames: Sequence[int], shifts: Array | None = None, *, hero: int = -1
    ) -> None:
        """Put what touches and carries in frames of the performance into a scene, all of ghosts fainter."""
        if self.support is None:
            return
        for k, frame in enumerate(frames):
            bold = k == hero % len(frames)
            layer = scene.layer(opacity=0.92 if bold else 0.5, shadow=0.0)
            layer.on_top = True
            shift = self.performance.offset + (np.zeros(3) if shifts is None else shifts[k])
            self._put(layer, self.support, frame, shift)

    def _put(self, layer: Layer, support: Support, frame: int, shift: Array) -> None:
        found = patches(self.performance.character)
        places = _places(self.performance, found, frame)
        moment = float(self.moments[frame])
        below = self.world.below(places, support.need.radius)
        feet = places - below.normal * (support.need.radius + below.gap)[:, None]
        flat = 0.0035 * self.scale
        for contact in support.contacts:
            colour = Material(MANNERS[contact.manner], emission=0.6)
            for k in _touching(contact, found, moment, support):
                if not np.isfinite(below.gap[k]):
                    continue
                hovers = contact.gap > HOVERS * self.scale
                look = Material(GAP, emission=0.6) if hovers else colour
                disc = cylinder(round(0.030 * self.scale, 6), round(flat, 6), detail=24)
                turned = _upright(below.normal[k])
                layer.add(
                    disc, look, position=feet[k] + flat * below.normal[k] + shift, rotation=turned,
                    casts_shadow=False,
                )  # fmt: skip
                if hovers:
                    skin = places[k] - support.need.radius[k] * below.normal[k]
                    layer.add(
                        rod(feet[k], skin, width=0.008 * self.scale), look, position=shift, casts_shadow=False
                    )
        for start, force, look in self._forces(support, found, places, feet, moment):
            length = WEIGHT * self.performance.stature * force
            shaft = min(0.018 * self.performance.stature, 0.25 * float(np.linalg.norm(length)))
            layer.add(arrow(start, length, width=shaft), look, position=shift, casts_shadow=False)

    def _forces(
        self, support: Support, found: Patches, places: Array, feet: Array, moment: float
    ) -> list[tuple[Array, Array, Material]]:
        """Where forces act, themselves [weights], and how they look."""
        need = support.need
        row = _row(support, moment)
        if row is None:
            return []
        force = _between(support.force, need.rows, row)  # (K, 3)
        drawn = []
        for part in found.parts:
            ks = found.of_part(part)
            share = np.linalg.norm(force[ks], axis=1)
            if float(np.linalg.norm(force[ks].sum(axis=0))) > LEAST:
                at = np.where(np.isfinite(feet[ks]), feet[ks], places[ks])
                middle = (share[:, None] * at).sum(axis=0) / share.sum()
                drawn.append((middle, force[ks].sum(axis=0), Material(FORCE, emission=0.5)))
        left = _between(support.left, need.rows, row)[:3]
        frame = round(moment)
        for unseen in support.unseen:
            if unseen.start <= frame <= unseen.end and float(np.linalg.norm(left)) > LOST:
                drawn.append((places[found.of_part(unseen.nearest)].mean(axis=0), left, ASKED))
        return drawn

    def carrying(self, frame: int) -> set[str]:
        """Names of the surfaces that something touches in a frame; of all, where nobody knows."""
        if self.support is None:
            return {s.surface.name for s in self.surfaces}
        found, moment = patches(self.performance.character), float(self.moments[frame])
        return {c.surface for c in self.support.contacts if _touching(c, found, moment, self.support)}

    def labels(self, camera: Camera, names: set[str] | None = None) -> list[Label]:
        """Names of surfaces that are more than floor, as the camera sees them; of all, or those named."""
        found = []
        for each in self.surfaces:
            if names is not None and each.surface.name not in names:
                continue
            standing = isinstance(each.surface.shape, Box)
            points = each.skin.vertices if standing else each.top[None]
            seen, depth = camera.project(points + self.performance.offset)
            if depth.min() > camera.near:
                # Below what stands on the floor nobody stands.
                at = seen[int(np.argmax(seen[:, 1]))]
                colour = str_colour(ASKED if each.asked else GIVEN.mixed("#202838", 0.75))
                found.append(Label(at, _named(each, self.world), colour, standing))
        return found

    def legend(self, camera: Camera) -> list[Key]:
        """What marks mean, of those that can be in the picture."""
        keys = []
        if self.support is not None:
            stature = self.performance.stature
            distance = 1.0 if camera.orthographic else float(np.linalg.norm(camera.target - camera.eye))
            keys.append(Key("arrow", "one body weight", FORCE, WEIGHT * stature * camera.scale / distance))
            hovering = [c for c in self.support.contacts if c.gap > HOVERS * self.scale]
            manners = dict.fromkeys(c.manner for c in self.support.contacts if c not in hovering)
            keys += [Key("disc", manner, MANNERS[manner]) for manner in manners]
            if hovering:
                keys.append(Key("disc", "touches with a gap", GAP))
            if self.support.unseen:
                keys.append(Key("arrow", "held by something unseen", str_colour(ASKED)))
        if any(s.asked for s in self.surfaces):
            keys.append(Key("box", "found in the motion: is it there?", str_colour(ASKED)))
        return keys


def floor_of(around: World | Support | None) -> Callable[[Array, Array], float | None] | None:
    """Tells the height of the picture's floor [m] under a motion between corners; None: there is no world."""
    if around is None:
        return None
    floor = (around.world if isinstance(around, Support) else around).floor
    return lambda low, high: None if floor is None else ground_level(floor, low, high)


def str_colour(look: Material) -> str:
    """As #rrggbb."""
    return "#" + "".join(f"{round(255 * float(c)):02x}" for c in look.colour)


def _near(each: DrawnSurface, low: Array, high: Array) -> bool:
    """Whether a surface comes near the box that a motion fills."""
    own = each.skin.vertices
    return bool((own.min(axis=0) < high + NEAR).all() and (own.max(axis=0) > low - NEAR).all())


def _places(performance: Performance, found: Patches, frame: int) -> Array:
    """Of the patches, where the file has them [m] (K, 3)."""
    at, turns = performance.positions[frame] - performance.offset, performance.rotations[frame]
    return np.asarray(at[found.body] + np.einsum("kij,kj->ki", turns[found.body], found.place))


def _touching(contact: Contact, found: Patches, moment: float, support: Support) -> list[int]:
    """Patches of a contact that touch at a moment."""
    clip = support.need.clip
    shifts = (-clip.frames, 0, clip.frames) if clip.loop else (0,)
    at = [moment % clip.frames + s for s in shifts] if clip.loop else [moment]
    return [
        found.names.index(t.patch)
        for t in contact.touches
        if t.patch in found.names and any(t.start - 0.5 <= m <= t.end + 0.5 for m in at)
    ]


def _row(support: Support, moment: float) -> float | None:
    """A moment of the clip among the frames that were measured; None beyond them."""
    need = support.need
    at = (moment % need.clip.frames if need.clip.loop else moment) + need.lead
    return at if -0.5 <= at <= need.frames - 0.5 else None


def _between(curves: Array, rows: Array, at: float) -> Array:
    """Curves (T, …) given in rows, at a row between."""
    k = int(np.clip(np.searchsorted(rows, at) - 1, 0, max(len(rows) - 2, 0)))
    if len(rows) < 2:
        return np.asarray(curves[0])
    s = float(np.clip((at - rows[k]) / (rows[k + 1] - rows[k]), 0.0, 1.0))
    return np.asarray((1 - s) * curves[k] + s * curves[k + 1])


def _upright(normal: Array) -> Array:
    """A rotation that carries z to a normal."""
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = np.cross(helper, normal)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(normal, x), normal], axis=1)


def _named(each: DrawnSurface, world: World) -> str:
    """ "step 2? 40 cm": its name, asked if it was found, and its height above the floor."""
    surface = each.surface
    name = f"{surface.name}?" if each.asked else surface.name
    if isinstance(surface.shape, Ground):
        return f"{name} {np.degrees(np.arctan(np.hypot(*surface.shape.slope))):.0f}°"
    if not isinstance(surface.shape, Box | Bar | Ball):
        return name
    floor = world.floor
    height = float(floor.gap(each.top)[0]) if floor is not None else float(each.top[2])
    return f"{name} {100 * height:.0f} cm"
