"""Parts of a body that stand, lean or sit, and what keeps them there while the rest is loose.

Contacts are those of the *source* (:func:`poise.contacts.find.find`). Nothing is pinned to a place: the aim
is the animation's own path, so feet that roll and pivot stay right. Two ways, by what carries the part:

*Keyed*: where the root moves as animated and a limb of its own leads from it to the part (a leg), the limb's
joints show none of the simulation while the part touches: exact.

*Anchored*: else (a driven root; hands, forelegs that hang from a spine) an implicit spring pulls the part's
body towards its animated place and turn (:mod:`poise.dynamics.anchors`), and what hangs from it is keyed.

A foot in the air is drawn softly to its path (``SWING``): loose legs would strike the floor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from poise.arrays import Array, frozen
from poise.character import Character
from poise.character.labels import labelled
from poise.contacts.differentiated_clip import Mask
from poise.contacts.find import find
from poise.contacts.low_feet import low_feet
from poise.contacts.patches import FOOT, patches
from poise.errors import UnknownNameError
from poise.methods.loosen.simulate.amplitude import eased
from poise.methods.loosen.simulate.anchors import Anchor
from poise.methods.loosen.simulate.gains import WHOLE, path_to
from poise.motion import Clip

RAMP, REACH = 0.15, 0.13
"""Time over which a foot, or another part, comes to stand and comes off again [s]: a heel strike takes as
long; loose hands come from farther."""
SWING = 0.5
"""Weight of a foot's anchor in the air; 0 lets drunk feet sink by 4 to 10 cm, 1 would hold them."""


@dataclass(frozen=True, eq=False)
class Plant:
    """One part that touches at times."""

    part: str
    """"left foot" …"""
    body: int
    """The topmost of its bodies."""
    foot: bool
    """Whether it is one to stand on."""
    spans: Array
    """When it touches [s], (n, 2); of a loop also in the cycles around."""
    span: float
    """The clip's duration [s]."""
    loop: bool
    elsewhere: tuple[Callable[[Array], Array], ...] = ()
    """Weights of what holds its limb elsewhere, as users ask: it gives way to these."""
    aimed: tuple[Callable[[Array], Array], ...] = ()
    """Weights of targets on its limb: an anchor gives way to these; keyed limbs follow corrections anyway."""

    def given_way(self, times: Array) -> Array:
        """How much is left of it beside what holds its limb elsewhere, from 0 to 1, (T,)."""
        out = np.ones(len(times))
        for weight in self.elsewhere:
            out = out * (1.0 - weight(times))
        return out

    def weight(self, times: Array) -> Array:
        """1 while it touches, eased to 0 before and after, (T,)."""
        t = np.asarray(times, dtype=np.float64)
        t = np.mod(t, self.span) if self.loop else np.clip(t, 0.0, self.span)
        gap = np.full(t.shape, np.inf)
        for start, end in self.spans:
            gap = np.minimum(gap, np.maximum(np.maximum(start - t, t - end), 0.0))
        out = eased(1.0 - gap / (RAMP if self.foot else REACH))
        return out * self.given_way(times) if self.elsewhere else out

    def swinging(self, times: Array) -> Array:
        """The anchor's weight, (T,)."""
        s = self.weight(times)
        out = SWING * self.given_way(times) + (1.0 - SWING) * s if self.foot else s
        for weight in self.aimed:
            out = out * (1.0 - weight(times))
        return np.asarray(out)

    def stands(self, times: Array) -> Mask:
        """Whether it touches and nobody wants it elsewhere, (T,)."""
        asked = sum((weight(times) for weight in self.aimed), np.zeros(len(times)))
        return np.asarray((self.weight(times) == 1.0) & (asked == 0.0))

    def drawn(self, times: Array) -> Array:
        """The same of a foot that is keyed while it stands: drawn softly at all times."""
        return SWING * self.given_way(times)


