"""What carries a motion, for the browser: surfaces as triangles, contacts, patches that touch, forces.

Everything is in frames and metres of the motion; the stage lifts it as it lifts the figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.contacts.given import ClipContacts, GivenContact
    from poise.contacts.support import Contact, Support
    from poise.pictures.performance import Performance
    from poise.pictures.surfaces import DrawnSurface
    from poise.pictures.surroundings import Surroundings
    from poise.world import World

ROUNDED = 4
"""Decimals of lengths: a tenth of a millimetre."""


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """Part of what is told."""


class SeenSurface(_Part, frozen=True, kw_only=True):
    """A surface as it is drawn."""

    name: str
    label: str
    """With its height, and a question mark where it was only found."""
    asked: bool
    """Whether it was found and nobody has confirmed it."""
    vertices: list[float]
    faces: list[int]
    edges: list[float]
    """Both ends of every edge."""
    moves: list[float]
    """Shift [m] and turn (quaternion x, y, z, w) in every frame, seven numbers each; empty: it stays."""


class SeenContact(_Part, frozen=True, kw_only=True):
    """A part of the body on a surface."""

    part: str
    surface: str
    start: int
    end: int
    manner: str
    gap: float
    """Above its surface though it carries [m]; 0: touches."""
    asked: bool
    """Whether its surface is only assumed."""
    locked: bool
    found: bool
    """Whether it is as it was found, not as somebody said."""


class SeenTouch(_Part, frozen=True, kw_only=True):
    """A patch while it touches: a disc on its surface."""

    colour: str
    start: int
    """Its first frame."""
    places: list[float]
    """x, y, z in every frame from there on."""


class SeenPush(_Part, frozen=True, kw_only=True):
    """The force on a part, in some frames; between them it changes evenly."""

    part: str
    colour: str
    frames: list[int]
    places: list[float]
    forces: list[float]
    """x, y, z [body weights]"""


class Carried(_Part, frozen=True, kw_only=True):
    """What carries a motion."""

    clip: str
    """The clip whose contacts these are; empty where they cannot be kept: another number of frames."""
    owned: bool
    """Whether the document keeps them."""
    surfaces: list[SeenSurface]
    contacts: list[SeenContact]
    touches: list[SeenTouch]
    pushes: list[SeenPush]
    flights: list[tuple[int, int]]
    """First and last frames of stretches that nothing carries."""
    colours: dict[str, str]
    """Of manners of contact, and of contacts with a ``gap``."""
    weight: float
    """How long an arrow of one body weight is [m]."""
    disc: float
    """Radius of a touch's disc [m]."""
    command: dict[str, Any] | None
    """Keeps them in the document; None where it has them, or cannot."""


def seen(shown: Performance, around: World | Support) -> Carried:
    """A world, or what carries a performance, to look at."""
    from poise.contacts.support import Support
    from poise.pictures.surroundings import Surroundings

    if isinstance(around, Support):
        return carried(shown, around)
    return _told(Surroundings(shown, around))


def carried(
    shown: Performance,
    support: Support,
    *,
    clip: str = "",
    owned: ClipContacts | None = None,
    command: dict[str, Any] | None = None,
) -> Carried:
    """What carries a performance; ``owned``: the contacts as the document has them."""
    from poise.pictures.surroundings import Surroundings

    return _told(Surroundings(shown, support), clip=clip, owned=owned, command=command)


def _told(
    around: Surroundings,
    *,
    clip: str = "",
    owned: ClipContacts | None = None,
    command: dict[str, Any] | None = None,
) -> Carried:
    from poise.pictures.surroundings import DISC, GAP, MANNERS, WEIGHT

    support = around.support
    said: list[Any] = [None] * len(support.contacts) if support is not None else []
    if owned is not None:
        said = list(owned.contacts)
    return Carried(
        clip=clip,
        owned=owned is not None,
        command=command,
        surfaces=surfaces(around),
        contacts=[] if support is None else [_contact(c, support, s) for c, s in zip(support.contacts, said)],
        touches=[] if support is None else _touches(around, support),
        pushes=[] if support is None else _pushes(around, support),
        flights=[] if support is None else [(f.start, f.end) for f in support.flights],
        colours={**MANNERS, "gap": GAP},
        weight=WEIGHT * around.performance.stature,
        disc=DISC * around.scale,
    )


def surfaces(around: Surroundings) -> list[SeenSurface]:
    """Surfaces that are more than level ground, which every stage has."""
    return [
        SeenSurface(
            name=each.surface.name,
            label=around.name_of(each),
            asked=each.asked,
            vertices=_flat(each.skin.vertices),
            faces=each.skin.faces.ravel().tolist(),
            edges=_flat(each.edges),
            moves=_moves(around, each),
        )
        for each in around.surfaces
    ]


def _moves(around: Surroundings, each: DrawnSurface) -> list[float]:
    from poise.manifold import so3

    if not each.surface.moves:
        return []
    found: list[float] = []
    for time in around.performance.clip.times:
        turn, shift = each.moved(float(time))
        w, x, y, z = so3.from_matrix(turn)
        found += [*_flat(shift), *(float(v) for v in (x, y, z, w))]
    return found


def _contact(contact: Contact, support: Support, said: GivenContact | None) -> SeenContact:
    asked = {s.name for s in support.world.questions}
    return SeenContact(
        part=contact.part,
        surface=contact.surface,
        start=contact.start,
        end=contact.end,
        manner=contact.manner,
        gap=round(contact.gap, ROUNDED),
        asked=not contact.surface or contact.surface in asked,
        locked=said is not None and said.locked,
        found=said is None or said.source == "found",
    )


def _touches(around: Surroundings, support: Support) -> list[SeenTouch]:
    """Runs of frames in which a patch touches, with the place below it in each."""
    open_: dict[tuple[int, int], SeenTouch] = {}
    done: list[SeenTouch] = []
    for frame in range(around.performance.frames):
        now = {(n, k): (place, colour) for n, k, place, colour in around.touches(support, frame)}
        for key in [key for key in open_ if key not in now]:
            done.append(open_.pop(key))
        for key, (place, colour) in now.items():
            touch = open_.setdefault(key, SeenTouch(colour=colour, start=frame, places=[]))
            touch.places.extend(_flat(place))
    return sorted([*done, *open_.values()], key=lambda t: t.start)


def _pushes(around: Surroundings, support: Support) -> list[SeenPush]:
    need = support.need
    frames = [int(r) - need.lead for r in need.rows]
    own = [f for f in frames if 0 <= f < around.performance.frames]
    found: dict[tuple[str, str], SeenPush] = {}
    for frame in own:
        for part, place, force, colour in around.pushes(support, frame):
            push = found.setdefault(
                (part, colour), SeenPush(part=part, colour=colour, frames=[], places=[], forces=[])
            )
            push.frames.append(frame)
            push.places.extend(_flat(place))
            push.forces.extend(_flat(force))
    return list(found.values())


def _flat(values: Array) -> list[float]:
    return [round(float(v), ROUNDED) + 0.0 for v in values.ravel()]
