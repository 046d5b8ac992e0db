"""What is done when a script is performed, or a motion followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from poise.character import Character
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.perform.perform import simulate
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script import file as script_file
from poise.methods.perform.script.beats import Beats
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Machine
from poise.methods.perform.script.timed_pose import TimedPoses
from poise.methods.perform.simulate.simulation import gravity_of
from poise.motion import Clip
from poise.operations.decoding import reading
from poise.operations.frozen_data import thaw
from poise.operations.perform import Perform
from poise.operations.situation import Situation
from poise.operations.values.disturbance import ThrowAt
from poise.operations.values.world import NOTHING, world_around, world_of
from poise.reading import beside
from poise.watching import Progress
from poise.world import World

CALM = 0.5
"""Part of the work that shows where a ball has to be thrown at, where one is thrown at something."""


def perform(asked: Perform, at: Situation) -> PerformResult:
    """A simulated performance that arrives on time: of a script, or following the motion it is given."""
    at.progress(0.0)
    followed = at.motion if asked.follow else None
    who = followed.character if followed is not None else _performer(asked, at)
    keys = _on_beats(_keys(asked, at, who), asked, at)
    who = who or getattr(keys, "character", None)
    if who is None:
        raise InputError("field 'character': give a character, or a script that names one")
    start = _start(asked, at, keys, who)
    around = _around(asked, at, followed)

    def run(asked: Perform, progress: Progress) -> PerformResult:
        return simulate(followed or who, keys, asked, start=start, progress=progress, world=around)

    aimed = [d for d in asked.disturbances if isinstance(d, ThrowAt)]
    if not aimed:
        return run(asked, at.progress)
    others = tuple(d for d in asked.disturbances if not isinstance(d, ThrowAt))
    calm = run(msgspec.structs.replace(asked, disturbances=others), lambda part: at.progress(CALM * part))
    thrown = thrown_at(aimed, calm, asked)
    everything = msgspec.structs.replace(asked, disturbances=(*others, *thrown))
    return run(everything, lambda part: at.progress(CALM + (1 - CALM) * part))


def thrown_at(aimed: list[ThrowAt], calm: PerformResult, asked: Perform) -> tuple[Any, ...]:
    """Balls thrown to meet points where they would be if nothing were thrown."""
    found, names = [], set[str]()
    for k, ball in enumerate(aimed, start=1):
        if not 0 < ball.time <= calm.clip.duration:
            raise InputError(
                f"field 'disturbances': {ball.name!r} is to meet {ball.point} at {ball.time:g} s; "
                f"the performance lasts from 0 to {calm.clip.duration:.3g} s"
            )
        place = Kinematics(calm.clip.character, calm.clip.at(ball.time)).point(ball.point)[0]
        name = ball.name if ball.name not in names else f"{ball.name} {k}"
        names.add(name)
        found.append(msgspec.structs.replace(ball, name=name).thrown(place, gravity_of(asked)))
    return tuple(found)


def _around(asked: Perform, at: Situation, clip: Clip | None) -> World | None:
    """The surfaces that are said, else the project's; None: none are."""
    said = asked.world if asked.world is not None else at.world
    if said is None or said == NOTHING:
        return None if said is None else World()
    if clip is not None:
        return world_around(said, at.folder, clip, at.clip, own=False)
    return world_of(said, at.folder)


def _performer(asked: Perform, at: Situation) -> Character | None:
    """Who performs, where that is said."""
    given = at.given("character")
    if given is not None:
        return given
    return at.clip(asked.character).character if asked.character is not None else at.character


def _keys(asked: Perform, at: Situation, who: Character | None) -> Script | Machine | TimedPoses:
    given = at.given("script")
    if given is not None:
        return given
    if asked.script is None:
        return ()
    with reading("script"):
        if not isinstance(asked.script, str):
            return script_file.from_data(thaw(asked.script), at.folder, who)
        path = _file(asked.script, at, "the script") if asked.in_a_file else script_file.bundled(asked.script)
        return script_file.load(path, who)


def _on_beats(keys: Any, asked: Perform, at: Situation) -> Any:
    """Keys moved to beats, where some are given."""
    if asked.beats is None:
        return keys
    if not isinstance(keys, Script):
        raise InputError(
            "field 'beats': only scripts with keys can be moved to beats; to put a motion on the beat, "
            "use 'hit' with targets at the beats"
        )
    return keys.snapped(at.given("beats") or _beats(asked.beats, keys.time, at))


def _beats(beats: float | str, last: float, at: Situation) -> Beats:
    """Beats at a tempo until well after the last key [s], or those of a file."""
    if not isinstance(beats, str):
        count = 2 * (last + 2) * beats / 60 + 4
        return Beats.at_tempo(beats, int(count) if 4 < count < 1e6 else 1)
    suffix = Path(beats).suffix.lower()
    if suffix in (".mid", ".midi"):
        return Beats.from_midi(_file(beats, at, "the music"))
    if suffix == ".wav":
        return Beats.from_wav(_file(beats, at, "the music"))
    raise InputError(f"field 'beats': beats are a tempo, a .mid file or a .wav file, not {beats!r}")


def _start(asked: Perform, at: Situation, keys: Any, who: Character) -> Any:
    """The pose to begin in, where one is asked for."""
    given, said = at.given("from_pose"), asked.from_pose
    if given is not None or said is None:
        return given
    if isinstance(said, str):
        if not hasattr(keys, "library"):
            raise InputError(f"field 'from_pose': no script has a pose {said!r}")
        return keys.library[said]
    return said if isinstance(said, tuple) else JointPose.from_degrees(who, thaw(said), name="from_pose")


def _file(name: str, at: Situation, what: str) -> Path:
    """A file that is named: documents may name only what stands beside them."""
    return Path(name) if at.folder == Path() else beside(at.folder, name, what)
