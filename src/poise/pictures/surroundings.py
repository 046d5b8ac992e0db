"""What is around a figure and what carries it: surfaces, patches that touch, forces as arrows.

Discs lie on the surface below a patch that touches, coloured by the manner of its contact; where a contact
hovers, a line leads up to the skin. An arrow for every part that carries is as long as its share of
the weight. What no contact explains is an arrow in the colour of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.patches import Patches
from poise.contacts.support import Contact, Support
from poise.pictures.annotations import Key, Label
from poise.pictures.camera import Camera
from poise.pictures.marks import arrow, rod
from poise.pictures.material import Material
from poise.pictures.mesh import cylinder
from poise.pictures.performance import Performance
from poise.pictures.scene import Layer, Scene
from poise.pictures.surfaces import ASKED, GIVEN, DrawnSurface, asked_layers, drawn_surface, ground_level
from poise.world import Ball, Bar, Below, Box, Field, Ground, World

MANNERS = {
    "stands": "#2b8a57",
    "rolls": "#2f6fb3",
    "pivots": "#1b9aaa",
    "slides": "#d9a400",
    "grips": "#b5651d",
    "hangs": "#8f3b2e",
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
DISC = 0.030
"""Radius of a disc where a patch touches [m] for a figure of 1.75 m."""
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
        clip = performance.clip
        world = around.world if isinstance(around, Support) else around
        self.world = world.carried_by(clip)
        self.moments = np.asarray(clip.times if times is None else times) * float(clip.rate)
        """Frames of the clip, also between them (F,)."""
        self.scale = performance.stature / 1.75
        cloud = performance.cloud(performance.some_frames(48)).reshape(-1, 3) - performance.offset
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        drawn = (drawn_surface(s, low, high) for s in self.world.surfaces if not s.muted)
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

    def put_surfaces(self, scene: Scene, frame: int) -> None:
        """Put surfaces into a scene, as they are in a frame of the performance."""
        if not self.surfaces:
            return
        layers = (scene.solid, *asked_layers(scene))
        for each in self.surfaces:
            each.put(layers, self.performance.offset, self.scale, self._time(frame))

    def _time(self, frame: int) -> float:
        """Of a frame of the performance [s]."""
        return float(self.moments[frame]) / float(self.performance.clip.rate)

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
        flat = 0.0035 * self.scale
        below = self._below(support, frame)
        for _, k, place, colour in self.touches(support, frame):
            look, normal = Material(colour, emission=0.6), below.normal[k]
            disc = cylinder(round(DISC * self.scale, 6), round(flat, 6), detail=24)
            layer.add(
                disc, look, position=place + flat * normal + shift, rotation=_upright(normal),
                casts_shadow=False,
            )  # fmt: skip
            skin = place + below.gap[k] * normal
            if colour == GAP and below.gap[k] > 0:
                line = rod(place, skin, width=0.008 * self.scale)
                layer.add(line, look, position=shift, casts_shadow=False)
        for _, start, force, colour in self.pushes(support, frame):
            length = WEIGHT * self.performance.stature * force
            shaft = min(0.018 * self.performance.stature, 0.25 * float(np.linalg.norm(length)))
            look = Material(colour, emission=0.5)
            layer.add(arrow(start, length, width=shaft), look, position=shift, casts_shadow=False)

    def _below(self, support: Support, frame: int) -> Below:
        places = _places(self.performance, support.need.patches, frame)
        return self.world.below(places, support.need.radius, time=self._time(frame))

    def touches(self, support: Support, frame: int) -> Iterator[tuple[int, int, Array, str]]:
        """What touches in a frame: number of the contact, patch, place on its surface [m], colour."""
        found, moment = support.need.patches, float(self.moments[frame])
        below, places = self._below(support, frame), _places(self.performance, found, frame)
        for n, contact in enumerate(support.contacts):
            for k in _touching(contact, found, moment, support):
                if np.isfinite(below.gap[k]):
                    place = places[k] - below.normal[k] * (support.need.radius[k] + below.gap[k])
                    yield n, k, place, contact_colour(contact, support)

    def pushes(self, support: Support, frame: int) -> Iterator[tuple[str, Array, Array, str]]:
        """Forces in a frame: on which part, where [m], themselves [weights], colour."""
        need, found, moment = support.need, support.need.patches, float(self.moments[frame])
        row = _row(support, moment)
        if row is None:
            return
        places, below = _places(self.performance, found, frame), self._below(support, frame)
        off = np.where(np.isfinite(below.gap), need.radius + below.gap, 0.0)
        feet = places - below.normal * off[:, None]
        force = _between(support.force, need.rows, row)  # (K, 3)
        for part in found.parts:
            ks = found.of_part(part)
            share, total = np.linalg.norm(force[ks], axis=1), force[ks].sum(axis=0)
            if float(np.linalg.norm(total)) > LEAST:
                yield part, (share[:, None] * feet[ks]).sum(axis=0) / share.sum(), total, FORCE
        left = _between(support.left, need.rows, row)[:3]
        for unseen in support.unseen:
            if unseen.start <= round(moment) <= unseen.end and float(np.linalg.norm(left)) > LOST:
                nearest = places[found.of_part(unseen.nearest)].mean(axis=0)
                yield unseen.nearest, nearest, left, str_colour(ASKED)

    def carrying(self, frame: int) -> set[str]:
        """Names of the surfaces that something touches in a frame; of all, where nobody knows."""
        if self.support is None:
            return {s.surface.name for s in self.surfaces}
        found, moment = self.support.need.patches, float(self.moments[frame])
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
                found.append(Label(at, self.name_of(each), colour, standing))
        return found

    def name_of(self, each: DrawnSurface) -> str:
        """ "step 2? 40 cm": its name, asked if it was found, and its height above the floor."""
        return _named(each, self.world)

    def legend(self, camera: Camera) -> list[Key]:
        """What marks mean, of those that can be in the picture."""
        keys = []
        if self.support is not None:
            stature = self.performance.stature
            distance = 1.0 if camera.orthographic else float(np.linalg.norm(camera.target - camera.eye))
            keys.append(Key("arrow", "one body weight", FORCE, WEIGHT * stature * camera.scale / distance))
            meant = {colour: manner for manner, colour in MANNERS.items()} | {GAP: "touches with a gap"}
            seen = dict.fromkeys(contact_colour(c, self.support) for c in self.support.contacts)
            keys += [Key("disc", meant[colour], colour) for colour in meant if colour in seen]
            if self.support.unseen:
                keys.append(Key("arrow", "held by something unseen", str_colour(ASKED)))
        if any(s.asked for s in self.surfaces):
            keys.append(Key("box", "found in the motion: is it there?", str_colour(ASKED)))
        return keys


def contact_colour(contact: Contact, support: Support) -> str:
    """By its manner, or that of contacts with a gap."""
    return GAP if contact.gap > HOVERS * support.need.scale else MANNERS[contact.manner]


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


def _between(curves: Array, rows: IntArray, at: float) -> Array:
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