@dataclass(frozen=True, eq=False)
class Planted:
    """What keeps all parts where they touch."""

    anchors: tuple[Anchor, ...]
    keyed: tuple[tuple[Plant, tuple[int, ...]], ...]
    """Bodies that show none of the simulation while a part touches."""

    def shown(self, character: Character) -> Callable[[Array], Array] | None:
        """Amplitudes of all degrees of freedom, (T, nv); None where none is less than 1."""
        if not self.keyed:
            return None
        every = np.arange(character.nv)
        kept = [(p, np.concatenate([every[character.dofs(b)] for b in bodies])) for p, bodies in self.keyed]

        def curve(times: Array) -> Array:
            out = np.ones((len(times), character.nv))
            for plant, own in kept:
                out[:, own] = np.minimum(out[:, own], 1.0 - plant.weight(times)[:, None])
            return out

        return curve


@lru_cache(maxsize=16)
def plants_of(clip: Clip, given: tuple[tuple[str, int, int], ...] | None = None) -> tuple[Plant, ...]:
    """The parts of a clip's character that touch something, and when: as found, or as ``given`` by part,
    first and last frame."""
    if not clip.character.total_mass > 0 or clip.frames < 3:
        return ()
    own = patches(clip.character)
    spans: dict[str, list[tuple[float, float]]] = {}
    touching = [(c.part, c.start, c.end) for c in find(clip).contacts] if given is None else given
    for part, start, end in touching:
        if part not in own.parts:
            raise UnknownNameError("part of the body", part, own.parts)
        spans.setdefault(part, []).append((start * clip.dt, end * clip.dt))
    limbs = labelled(clip.character).bodies
    scuffed = low_feet(clip)
    out = []
    for part, seconds in spans.items():
        rows = own.of_part(part)
        body = int(own.body[rows].min())
        if not limbs[body].limb:
            continue  # a puck, a pendulum: what touches is not what carries it
        foot = bool((own.kind[rows] == FOOT).any())
        span = clip.duration
        if foot:
            seconds = seconds + scuffed.get(part, [])
        if clip.loop:
            seconds = [(a + k * span, b + k * span) for k in (-1, 0, 1) for a, b in seconds]
        out.append(Plant(part, body, foot, frozen(_joined(seconds, clip.dt)), span, clip.loop))
    return tuple(out)


def _joined(spans: list[tuple[float, float]], dt: float) -> Array:
    """Spans in order of time, those that follow on each other as one."""
    out: list[tuple[float, float]] = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1] + 1.5 * dt:
            out[-1] = out[-1][0], max(b, out[-1][1])
        else:
            out.append((a, b))
    return np.array(out)


def giving_way(
    character: Character, plants: tuple[Plant, ...], holds: tuple[Anchor, ...]
) -> tuple[Plant, ...]:
    """Parts that touch; those whose limb is held elsewhere give way for as long as it is."""
    if not holds and not any(plant.elsewhere for plant in plants):
        return plants
    limb = [(b.side, WHOLE.get(b.limb, b.limb)) for b in character.bodies]
    return tuple(
        replace(plant, elsewhere=tuple(h.weight for h in holds if limb[h.body] == limb[plant.body]))
        for plant in plants
    )


def planted(character: Character, plants: tuple[Plant, ...], *, driven: bool) -> Planted:
    """How the parts are kept, with a root that is driven or moves as animated."""
    anchors, keyed = [], []
    for plant in plants:
        below = tuple(character.subtree(plant.body)[1:])
        limb = None if driven else _own_limb(character, plant.body)
        if plant.body == 0 and not driven:
            continue  # it moves as animated
        if limb is None:
            anchors.append(Anchor(plant.body, plant.swinging))
            keyed.append((plant, below))
            continue
        keyed.append((plant, (*limb, *below)))
        if plant.foot:
            anchors.append(Anchor(plant.body, plant.drawn))
    return Planted(tuple(anchors), tuple((p, b) for p, b in keyed if b))


def _own_limb(character: Character, body: int) -> tuple[int, ...] | None:
    """Bodies from the root's child down to a part, where nothing else branches off; None where it does."""
    path = path_to(character, body)
    for above, under in zip(path[1:], path):
        others = [
            i for i in range(1, len(character.bodies)) if int(character.parents[i]) == above and i != under
        ]
        if any(character.bodies[i].limb not in ("leg", "foot") for i in others):
            return None
    return tuple(path[::-1])
