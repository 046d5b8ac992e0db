"""A clip: a character's motion sampled at an exact, constant rate.

Frame k is at time k / rate. A loop of F frames lasts F / rate: after its last frame comes the
first one again, moved on by ``travel``. Any other clip lasts (F − 1) / rate and holds its ends.

Beside its configurations a frame has the weights of the skin's morph targets, where there are any.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.character import Character
from poise.errors import InputError
from poise.motion.frame_times import FrameTimes, exact_rate
from poise.motion.source import Source
from poise.motion.travel import Travel

if TYPE_CHECKING:
    from poise.formats.options import WriteOptions
    from poise.motion.sampler import Sampler


class ClipFields(TypedDict, total=False):
    """What a clip is made of, beside its frames."""

    character: Character
    rate: Fraction | float | str
    loop: bool
    travel: Travel | None
    name: str
    source: Source | None


class MorphedFields(ClipFields, total=False):
    """And the weights of its frames."""

    morphs: ArrayLike | None


class AllFields(MorphedFields, total=False):
    """And their configurations."""

    q: ArrayLike


class Clip(FrameTimes):
    """Character + configurations (F, nq) + exact rate. Immutable.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> print(walk.frames, walk.fps, walk.duration)
        >>> walk.save("walk.bvh")
    """

    def __init__(
        self,
        character: Character,
        q: ArrayLike,
        rate: Fraction | float | str,
        *,
        loop: bool = False,
        travel: Travel | None = None,
        name: str = "",
        source: Source | None = None,
        morphs: ArrayLike | None = None,
    ) -> None:
        self.character = character
        values = checked(q, "q", (None, character.nq), most=FARTHEST)
        if len(values) == 0:
            raise InputError("a clip needs at least one frame")
        self.q: Array = frozen(_unit(character, values))
        self.rate = exact_rate(rate)
        """Frames per second, exactly."""
        self.loop = bool(loop)
        self.travel = travel or Travel()
        """For loops: how the root moves on from one cycle to the next."""
        self.name = name
        self.source = source
        self.morphs: Array | None = _morphs(character, morphs, len(values))
        """Weights of ``character.skin.morphs`` at each frame, (F, m); None if there are no such targets.

        Left out, they are all at rest: zeros."""

    def __repr__(self) -> str:
        kind = "loop" if self.loop else "clip"
        return f"Clip({self.name!r}, {self.character.name}, {self.frames} frames at {self.fps:g} fps, {kind})"

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def velocity(self) -> Array:
        """Velocities at frames by central differences, (F, nv)."""
        manifold, dt = self.character.manifold, self.dt
        if not self.loop:
            return np.asarray(frozen(manifold.velocity(self.q, dt)))
        before = self.travel.apply(self.character, self.q[-1], -1)
        after = self.travel.apply(self.character, self.q[0], 1)
        longer = np.concatenate([before[None], self.q, after[None]])
        return np.asarray(frozen(manifold.velocity(longer, dt)[1:-1]))

    @cached_property
    def sampler(self) -> Sampler:
        """Smooth evaluation between frames."""
        from poise.motion.sampler import Sampler

        # Of a twin that keeps no sampler: two that know each other live on until the collector finds them.
        twin = copy(self)
        self.velocity = twin.velocity
        return Sampler(twin)

    def at(self, time: ArrayLike) -> Array:
        """Configuration at a time [s], (nq,), or at many, (T, nq)."""
        return self.sampler.configuration(time)

    def morphs_at(self, time: ArrayLike) -> Array | None:
        """Morph weights at a time [s], (m,), or at many, (T, m): linear between frames, loops wrap."""
        return self.sampler.morphs(time)

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets, in the order of the columns of ``morphs``."""
        return _targets(self.character)

    def with_q(self, q: ArrayLike, **changes: Unpack[MorphedFields]) -> Clip:
        """The same clip with other configurations."""
        return self.replaced(q=q, **changes)

    def held(self, q: ArrayLike) -> Array:
        """Configurations as a clip would hold them, (k, nq): quaternions of length one."""
        return Clip(self.character, q, self.rate).q

    def with_frames(self, q: ArrayLike, morphs: ArrayLike | None, **changes: Unpack[ClipFields]) -> Clip:
        """Other frames in place of these: nothing the source holds frame by frame applies to them."""
        source = self.source.without_frames() if self.source is not None else None
        told: AllFields = {"q": q, "morphs": morphs, "source": source, **changes}
        return self.replaced(**told)

    def replaced(self, **changes: Unpack[AllFields]) -> Clip:
        """A copy with some fields changed.

        With another number of frames, animated morph weights must be given too; constant ones stay.
        """
        fields: AllFields = {
            "character": self.character,
            "q": self.q,
            "rate": self.rate,
            "loop": self.loop,
            "travel": self.travel,
            "name": self.name,
            "source": self.source,
            "morphs": self.morphs,
            **changes,
        }
        frames = self.frames
        if "q" in changes:
            frames = len(checked(changes["q"], "q", (None, fields["character"].nq)))
        if frames != self.frames:
            if "morphs" not in changes:
                fields["morphs"] = self._constant_morphs(frames)
            if "source" not in changes and self.source is not None:
                fields["source"] = self.source.without_frames()
        return Clip(**fields)

    def with_note(self, note: str) -> Clip:
        """The same clip with a remark added to its source."""
        source = self.source or Source(path="", format="")
        return self.replaced(source=replace(source, notes=(*source.notes, note)))

    def _constant_morphs(self, frames: int) -> Array | None:
        if self.morphs is None:
            return None
        if (self.morphs != self.morphs[0]).any():
            raise InputError(
                f"{self.name!r} has animated morph weights at {self.frames} frames: "
                f"give the morphs of the {frames} new ones too"
            )
        return np.repeat(self.morphs[:1], frames, axis=0)

    def save(self, path: str | Path, **options: Unpack[WriteOptions]) -> Path:
        """Write to a file; the format follows the extension."""
        from poise.formats import save

        return save(self, path, **options)

    def _repr_html_(self) -> str | None:
        """In a notebook a clip plays itself; text where the studio's viewer has not been built."""
        from poise.studio.page import built, frame

        return frame(self) if built() else None


