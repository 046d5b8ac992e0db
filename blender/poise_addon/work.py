# SPDX-License-Identifier: GPL-3.0-or-later
"""What the extension does when it is asked: each piece of work as a generator for a ``Job``."""

import numpy as np

from . import actions, blender, program, reading, rigs, scenery, writing
from .client import PoiseProblem
from .job import asking
from .options import collected, takes_contacts

LONGEST = 100_000
"""Frames of one range; more are a mistake."""


class Wish:
    """What is asked for: an operation's card and values, and what the scene has to do with it."""

    def __init__(self, arm, card, values, settings):
        self.arm, self.card, self.values, self.settings = arm, card, values, settings
        """``settings``: what ``wishes.wish_of`` gathers from the scene."""

    @property
    def name(self):
        """Of the operation."""
        return self.card["name"]

    @property
    def track(self):
        """The name of its track and its action."""
        return f"{blender.PREFIX}{self.name}"

    def frames(self):
        """Numbers of the frames that are read."""
        first, last = self.settings["first"], self.settings["last"]
        if last < first:
            raise PoiseProblem(f"The range ends at frame {last} before it begins at {first}", "choice")
        if last - first >= LONGEST:
            raise PoiseProblem(f"The range has {last - first + 1} frames; at most {LONGEST}", "choice")
        return range(first, last + 1)


def refuse(wish):
    """What can be said before anything is read."""
    blender.refuse_unfit(wish.arm)
    source = wish.settings.get("source") or wish.arm
    if not blender.is_animated(source):
        raise PoiseProblem(f"{source.name} has no animation: give it an action first", "choice")


def performer(wish):
    """The armature whose motion is worked on: another one's, where that is given to this one."""
    gives = "onto" in {option["name"] for option in wish.card["options"]}
    source = wish.settings.get("source")
    who = source if gives and source is not None else wish.arm
    if who is None:
        raise PoiseProblem("Choose an armature: click on it, so that it is the active object", "choice")
    return who


def body_for(plan, bone):
    """The body that a bone of the armature means; a problem in words where it means none."""
    body = rigs.body_for(plan, bone)
    if body is None:
        known = ", ".join(body.name for body in plan.bodies[:12])
        raise PoiseProblem(f"{bone!r} is no bone that Poise moves; it moves {known} …", "choice")
    return body


def constraints(wish, plan, rate, read=None):
    """Targets as constraints: (bone, point, place [m], frame) each; without a place, where it is animated."""
    found = []
    for number, (bone, point, place, frame) in enumerate(wish.settings.get("targets", ())):
        body = body_for(plan, bone)
        first, last = wish.settings["first"], wish.settings["last"]
        if not first <= frame <= last:
            raise PoiseProblem(
                f"The target of {bone} is at frame {frame}, outside {first} to {last}", "choice"
            )
        tail = point == "TAIL" and body.tip
        name = f"{body.name}_end" if tail else body.name
        if place is None:
            if read is None:
                continue
            place = read.place(body.bone, frame - first, tail=tail)
        found.append(
            {
                "name": f"{number + 1}: {body.name} at frame {frame}",
                "handle": {"kind": "point_position", "point": name},
                "target": {"value": [float(x) for x in place]},
                "when": {"at": float((frame - first) / rate)},
            }
        )
    return found or None


def tension(wish, plan):
    """The tension overall and by part: parts are (bones, value)."""
    parts = wish.settings.get("tensions", ())
    if not parts and not plan.pieces:
        return None
    overall = collected(
        {**wish.card, "options": [o for o in wish.card["options"] if o["name"] == "tension"]}, wish.values, {}
    )
    given = overall.get("tension", "relaxed")
    own = given if isinstance(given, dict) else {"*": given}
    found = {"*": own.get("*", "relaxed"), **dict.fromkeys(plan.pieces, "keyed"), **own}
    for bones, value in parts:
        for bone in bones:
            try:
                found[body_for(plan, bone).name] = value
            except PoiseProblem:
                continue  # a collection may hold controls of faces and helpers
    return found


def operation(wish, plan, rate, read=None):
    """The operation to be sent, the arrays it names, and what else the message holds."""
    own, arrays, more = {}, {}, {}
    if takes_contacts(wish.card) and wish.settings.get("contacts") is not None:
        more["contacts"] = wish.settings["contacts"]
    names = {option["name"] for option in wish.card["options"]}
    if "constraints" in names:
        own["constraints"] = constraints(wish, plan, rate, read)
    if "world" in names and wish.settings.get("surfaces"):
        own["world"], arrays = scenery.mesh_surfaces(wish.settings["surfaces"])
    if "onto" in names:
        own["onto"] = f"{wish.arm.name} (figure)"
    if "mesh" in names and wish.settings.get("mesh") is not None:
        data, found = scenery.mesh_surfaces([wish.settings["mesh"]])
        if not data["surfaces"]:
            raise PoiseProblem(f"{wish.settings['mesh'].name} has no faces", "choice")
        title = f"{wish.settings['mesh'].name}.obj"
        own["mesh"] = title
        found["vertices 0"] = read.at_rest(found["vertices 0"])
        arrays |= found
        more["surfaces"] = {title: {"vertices": "vertices 0", "triangles": "triangles 0"}}
    made = collected(wish.card, wish.values, own)
    if "surfaces" in more:  # modelled where the armature stands at rest
        made |= {"frame": "world", "offset": made.get("offset", [0.0, 0.0, 0.0])}
    if "tension" in names:
        parts = tension(wish, plan)
        if parts is not None:
            made["tension"] = parts
    return made, arrays, more


