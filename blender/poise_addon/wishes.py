# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel asks for, gathered from the scene; and what it says of the answer."""

import json

from . import blender, scenery, versions, work
from .client import PoiseProblem
from .options import values_of

BEAT = blender.PREFIX + "beat"
"""Markers of beats begin with it."""


def wish_of(context, state, name="", extra="", arm=None, known=None):
    """What the panel asks for, as ``work`` takes it; ``extra`` are options in JSON, for scripts.

    Of the active object, unless ``arm`` is given: while an empty is dragged, the empty is the active one.
    ``known`` keeps the places of targets from one call to the next (``scenery.place_of``).
    """
    scene = context.scene
    settings = scene.poise
    name = name or settings.operation
    if name not in state.cards:
        raise PoiseProblem(f"There is no operation {name!r}; there are {', '.join(state.cards)}", "choice")
    card = state.cards[name]
    values = values_of(getattr(settings, f"of_{name}"))
    if extra:
        values = _set(card, values, extra)
    arm = arm or context.object
    whole = not settings.use_range
    first, last = (scene.frame_start, scene.frame_end) if whole else (settings.first, settings.last)
    chosen = None
    if settings.only_selected and arm is not None and arm.type == "ARMATURE":
        chosen = _chosen(arm)
    surfaces = []
    if settings.surfaces is not None:
        surfaces = [item for item in settings.surfaces.all_objects if item.type == "MESH"]
    return work.Wish(
        arm,
        card,
        values,
        {
            "first": first,
            "last": last,
            "loop": settings.loop,
            "snap_ik": settings.snap_ik,
            "hold": whole,
            "chosen": chosen,
            "blend": (settings.blend_in, settings.blend_out),
            "targets": [
                (
                    t.bone,
                    t.point,
                    None if t.own else scenery.place_of(t.place, t.frame, t.place_bone, known),
                    t.frame,
                )
                for t in settings.targets
                if t.on and t.bone and (t.own or t.place is not None)
            ],
            "surfaces": surfaces,
            "source": settings.source,
            "mesh": settings.mesh,
            "contacts": _contacts(settings, first, last),
            "tensions": [(_bones(arm, part), _tension(part)) for part in settings.parts]
            if arm is not None
            else [],
            "program": preferences(context, state).program,
        },
    )


def _contacts(settings, first, last):
    """The panel's contacts within a range, in frames from its beginning; None where they are to be found."""
    if not len(settings.contacts):
        return None
    found = []
    for item in settings.contacts:
        start, end = max(item.first, first), item.last if settings.loop else min(item.last, last)
        if not item.on or start > last or item.last < first:
            continue
        if item.last < item.first:
            raise PoiseProblem(
                f"The contact of the {item.part} ends at frame {item.last}, before it begins at {item.first}",
                "choice",
            )
        said = {"part": item.part, "start": start - first, "end": end - first}
        said |= {"surface": item.surface} if item.surface else {}
        found.append(said | ({"manner": item.manner} if item.manner else {}))
    return found


def _set(card, values, extra):
    """Options that a script gives, as if they had been set in the panel."""
    try:
        given = json.loads(extra)
    except ValueError as problem:
        raise PoiseProblem(f"The options are no JSON: {problem}", "choice") from None
    known, values = {option["name"]: option for option in card["options"]}, dict(values)
    for name, value in given.items():
        if name not in known:
            raise PoiseProblem(f"{card['name']} has no option {name!r}; it has {', '.join(known)}", "choice")
        if f"k_{name}" in values:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            values[f"k_{name}"] = "NUMBER" if is_number else "AUTO" if value is None else value
            if is_number:
                values[f"o_{name}"] = value
        elif known[name]["holds"] == "flag" and known[name]["optional"]:
            values[f"o_{name}"] = "AUTO" if value is None else "ON" if value else "OFF"
        elif isinstance(value, (list, dict)):
            values[f"o_{name}"] = json.dumps(value)
        else:
            values[f"o_{name}"] = value
    return values


def _chosen(arm):
    plan = blender.plan_for(arm)
    found = set()
    for pose_bone in arm.pose.bones:
        if versions.is_selected(pose_bone):
            try:
                found.add(work.body_for(plan, pose_bone.name).name)
            except PoiseProblem:
                continue
    if not found:
        raise PoiseProblem(
            "No bone is selected that Poise moves: select some, or switch 'Selected bones only' off", "choice"
        )
    return found


def _bones(arm, part):
    if part.collection:
        collection = arm.data.collections_all.get(part.collection) if arm.type == "ARMATURE" else None
        if collection is None:
            raise PoiseProblem(f"{arm.name} has no bone collection {part.collection!r}", "choice")
        return [bone.name for bone in collection.bones_recursive]
    return [name for name in part.bones.split("\n") if name]


def _tension(part):
    return part.tension if part.tension != "NUMBER" else float(f"{part.hertz:.6g}")


def preferences(context, state):
    """The extension's preferences; usual ones where it is not installed as one (in tests)."""
    found = context.preferences.addons.get(state.package)
    return found.preferences if found is not None else type("Usual", (), {"program": ""})


def say(context, words, problem=False):
    """Put a message into the panel."""
    settings = context.scene.poise
    settings.message, settings.problem = words, problem


def concluded(context, state, name, wish, answer):
    """What the panel says of an answer: message, report, findings, markers."""
    report, first = answer["report"], wish.settings["first"]
    scenery.report_text(name, report)
    settings = context.scene.poise
    settings.findings.clear()
    findings = answer["facts"].get("findings", []) if isinstance(answer.get("facts"), dict) else []
    if "off" not in answer:
        _marked(context, findings, first)
    for found in sorted(findings, key=lambda f: f["score"]):
        item = settings.findings.add()
        item.words, item.frame, item.serious = (
            found["words"],
            first + int(found["start"]),
            bool(found["serious"]),
        )
    lines = [line for line in report.splitlines() if line.strip()]
    words = f"{name.capitalize()}: " + (
        "; ".join(answer["missed"][:3]) if answer["missed"] else lines[0] if lines else "done"
    )
    size = float(answer["known"]["size"])
    if not 0.03 <= size <= 30:
        words += f" — the figure is {size:.3g} m large: set the scene's unit scale (Scene properties, Units)"
    off = answer.get("off", 0.0)
    if off > 1e-4 * size:
        words += f" — the rig is off by up to {1000 * off:.1f} mm: look for drivers on its bones"
    say(context, words, problem=not answer["met"])


def _marked(context, findings, first):
    markers = context.scene.timeline_markers
    for marker in [m for m in markers if m.name.startswith(blender.PREFIX) and not m.name.startswith(BEAT)]:
        markers.remove(marker)
    for found in findings:
        where = f" {found['where']}" if found["where"] else ""
        marker = markers.new(f"{blender.PREFIX}{found['kind']}{where}", frame=first + int(found["start"]))
        marker.select = False  # selected markers are where targets go
