"""What is done when key-frames become motion, and when one pose is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.key.edits import held_points
from poise.methods.key.edits.morph_keys import keyed_morphs
from poise.methods.key.edits.result import RetouchResult
from poise.methods.key.edits.retouched import demands, retouched, told_outside
from poise.methods.key.frames.bake import at_frames, bake
from poise.methods.key.frames.smoothed import over_folds
from poise.methods.key.path.key import PathKey
from poise.methods.key.pose.result import RATE, PoseResult
from poise.methods.key.pose.solve import solve
from poise.methods.key.result import KeyResult
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.track import Track
from poise.motion import Clip
from poise.operations.decoding import reading
from poise.operations.frozen_data import thaw
from poise.operations.key import FPS, Key
from poise.operations.pose import Pose
from poise.operations.retouch import Retouch
from poise.operations.situation import Situation
from poise.operations.values.wishes import by_role, wishes_on

GIVEN = "./motion"
"""What the motion under key-frames is called while they are read."""


def key(asked: Key, at: Situation) -> KeyResult:
    """Motion from key-frames, or the motion they are put on, changed by them."""
    document = keyframes_of(asked, at)

    def told(done: int, total: int) -> None:
        at.progress(done / max(1, total))

    if asked.starts:
        fps = FPS if asked.fps is None else asked.fps
        return bake(document, fps, start=asked.start, end=asked.end, progress=told)
    clip = at.motion
    found = at_frames(document, clip.times, progress=told)
    return KeyResult(document, clip.with_q(found.q), found.report, found.again)


def key_frames(asked: Key, at: Situation, frames: Sequence[int]) -> Array | None:
    """Some frames alone, (k, nq), to the bits that all of them give."""
    if asked.starts or asked.grounded:
        return None
    clip, document = at.motion, keyframes_of(asked, at)
    times = clip.times[np.asarray(frames)]
    return clip.held(over_folds(document, document.evaluation.poses, times).poses(times))


def keyframes_of(asked: Key, at: Situation) -> Keyframes:
    """The document that is meant, timed as asked."""
    given = at.given("keyframes")
    found: Keyframes = _read(asked.keyframes, at) if given is None else given
    return found.fixed() if asked.retime else found


def retouch(asked: Retouch, at: Situation) -> RetouchResult:
    """The motion with keys of joints on top."""
    clip = at.motion
    made = clip.with_q(retouched(asked, clip))
    wanted = demands(asked, clip)
    if asked.held:
        wanted += tuple(held_points.demands(asked.held, made))
        made = made.with_q(held_points.with_held(asked.held, made, progress=at.progress))
    if asked.morphs:
        made = made.replaced(morphs=keyed_morphs(asked, clip))
    return RetouchResult(made, at.footing, wanted, told_outside(asked, clip))


def retouch_frames(asked: Retouch, at: Situation, frames: Sequence[int]) -> Array | None:
    """Some frames alone, (k, nq), to the bits that all of them give; None where a face changes too."""
    if asked.morphs:
        return None
    if not asked.held:
        return at.motion.held(retouched(asked, at.motion, frames))
    made = at.motion.with_q(retouched(asked, at.motion))  # points are held about where all of it goes
    return made.held(held_points.with_held(asked.held, made, frames))


def pose(asked: Pose, at: Situation) -> PoseResult:
    """One pose of a motion, changed by its handles, or by constraints that it is to meet."""
    clip, last = at.motion, float(at.motion.times[-1])
    if not (clip.loop or 0.0 <= asked.at <= last):
        raise InputError(f"field 'at': a time must lie within the clip, 0 to {last:g} s, not {asked.at:g}")
    q, name = clip.at(asked.at), clip.name
    if not asked.constraints:
        found = bake(_one_pose(clip, asked), RATE, start=0.0, end=0.0)
        alone = found.clip.replaced(source=clip.source)
        return PoseResult(clip.character, alone.q[0], found.report, clip=alone, met=found.met)
    wanted = wishes_on(by_role(thaw(asked.constraints), clip.character), clip)
    solved = solve(clip.character, wanted, asked, pose=q)
    alone = Clip(clip.character, [solved.q], RATE, name=name, source=clip.source)
    return PoseResult(clip.character, solved.q, solved.report, clip=alone)


def _read(keyframes: Mapping[str, Any] | str, at: Situation) -> Keyframes:
    if isinstance(keyframes, str):
        return Keyframes.load(at.folder / Path(keyframes), read=at.clip)
    with reading("keyframes"):
        return _from_data({"version": 1, **thaw(keyframes)}, at)


def _from_data(data: dict[str, Any], at: Situation) -> Keyframes:
    """A document from plain data; without poses, the motion is the pose at every frame."""
    if "poses" in data:
        who = at.character
        if who is None:
            return Keyframes.from_dict(data, read=at.clip)
        data["character"] = GIVEN
        return Keyframes.from_dict(data, read=lambda name: _stand_in(name, who, at))
    clip = at.motion
    data |= {"character": GIVEN, "poses": [{"time": 0.0, "q": clip.q[0].tolist()}]}
    found = Keyframes.from_dict(data, read=lambda name: clip if name == GIVEN else at.clip(name))
    poses = {float(t): q for t, q in zip(clip.times, clip.q)}
    return found.replaced(poses=Track.of(clip.character.manifold, poses))


def _stand_in(name: str, who: Character, at: Situation) -> Clip:
    return Clip(who, [who.rest_pose()], RATE) if name == GIVEN else at.clip(name)


def _one_pose(clip: Clip, asked: Pose) -> Keyframes:
    """A document that holds one pose, at time 0."""
    q = clip.at(asked.at)
    kin = Kinematics(clip.character, q)
    document = Keyframes(clip.character, q, name=clip.name)
    for pin in asked.pins:
        document = document.pin(
            pin.point, to=kin.point(pin.point)[0].tolist() if pin.place is None else pin.place
        )
    if asked.com is not None:
        moved = kin.com[0] + asked.com
        document = document.with_path([PathKey(0.0, tuple(moved.tolist()))])
    if asked.gyration is not None:
        document = document.with_inertia({0.0: asked.gyration})
    return document
