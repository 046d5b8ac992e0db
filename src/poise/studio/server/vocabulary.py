"""The names that a document may use, so that the browser has no list of its own."""

from __future__ import annotations

from collections.abc import Sequence

from poise.character import Character
from poise.studio.server.answers import Preset, Vocabulary


def vocabulary(character: Character | None) -> Vocabulary:
    """Of Poise, and of a character where there is one."""
    from poise import clips, formats
    from poise.character import presets
    from poise.character.labels import roles
    from poise.methods.key.path import templates
    from poise.methods.perform.script.file import bundled_names
    from poise.methods.perform.script.style import STYLES
    from poise.methods.plan.scene.bundled import SCENES
    from poise.operations.description import card
    from poise.operations.loosen import GRAVITIES, ROOTS
    from poise.operations.registry import operations
    from poise.operations.values.bell import SHAPES
    from poise.operations.values.template import TEMPLATES
    from poise.operations.values.tension import TENSIONS
    from poise.pictures.views import BACKGROUNDS, VIEWS
    from poise.studio.server.film import FILMS, SIZES

    return Vocabulary(
        operations=[card(each) for each in operations().values() if each.LAYER],
        tensions=[Preset(name=n, frequency=t.frequency or 0.0, ratio=t.ratio) for n, t in TENSIONS.items()],
        gravities=list(GRAVITIES),
        roots=list(ROOTS),
        templates=list(templates.kinds()),
        shapes=list(SHAPES),
        styles=list(STYLES),
        clips=list(clips.names()),
        characters=list(presets.names()),
        scenes=[*TEMPLATES, *SCENES],
        plans=list(TEMPLATES),
        scripts=list(bundled_names()),
        # Tables of robots are for robots alone.
        exports=[e for e in formats.extensions(writing=True) if e in formats.extensions()],
        films=list(FILMS),
        sizes=list(SIZES),
        views=["auto", "orbit", *VIEWS],
        backgrounds=["stage", *BACKGROUNDS],
        joints=list(character.names) if character else [],
        limbs=_limbs(character) if character else [],
        points=list(character.points) if character else [],
        roles={role: character.names[body] for role, body in roles(character).items()} if character else {},
    )


def _limbs(character: Character) -> list[str]:
    """As tensions are given by: ``left arm``, ``spine``."""
    named: Sequence[str] = [
        body.limb if body.side == "centre" else f"{body.side} {body.limb}"
        for body in character.bodies
        if body.limb
    ]
    return list(dict.fromkeys(named))
