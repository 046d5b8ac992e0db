"""Who performs what, from where, and what will happen: the caller's wishes, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from poise.arrays import Array, checked
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.methods.perform.control.schedule import Upset, struck_limb
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Cue, Machine
from poise.methods.perform.script.timed_pose import TimedPose
from poise.methods.perform.simulate.soles import lifted, planned, soles, why_not
from poise.methods.perform.simulate.standing import Standing
from poise.motion import Clip
from poise.operations.perform import Perform
from poise.operations.values.disturbance import Impulse, Load, Push, Throw
from poise.world import World

TAIL = 0.5
"""A performance goes on for this long after its last key [s]."""
SHORTEST = 1e-6
"""Of a performance [s]: times that differ by less than a thousandth of it count as one."""
LONGEST = 3600.0
"""Performance [s]: longer is a mistake in a time."""
MOST_STEPS = 1e6
"""Of a simulation: what is written down of them takes some gigabytes."""


EARLY, SPIN = 0.2, 60.0
"""How much of a clip's start must be no jump [s], and the fastest that a body turns there [rad/s]."""


class Stage:
    """Who performs what, from where; checked."""

    def __init__(
        self,
        performer: Character | Clip,
        keys: Sequence[TimedPose] | Script | Machine,
        start: Any,
        asked: Perform,
        world: World | None = None,
    ) -> None:
        """``world``: the surfaces that are there; None: found in a clip, or a floor where it is needed."""
        if not isinstance(performer, (Character, Clip)):
            raise InputError(f"the performer must be a character or a clip, not {performer!r}")
        self.clip = performer if isinstance(performer, Clip) else None
        self.character = performer.character if isinstance(performer, Clip) else performer
        self.root = asked.root or ("fixed" if self.clip is None else "prescribed")
        if self.root == "prescribed" and self.clip is None:
            raise InputError("a prescribed root needs a clip to move it: give one, or root='fixed' or 'free'")
        kind = self.character.bodies[0].joint.kind
        if self.root == "free" and kind not in (JointKind.FREE, JointKind.PLANAR):
            raise InputError(
                f"the root of {self.character.name!r}, {self.character.names[0]!r}, is {kind.name.lower()}: "
                "it cannot be free"
            )
        if self.root == "free" and asked.control != "full":
            raise InputError(
                "field 'control': a free root needs whole-body control: "
                f"leave it 'full' instead of {asked.control!r}, or hold the root (root='fixed')"
            )
        self.machine = keys if isinstance(keys, Machine) else None
        self.script = keys if isinstance(keys, Script) else None
        self._keys: tuple[TimedPose, ...] = ()
        if not isinstance(keys, Machine):
            self._keys = tuple(keys.keys if isinstance(keys, Script) else keys)
        if any(not isinstance(k, TimedPose) for k in self._keys):
            raise InputError("a script is a Script, a Machine or a list of TimedPose(pose, time)")
        if self.clip is None and not self._keys and self.machine is None:
            raise InputError("there is nothing to perform: give keys, or a clip to follow")
        self.impulses = [d for d in asked.disturbances if isinstance(d, Impulse)]
        self.pushes = [d for d in asked.disturbances if isinstance(d, Push)]
        self.throws = [d for d in asked.disturbances if isinstance(d, Throw)]
        self.loads = [d for d in asked.disturbances if isinstance(d, Load)]
        for point in [*(p.point for p in self.impulses), *(p.point for p in self.pushes)]:
            self.character.point(point)
        for load in self.loads:
            self.character.index(load.body)
        self.q, self.v = self._start(start)
        self.standing: Standing | None = None
        self.notes: list[str] = []
        """What was assumed of the world, or cannot be."""
        self.world = self._around(asked, world)

    @property
    def contact(self) -> bool:
        """Whether anything can touch anything."""
        return bool(self.throws or (self.world.surfaces and self.root != "free"))

    def _around(self, asked: Perform, world: World | None) -> World:
        """The surfaces that are there; a free root is put on its feet on them."""
        floor = self.root == "free" if asked.ground is None else asked.ground
        if world is None and floor and (self.clip is None or self.root != "free"):
            world = World.flat()
        elif not floor and world is None:
            world = World()
        if self.root == "free":
            own, prints = soles(self.character), None
            if self.clip is not None:
                given = world is not None
                _require_a_start(self.clip)
                prints = planned(self.clip, world, own)
                world, own = prints.world, prints.soles
                if not given:
                    self.notes += [f"stands on what was found in the clip: {s.name}" for s in world.questions]
            assert world is not None
            if self.clip is None:
                self.q = lifted(self.character, self.q, own, world)
            self.standing = Standing(self.character, self.q, own, world, prints)
        assert world is not None
        self.notes += [
            f"{s.name!r} {why}: nothing can stand on it, and bodies go through it"
            for s in world.surfaces
            if (why := why_not(s)) and not s.muted
        ]
        return world

    def keys(self, cues: Sequence[Cue], end: float) -> Sequence[TimedPose]:
        """All keys, given what happened."""
        return self._keys if self.machine is None else self.machine.keys(end, cues)

    def end(self, asked: Perform) -> float:
        """How long the performance is [s]."""
        duration, step = asked.duration, asked.step
        if duration is None:
            if self.clip is not None:
                duration = self.clip.duration
                if duration <= 0:
                    raise InputError(f"{self.clip.name!r} is a single pose: there is nothing to follow")
            elif self.machine is not None:
                raise InputError("a state machine has no end of its own: give a duration")
            else:
                duration = max(k.time for k in self._keys) + TAIL
        if not (np.isfinite(duration) and SHORTEST <= duration <= LONGEST):
            raise InputError(f"a performance lasts between {SHORTEST:g} and {LONGEST:g} s, not {duration!r}")
        if duration > MOST_STEPS * step:
            raise InputError(
                f"{duration:g} s in steps of {step:g} s: more than {MOST_STEPS:,.0f} steps; lengthen the step"
            )
        return float(duration)

    def disturbances(self) -> list[Upset]:
        """What is known beforehand to put a follower off its clip."""
        who, own = self.character, struck_limb
        found = [Upset(p.time, p.time, own(who, who.point(p.point).body)) for p in self.impulses]
        found += [Upset(p.time, p.time, own(who, who.index(p.body))) for p in self.loads if not p.known]
        return found + [Upset(p.start, p.end, own(who, who.point(p.point).body)) for p in self.pushes]

    def marks(self) -> list[float]:
        """Times at which a step must end."""
        found = [
            *(p.time for p in self.impulses),
            *(p.time for p in self.loads),
            *(p.time for p in self.throws),
        ]
        return found + [t for p in self.pushes for t in (p.start, p.end)]

    def _start(self, start: Any) -> tuple[Array, Array]:
        character = self.character
        q = character.rest_pose() if self.clip is None else np.array(self.clip.at(0.0))
        v = np.zeros(character.nv) if self.clip is None else np.array(self.clip.sampler.velocity(0.0))
        if start is None and self.script is not None:
            start = self.script.start
        if start is None and self.machine is not None:
            start = self.machine.first
        if isinstance(start, JointPose):
            q = start.on(character, q)
        elif start is not None:
            q = character.manifold.normalise(checked(start, "start", (character.nq,)))
        for key in self._keys:
            if key.time == 0:
                for i, (place, _) in key.targets(character).items():
                    q[character.coordinates(i)] = place
        return q, v


def _require_a_start(clip: Clip) -> None:
    """Nobody can follow a clip on its feet whose first frames jump, as from the T-pose of a capture."""
    who, dt = clip.character, clip.dt
    early = clip.q[: 2 + round(EARLY / dt)]
    speed = np.abs(who.manifold.minus(early[1:], early[:-1]))
    for i in range(1, len(who.bodies)):
        own = speed[:, who.dofs(i)]
        if own.size and own.max() > SPIN * dt and who.bodies[i].joint.kind is not JointKind.SLIDE:
            k = int(np.argmax(own.max(axis=1)))
            raise InputError(
                f"{clip.name or who.name!r} turns {who.names[i]!r} by {np.degrees(own.max()):.0f}° from "
                f"frame {k} to {k + 1}: no figure can follow that on its feet; cut off these frames, or "
                "repair the clip first (fix)"
            )
