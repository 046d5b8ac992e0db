"""``poise adapt``: the smallest change of a whole clip that meets constraints."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli.constraint_file import read_items
from poise.cli.hit import parse_target
from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.outputs import Fresh, write
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.methods.adapt import Result
    from poise.motion import Clip

REACH_HELP = (
    "POINT@TIME=X,Y,Z [m]: the point (or a role: right hand) is there then; without a place, where the clip "
    'has it; "~VX,VY,VZ" adds its velocity. Repeatable.'
)
MOVE_HELP = (
    "NUMBER=DX,DY[,DEGREES]: move a foot plant, counted from 1 in the order of time, and turn it. Repeatable."
)


def adapt(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    constraints: Annotated[
        Path | None, typer.Option(help="JSON file with a list of constraints and foot plants.")
    ] = None,
    reach: Annotated[list[str] | None, typer.Option(help=REACH_HELP)] = None,
    look: Annotated[str | None, typer.Option(help="X,Y,Z@TIME or X,Y,Z@FROM-TO: look there.")] = None,
    plants: Annotated[bool, typer.Option(help="Find where feet stand, and keep them there.")] = True,
    move: Annotated[list[str] | None, typer.Option(help=MOVE_HELP)] = None,
    turn: Annotated[float | None, typer.Option(help="Bend the route by so many degrees to the left.")] = None,
    onto: Annotated[
        str | None, typer.Option(help="Give the performance to this character: a file or a preset.")
    ] = None,
    joint_map: Annotated[
        Path | None, typer.Option("--map", help="JSON {source joint: target joint}, for --onto.")
    ] = None,
    loop: Annotated[bool, typer.Option("--loop", help="Close the clip into a loop.")] = False,
    exact: Annotated[bool, typer.Option("--exact", help="Hold feet to a fifth of a millimetre.")] = False,
    keys: Annotated[float | None, typer.Option(help="Distance of keys of the change [s].")] = None,
    joints: Annotated[
        list[str] | None, typer.Option(help="Let only these joints or limbs change (repeatable).")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a strobed still (PNG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Change a whole clip as little as possible so that constraints hold and feet stand.

    Exit status 1 if a constraint was missed; the report says which, by how much and what stands against it.
    """
    from poise.methods import adapt as adaptation
    from poise.methods.adapt.requests import feet_that_stand

    for path in (output, picture):
        if path is not None:
            refuse_overwriting(path, force)
    clip = read(source, read_options, animation)
    _refuse_together(onto=onto, turn=turn, loop=loop or None)
    options: dict[str, Any] = {"exact": exact} | ({} if keys is None else {"keys": keys})
    if joints:
        options["joints"] = joints
    if joint_map is not None and onto is None:
        raise InputError("--map says which joints correspond: it needs --onto")
    if onto is not None or turn is not None or loop:
        if any((constraints, reach, look, move)):
            raise InputError("--onto, --turn and --loop stand alone: adapt their result once more")
        result = _whole(clip, onto, joint_map, turn, plants, options)
    else:
        standing = feet_that_stand(clip) if plants else []
        for text in move or ():
            standing = _moved(standing, text)
        wanted = [each for text in reach or () for each in parse_target(_by_role(text, clip), clip)]
        looks = [] if look is None else [_look(look, clip)]
        given = [] if constraints is None else read_items(constraints, clip)
        floor = True if standing else None
        result = adaptation.adapt(clip, [*standing, *wanted, *looks, *given], floor=floor, **options)
    write(result.clip, output, fresh=fresh)
    if picture is not None:
        from poise import pictures

        places = [o.wanted for o in result.report.outcomes if o.unit == "m" and len(o.wanted) == 3]
        pictures.save_png(pictures.strobe(result.clip, targets=places if reach else ()), picture)
    print(result.report.to_json() if as_json else f"{result.report}\n{output}")
    if not result.report.met:
        raise typer.Exit(1)


def _whole(
    clip: Clip,
    onto: str | None,
    joint_map: Path | None,
    turn: float | None,
    plants: bool,
    options: dict[str, Any],
) -> Result:
    """What changes a clip throughout: another character, another route, a loop."""
    from poise.methods import adapt as adaptation

    standing: list[Any] | None = None if plants else []
    if onto is not None:
        return adaptation.retarget(clip, read(onto).character, map=joint_map, plants=standing, **options)
    if turn is not None:
        return adaptation.follow_route(clip, turn=math.radians(turn), plants=standing, **options)
    return adaptation.close_loop(clip, plants=standing, **options)


def _refuse_together(**given: Any) -> None:
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise InputError(f"--{chosen[0]} and --{chosen[1]} do not go together: adapt twice")


def _by_role(text: str, clip: Clip) -> str:
    """A target whose point may go by its role."""
    from poise.methods.adapt.requests import point_named

    point, sign, rest = text.partition("@")
    return f"{point_named(clip.character, point)}@{rest}" if sign and point else text


def _moved(standing: list[Any], text: str) -> list[Any]:
    from poise.methods.adapt import move_plant

    number, sign, rest = text.partition("=")
    try:
        which, values = int(number) - 1, [float(v) for v in rest.split(",")]
    except ValueError:
        which, values = -1, []
    if not sign or len(values) not in (2, 3):
        raise InputError(f"a plant is moved by NUMBER=DX,DY or NUMBER=DX,DY,DEGREES, not {text!r}")
    if not 0 <= which < len(standing):
        raise InputError(f"no foot plant {number}: the clip has {len(standing)}, counted from 1")
    turned = math.radians(values[2]) if len(values) == 3 else 0.0
    return move_plant(standing, which, values[:2], turn=turned)


def _look(text: str, clip: Clip) -> Any:
    from poise.methods.adapt.requests import look

    place, sign, when = text.partition("@")
    first, dash, last = when.partition("-")
    try:
        at = [float(v) for v in place.split(",")]
        time = (float(first), float(last)) if dash else float(first)
    except ValueError:
        at, time = [], 0.0
    if not sign or len(at) != 3:
        raise InputError(f"a look is written X,Y,Z@TIME or X,Y,Z@FROM-TO, not {text!r}")
    return look(clip.character, at, time)
