"""What is done when a motion is given something to wear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Report
from poise.dynamics.elastic import Surface
from poise.dynamics.elastic.surface import OpenSurface, surface_of
from poise.errors import InputError
from poise.methods.loosen.contact.surfaces import surroundings
from poise.methods.loosen.wear.attachment import Attachment, attach
from poise.methods.loosen.wear.draped import Draped
from poise.methods.loosen.wear.fit import wear_hat
from poise.methods.loosen.wear.flesh import solids_of
from poise.methods.loosen.wear.garment import Garment
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.hit import hit_attached
from poise.methods.loosen.wear.result import WearResult
from poise.methods.loosen.wear.tailor import bundled, sewn, strand
from poise.methods.loosen.wear.worn import Worn
from poise.motion import Clip
from poise.motion.takes import told_jumps
from poise.operations.frozen_data import encoded, thaw
from poise.operations.situation import Situation
from poise.operations.values.wishes import wishes_on
from poise.operations.wear import BUNDLED, HAT, OF_SOLIDS, OF_THIN, STRAND, Wear


def wear(asked: Wear, at: Situation) -> WearResult:
    """The motion, or one that meets constraints, with something on it."""
    clip = at.motion
    at.progress(0.0)
    mesh = at.given("mesh")
    if mesh is None and asked.mesh not in BUNDLED:
        mesh = at.surface(asked.mesh) if asked.is_surface else at.clip(asked.mesh)
    made = worn_by(clip.character, mesh, asked)
    before = at.input.attached if at.input else ()
    jumps = told_jumps(clip)
    wanted = wishes_on(thaw(asked.constraints), clip)
    if isinstance(made, Garment):
        if wanted:
            raise InputError(
                "field 'constraints': cloth and strands cannot hit targets; hit with the body first, then "
                "put it on"
            )
        around = surroundings(asked, clip, at)
        solids = tuple(solids_of(clip.character)) if asked.collide else ()
        draped = Draped(made, clip, asked.window, solids, around.surfaces)
        draped.simulate(at.progress)  # now, while whoever asked can be told and can cancel
        notes = (*around.notes, *jumps)
        told = Report(warnings=notes) if notes else None
        return WearResult(clip, told, attached=(*before, draped))
    if not wanted:
        told = Report(warnings=jumps) if jumps else None
        return WearResult(clip, told, attached=(*before, Worn(made, clip, asked.window, asked.large)))
    result = hit_attached(clip, wanted, [made], asked, progress=at.progress)
    worn = Worn(made, result.clip, asked.window, asked.large)
    report = replace(result.report, warnings=(*result.report.warnings, *jumps))
    moved = (replace(other, clip=result.clip) for other in before)
    return WearResult(result.clip, report, attached=(*moved, worn))


def wear_frames(asked: Wear, at: Situation, frames: Sequence[int]) -> Array | None:
    """Some frames alone: what is worn changes none."""
    return None if asked.constraints else np.asarray(at.motion.q[list(frames)])


def worn_by(character: Character, mesh: Clip | Surface | None, asked: Wear) -> Attachment | Garment:
    """What is put on; it depends on who wears it, not on the motion."""
    return _worn_by(character, mesh, _Make(asked))


class _Make:
    """What something is made of: the same for the same material and place, whatever it is to hit."""

    def __init__(self, asked: Wear) -> None:
        plain: dict[str, Any] = {f: getattr(asked, f) for f in Wear.__struct_fields__}
        plain |= {"constraints": (), "width": None, "joints": None, "window": "auto", "world": None}
        self.asked = Wear(**plain | {"large": False, "collide": True})
        self.refuse = asked.refuse
        self.key = encoded(self.asked)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Make) and self.key == other.key


@lru_cache(maxsize=16)
def _worn_by(character: Character, mesh: Clip | Surface | None, make: _Make) -> Attachment | Garment:
    asked = make.asked
    if mesh is None:
        if asked.mesh == STRAND:
            return strand(character, asked)
        if asked.mesh != HAT:
            return bundled(character, asked)
        if asked.offset is None and asked.rotation is None and asked.scale is None and asked.frame is None:
            return wear_hat(character, asked)
        placed = asked if asked.offset is not None else msgspec.structs.replace(asked, offset=ON_HEAD)
        return attach(character, hat(), placed)
    if not isinstance(mesh, Surface):
        skin = mesh.character.skin
        if skin is None:
            raise InputError(f"field 'mesh': {mesh.name!r} has no mesh")
        mesh = surface_of(np.asarray(skin.shape()), skin.faces, mesh.name)
    if isinstance(mesh, OpenSurface):
        make.refuse(OF_SOLIDS, f"is for solids, and {mesh.name!r} is an open mesh, which is cloth")
        return sewn(character, mesh, asked)
    make.refuse(OF_THIN, f"is for cloth and strands, and {mesh.name!r} is a closed mesh, which is solid")
    return attach(character, mesh, asked)