def introducing(link, wish, read, clip, figure, loop):
    """Work that makes Poise know a figure and its motion; what Poise makes of the figure."""
    (who, shape), (moves, motion) = read.messages(clip, figure, loop=loop)
    known, _ = yield from asking(link, who, shape, "Describing the figure", 0.4, 0.42, PoiseProblem)
    yield from asking(link, moves, motion, "Sending the motion", 0.42, 0.45, PoiseProblem)
    return known


def running(wish):
    """Work that does an operation to an armature's motion and puts what comes of it into the scene."""
    refuse(wish)
    arm, settings = wish.arm, wish.settings
    frames = wish.frames()
    plan = blender.plan_for(arm)
    if settings.get("snap_ik"):
        plan = plan._replace(controls=[*plan.controls, *plan.snapped])
    source = settings.get("source")
    gives = "onto" in {option["name"] for option in wish.card["options"]}
    if gives and (source is None or source == arm):
        raise PoiseProblem("Choose the armature whose motion is to be given to this one", "choice")
    rate = _number(blender.frame_rate(blender.bpy.context.scene))
    muted = _muted(wish)
    try:
        read = yield from reading.reading(arm, plan, frames, 0.0, 0.4)
        link = program.link(settings.get("program", ""))
        known = yield from introducing(
            link, wish, read, arm.name, f"{arm.name} (figure)", settings.get("loop", False)
        )
        clip, told = arm.name, plan
        if gives:
            told = blender.plan_for(source)
            given = yield from reading.reading(source, told, frames, 0.3, 0.4)
            yield from introducing(
                link, wish, given, source.name, f"{source.name} (figure)", settings.get("loop", False)
            )
            clip = source.name
        asked, arrays, more = operation(wish, told, rate, read)
        head = {"ask": "run", "clip": clip, "operation": asked, **more}
        answer, data = yield from asking(link, head, arrays, wish.name.capitalize(), 0.45, 0.85, PoiseProblem)
        answer["known"] = known
        if "positions" in data:
            yield from _put(wish, read, answer, data)
        else:
            answer["frames_read"] = read.frames
        return answer
    finally:
        if muted:
            for track in _same_again(wish):  # looked up anew: the old track is gone where a new one was made
                track.mute = False


def listening(path, program_path):
    """Work that asks for the beats of a recording; seconds from its beginning."""
    link = program.link(program_path)
    head = {"ask": "beats", "path": scenery.readable(path)}
    _, data = yield from asking(link, head, {}, "Listening", 0.0, 1.0, PoiseProblem)
    return data["times"]


def _muted(wish):
    """Our own last result of the same kind is muted, for it is made anew; whether there was one."""
    again = [t for t in _same_again(wish) if not t.mute]
    for track in again:
        track.mute = True
    return bool(again)


def _same_again(wish):
    """Our topmost track, if it is of the same kind."""
    return [t for t in actions.own_tracks(wish.arm)[-1:] if t.name == wish.track]


def _put(wish, read, answer, data):
    positions, rotations = np.array(data["positions"]), np.array(data["rotations"])
    settings = wish.settings
    if len(positions) != len(read.frames):
        read = retimed(read, len(positions))
    if not len(data["positions"]):
        raise PoiseProblem("Poise sent no frames", "error")
    old = [t for t in actions.own_tracks(wish.arm) if t.name == wish.track]
    chosen = settings.get("chosen")
    _, off = yield from writing.writing(
        read, positions, rotations, wish.track, chosen=chosen, hold=settings.get("hold", True),
        blend=settings.get("blend", (0, 0)), first=0.85, last=1.0,
    )  # fmt: skip
    for track in old:
        actions.drop_track(wish.arm, track)
    answer["off"] = off
    for worn in answer.get("worn", ()):
        title = worn["name"].removesuffix(".obj") or "mesh"
        chosen = settings.get("mesh")
        item = scenery.worn_mesh(
            f"{blender.PREFIX}{title}", chosen if chosen is not None and chosen.name == title else None,
            wish.arm, data[worn["vertices"]], data[worn["faces"]], read.frames[0],
        )  # fmt: skip
        answer.setdefault("objects", []).append(item.name)


def retimed(read, count):
    """The reading for a motion of another length: what was not read is as the nearest pose that was."""
    first = read.frames[0]
    chosen = np.minimum(np.arange(count), len(read.frames) - 1)
    longer = reading.Reading(read.arm, read.plan, range(first, first + count))
    longer.matrices, longer.basis, longer.object = (
        read.matrices[chosen],
        read.basis[chosen],
        read.object[chosen],
    )
    return longer


def _number(rate):
    above, _, below = rate.partition("/")
    return float(above) / float(below or 1)
