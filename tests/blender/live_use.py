"""Experiments: previews that follow a slider or an empty, and how fast they are."""

# ruff: noqa: I001  blender_scenes starts Blender, with a folder of its own
from blender_scenes import (
    FOLDER,
    FOUND,
    bvh,
    heads,
    install,
    module,
    plain_rig,
    poses,
    print_of,
    rigify_walk,
    unchanged,
)

import time
from pathlib import Path

import bpy
import numpy as np


PATIENCE = 600.0
"""Seconds after which a preview is given up: a busy machine is no fault of it."""


def walking():
    """The walk of the folder, and what is the user's of it."""
    install()
    arm = bvh(Path(FOLDER) / "walk.bvh", scale=0.01)
    scene = bpy.context.scene
    scene.frame_end = int(arm.animation_data.action.frame_range[1])
    scene.frame_set(30)
    return arm, scene, range(1, scene.frame_end + 1), print_of(arm)


def polled(preview, until):
    """Poll a preview as its timer would, until something holds; the seconds it took, ours, and of a poll."""
    begin, own, longest = time.perf_counter(), time.process_time(), 0.0
    while not until():
        clock = time.perf_counter()
        preview.poll(wish(preview.wish.arm), bpy.context.scene.frame_current)
        longest = max(longest, time.perf_counter() - clock)
        time.sleep(0.001)
        if time.perf_counter() - begin > PATIENCE:
            raise TimeoutError
    return time.perf_counter() - begin, time.process_time() - own, longest


def wish(arm=None):
    return module("wishes").wish_of(bpy.context, module("ui")._state, arm=arm)


def followed(preview, move, count):
    """Move something so many times: how long the shown frame takes to follow, each time [s]."""
    waits = []
    for _ in range(count):
        move()
        answers = preview.poses
        waits.append(polled(preview, lambda: preview.poses > answers)[0])  # noqa: B023  at once
    return waits


def live():
    """The shown frame follows a slider at once, all frames soon; ended, all is as it was."""
    arm, scene, frames, user = walking()
    before = heads(arm, frames)
    scene.poise.operation = "loosen"
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    scene.poise.of_loosen.k_tension = "NUMBER"

    def slide():
        scene.poise.of_loosen.o_tension += 0.1

    FOUND["waits"] = followed(preview, slide, 6)
    polled(preview, lambda: preview.shows(wish(arm)))
    seen = heads(arm, frames)
    FOUND["tracks while live"] = [t.name for t in arm.animation_data.nla_tracks]
    asked = preview.motions, preview.poses
    scene.frame_set(12)
    for _ in range(30):
        preview.poll(wish(arm), scene.frame_current)
        time.sleep(0.01)
    FOUND["asked again"] = (preview.motions, preview.poses) != asked
    preview.end()
    FOUND["ended"] = user == print_of(arm) and float(np.abs(heads(arm, frames) - before).max()) == 0.0
    FOUND["tracks after"] = len(arm.animation_data.nla_tracks)
    bpy.ops.poise.run(operation="loosen")
    FOUND["baked"] = float(np.abs(heads(arm, frames) - seen).max())
    FOUND["same"] = user == print_of(arm)


