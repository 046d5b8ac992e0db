"""Faces on the command line: what ``loosen`` and ``hit`` do where morph targets are animated."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from poise.cli.outputs import DOCUMENTS, tell_losses
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.methods.loosen.face import Flesh, Target
    from poise.motion import Clip, MeshClip


class What(StrEnum):
    """What of a clip is meant."""

    auto = "auto"
    body = "body"
    face = "face"


MOST_BODIES = 8
"""A character with more bodies than this is meant as a body, unless told otherwise."""
WHAT_HELP = "body, face, or auto: a face where morph targets are animated on a character of few bodies."
RATIO_HELP = "Of a face: damping ratio (0.2)."
FIRMNESS_HELP = "Of a face: frequency of shape matching [Hz] (6)."

Tension = str | float | Mapping[str, str | float]


def is_face(clip: Clip, what: What) -> bool:
    """Whether the vertices of a face are meant; a face of one frame is an error that says what to do."""
    weights = clip.morphs
    few = weights is not None and len(clip.character.bodies) <= MOST_BODIES
    if weights is not None and clip.frames == 1 and (what is What.face or (few and what is What.auto)):
        names = clip.morph_names
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise InputError(
            f"{clip.name!r} has {len(names)} morph targets ({shown}) but no animation, only one frame: there "
            "is nothing to follow. Animate their weights where the face was made and export the animation "
            "too, or key them in Python: face.with_frames(q, weights) (see the guide, Living faces). "
            "--what body takes it for a body"
        )
    if what is not What.auto:
        return what is What.face
    return few and weights is not None and bool((weights != weights[0]).any())


def refuse_face_options(**options: float | None) -> None:
    """Options that a body does not have."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"--{name} is for faces; this clip animates no morph targets (see --what)")


def fleshes(tension: Tension, ratio: float | None, firmness: float | None) -> dict[str, Flesh]:
    """Flesh by region from a tension as typed, with damping ratio and firmness where given."""
    from poise.methods.loosen.face.material import as_flesh

    parts = tension if isinstance(tension, Mapping) else {"*": tension}
    changes = {k: v for k, v in (("damping", ratio), ("firmness", firmness)) if v is not None}
    return {region: replace(as_flesh(value), **changes) for region, value in parts.items()}


def loosen_face(
    clip: Clip,
    target: Path,
    flesh: Mapping[str, Flesh],
    window: str | float,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Loosen a face, write it and say how far it moves."""
    import numpy as np

    from poise.methods.loosen.face import Face

    face = Face(clip, dict(flesh), window)
    mesh = face.mesh()
    distance = np.linalg.norm(mesh.vertices - face.kinematic(clip.times), axis=2)  # (F, N)
    frame, vertex = np.unravel_index(int(np.argmax(distance)), distance.shape)
    mesh.save(target)
    tell_losses(clip, target, fresh=target.suffix.lower() in DOCUMENTS)
    _draw(mesh, picture)
    facts = {
        "output": str(target),
        "frames": mesh.frames,
        "vertices": mesh.vertices.shape[1],
        "window_s": face.seconds,
        "largest_deviation_m": float(distance.max()),
        "largest_at": {"vertex": int(vertex), "frame": int(frame)},
        "mean_deviation_m": float(distance.mean()),
    }
    if as_json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    print(f"{target}: a face of {facts['vertices']} vertices, {mesh.frames} frames")
    print(
        f"vertices moved by {1e3 * distance.mean():.2f} mm on average, at most {1e3 * distance.max():.1f} mm "
        f"(vertex {int(vertex)} at frame {int(frame)})"
    )


def hit_face(
    clip: Clip, target: Path, at: Sequence[str], poses: Sequence[float], flesh: Mapping[str, Flesh],
    window: str | float, width: float | None, picture: Path | None, as_json: bool,
) -> bool:  # fmt: skip
    """Hit targets with a face, write it and print the report; whether all were met."""
    from poise.methods.loosen.face import Target, hit

    wanted = [each for text in at for each in parse_face_target(text)]
    wanted += [Target(t, name=f"face at {t:g} s") for t in poses]
    result = hit(clip, wanted, dict(flesh), window, shape=width)
    result.mesh.save(target)
    tell_losses(clip, target, fresh=target.suffix.lower() in DOCUMENTS)
    _draw(result.mesh, picture)
    print(result.report.to_json() if as_json else f"{result.report}\n{target}")
    return result.report.met


def parse_face_target(text: str) -> list[Target]:
    """Targets from ``REGION@TIME[=NAME:WEIGHT,…][~0]``."""
    from poise.methods.loosen.face import Target

    wrong = InputError(
        f"a face's target is written REGION@TIME=NAME:WEIGHT,…~0 (shape and ~0 optional), not {text!r}"
    )
    region, sign, rest = text.partition("@")
    head, still, velocity = rest.partition("~")
    moment, given, shape = head.partition("=")
    if not sign or not region or (still and velocity.strip() != "0"):
        raise wrong
    try:
        when = float(moment)
        pairs = [entry.rsplit(":", 1) for entry in shape.split(",")] if given else []
        weights = {name.strip(): float(amount) for name, amount in pairs}
    except ValueError:
        raise wrong from None
    found = [Target(when, region, weights if given else None)]
    if still:
        found.append(Target(when, region, 0, rate=True))
    return found


def _draw(mesh: MeshClip, picture: Path | None) -> None:
    if picture is not None:
        from poise import pictures

        still = pictures.strobe(mesh, count=4, style="solid", view="front", size=(1280, 480))
        pictures.save_png(still, picture)
