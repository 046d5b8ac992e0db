"""``poise demo``: the main job, a whole project, with pictures to look at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.progress import progress
from poise.cli.terminal import print

if TYPE_CHECKING:
    from poise.motion import Clip

FRAMES = (18, 34, 43, 47, 51)
"""Of the punch, that the still shows."""

EXAMPLES = (
    "demo",
    "demo -o boxer",
)
"""Commands for the help."""


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Output folder.")] = Path(
        "out"
    ),
) -> None:
    """Bake the drunken boxer: a punch aimed higher, loosened until it misses, and made to hit again."""
    import poise
    from poise import pictures
    from poise.errors import MissingDependencyError
    from poise.project.drunken_boxer import POINT, TARGET, TENSION, TIME, drunken_boxer

    output.mkdir(parents=True, exist_ok=True)
    place = TARGET
    print(f"a punch; the fist is to hit ({', '.join(f'{x:.2f}' for x in place)}) m at {TIME} s")

    project = drunken_boxer()
    project.save(output / "boxer.poise", force=True)
    punch = project.clip("punch")
    drunk = poise.loosen(project.clip("aim"), TENSION).clip
    print(f"as animated it misses by {_miss(punch, place):.0f} cm, drunk by {_miss(drunk, place):.0f} cm")
    with progress("baking") as step:
        baked = project.bake(output / "boxer.bvh", progress=lambda name, part: step(round(1000 * part), 1000))
    for name, report in baked.reports.items():
        print(f"{name}:", *(f"  {line}" for line in str(report).splitlines()), sep="\n")
    written = [output / "boxer.poise", drunk.save(output / "drunk.bvh"), *baked.written]
    written += project.bake(output / "boxer.glb").written
    print("drawing …", file=sys.stderr, flush=True)
    final = project.clip()
    meshes = [worn.mesh for worn in project.made().attached]
    shown = (
        (punch, f"the animation: {_miss(punch, place):.0f} cm beside the target"),
        (project.clip("aim"), "adapted: on target, feet in place"),
        (drunk, f"drunk: misses by {_miss(drunk, place):.0f} cm"),
        (
            final,
            f"drunk, and hits (off by {10 * _miss(final, place):.3f} mm), feet standing, hat on",
        ),
    )
    images = [
        pictures.strobe(
            clip,
            frames=FRAMES,
            trails=(POINT,),
            targets=(place,),
            meshes=meshes if clip is final else (),
            size=(1200, 520),
        )
        for clip, _ in shown
    ]
    picture = pictures.captioned(images, [text for _, text in shown])
    written.append(pictures.save_png(picture, output / "boxer.png"))
    try:
        with progress("filming") as step:
            film = output / "boxer.mp4"
            pictures.video(final, film, trails=(POINT,), targets=(place,), meshes=meshes, progress=step)
            written.append(film)
    except MissingDependencyError as problem:
        print(f"no film: {problem}", file=sys.stderr)
    for path in written:
        print(path)


def _miss(clip: Clip, place: tuple[float, float, float]) -> float:
    """How far the fist is from a place when it should be there [cm]."""
    from poise.kinematics import Kinematics
    from poise.project.drunken_boxer import POINT, TIME

    there = Kinematics(clip.character, clip.at(TIME)).point(POINT)[0].tolist()
    return 100 * sum((a - b) ** 2 for a, b in zip(there, place)) ** 0.5