def dragged():
    """An empty is dragged, and is the active object then: the motion follows while it moves."""
    arm, scene, frames, user = walking()
    before = poses(arm, frames)
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    names = [b.name for b in arm.pose.bones]
    hand = names.index("RightHand")
    cup.location = before[29, hand, :3, 3] + [0.0, -0.05, 0.1]
    bpy.context.view_layer.update()
    scene.poise.operation = "hit"
    bpy.ops.poise.target_add(bone="RightHand", place="cup")
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    first = poses(arm, frames)
    bpy.context.view_layer.objects.active = cup
    away, behind, whole, scrubbed, places = [], [], [], [], []
    begin = time.perf_counter()
    for _ in range(60):  # as a hand does: thirty small moves a second
        cup.location.x += 0.002
        bpy.context.view_layer.update()
        places.append(np.array(cup.location))
        clock, count, motions = time.perf_counter(), preview.poses, preview.motions
        while time.perf_counter() - clock < 0.033:
            preview.poll(wish(arm), scene.frame_current)
            if preview.poses > count:
                count = 10**9
                far = np.linalg.norm(heads(arm, [30])[0, hand] - np.array(places), axis=1)
                away.append(float(far.min()))
                behind.append(len(places) - 1 - int(far.argmin()))
            time.sleep(0.001)
        if preview.motions > motions:
            whole.append(time.perf_counter() - begin)
            scrubbed.append(float(np.abs(heads(arm, [24]) - first[23, :, :3, 3]).max()))
    FOUND["away"], FOUND["answers"], FOUND["behind"] = away, len(away), behind
    FOUND["previews"], FOUND["seconds"] = len(whole), time.perf_counter() - begin
    FOUND["scrubbed"] = scrubbed
    polled(preview, lambda: preview.shows(wish(arm)))
    seen = poses(arm, frames)
    preview.end()
    FOUND["ended"] = user == print_of(arm) and float(np.abs(poses(arm, frames) - before).max()) == 0.0
    bpy.context.view_layer.objects.active = arm
    bpy.ops.poise.run(operation="hit")
    baked = poses(arm, frames)
    height = np.ptp(before[0, :, :3, 3], axis=0).max()
    FOUND["moved"] = float(np.abs(baked[..., :3, 3] - before[..., :3, 3]).max())
    FOUND["baked"] = float(np.abs(baked[..., :3, 3] - seen[..., :3, 3]).max() / height)
    FOUND["turned"] = float(np.abs(baked[..., :3, :3] - seen[..., :3, :3]).max())
    FOUND["same"] = user == print_of(arm)


def dragged_controls():
    """The same on Rigify: controls of all frames while it moves, put right when it rests."""
    install()
    rig = rigify_walk()
    scene, frames = bpy.context.scene, range(1, 50)
    before, user = poses(rig, frames), print_of(rig)
    names = [b.name for b in rig.pose.bones]
    hand = names.index("ORG-hand.R")
    cup = bpy.data.objects.new("cup", None)
    scene.collection.objects.link(cup)
    cup.location = before[36, hand, :3, 3] + [0.05, -0.12, 0.12]
    scene.frame_set(37)
    bpy.ops.poise.target_add(bone="hand_ik.R", place="cup")
    scene.poise.operation = "hit"
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(rig)))

    def drag():
        cup.location.x += 0.01
        bpy.context.view_layer.update()

    seen = [k for k, n in enumerate(names) if n.startswith(("DEF-", "ORG-"))]
    FOUND["waits"] = followed(preview, drag, 4)
    _, _, FOUND["poll"] = polled(preview, lambda: preview.shows(wish(rig), exact=False))
    rough = poses(rig, frames)[:, seen]
    FOUND["rest"] = polled(preview, lambda: preview.shows(wish(rig)))
    exact = poses(rig, frames)[:, seen]
    preview.end()
    FOUND["ended"] = user == print_of(rig) and float(np.abs(poses(rig, frames) - before).max()) == 0.0
    bpy.ops.poise.run(operation="hit")
    baked = poses(rig, frames)[:, seen]
    height = np.ptp(before[0, :, :3, 3], axis=0).max()
    FOUND["rough"] = float(np.abs(baked[..., :3, 3] - rough[..., :3, 3]).max() / height)
    FOUND["baked"] = float(np.abs(baked[..., :3, 3] - exact[..., :3, 3]).max() / height)
    FOUND["same"] = user == print_of(rig)


def carried_target():
    """A target on a tray that moves: other frames are looked at when it moves, and not at every tick."""
    arm, scene, frames, _ = walking()
    tray, cup = (bpy.data.objects.new(name, None) for name in ("tray", "cup"))
    for item in (tray, cup):
        scene.collection.objects.link(item)
    cup.parent = tray
    names = [b.name for b in arm.pose.bones]
    hand = heads(arm, frames)[:, names.index("RightHand")]
    for frame in (1, 40):
        tray.location = hand[frame - 1] + [0.0, -0.05, 0.05]
        tray.keyframe_insert("location", frame=frame)
    scene.frame_set(30)
    user = print_of(arm)
    scene.poise.operation = "hit"
    scene.frame_set(40)
    bpy.ops.poise.target_add(bone="RightHand", place="cup")
    scene.frame_set(30)
    preview = module("live").Live(wish())
    known = preview.places

    def asked():
        return module("wishes").wish_of(bpy.context, module("ui")._state, arm=arm, known=known)

    def settled():
        end = time.perf_counter() + PATIENCE
        while not preview.shows(asked()) and time.perf_counter() < end:
            preview.poll(asked(), scene.frame_current)
            time.sleep(0.001)
        FOUND["off"].append(float(np.abs(heads(arm, [40])[0, names.index("RightHand")] - place()).max()))

    def place():
        return np.array(scenery.place_of(cup, 40))

    scenery, seen = module("scenery"), []
    FOUND["off"] = []
    settled()
    bpy.app.handlers.frame_change_pre.append(lambda *told: seen.append(1))
    for _ in range(20):
        asked()
    FOUND["looks at rest"] = len(seen)
    cup.location.z += 0.03
    bpy.context.view_layer.update()
    seen.clear()
    asked()
    FOUND["looks when moved"] = len(seen)
    settled()
    preview.end()
    FOUND["same"] = user == print_of(arm)


