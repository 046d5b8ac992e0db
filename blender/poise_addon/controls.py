# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of rigs that nobody described: found by moving them.

A copy of the armature, without its animation, has every bone turned that an animator would take hold of
(bones with a shape of their own, and keyed ones). A body that then lies to one of them as both lie at rest is
put in place by it. Properties that drive constraints (IK to FK) are set to the values by which most bodies
are. The user's armature is not touched.
"""

import contextlib
import re
from typing import NamedTuple

import numpy as np

from .algebra import built, inverse, matrices_of, rigid
from .rigs import Control, Switch

TURN = 0.2
"""How far bones are turned about each axis, at random [rad]: enough to tell them apart."""
NEAR = 2e-4
"""A body lies where its control has it if it is off by less (part of the figure's size, or of a turn)."""
FEWEST = 3
"""Bodies that controls other than their own bones put in place; with fewer it is no control rig."""
MOST = 64
"""Properties that are tried."""
_OWN = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)+)"\]\["((?:[^"\\]|\\.)+)"\]$')
_KEYED = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)+)"\]\.(?:rotation|location)')

_known = {}
"""Plans by the armature's name, each with what the rig was made of when it was found."""


def with_controls(bpy, arm, plan):
    """The plan, with the controls that put its bodies in place; as it was, where there are none."""
    made_of = _made_of(arm)
    kept = _known.get(arm.name_full)
    if kept is None or kept[0] != made_of:
        shaped = [b.name for b in arm.pose.bones if b.custom_shape is not None]
        rigged = len(set(shaped) - {body.bone for body in plan.bodies}) >= FEWEST
        kept = _known[arm.name_full] = made_of, _found(bpy, arm, plan, shaped) if rigged else plan
    return kept[1]


def give_up(arm, plan):
    """These controls do not do what was hoped: from now on the bones themselves are keyed."""
    plain = plan._replace(kind="plain", controls=[], switches=[], rigid=False, snapped=())
    if arm.name_full in _known:
        _known[arm.name_full] = _known[arm.name_full][0], plain
    return plain


def _made_of(arm):
    """What decides the controls of a rig: bones, shapes, constraints, drivers."""
    bones = [
        (
            b.name,
            b.custom_shape is not None,
            *((c.type, getattr(c, "subtarget", ""), c.mute) for c in b.constraints),
        )
        for b in arm.pose.bones
    ]
    return hash(tuple(bones)), len(arm.animation_data.drivers) if arm.animation_data else 0


class _Trial(NamedTuple):
    """An armature to try things on: bones by number; bodies' and handles' places in the list at rest."""

    bpy: object
    arm: object
    rest: np.ndarray
    bodies: np.ndarray
    handles: np.ndarray
    size: float

    def poses(self):
        """Matrices of all bones in the armature (n, 4, 4), as the rig makes them now."""
        self.arm.update_tag()
        self.bpy.context.view_layer.update()
        shown = self.arm.evaluated_get(self.bpy.context.evaluated_depsgraph_get())
        flat = np.empty(len(self.rest) * 16, np.float32)
        shown.pose.bones.foreach_get("matrix", flat)
        return flat.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)

    def followed(self, poses, *, places=True):
        """Which handle has which body (bodies, handles): they lie to each other as at rest."""
        now, rest = rigid(poses), rigid(self.rest)
        # body = handle · (handle at rest)⁻¹ · body at rest
        bodies, handles = rest[self.bodies], rest[self.handles]
        wanted = (now[self.handles] @ inverse(handles))[None] @ bodies[:, None]
        gap = np.abs(wanted - now[self.bodies][:, None])
        found = gap[..., :3, :3].max((-2, -1)) < NEAR
        if places:
            found &= gap[..., :3, 3].max(-1) < NEAR * self.size
        turned = np.abs(now - rest)[self.handles, :3, :3].max((-2, -1)) > NEAR
        return found & turned[None]


def _found(bpy, arm, plan, shaped):
    copy = _copied(bpy, arm)
    try:
        return _tried(bpy, copy, plan, shaped, _keyed(arm))
    finally:
        bpy.data.objects.remove(copy)


def _copied(bpy, arm):
    """A copy of the armature at rest whose constraints and drivers look at the copy."""
    copy = arm.copy()
    bpy.context.scene.collection.objects.link(copy)
    for bone in copy.pose.bones:
        bone.matrix_basis.identity()
        for constraint in bone.constraints:
            holders = [constraint, *getattr(constraint, "targets", ())]
            for holder in holders:
                for name in ("target", "pole_target"):
                    if getattr(holder, name, None) == arm:
                        setattr(holder, name, copy)
    data = copy.animation_data
    if data is not None:
        data.action, data.use_nla = None, False
        for driver in data.drivers:
            for variable in driver.driver.variables:
                for target in variable.targets:
                    if target.id == arm:
                        target.id = copy
    return copy