def _targets(character: Character) -> tuple[str, ...]:
    return tuple(m.name for m in character.skin.morphs) if character.skin is not None else ()


def _morphs(character: Character, values: ArrayLike | None, frames: int) -> Array | None:
    """Checked weights (F, m)."""
    names = _targets(character)
    if values is None:
        return np.asarray(frozen(np.zeros((frames, len(names))))) if names else None
    if not names:
        if np.size(values):
            raise InputError(f"{character.name!r} has no morph targets, so its clips have no morph weights")
        return None
    weights = checked(values, "morphs", (None, None))
    if weights.shape != (frames, len(names)):
        listed = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        raise InputError(
            f"morphs must have shape ({frames}, {len(names)}), not {weights.shape}: "
            f"per frame a weight for each target of {character.name!r} ({listed})"
        )
    return np.asarray(frozen(weights))


def _unit(character: Character, q: Array) -> Array:
    """q with unit quaternions; frames already unit to rounding keep their bits."""
    slots = character.manifold.rotation_slots[0]
    if not slots.size:
        return q
    length = np.linalg.norm(q[:, slots], axis=-1)
    off = (np.abs(length - 1.0) >= 4e-16 * 8).any(axis=1)  # frame by frame: none depends on the others
    if not off.any():
        return q
    if (length < 1e-6).any():
        frame, rotation = (int(i) for i in np.argwhere(length < 1e-6)[0])
        raise InputError(f"frame {frame}: rotation {rotation} of {character.name!r} is a zero quaternion")
    out = np.array(q)
    out[off] = character.manifold.normalise(q[off])
    return out
