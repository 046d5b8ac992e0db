"""A script: poses by name, each so many seconds after the one before.

script = Script(PoseLibrary.load("poses.json"))
script.target("UpBeat", 0.545).target("DownBeat", 0.545)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from poise.character import Character
from poise.errors import InputError
from poise.methods.perform.script.beats import Beats, snap
from poise.methods.perform.script.pose import JointPose, PoseLibrary
from poise.methods.perform.script.timed_pose import Arrival, TimedPose


class Script:
    """Keys in the order they are said; add to it with ``target``, ``at`` and ``wait``.

    Examples:
        >>> script = poise.Script.bundled("ymca")
        >>> danced = poise.perform(script=script).clip
    """

    def __init__(
        self, library: PoseLibrary, *, name: str = "script", start: str | JointPose | None = None
    ) -> None:
        self.library, self.name = library, name
        self.start = self._pose(start) if start is not None else None
        """The pose to begin with; default the character's rest pose."""
        self.time = 0.0
        """When the next ``target`` counts from [s]."""
        self._keys: list[TimedPose] = []

    @property
    def character(self) -> Character:
        """Who performs it."""
        return self.library.character

    @property
    def keys(self) -> tuple[TimedPose, ...]:
        """All keys so far."""
        return tuple(self._keys)

    @property
    def times(self) -> list[float]:
        """Of the keys [s]."""
        return [key.time for key in self._keys]

    def target(self, pose: str | JointPose, seconds: float, **more: Unpack[Arrival]) -> Script:
        """Be in a pose ``seconds`` after the last; ``more`` as of ``TimedPose``."""
        if not seconds > 0:
            raise InputError(f"pose {pose!r} must come after the one before, not {seconds!r} s later")
        return self.at(pose, self.time + seconds, **more)

    def at(self, pose: str | JointPose, time: float, **more: Unpack[Arrival]) -> Script:
        """Be in a pose at a time [s]."""
        self._keys.append(TimedPose(self._pose(pose), time, **more))
        self.time = time
        return self

    def wait(self, seconds: float) -> Script:
        """Stay where the last target was."""
        if not seconds > 0:
            raise InputError(f"a wait must be positive, not {seconds!r} s")
        return self.target(self._keys[-1].pose, seconds) if self._keys else self._later(seconds)  # type: ignore[arg-type]

    def snapped(self, beats: Beats | Sequence[float], *, division: int = 1, strength: float = 1.0) -> Script:
        """The same with every key moved to a beat, or a part of one; see ``snap``."""
        return self._with(snap(self._keys, beats, division=division, strength=strength))

    def _with(self, keys: Sequence[TimedPose]) -> Script:
        other = Script(self.library, name=self.name, start=self.start)
        other._keys, other.time = list(keys), max((k.time for k in keys), default=0.0)
        return other

    def _later(self, seconds: float) -> Script:
        self.time += seconds
        return self

    def _pose(self, pose: str | JointPose) -> JointPose:
        return pose if isinstance(pose, JointPose) else self.library[pose]

    @classmethod
    def load(cls, path: str | Path, character: Character | None = None) -> Script:
        """From a JSON or TOML file; see ``script_file``."""
        from poise.methods.perform.script.file import load

        found = load(path, character)
        if not isinstance(found, Script):
            raise InputError(f"{path} holds a state machine, not a script of keys")
        return found

    @classmethod
    def bundled(cls, name: str) -> Script:
        """One that comes with Poise: "ymca", "conducting"."""
        from poise.methods.perform.script.file import bundled

        return cls.load(bundled(name))