def nearly():
    """At 24 frames a second: while a slider moves the shown frame is the bake's, the others nearly."""
    install()
    arm, scene = plain_rig(frames=40, modes=False), bpy.context.scene
    frames, options = range(1, 41), scene.poise.of_loosen
    scene.frame_set(20)
    scene.poise.operation, options.k_tension, options.k_window = "loosen", "NUMBER", "NUMBER"
    options.o_window, options.o_contacts = 0.5, "OFF"  # what touches in a random motion, and when, is random
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    options.o_tension += 0.3
    polled(preview, lambda: preview.shows(wish(arm), exact=False))
    FOUND["rough"], seen = not preview.shows(wish(arm)), heads(arm, frames)
    polled(preview, lambda: preview.shows(wish(arm)))
    gap = np.abs(heads(arm, frames) - seen).max(axis=(1, 2))
    FOUND["shown"], FOUND["others"] = float(gap[19]), float(gap.max())
    preview.end()


def speed():
    """300 frames of 60 bones: process times of reading and writing, of a request, of a glimpse."""
    install()
    arm = plain_rig(frames=300, modes=False, count=45)
    found = unchanged(arm, range(1, 301))
    FOUND.update({k: found[k] for k in ("reading", "writing", "moved", "bodies")})
    blender, jobs, client = module("blender"), module("job"), module("program")
    read = jobs.Job(module("reading").reading(arm, blender.plan_for(arm), range(1, 301))).finish()
    link = client.link("")
    (who, shape), (moves, motion) = read.messages("clip", "figure")
    link.ask(who, shape)
    link.ask(moves, motion)
    trim = {"ask": "run", "clip": "clip", "operation": {"do": "trim", "start": 0}}
    link.ask(trim)
    clocks, mine = [], []
    for _ in range(9):
        clock, own = time.perf_counter(), time.process_time()
        link.ask(trim)
        clocks.append(time.perf_counter() - clock)
        mine.append(time.process_time() - own)
    FOUND["link"], FOUND["link_own"] = float(np.min(clocks)), float(np.min(mine))
    scene = bpy.context.scene
    scene.frame_set(150)
    bpy.context.view_layer.objects.active = arm
    scene.poise.operation = "loosen"
    preview = module("live").Live(wish())
    polled(preview, lambda: preview.shows(wish(arm)))
    scene.poise.of_loosen.k_tension = "NUMBER"
    shown, answers, begin, clock = [], [], time.perf_counter(), 0.0
    motions = preview.motions
    while (now := time.perf_counter()) - begin < 3.0:  # a slider that moves thirty times a second
        if now - clock > 0.033 and (not shown or len(answers) == len(shown)):
            scene.poise.of_loosen.o_tension = 2.0 + (now - begin) / 3.0
            clock, count = now, preview.poses
            shown.append(now)
        preview.poll(wish(arm), scene.frame_current)
        if len(answers) < len(shown) and preview.poses > count:
            answers.append(time.perf_counter() - shown[-1])
        time.sleep(0.001)
    FOUND["live_frame"], FOUND["live_frame_worst"] = float(np.median(answers)), float(np.max(answers))
    FOUND["live_frames_a_second"] = len(answers) / 3.0
    FOUND["previews_a_second"] = (preview.motions - motions) / 3.0
    preview.end()


EXPERIMENTS = {
    each.__name__: each for each in (live, nearly, dragged, dragged_controls, carried_target, speed)
}
