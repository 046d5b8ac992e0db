"""What is done when a face is loosened or made to hit."""

from __future__ import annotations

from collections.abc import Sequence

from poise.errors import InputError
from poise.methods.loosen.face.as_motion import FaceMotionResult
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.hit import FaceHitResult, hit
from poise.methods.loosen.face.material import fleshes
from poise.methods.loosen.face.result import FaceResult
from poise.methods.loosen.face.target import Target
from poise.motion import Clip
from poise.operations.declare import fields_of
from poise.operations.frozen_data import thaw
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.situation import Situation
from poise.operations.values.face_target import face_targets, is_for_face

MOST_BODIES = 8
"""A character with more bodies than this is meant as a body, unless told otherwise."""
OF_FACES = ("firmness", "ratio")
"""Options that a body does not have."""
OF_BOTH = ("constraints", "tension", "window", "width", "widths", "part")
"""All others a face does not have."""


def is_face(asked: Loosen, at: Situation) -> bool:
    """Whether the vertices of a face are meant; options of the other are refused."""
    face = chosen(at.motion, asked.part) if at.mesh or asked.part == "face" else False
    if not face:
        _refuse(asked, OF_FACES, "is for faces, and this motion is a body's (see part)")
        if isinstance(asked, Hit) and any(map(is_for_face, thaw(asked.constraints))):
            raise InputError(
                "field 'constraints': regions are for faces, and this motion is a body's (see part)"
            )
        return False
    declared = fields_of(Hit if isinstance(asked, Hit) else Loosen)  # a layer has a name and more beside
    others = [f.name for f in declared if f.name not in (*OF_BOTH, *OF_FACES)]
    _refuse(asked, others, "is for bodies, and this motion is a face's (see part)")
    return True


def chosen(clip: Clip, part: str) -> bool:
    """Whether a face is meant; one of a single frame is an error that says what to do."""
    weights = clip.morphs
    few = weights is not None and len(clip.character.bodies) <= MOST_BODIES
    if weights is not None and clip.frames == 1 and (part == "face" or (few and part == "auto")):
        names = clip.morph_names
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise InputError(
            f"{clip.name!r} has {len(names)} morph targets ({shown}) but no animation, only one frame: there "
            "is nothing to follow. Animate their weights where the face was made and export the animation "
            "too, or key them in Python: face.with_frames(q, weights) (see the guide, Living faces). "
            "The part “body” takes it for a body"
        )
    if part != "auto":
        return part == "face"
    return few and weights is not None and bool((weights != weights[0]).any())


def _refuse(asked: Loosen, names: Sequence[str], why: str) -> None:
    usual = {field.name: field.default for field in fields_of(type(asked))}
    for name in names:
        if getattr(asked, name) != usual[name]:
            raise InputError(f"field {name!r}: it {why}")


def loosen_face(asked: Loosen, at: Situation) -> FaceResult | FaceMotionResult:
    """The loose face: a mesh, or in a layer a motion."""
    found = FaceResult(_face(asked, at))
    return found if at.mesh else FaceMotionResult(found)


def hit_face(asked: Hit, at: Situation) -> FaceHitResult | FaceMotionResult:
    """The loose face that meets its targets: a mesh, or in a layer a motion."""
    wanted = [Target.of(each) for each in face_targets(thaw(asked.constraints))]
    found = hit(_face(asked, at), wanted, asked.width, asked.widths)
    return found if at.mesh else FaceMotionResult(found)


def _face(asked: Loosen, at: Situation) -> Face:
    if isinstance(asked.window, tuple):
        raise InputError("field 'window': a face has one window for all frames: give one number, or auto")
    at.progress(0.0)
    return Face(at.motion, fleshes(asked.spec, asked.ratio, asked.firmness), asked.window)
