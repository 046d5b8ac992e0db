"""Key-frames with weight: pins, a path of the centre of mass, inertia, spins; on a motion or on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from poise.errors import InputError
from poise.project.layer import Layer, Made, Plain, Situation, reading, unit

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.methods.key import Tracks
    from poise.motion import Clip

GIVEN = "./motion"
"""What the motion under the tracks is called while they are read."""


class TracksLayer(Layer, tag="tracks", frozen=True, kw_only=True):
    """With poses it starts a motion; without, the motion it is given is the pose at every frame."""

    tracks: Annotated[
        Plain, msgspec.Meta(description="As files for `poise pose` have them; poses and character optional")
    ]
    rate: float | str | None = None
    """Frames per second, where it starts a motion (30)."""
    fix: bool = False
    """First move keys in time as the path's hints ask."""

    FREE = ("tracks",)

    @property
    def starts(self) -> bool:
        return "poses" in self.tracks

    def uses(self) -> tuple[str, ...]:
        poses = self.tracks.get("poses")
        listed = poses if isinstance(poses, tuple) else ()
        named = [pose["clip"] for pose in listed if isinstance(pose, Mapping) and "clip" in pose]
        named = [name for name in named if isinstance(name, str)]
        who = self.tracks.get("character")
        if isinstance(who, str) and ("." in who or "/" in who):
            named.append(who)
        return tuple(dict.fromkeys(named))

    def check(self) -> None:
        if not self.starts and self.rate is not None:
            raise InputError("field 'rate': tracks on a motion have its rate")

    def _document(self, at: Situation) -> Tracks:
        with reading("tracks"):
            return self._read(at)

    def _read(self, at: Situation) -> Tracks:
        from poise.methods.key import Tracks
        from poise.methods.key.sheet.track import Track

        data = {"version": 1, **self.plain("tracks")}
        if self.starts:
            if at.character is not None:
                who = at.character
                data["character"] = GIVEN
                found = Tracks.from_dict(data, read=lambda name: _stand_in(name, who, at))
            else:
                found = Tracks.from_dict(data, read=at.clip)
        else:
            clip = at.motion
            data |= {"character": GIVEN, "poses": [{"time": 0.0, "q": clip.q[0].tolist()}]}
            found = Tracks.from_dict(data, read=lambda name: clip if name == GIVEN else at.clip(name))
            poses = {float(t): q for t, q in zip(clip.times, clip.q)}
            found = found.replaced(poses=Track.of(clip.character.manifold, poses))
        return found.fixed() if self.fix else found

    def make(self, at: Situation) -> Made:
        from poise.methods.key.frames.bake import at_frames
        from poise.methods.key.sheet.report import physics_kept

        document = self._document(at)

        def told(done: int, total: int) -> None:
            at.progress(done / max(1, total))

        if self.starts:
            baked = document.bake(self.rate or 30, progress=told)
            return Made(baked.clip, baked.report, physics_kept(baked.report))
        clip = at.motion
        found = at_frames(document, clip.times, progress=told)
        return Made(clip.with_q(found.q), found.report, physics_kept(found.report))

    def frames(self, at: Situation, frames: Sequence[int]) -> Array | None:
        if self.starts:
            return None
        from poise.methods.key.frames.smoothed import over_folds

        clip, document = at.motion, self._document(at)
        times = clip.times[np.asarray(frames)]
        return unit(clip, over_folds(document, document.evaluation.poses, times).poses(times))


def _stand_in(name: str, who: Any, at: Situation) -> Clip:
    from poise.motion import Clip

    return Clip(who, [who.rest_pose()], 30) if name == GIVEN else at.clip(name)
