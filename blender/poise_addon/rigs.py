# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones of an armature make the figure, and which controls put it there.

A *plan* has bodies, each read from one bone, in a tree whose parents come first; and, for control rigs,
controls that follow bodies: a control *snaps* to its body's bone, as both lie together at rest, or *rides* on
it, as it stood to it in the motion that was read; a *still* one is the body's own bone, whose constraints are
stilled. Nothing here knows Blender: bones come as a list.
"""

import re
from collections import namedtuple

Bone = namedtuple("Bone", "name parent deform properties head tail", defaults=((), ()))
"""A bone: its name, its parent's index or −1, whether it deforms, names of custom properties, its ends."""
Body = namedtuple("Body", "name bone parent tip")
"""A body: its name for Poise, the bone it is read from, its parent, whether its tail is flesh."""
Control = namedtuple("Control", "bone body manner")
Switch = namedtuple("Switch", "bone property value")
Plan = namedtuple("Plan", "kind bodies controls switches rigid note snapped pieces", defaults=((), ()))
"""``snapped``: IK controls that may be put along, so that one can go on in IK; ``pieces``: names of bodies
that are parts of the one they hang on (twist and stretch bones), and have no give of their own."""

ALONG = 0.05
"""How far a piece may lie beside or beyond the bone it is a piece of, as a part of that bone's length."""
_TWIST = re.compile(r"(?i)twist")
_SIDED = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
_FINGER = re.compile(r"ORG-(f_(index|middle|ring|pinky)|thumb)\.0[123]\.[LR]$")


class NoFigureError(Exception):
    """An armature in which there is nothing to move."""


def plan_of(bones):
    """The plan for an armature's bones, parents before children."""
    names = {bone.name for bone in bones}
    if {"ORG-spine", "DEF-spine", "torso", "root"} <= names:
        return _rigify(bones)
    return _plain(bones)


def body_for(plan, bone):
    """The body that a bone means: its own, or the one its control puts in place; None where there is none."""
    plain = re.sub(r"_[if]k(?=\.)", "", re.sub(r"^(DEF-|ORG-|c_)", "", bone))  # c_: Auto-Rig Pro's controls
    for body in plan.bodies:
        if bone in (body.bone, body.name):
            return body
    for control in (*plan.controls, *plan.snapped):
        if control.bone == bone:
            return plan.bodies[control.body]
    return next((body for body in plan.bodies if body.name == plain), None)


def _plain(bones):
    """Bones that deform, and those between them: any rig without controls that we know."""
    if not bones:
        raise NoFigureError("the armature has no bones")
    chosen = [i for i, b in enumerate(bones) if b.deform] or list(range(len(bones)))
    above = {}
    for i in chosen:
        line, at = [], i
        while at >= 0:
            line.append(at)
            at = bones[at].parent
        above[i] = line[::-1]
    by_root = {}
    for line in above.values():
        by_root.setdefault(line[0], []).append(line)
    lines = max(by_root.values(), key=len)
    depth = 0
    while all(len(line) > depth for line in lines) and len({line[depth] for line in lines}) == 1:
        depth += 1
    kept = sorted({i for line in lines for i in line[depth - 1 :]})
    place = {bone: k for k, bone in enumerate(kept)}
    bodies = [
        Body(bones[i].name, bones[i].name, place.get(bones[i].parent, -1), not _has_child(kept, bones, i))
        for i in kept
    ]
    lost = len(chosen) - len({line[-1] for line in lines})
    note = f"{lost} bones hang on other roots and stay as they are" if lost else ""
    return Plan("plain", bodies, [], [], False, note, (), _pieces(bones, kept))


def _pieces(bones, kept):
    """Bodies within the length of the one they hang on, or called so: skin tears if they swing alone."""
    found = set()
    for i in kept:
        up = bones[i].parent
        while up in found:
            up = bones[up].parent
        if up in kept and (_TWIST.search(bones[i].name) or _lies_along(bones[i], bones[up])):
            found.add(i)
    return tuple(bones[i].name for i in kept if i in found)


