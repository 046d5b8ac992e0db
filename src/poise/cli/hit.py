"""``poise hit``: loosen a clip and still hit targets at exact times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.constraint_file import read_items
from poise.cli.faces import (
    FIRMNESS_HELP,
    RATIO_HELP,
    WHAT_HELP,
    What,
    fleshes,
    hit_face,
    is_face,
    refuse_face_options,
)
from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.loosen import TENSION_HELP, WINDOW_HELP, parse_tension, parse_window
from poise.cli.outputs import Fresh, write
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.constraints import Constraint
    from poise.motion import Clip

TARGET_HELP = (
    'POINT@TIME, meaning "where the animation has it", or POINT@TIME=X,Y,Z [m]; add '
    '"~VX,VY,VZ" [m/s] for its velocity: RightHandCentre@0.85=0.9,0,1.35~0,0,0. Of a face: REGION@TIME '
    '(morph targets, "mouth*"), REGION@TIME=NAME:WEIGHT,… for a shape; "~0" brings it to rest. Repeatable.'
)


def hit(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    target: Annotated[Path, typer.Argument(metavar="OUTPUT", help="File to write.")],
    at: Annotated[list[str] | None, typer.Option(help=TARGET_HELP)] = None,
    pose: Annotated[
        list[float] | None, typer.Option(help="Meet the animation's whole pose at this time [s].")
    ] = None,
    constraints: Annotated[Path | None, typer.Option(help="JSON file with a list of constraints.")] = None,
    width: Annotated[
        float | None, typer.Option(help="Width of the correction in time [s] (1; of a face 0.6 or less).")
    ] = None,
    tension: Annotated[str, typer.Option(help=TENSION_HELP)] = "relaxed",
    window: Annotated[str, typer.Option(help=WINDOW_HELP)] = "auto",
    joints: Annotated[
        list[str] | None, typer.Option(help="Let only these joints or limbs change (repeatable).")
    ] = None,
    method: Annotated[str, typer.Option(help="newton or paper.")] = "newton",
    what: Annotated[What, typer.Option(help=WHAT_HELP)] = What.auto,
    ratio: Annotated[float | None, typer.Option(help=RATIO_HELP)] = None,
    firmness: Annotated[float | None, typer.Option(help=FIRMNESS_HELP)] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a strobed still (PNG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Loosen a clip and correct it so that the loose motion meets targets at exact times.

    Exit status 1 if a target was missed; the report says which, by how much and why.
    """
    from poise import constraints as c
    from poise.methods import loosen as kinodynamics

    for path in (target, picture):
        if path is not None:
            refuse_overwriting(path, force)
    clip = read(source, read_options, animation)
    if is_face(clip, what):
        if constraints is not None or joints:
            raise InputError("--constraints and --joints are for bodies; a face takes --at and --pose")
        flesh = fleshes(parse_tension(tension), ratio, firmness)
        if not hit_face(
            clip, target, at or (), pose or (), flesh, parse_window(window), width, picture, as_json
        ):
            raise typer.Exit(1)
        return
    refuse_face_options(ratio=ratio, firmness=firmness)
    wanted = [each for text in at or () for each in parse_target(text, clip)]
    wanted += [c.pose(clip.character, clip.at(t), t, name=f"pose at {t:g} s") for t in pose or ()]
    if constraints is not None:
        wanted += _from_file(constraints, clip)
    result = kinodynamics.hit(
        clip,
        wanted,
        parse_tension(tension),
        parse_window(window),
        shape=1.0 if width is None else width,
        joints=joints,
        method=method,
    )
    write(result.clip, target, fresh=fresh)
    if picture is not None:
        from poise import pictures

        places = [o.wanted for o in result.report.outcomes if o.unit == "m" and len(o.wanted) == 3]
        pictures.save_png(pictures.strobe(result.clip, targets=places), picture)
    print(result.report.to_json() if as_json else f"{result.report}\n{target}")
    if not result.report.met:
        raise typer.Exit(1)


def parse_target(text: str, clip: Clip) -> list[Constraint]:
    """Constraints from ``POINT@TIME[=X,Y,Z][~VX,VY,VZ]``."""
    from poise import constraints as c
    from poise.kinematics import Kinematics

    wrong = InputError(
        f"a target is written POINT@TIME=X,Y,Z~VX,VY,VZ (place and velocity optional), not {text!r}"
    )
    point, sign, rest = text.partition("@")
    head, _, velocity = rest.partition("~")
    moment, _, place = head.partition("=")
    try:
        when = float(moment)
        where = [float(x) for x in place.split(",")] if place else None
        speed = [float(x) for x in velocity.split(",")] if velocity else None
    except ValueError:
        raise wrong from None
    if not sign or not point or any(v is not None and len(v) != 3 for v in (where, speed)):
        raise wrong
    if where is None:
        where = Kinematics(clip.character, clip.at(when)).point(point)[0].tolist()
    found = [c.pin(point, where, when, name=f"{point} at {when:g} s")]
    if speed is not None:
        found.append(c.moving(point, speed, when, name=f"velocity of {point} at {when:g} s"))
    return found


def _from_file(path: Path, clip: Clip) -> list[Constraint]:
    from poise.constraints import Constraint

    items = read_items(path, clip)
    for k, item in enumerate(items):
        if not isinstance(item, Constraint):
            raise InputError(f"{path}: entry {k}: a foot plant is nothing to hit (see poise adapt)")
    return [item for item in items if isinstance(item, Constraint)]
