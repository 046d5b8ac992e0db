"""A host's skeleton and motion as a character and a clip, and back.

A host tells where its bones are in the world [m, z up] and how they are turned, at rest and at every frame:
positions x (F, n, 3) and quaternions w, x, y, z (F, n, 4). Bodies are level at rest, whatever the roll of the
bones, as in a BVH file: with B the bones' rotations at rest

    R_i(t) = W_i(t) B_iᵀ,      r_i = R_pᵀ R_i,      d_i(t) = R_pᵀ (x_i − x_p).

A bone whose place d in its parent varies is free; of a ``rigid`` figure (a control rig that stretches a
little) only the root is, and d rides along: it is put back where bones are told, so that an unchanged motion
comes back as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.character import Body, Character, Joint, JointKind
from poise.errors import InputError
from poise.formats.bvh.placement import place
from poise.formats.gltf.local_motion import local_motion
from poise.formats.weighing import MassOption, Weighing
from poise.manifold import so3
from poise.motion import Clip, Travel

MOST_BONES = 4096
"""Bones of a figure; more are a mistake of the host."""
STILL = 5e-6
"""A bone whose place in its parent varies by less than this part of the figure's size does not vary: what
32-bit matrices of hosts leave of a bone that only turns is smaller."""
UNIT = 1e-3
"""How far a quaternion may be from length one; more is no rotation."""
CLOSES = 1e-3
"""How far [m, rad] the last frame of a loop may be from its first, moved on: hosts key cycles by hand."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A skeleton as a host tells it; characters are made from it when there is a motion."""

    name: str
    bones: tuple[str, ...]
    parents: tuple[int, ...]
    positions: Array
    """At rest, in the world [m], (n, 3)."""
    rotations: Array
    """At rest, (n, 4)."""
    ends: dict[str, Array]
    """Tips of bones that end in flesh, in the world at rest [m]."""
    mass: MassOption = True
    rigid: bool = False
    """Whether only the root moves on its own."""
    _made: dict[Any, Character] = field(default_factory=dict)

    @classmethod
    def told(cls, head: dict[str, Any], arrays: dict[str, Any]) -> Figure:
        """From a message; errors name the bone."""
        bones, parents = head.get("bones"), head.get("parents")
        if not isinstance(bones, list) or not all(isinstance(b, str) and b for b in bones) or not bones:
            raise InputError("field 'bones' must list the names of the bones, parents before children")
        if len(bones) > MOST_BONES:
            raise InputError(f"field 'bones': {len(bones)} are too many; at most {MOST_BONES}")
        twice = sorted({b for b in bones if bones.count(b) > 1}) if len(set(bones)) < len(bones) else []
        if twice:
            raise InputError(f"field 'bones': two bones are called {twice[0]!r}")
        count = len(bones)
        if not isinstance(parents, list) or len(parents) != count:
            raise InputError(f"field 'parents' must have {count} numbers, one for each bone")
        for i, up in enumerate(parents):
            if type(up) is not int or not (up == -1 if i == 0 else 0 <= up < i):
                wanted = "-1, for it is the root" if i == 0 else f"a number from 0 to {i - 1}"
                raise InputError(f"field 'parents': that of {bones[i]!r} must be {wanted}, not {up!r}")
        positions = _array(arrays, "rest_positions", (count, 3))
        rotations = _turns(arrays, "rest_rotations", (count, 4))
        tips = head.get("tips", [])
        if not isinstance(tips, list) or not all(t in bones for t in tips):
            raise InputError("field 'tips': give the names of bones whose tips are listed")
        where = _array(arrays, "tips", (len(tips), 3)) if tips else np.zeros((0, 3))
        mass = head.get("mass", True)
        Weighing.of(mass)
        name = head.get("name")
        return cls(
            str(name), tuple(bones), tuple(parents), frozen(positions), frozen(rotations),
            dict(zip(tips, where)), mass, bool(head.get("rigid", False)),
        )  # fmt: skip

    @property
    def size(self) -> float:
        """The longest side of the box around it [m]."""
        return float(np.ptp([*self.positions, *self.ends.values()], axis=0).max()) or 1.0

    def at_rest(self) -> Clip:
        """One frame: the rest pose."""
        offsets = self._rest_offsets()
        character = self._character(offsets, [i == 0 for i in range(len(self.bones))])
        return Clip(character, character.rest_pose()[None], 1, name=self.name)

    def _rest_offsets(self) -> Array:
        up = np.array(self.parents[1:], dtype=np.int64)
        offsets = np.array(self.positions)
        offsets[1:] -= self.positions[up]
        return offsets

    def _character(self, offsets: Array, free: list[bool]) -> Character:
        """The character whose bones stand so in their parents; the same one for the same places."""
        key = (tuple(free), np.round(offsets / (STILL * self.size)).astype(np.int64).tobytes())
        if key not in self._made:
            taken, bodies = set(self.bones), []
            for i, bone in enumerate(self.bones):
                label = f"{bone}_end"
                while label in taken:
                    label += "_"
                tip = {label: self.ends[bone] - self.positions[i]} if bone in self.ends else {}
                joint = Joint.free() if free[i] else Joint.ball()
                parent = self.bones[self.parents[i]] if i else None
                bodies.append(Body(bone, parent, joint, offsets[i], points=tip))
            self._made[key] = Weighing.of(self.mass)(Character(self.name, bodies, mass_source="none"))
        return self._made[key]

    def performing(self, head: dict[str, Any], arrays: dict[str, Any]) -> Performance:
        """A motion of this figure, from a message."""
        count = len(self.bones)
        x = _array(arrays, "positions", (None, count, 3))
        turns = _turns(arrays, "rotations", (len(x), count, 4))
        if len(x) == 0:
            raise InputError("field 'positions': a motion has at least one frame")
        rate = head.get("rate")
        if not isinstance(rate, str | int | float) or isinstance(rate, bool):
            raise InputError("field 'rate' must be frames per second, as a number or a fraction in text")
        level = so3.continuous(so3.multiply(turns, self.rotations * _BACK))  # (F, n, 4)
        local, places = np.array(level), np.array(x)
        for i, up in enumerate(self.parents[1:], 1):
            back = level[:, up] * _BACK
            local[:, i] = so3.multiply(back, level[:, i])
            places[:, i] = so3.rotate(back, x[:, i] - x[:, up])
        offsets = self._rest_offsets()
        free = [True] + [False] * (count - 1)
        for i in range(1, count):
            spread = float(np.ptp(places[:, i], axis=0).max())
            free[i] = not self.rigid and spread > STILL * self.size
            held = 0.5 * (places[:, i].min(axis=0) + places[:, i].max(axis=0))
            if not free[i] and np.abs(held - offsets[i]).max() > STILL * self.size:
                offsets[i] = held
        character = self._character(offsets, free)
        q = np.empty((len(x), character.nq))
        local = so3.continuous(local)
        for i, bone in enumerate(self.bones):
            span = character.coordinates(bone)
            q[:, span] = np.concatenate([places[:, i], local[:, i]], axis=1) if free[i] else local[:, i]
        name = str(head.get("name"))
        clip = Clip(character, q, rate, name=name)
        if head.get("loop"):
            clip = _looped(clip)
        return Performance(self, clip, places)