def _lies_along(bone, other):
    """Whether a bone has a length and lies on another's line, between its ends."""
    if not bone.head or not other.head or bone.head == bone.tail:
        return False
    line = [b - a for a, b in zip(other.head, other.tail)]
    square = sum(x * x for x in line)
    for end in (bone.head, bone.tail):
        way = [b - a for a, b in zip(other.head, end)]
        part = sum(x * y for x, y in zip(way, line)) / square if square else 2.0
        aside = sum((y - part * x) ** 2 for x, y in zip(line, way))
        if not -ALONG <= part <= 1.0 + ALONG or aside > ALONG**2 * square:
            return False
    return True


def _has_child(kept, bones, i):
    return any(bones[k].parent == i for k in kept)


def _rigify(bones):
    """A rig that Rigify made: the trunk by its deform bones, limbs and fingers by their originals."""
    names = {b.name: b for b in bones}
    bodies, controls, place = [], [], {}

    def add(name, bone, parent, tip=False):
        place[name] = len(bodies)
        bodies.append(Body(name, bone, place[parent] if parent else -1, tip))

    def follow(control, body, manner):
        if control in names:
            controls.append(Control(control, place[body], manner))

    spine = sorted(n[4:] for n in names if re.fullmatch(r"DEF-spine(\.\d{3})?", n))
    chest = _chest(bones, spine)
    last = spine[-1]
    titles = {s: "hips" if s == spine[0] else "head" if s == last else s for s in spine}
    after = spine[spine.index(chest) + 1 : -1] if chest in spine else []
    titles.update({s: "neck" if k == 0 else f"neck.{k:03}" for k, s in enumerate(after)})
    before = None
    for part in spine:
        add(titles[part], f"DEF-{part}", before, tip=part == last)
        before = titles[part]
    follow("torso", "hips", "ride")
    for part in spine[: spine.index(chest) + 1 if chest in spine else None]:
        follow(part.replace("spine", "spine_fk"), titles[part], "ride")
    for part in after[:1]:
        follow("neck", titles[part], "ride")
    follow("head", titles[last], "snap")
    for part in spine:
        follow(f"tweak_{part}", titles[part], "ride")
    for side in "LR":
        _limb(names, add, follow, [("thigh", "hips"), ("shin", 0), ("foot", 0), ("toe", 0)], side)
        if f"ORG-shoulder.{side}" in names:
            add(f"shoulder.{side}", f"ORG-shoulder.{side}", titles.get(chest, "hips"))
            follow(f"shoulder.{side}", f"shoulder.{side}", "snap")
        top = f"shoulder.{side}" if f"shoulder.{side}" in place else titles.get(chest, "hips")
        _limb(names, add, follow, [("upper_arm", top), ("forearm", 0), ("hand", 0)], side)
        _fingers(names, add, follow, place, side)
    tips = {b.parent for b in bodies}
    bodies = [b._replace(tip=k not in tips) for k, b in enumerate(bodies)]
    switches = [Switch(b.name, "IK_FK", 1.0) for b in bones if "IK_FK" in b.properties]
    switches += [Switch(b.name, "FK_limb_follow", 0.0) for b in bones if "FK_limb_follow" in b.properties]
    ends = [f"{part}.{side}" for part in ("hand", "foot") for side in "LR"]
    snapped = [
        Control(name.replace(".", "_ik."), place[name], "snap")
        for name in ends
        if name in place and name.replace(".", "_ik.") in names
    ]
    return Plan("rigify", bodies, controls, switches, True, "", tuple(snapped))


def _chest(bones, spine):
    """The part of the spine that the shoulders hang on; without shoulders its middle."""
    for bone in bones:
        if re.fullmatch(r"ORG-shoulder\.[LR]", bone.name) and bone.parent >= 0:
            up = bones[bone.parent].name.removeprefix("ORG-")
            if up in spine:
                return up
    return spine[len(spine) // 2]


def _limb(names, add, follow, parts, side):
    before = parts[0][1]
    for part, _ in parts:
        bone = f"ORG-{part}.{side}"
        if bone not in names:
            return
        name = f"{part}.{side}"
        add(name, bone, before)
        follow(f"{part}_fk.{side}", name, "snap")
        before = name


def _fingers(names, add, follow, place, side):
    for bone in sorted(n for n in names if _FINGER.match(n) and n.endswith(side)):
        name = bone.removeprefix("ORG-")
        stem, number, _ = name.split(".")
        above = f"{stem}.{int(number) - 1:02}.{side}"
        parent = above if above in place else f"hand.{side}"
        if parent in place:
            add(name, bone, parent)
            follow(name, name, "ride")
