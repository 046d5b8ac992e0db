"""Harm: what a repair does besides, judged by plain placement that no solver shares.

Frames that changed lie in runs; in every run joints, jumps, smoothness, feet are looked at, before and after.
A run that is harmed is to be taken back. Contacts are those of the clip as it was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask, runs
from poise.motion import Clip
from poise.plausibility.finding import Finding
from poise.plausibility.report import PlausibilityReport

AROUND = 0.2
"""How far beyond a fault its mending may reach [s]."""
OUTSIDE = 0.008
"""Way of a joint beyond that [m]."""
POSTURE, STILL = 0.025, 0.015
"""Way of a knee, hip or elbow while the feet that are mended move by less than the latter [m]."""
APEX = 0.02
"""Change of the height of a jump [m]."""
JERK = 1.18
"""Root mean square of third differences over what it was, in frames that changed and their neighbours …"""
JERK_OF_ONE, USUAL, OF_BODY = 1.3, 2.0, 0.5
"""… and of one joint, unless it stays below so many times the median of its own in the whole clip, or such a
share of the body's for who hardly moves: what a limb that was thrown gains does not pay for another one that
is thrown now."""
QUIET = 0.2
"""Feet that are slower hardly move [m/s]."""
EXTRA = 0.002
"""Ways that are slid in addition up to this are rounding [m]."""
SLIDE, SINK = 0.001, 0.001
"""How much faster feet that stand may slide [m/s], and how much deeper they may be [m]."""
FLIES = ("drift", "spin", "gravity")
STANDS = ("skate", "penetration", "hover")
FURTHER = 1.3, 0.015
"""A joint moves no further than so many times what is wrong with a foot, and so much more [m]."""
SHALLOW = 0.004
"""Depths that nobody can see [m]."""
TIP = 0.1
"""Points so far from joints turn with them [m]: a head that trembles moves no joint."""
BESIDE = 0.1
"""Time beside frames that changed in which jerk is looked at [s] …"""
NEARER = 0.025
"""… and feet."""
WHILE = 0.05
"""Depths of feet are compared with the deepest within so long [s]."""
JOINED = 0.02
"""Runs that are less apart are one [s]."""


@dataclass(frozen=True)
class Harm:
    """What got worse, where."""

    first: int
    last: int
    """The run of frames that changed."""
    at: int
    """Where it is worst."""
    words: str


def harms(given: PlausibilityReport, after: Clip, faults: Sequence[Finding]) -> list[Harm]:
    """Runs of frames that a repair harmed; ``faults`` is what it is about."""
    before = given.physics.clip
    changed = (before.q != after.q).any(axis=1)
    if not changed.any():
        return []
    was, now = (np.asarray(c.character.placement(c.q).positions) for c in (before, after))
    turned = [after.character.placement(c.q).rotations[..., 0] for c in (before, after)]
    look = _Look(
        given, before, after, was, now, (was + TIP * turned[0], now + TIP * turned[1]), tuple(faults)
    )
    for a, b in runs(~changed):
        if (b - a + 1) * before.dt < JOINED and a > 0 and b < len(changed) - 1:
            changed[a : b + 1] = True
    found = []
    for a, b in runs(changed):
        looks = (look.outside, look.far, look.posture, look.apex, look.feet, look.jerk)
        said = next((got for got in (one(a, b) for one in looks) if got is not None), None)
        if said is not None:
            found.append(Harm(a, b, *said))
    return found


def _near(clip: Clip, faults: Sequence[Finding]) -> Mask:
    reach, out = round(AROUND * clip.fps), np.zeros(clip.frames, bool)
    for f in faults:
        out[max(f.start - reach, 0) : f.end + reach + 1] = True
    return out


@dataclass(frozen=True, eq=False)
class _Look:
    """Joints before and after (F, n, 3), points that turn with them, and what was wrong."""

    given: PlausibilityReport
    clip: Clip
    after: Clip
    was: Array
    now: Array
    tips: tuple[Array, Array]
    faults: tuple[Finding, ...]

    @cached_property
    def near(self) -> Mask:
        """Frames near faults (F,)."""
        return _near(self.clip, self.faults)

    @cached_property
    def usual_jerks(self) -> tuple[Array, ...]:
        """Median third differences in the clip as it was given [m], of points that turn with joints, and of
        joints (n,) each; at least a share of what the body has in the root mean square."""
        sizes = (np.linalg.norm(np.diff(x, 3, axis=0), axis=2) for x in (self.tips[0], self.was))
        usual = (np.median(x, axis=0) for x in sizes)
        return tuple(np.maximum(x, OF_BODY * np.sqrt((x**2).mean())) for x in usual)

    @cached_property
    def feet_near(self) -> Mask:
        """Frames near faults of feet (F,)."""
        return _near(self.clip, [f for f in self.faults if "foot" in f.where])

    def _roles(self, *ends: str) -> list[int]:
        own = roles(self.clip.character)
        return sorted({own[r] for r in own if r.endswith(ends)})

    def far(self, a: int, b: int) -> tuple[int, str] | None:
        """Joints that move further than a foot is off."""
        own = [f for f in self.faults if f.kind in STANDS and f.start <= b and f.end >= a]
        if not own or len(own) < len([f for f in self.faults if f.start <= b and f.end >= a]):
            return None
        most = FURTHER[0] * max(f.amount for f in own) + FURTHER[1]
        way = np.linalg.norm(self.now[a : b + 1] - self.was[a : b + 1], axis=2).max(axis=1)
        if way.max() <= most:
            return None
        words = (
            f"a joint would move by {100 * way.max():.1f} cm for {100 * max(f.amount for f in own):.1f} cm"
        )
        return a + int(way.argmax()), words

    def outside(self, a: int, b: int) -> tuple[int, str] | None:
        """Joints that move where nothing was wrong."""
        way = np.linalg.norm(self.now[a : b + 1] - self.was[a : b + 1], axis=2).max(axis=1)
        way = np.where(self.near[a : b + 1], 0.0, way)
        if way.max() <= OUTSIDE:
            return None
        return a + int(way.argmax()), f"a joint would move by {100 * way.max():.1f} cm where nothing is wrong"

    def posture(self, a: int, b: int) -> tuple[int, str] | None:
        """Knees, hips and elbows that are thrown while feet hardly move."""
        joints, soles = self._roles(" shin", " thigh", " forearm"), self._roles(" foot", " toes")
        if not joints or not soles:
            return None
        way = np.linalg.norm(self.now[a : b + 1] - self.was[a : b + 1], axis=2)
        quiet = self.feet_near[a : b + 1] & (way[:, soles].max(axis=1) < STILL)
        far = np.where(quiet, way[:, joints].max(axis=1), 0.0)
        if far.max() <= POSTURE:
            return None
        at = int(far.argmax())
        name = self.clip.character.names[joints[int(way[at, joints].argmax())]]
        return a + at, f"{name} would move by {100 * far.max():.1f} cm for a foot that hardly does"

    def apex(self, a: int, b: int) -> tuple[int, str] | None:
        """Jumps whose height changes."""
        for phase in self.given.flights:
            if phase.end < a or phase.start > b or phase.seconds < 0.15:
                continue
            if any(f.kind in FLIES and f.start <= phase.end and f.end >= phase.start for f in self.faults):
                continue
            span = slice(max(phase.start, 0), phase.end + 1)
            old, new = (x[span, :, 2].mean(axis=1) for x in (self.was, self.now))
            change = max(
                abs((new.max() - 0.5 * (new[0] + new[-1])) - (old.max() - 0.5 * (old[0] + old[-1]))),
                abs(new.max() - old.max()),
            )
            if change > APEX:
                return phase.start, f"a jump would change its height by {100 * change:.1f} cm"
        return None

    def jerk(self, a: int, b: int) -> tuple[int, str] | None:
        """Roughness."""
        beside = max(3, round(BESIDE * self.clip.fps))  # third differences need as many
        low, high = max(a - beside, 0), min(b + beside, len(self.was) - 1)
        if high - low < 4:
            return None
        old, new = ((np.diff(x[low : high + 1], 3, axis=0) ** 2).sum(axis=2) for x in self.tips)
        sizes = [float(np.sqrt(x.mean())) for x in (old, new)]
        if sizes[1] > JERK * sizes[0] + 1e-6:
            worst = int((new - old).sum(axis=1).argmax())
            return low + worst, f"its joints would jerk {sizes[1] / max(sizes[0], 1e-9):.1f} times as much"
        for pair, usual in zip((self.tips, (self.was, self.now)), self.usual_jerks):
            old, new = ((np.diff(x[low : high + 1], 3, axis=0) ** 2).sum(axis=2) for x in pair)
            own, now = (np.sqrt(x.mean(axis=0)) for x in (old, new))
            times = now / np.maximum(np.maximum(own, USUAL * usual), 1e-6)
            joint = int(times.argmax())
            if times[joint] > JERK_OF_ONE:
                worst = int((new - old)[:, joint].argmax())
                name = self.clip.character.names[joint]
                return (
                    low + worst,
                    f"{name} would jerk {now[joint] / max(own[joint], 1e-9):.1f} times as much",
                )
        return None

    def feet(self, a: int, b: int) -> tuple[int, str] | None:
        """Feet that slide faster or sink deeper while they stand."""
        from scipy.ndimage import maximum_filter1d

        physics, dt = self.given.physics, self.clip.dt
        patches, world, radius = physics.footing.patches, physics.world, physics.support.need.radius
        nearer = max(1, round(NEARER * self.clip.fps))
        low, high = max(a - nearer, 0), min(b + nearer, len(self.was) - 1)
        places = []
        for clip in (self.clip, self.after):
            at, turns = clip.character.placement(clip.q[low : high + 1])
            places.append(
                at[:, patches.body] + np.einsum("fkij,kj->fki", turns[:, patches.body], patches.place)
            )
        time = (np.arange(low, high + 1) * dt)[:, None] if world.moves else None
        gaps = [np.where(np.isfinite(g), g, 1.0) for g in (world.below(x, radius, time).gap for x in places)]
        for part in physics.footing.feet:
            ks = patches.of_part(part)
            on = np.zeros(high - low + 1, bool)
            for c in physics.contacts:
                if c.part == part:
                    on[max(c.start - low, 0) : max(c.end + 1 - low, 0)] = True
            air = np.zeros(high - low + 1, bool)
            for phase in self.given.flights:
                air[max(phase.start - 1 - low, 0) : max(phase.end + 2 - low, 0)] = True
            on &= ~air
            deep = [np.maximum(-g[:, ks].min(axis=1), 0.0) for g in gaps]
            more = deep[1] - np.maximum(maximum_filter1d(deep[0], round(WHILE * self.clip.fps) | 1), SHALLOW)
            if more.max() > SINK:
                return low + int(more.argmax()), f"{part} would sink {100 * more.max():.1f} cm deeper"
            for k in ks:
                ways = [np.linalg.norm(np.diff(x[:, k, :2], axis=0), axis=1) for x in places]
                down = on & self._touching(patches.names[k], low, high)
                quiet = (ways[0] < QUIET * dt) & ~air[
                    1:
                ]  # what hardly moves is not to move, whether it carries or not
                for pairs in (down[1:] & down[:-1], quiet):
                    more = float((ways[1] - ways[0])[pairs].sum())
                    if more > EXTRA and more > SLIDE * pairs.sum() * dt:
                        worst = int(np.where(pairs, ways[1] - ways[0], 0.0).argmax())
                        speed = 100 * more / (pairs.sum() * dt)
                        return low + worst, f"{part} would slide {speed:.1f} cm/s faster"
        return None

    def _touching(self, patch: str, low: int, high: int) -> Mask:
        """Frames low … high in which a patch touches, in the clip as it was given."""
        out = np.zeros(high - low + 1, bool)
        for contact in self.given.contacts:
            for t in contact.touches:
                if t.patch == patch:
                    out[max(t.start - low, 0) : max(t.end + 1 - low, 0)] = True
        return out