def fleshed(clip: Clip) -> Clip:
    """The same motion of a figure with solids around its bones, where it has none: what else could touch?"""
    who = clip.character
    if any(body.shapes for body in who.bodies):
        return clip
    return clip.replaced(character=_fleshed(who))


@lru_cache(maxsize=8)
def _fleshed(who: Character) -> Character:
    from poise.character.capsule_masses import bone_shapes

    bodies = [body.replaced(shapes=tuple(shapes)) for body, shapes in zip(who.bodies, bone_shapes(who))]
    return who.with_bodies(bodies)


@dataclass(frozen=True, eq=False)
class Performance:
    """A motion of a host's figure."""

    figure: Figure
    clip: Clip
    places: Array | None = None
    """Of bones in their parents, at the frames the host told [m], (F, n, 3)."""

    def bones(self, clip: Clip, frames: list[int] | None = None, q: Array | None = None) -> dict[str, Array]:
        """World positions (F, n, 3) and rotations (F, n, 4) of the figure's bones in a clip.

        ``q`` are configurations of some ``frames`` alone. Of a loop its closing frame is told as well.
        """
        from poise.formats.cycle import with_closing_frame

        poses = with_closing_frame(clip) if q is None else q
        chosen = np.arange(len(poses)) if frames is None else np.asarray(frames)
        where, turns = local_motion(clip.character, poses)  # (n, F, …), in the order of bodies
        order = [clip.character.index(bone) for bone in self.figure.bones]
        where, turns = np.swapaxes(where[order], 0, 1), np.swapaxes(turns[order], 0, 1)
        told = self.places
        if told is not None and clip.frames + clip.loop == len(told):
            for i, body in enumerate(order):
                if clip.character.bodies[body].joint.kind is not JointKind.FREE:
                    where[:, i] = told[chosen][:, i]
        positions, level = place(self.figure.parents, where, turns)
        return {"positions": positions, "rotations": so3.multiply(level, self.figure.rotations)}


_BACK = np.array([1.0, -1.0, -1.0, -1.0])
"""A quaternion times this is its inverse."""


def _looped(clip: Clip) -> Clip:
    """A loop, of frames whose last is the first again, moved on."""
    root = clip.character.bodies[0].name
    span = clip.character.coordinates(root)
    first, last = clip.q[0, span], clip.q[-1, span]
    turn = so3.multiply(last[3:], first[3:] * _BACK)
    yaw = 2.0 * float(np.arctan2(turn[3], turn[0]))
    yaw = (yaw + np.pi) % (2.0 * np.pi) - np.pi
    yaw = 0.0 if abs(yaw) < CLOSES else yaw
    about = so3.rotate(so3.exp(np.array([0.0, 0.0, yaw])), first[:3])
    travel = Travel(last[:3] - about, yaw)
    gap = clip.character.manifold.minus(clip.q[-1], travel.apply(clip.character, clip.q[0], 1))
    if clip.frames < 3 or np.abs(gap).max() > CLOSES:
        worst = clip.character.dof_names[int(np.abs(gap).argmax())]
        raise InputError(
            f"the motion is not a loop: its last frame does not continue into its first ({worst} is off by "
            f"{np.abs(gap).max():.3g}); choose a range that ends as it begins, or switch the loop off"
        )
    return clip.with_frames(clip.q[:-1], None, loop=True, travel=travel)


def _array(arrays: dict[str, Any], name: str, shape: tuple[int | None, ...]) -> Array:
    if name not in arrays:
        raise InputError(f"array {name!r} is missing; available: {', '.join(arrays) or 'none'}")
    return checked(arrays[name], f"array {name!r}", shape, most=FARTHEST)


def _turns(arrays: dict[str, Any], name: str, shape: tuple[int | None, ...]) -> Array:
    given = _array(arrays, name, shape)
    length = np.linalg.norm(given, axis=-1)
    off = np.abs(length - 1.0)
    if off.max(initial=0.0) > UNIT:
        worst = float(length.flat[int(off.argmax())])
        raise InputError(f"array {name!r}: quaternions w, x, y, z have length 1, not {worst:g}")
    return np.asarray(given / length[..., None])
