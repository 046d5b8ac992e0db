"""``poise pose``: bake a document of key-frames, or change one pose of a clip by its handles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.inputs import AnimationOption, ReadOptions, counted, read, refuse_overwriting
from poise.cli.outputs import DOCUMENTS, write
from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.methods.key.sheet.keyframes import Tracks
    from poise.motion import Clip

SOURCE_HELP = "Tracks (a JSON file), or a clip to take one pose from (see --at)."
PIN_HELP = "Of a single pose: POINT holds a point where it is, POINT=X,Y,Z [m] takes it there. Repeatable."


def pose(
    source: Annotated[str, typer.Argument(metavar="TRACKS", help=SOURCE_HELP)],
    target: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    fps: Annotated[str | None, typer.Option(help="Frames per second: 30, 24000/1001 (default: 30).")] = None,
    start: Annotated[float | None, typer.Option("--from", help="First frame's time [s].")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Last frame's time [s].")] = None,
    fix: Annotated[bool, typer.Option("--fix", help="First move keys in time as the hints ask.")] = False,
    tracks: Annotated[
        Path | None, typer.Option(help="Also write the tracks as they were baked (JSON).")
    ] = None,
    at: Annotated[float | None, typer.Option(help="Of a clip: the time of the pose to change [s].")] = None,
    pin: Annotated[list[str] | None, typer.Option(help=PIN_HELP)] = None,
    com: Annotated[
        str | None, typer.Option(help="Of a single pose: move its centre of mass by DX,DY,DZ [m].")
    ] = None,
    gyration: Annotated[
        float | None, typer.Option(help="Of a single pose: its radius of gyration [m]; small tucks.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Bake key-frames into a clip: pose, pins, path of the centre of mass, inertia, spins.

    Exit status 1 if physics was missed: the centre of mass or the inertia is not where it was keyed.
    """
    from poise.methods.key.sheet.keyframes import Tracks

    for path in (target, tracks):
        if path is not None:
            refuse_overwriting(path, force)
    taken: Clip | None = None
    single = {"--at": at, "--pin": pin, "--com": com, "--gyration": gyration}
    if Path(source).suffix.lower() == ".json":
        _refuse(single, f"{source} holds tracks: they say all that")
        document = Tracks.load(source, read=lambda name: read(name, read_options, animation))
    else:
        _refuse({"--fps": fps, "--from": start, "--to": end, "--fix": fix}, f"{source} is a clip: one pose")
        taken = read(source, read_options, animation)
        document = _single(taken, at or 0.0, pin or (), com, gyration)
        start = end = 0.0
    if fix:
        document = document.fixed()
    with progress("baking") as step:
        baked = document.bake(fps or 30, start=start, end=end, progress=step)
    clip = baked.clip
    if taken is not None:
        clip = clip.replaced(source=taken.source)
    # One pose is no edit of an animation: the file it was taken from is left alone.
    write(clip, target, fresh=target.suffix.lower() in DOCUMENTS)
    if tracks is not None:
        document.save(tracks)
    if as_json:
        print(baked.report.to_json())
    else:
        print(f"{baked.report}\n{target}: {counted(baked.clip.frames, 'frame')} at {baked.clip.fps:g} fps")
    if not baked.physics_kept:
        raise typer.Exit(1)


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Options that say nothing about this kind of source."""
    for name, value in options.items():
        if value not in (None, False, [], ()):
            raise InputError(f"{name} does not apply: {why}")


def _single(
    clip: Clip,
    time: float,
    pins: Sequence[str],
    com: str | None,
    gyration: float | None,
) -> Tracks:
    """A document that holds one pose, at time 0."""
    from poise.kinematics import Kinematics
    from poise.methods.key.path.key import PathKey
    from poise.methods.key.sheet.keyframes import Tracks

    last = float(clip.times[-1])
    if not (clip.loop or 0.0 <= time <= last):
        raise InputError(f"--at takes a time within the clip, 0 to {last:g} s, not {time:g}")
    q = clip.at(time)
    kin = Kinematics(clip.character, q)
    document = Tracks(clip.character, q, name=clip.name)
    for text in pins:
        point, sign, place = text.partition("=")
        to = _triple(place, "--pin", "POINT=X,Y,Z") if sign else kin.point(point)[0].tolist()
        document = document.pin(point, to=to)
    if com is not None:
        moved = kin.com[0] + _triple(com, "--com", "DX,DY,DZ")
        document = document.with_path([PathKey(0.0, tuple(moved.tolist()))])
    if gyration is not None:
        document = document.with_inertia({0.0: gyration})
    return document


def _triple(text: str, option: str, form: str) -> list[float]:
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{option} takes {form}, not {text!r}") from None
    return [x, y, z]
