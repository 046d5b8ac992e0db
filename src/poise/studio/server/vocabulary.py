"""The names that a document may use, so that the browser has no list of its own."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from poise.character import Character
from poise.studio.server.answers import Kind, Preset, Vocabulary


def vocabulary(character: Character | None) -> Vocabulary:
    """Of Poise, and of a character where there is one."""
    from poise import clips, formats
    from poise.character import presets
    from poise.character.labels import roles
    from poise.operations.loosen import GRAVITIES, ROOTS
    from poise.operations.values.tension import PRESETS
    from poise.methods.key.path import templates
    from poise.methods.loosen.hit.correction import SHAPES
    from poise.methods.perform.script.file import bundled_names
    from poise.methods.perform.script.style import STYLES
    from poise.methods.plan.scene.bundled import SCENES
    from poise.project.kinds import KINDS

    return Vocabulary(
        kinds=[
            Kind(
                kind=kind,
                words=_first_line(cls),
                fields=[name for name in cls.__struct_fields__ if name != "name"],
                usual=usual(kind),
                after=cls.REPLACES,
                last=cls.LAST,
            )
            for kind, cls in KINDS.items()
        ],
        tensions=[Preset(name=n, frequency=t.frequency or 0.0, ratio=t.ratio) for n, t in PRESETS.items()],
        gravities=list(GRAVITIES),
        roots=list(ROOTS),
        templates=list(templates.kinds()),
        shapes=list(SHAPES),
        styles=list(STYLES),
        clips=list(clips.names()),
        characters=list(presets.names()),
        scenes=list(SCENES),
        scripts=list(bundled_names()),
        exports=list(formats.extensions(writing=True)),
        joints=list(character.names) if character else [],
        limbs=_limbs(character) if character else [],
        points=list(character.points) if character else [],
        roles={role: character.names[body] for role, body in roles(character).items()} if character else {},
    )


def usual(kind: str) -> dict[str, Any]:
    """Defaults of a kind's fields: the layer's own, else those of the method that it hands them to."""
    from poise.methods import adapt as adaptation
    from poise.methods import loosen as kinodynamics
    from poise.methods import perform as timing
    from poise.methods.loosen.wear import ON_HEAD
    from poise.project.kinds import KINDS

    method: Any = {
        "adaptation": adaptation.adapt,
        "attachment": kinodynamics.attach,
        "beat": timing.play,
        "targets": kinodynamics.hit,
    }.get(kind)
    found: dict[str, Any] = {"offset": ON_HEAD} if kind == "attachment" else {}
    none = (None, msgspec.NODEFAULT, inspect.Parameter.empty)
    taken = inspect.signature(method).parameters if method is not None else {}
    for field in msgspec.structs.fields(KINDS[kind]):
        if field.name == "name":
            continue
        given = field.default
        if any(given is n for n in none) and field.name in taken:
            given = taken[field.name].default
        if not any(given is n for n in none):
            found.setdefault(field.name, given)
    return {name: np.asarray(value).tolist() for name, value in found.items()}


def _limbs(character: Character) -> list[str]:
    """As tensions are given by: ``left arm``, ``spine``."""
    named: Sequence[str] = [
        body.limb if body.side == "centre" else f"{body.side} {body.limb}"
        for body in character.bodies
        if body.limb
    ]
    return list(dict.fromkeys(named))


def _first_line(cls: type) -> str:
    """What a kind does, as its file says."""
    return (sys.modules[cls.__module__].__doc__ or "").strip().splitlines()[0]
