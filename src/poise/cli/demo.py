"""``poise demo``: the main job on a bundled clip, with pictures to look at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.progress import progress

if TYPE_CHECKING:
    from poise.motion import Clip

POINT, TIME, FRAMES = "RightHandCentre", 0.85, (18, 34, 43, 47, 51)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("out"),
) -> None:
    """Loosen the bundled punch until it misses, make the loose motion hit again, and draw all three."""
    from poise import clips, pictures
    from poise import constraints as c
    from poise.compilation import compilations
    from poise.errors import MissingDependencyError
    from poise.methods import kinodynamics

    output.mkdir(parents=True, exist_ok=True)
    punch = clips.get("punch")
    place = _hand(punch)
    print(f"{punch.name}: {punch.frames} frames at {punch.fps:g} fps; the fist is to hit at {TIME} s")
    print("kernels compile on the first run (half a minute) …", file=sys.stderr, flush=True)

    loose = kinodynamics.loosen(punch, "relaxed")
    miss = 100 * sum((a - b) ** 2 for a, b in zip(_hand(loose), place)) ** 0.5
    print(f"relaxed, it misses by {miss:.1f} cm")
    result = kinodynamics.hit(punch, [c.pin(POINT, place, TIME, name="fist on target")], "relaxed")
    print(result.report)

    written = [
        loose.save(output / "punch_relaxed.bvh"),
        result.clip.save(output / "punch_hit.bvh"),
        result.clip.save(output / "punch_hit.glb"),
    ]
    print("drawing …", file=sys.stderr, flush=True)
    error = 1e9 * result.report.outcomes[0].error
    shown = (
        (punch, "the animation"),
        (loose, f"relaxed: misses by {miss:.1f} cm"),
        (result.clip, f"relaxed and corrected: hits (off by {error:.1f} nm)"),
    )
    images = [
        pictures.strobe(clip, frames=FRAMES, trails=(POINT,), targets=(place,), size=(1200, 520))
        for clip, _ in shown
    ]
    picture = pictures.captioned(images, [text for _, text in shown])
    written.append(pictures.save_png(picture, output / "punch.png"))
    try:
        with progress("filming") as step:
            film = output / "punch_hit.mp4"
            written.append(
                pictures.video(result.clip, film, trails=(POINT,), targets=(place,), progress=step)
            )
    except MissingDependencyError as problem:
        print(f"no film: {problem}", file=sys.stderr)
    if compilations():
        print(f"({compilations()} kernels were compiled; the next run starts at once)", file=sys.stderr)
    for path in written:
        print(path)


def _hand(clip: Clip) -> tuple[float, float, float]:
    from poise.kinematics import Kinematics

    x, y, z = Kinematics(clip.character, clip.at(TIME)).point(POINT)[0].tolist()
    return x, y, z
