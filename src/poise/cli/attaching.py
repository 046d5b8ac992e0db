"""Soft things on the command line: which mesh, on which bone, made of what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.errors import InputError

if TYPE_CHECKING:
    from poise.character import Character
    from poise.methods.loosen import Attachment

Attach = Annotated[
    str | None,
    typer.Option("--attach", help="Let this mesh (GLB, OBJ; or hat, which is bundled) sway on a bone."),
]
To = Annotated[str, typer.Option("--to", help="The bone that carries it.")]
Young = Annotated[float | None, typer.Option(help="Its Young's modulus [Pa] (20000); softer sways more.")]
Poisson = Annotated[float | None, typer.Option(help="Its Poisson's ratio (0.3).")]
Density = Annotated[float | None, typer.Option(help="Its density [kg/m³] (100).")]
Offset = Annotated[str | None, typer.Option(help="Where its origin is on the bone, X,Y,Z [m].")]
Scale = Annotated[float | None, typer.Option(help="Make it so many times as large.")]
Frame = Annotated[
    str | None,
    typer.Option(help="Its axes: bone, or world (where the character stands in its rest pose, z up)."),
]
Hold = Annotated[float | None, typer.Option(help="Hold what is within this distance of the bone [m].")]
Large = Annotated[bool, typer.Option("--large", help="For large motions of the mesh: exact, and slower.")]


def attached(
    character: Character, mesh: str, to: str, offset: str | None, given: dict[str, Any]
) -> Attachment:
    """The attachment asked for; ``given`` are options of ``attach``, None where not said."""
    from poise.methods.loosen import attach, wear_hat
    from poise.methods.loosen.wear import hat

    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    place = _triple(offset) if offset is not None else (0.0, 0.0, 0.0)
    if mesh == "hat" and not Path(mesh).exists():
        if not {"scale", "frame"} & set(options) and offset is None:
            return wear_hat(character, to, **options)
        return attach(character, hat(), to, offset=place, **options)
    from poise.formats.surface_file import load_surface

    return attach(character, load_surface(mesh), to, offset=place, **options)


def refuse_without_mesh(given: dict[str, object]) -> None:
    """Options that would do nothing are a mistake, and said so."""
    idle = [f"--{name}" for name, value in given.items() if value is not None and value is not False]
    if idle:
        verb = "describes" if len(idle) == 1 else "describe"
        raise InputError(f"{' and '.join(idle)} {verb} what is attached: give a mesh with --attach")


def _triple(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"an offset is written X,Y,Z [m], not {text!r}") from None
    return x, y, z