def _keyed(arm):
    """Names of bones that the armature's actions turn or move."""
    from . import versions

    data, found = arm.animation_data, set()
    if data is None:
        return found
    playing = [(data.action, versions.slot_of(data))]
    playing += [(s.action, versions.slot_of(s)) for t in data.nla_tracks for s in t.strips]
    for action, slot in playing:
        if action is not None and not action.name.startswith("Poise "):
            for curve in versions.curves_of(action, slot):
                match = _KEYED.match(curve.data_path)
                found |= {match[1]} if match else set()
    return found


def _tried(bpy, copy, plan, shaped, keyed):
    names = [bone.name for bone in copy.pose.bones]
    number = {name: k for k, name in enumerate(names)}
    rest = np.array([bone.matrix_local for bone in copy.data.bones], dtype=np.float64)
    bodies = np.array([number[body.bone] for body in plan.bodies])
    handles = np.array(sorted(number[n] for n in {*shaped, *keyed} & number.keys()))
    size = float(np.ptp(rest[:, :3, 3], axis=0).max()) or 1.0
    trial = _Trial(bpy, copy, rest, bodies, handles, size)
    from mathutils import Matrix

    turns = np.random.default_rng(0).uniform(-TURN, TURN, (len(handles), 3))
    for k, turn in zip(handles, turns):
        quaternion = np.array([1.0, *turn]) / np.linalg.norm([1.0, *turn])
        copy.pose.bones[int(k)].matrix_basis = Matrix(built(np.zeros(3), matrices_of(quaternion)))
    # Bones of bodies among the handles are the last choice: their own controls are better.
    others = ~np.isin(handles, bodies)
    pieces = np.array([body.name in plan.pieces for body in plan.bodies])
    switches, ends = _switched(trial, copy, others, ~pieces)
    led = trial.followed(trial.poses())
    if (led & others).any(axis=1)[~pieces].sum() < FEWEST:
        return plan
    controls, pieces_too, taken = [], set(plan.pieces), set()
    for k, body in enumerate(plan.bodies):
        leading = sorted(
            np.flatnonzero(led[k]), key=lambda h: (not others[h], names[handles[h]] not in keyed, h)
        )
        best = names[handles[leading[0]]] if leading else body.bone
        if best in taken:  # it lies as another body does, and cannot swing by itself
            pieces_too.add(body.name)
        elif leading:
            controls.append(Control(best, k, "snap"))
        elif not (pieces[k] and copy.pose.bones[body.bone].constraints):
            controls.append(Control(best, k, "still"))  # but what the rig itself bends and twists
        taken.add(best)
    snapped = [
        Control(names[handles[h]], int(k), "snap")
        for k, h in np.argwhere(ends & ~led & others)
        if not pieces[k] and names[handles[h]] not in taken
    ]
    return plan._replace(
        kind="controls",
        controls=controls,
        switches=switches,
        rigid=True,
        snapped=tuple(snapped),
        pieces=tuple(body.name for body in plan.bodies if body.name in pieces_too),
    )


def _switched(trial, copy, others, counted):
    """Set properties that drive constraints so that most bodies have a control; what else turned bodies."""
    switches, ends = [], np.zeros((len(trial.bodies), len(trial.handles)), bool)

    def led():
        return (trial.followed(trial.poses()) & others).any(axis=1)[counted].sum()

    for bone, name in _driving(copy):
        owner = copy.pose.bones[bone]
        given = owner[name]
        low, high = _bounds(owner, name)
        counts = {}
        for value in dict.fromkeys((given, low, high)):
            owner[name] = value
            counts[value] = led()
        best = max(counts, key=lambda v: (counts[v], v == given))
        if min(counts.values()) < counts[best]:
            switches.append(Switch(bone, name, best))
            owner[name] = min(counts, key=counts.get)
            ends |= trial.followed(trial.poses(), places=False)
        owner[name] = best if min(counts.values()) < counts[best] else given
    return switches, ends


def _driving(copy):
    """Bones' own numbers that drive constraints: (bone, name), each once."""
    found = {}
    for driver in copy.animation_data.drivers if copy.animation_data else ():
        if ".constraints[" not in driver.data_path:
            continue
        for variable in driver.driver.variables:
            for target in variable.targets:
                match = _OWN.match(target.data_path or "")
                if match and target.id == copy:
                    bone, name = (re.sub(r"\\(.)", r"\1", part) for part in match.groups())
                    owner = copy.pose.bones.get(bone)
                    if owner is not None and isinstance(owner.get(name), (int, float)):
                        found[bone, name] = None
    return list(found)[:MOST]


def _bounds(owner, name):
    """The least and the greatest value of a bone's own number."""
    given, told = owner[name], {}
    with contextlib.suppress(TypeError):  # a switch has no bounds
        told = owner.id_properties_ui(name).as_dict()
    kind = type(given)
    low, high = told.get("min", 0), told.get("max", 1)
    return (kind(low), kind(high)) if 0 < high - low < 100 else (kind(0), kind(1))
