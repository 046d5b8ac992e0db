"""Something soft on a bone, a hat, that sways with the motion without being part of it.

With constraints on its points the motion under it changes so that they are met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from poise.errors import InputError
from poise.operations.frozen_data import encoded
from poise.project.kinds.targets import hits
from poise.project.layer import Layer, Made, Plain, Situation

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.character import Character
    from poise.methods.loosen import Attachment
    from poise.methods.loosen.wear.hit import AttachedResult
    from poise.motion import Clip, MeshClip
    from poise.watching import Progress

Triple = tuple[float, float, float]
HAT = "hat"
"""The bundled mesh."""


@dataclass(frozen=True, eq=False)
class Worn:
    """An attachment on a motion."""

    attachment: Attachment
    clip: Clip
    window: float | str
    large: bool

    @cached_property
    def mesh(self) -> MeshClip:
        """Its moving mesh, in the world."""
        from poise.methods.loosen import sway

        return self._quick or sway(self.clip, self.attachment, self.window, large=True)

    @cached_property
    def _quick(self) -> MeshClip | None:
        """By the quick model, unless the other was asked for or this one is shaken out of all bounds."""
        from poise.methods.loosen import sway, sway_of
        from poise.methods.loosen.wear import QUICK_LIMIT

        if self.large:
            return None
        found = sway(self.clip, self.attachment, self.window)
        swung = sway_of(self.clip, self.attachment).farthest(found.vertices)
        return found if swung <= QUICK_LIMIT * self.attachment.diameter else None

    def on(self, clip: Clip) -> Clip:
        """A clip that wears it, for files: a mesh of its skin, moved by morph weights."""
        from poise.formats.gltf.dressed import dressed

        return dressed(clip, [self.attachment], self.window, large=self._quick is None)

    @property
    def nbytes(self) -> int:
        """Of its mesh, at all frames."""
        return 24 * self.clip.frames * len(self.attachment.surface.points)


class AttachmentLayer(Layer, tag="attachment", frozen=True, kw_only=True):
    """Options are those of ``poise.kinodynamics.attach``; what is left out has its default there."""

    mesh: str = HAT
    """"hat", which is bundled, or a clip of the project whose skin is the mesh."""
    to: str = "Head"
    """The bone that carries it."""
    young: float | None = None
    """[Pa]"""
    poisson: float | None = None
    density: float | None = None
    """[kg/m³]"""
    damping: float | None = None
    offset: Triple | None = None
    """Of the mesh on the bone [m]; None: none. The bundled hat is made to fit unless it is placed by hand."""
    rotation: tuple[float, float, float, float] | None = None
    scale: float | None = None
    frame: str | None = None
    hold: float | None = None
    """[m]"""
    cells: int | None = None
    modes: int | None = None
    gravity: str | None = None
    colour: Triple | None = None
    window: float | str = "auto"
    large: bool = False
    """For large motions of the mesh: exact, and slower. Taken by itself where the quick model runs away."""
    constraints: Annotated[
        tuple[Plain, ...],
        msgspec.Meta(description="Where points of it (attachment_point), or of its wearer, are to be"),
    ] = ()
    width: float | None = None
    """Of the corrections that this takes, in time [s]."""
    joints: tuple[str, ...] | None = None
    """That are corrected; None: all."""

    LAST = True
    FREE = ("constraints", "joints")

    def check(self) -> None:
        from poise.constraints.entries import checked_entries

        hits(checked_entries(self.plain("constraints"), "constraints"))
        if self.weight != 1.0:
            raise InputError("field 'weight': an attachment is worn (1) or muted")

    def uses(self) -> tuple[str, ...]:
        return () if self.mesh == HAT else (self.mesh,)

    def make(self, at: Situation) -> Made:
        names = ("young", "poisson", "density", "damping", "offset", "rotation", "scale", "frame", "hold")
        more = ("cells", "modes", "gravity", "colour")
        given = {n: getattr(self, n) for n in (*names, *more) if getattr(self, n) is not None}
        clip, mesh = at.motion, None if self.mesh == HAT else at.clip(self.mesh)
        at.progress(0.0)
        made = _attached(clip.character, mesh, self.to, encoded(given))
        before = at.input.attached if at.input else ()
        if not self.constraints:
            return Made(clip, attached=(*before, Worn(made, clip, self.window, self.large)))
        result = self._hit(clip, made, at.progress)
        worn = Worn(made, result.clip, self.window, self.large)
        moved = (replace(other, clip=result.clip) for other in before)
        return Made(result.clip, result.report, result.report.met, (*moved, worn))

    def _hit(self, clip: Clip, made: Attachment, progress: Progress) -> AttachedResult:
        from poise.constraints.entries import items
        from poise.methods.loosen import hit_attached

        return hit_attached(
            clip,
            hits(items(self.plain("constraints"), clip, "constraints")),
            [made],
            self.window,
            shape=self.width,
            joints=self.plain("joints"),
            large=self.large,
            progress=progress,
        )

    def frames(self, at: Situation, frames: Sequence[int]) -> Array | None:
        if self.constraints:
            return None
        return np.asarray(at.motion.q[list(frames)])


@lru_cache(maxsize=16)
def _attached(character: Character, mesh: Clip | None, to: str, options: bytes) -> Attachment:
    """The soft body; it depends on who wears it, not on the motion."""
    import json

    from poise.dynamics.elastic import Surface
    from poise.methods.loosen import attach, wear_hat
    from poise.methods.loosen.wear import ON_HEAD, hat

    given: dict[str, Any] = json.loads(options)
    if mesh is None:
        if not {"offset", "rotation", "scale", "frame"} & set(given):
            return wear_hat(character, to, **given)
        return attach(character, hat(), to, **{"offset": ON_HEAD, **given})
    skin = mesh.character.skin
    if skin is None:
        raise InputError(f"field 'mesh': {mesh.name!r} has no mesh")
    return attach(character, Surface(np.asarray(skin.shape()), skin.faces, mesh.name), to, **given)
