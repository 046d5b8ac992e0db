"""``poise demo``: the main job on a bundled clip, with pictures to look at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from poise.cli.progress import progress


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("out"),
) -> None:
    """Take the bundled punch, write it as BVH and GLB, and draw it: a still, a sheet and a film."""
    from poise import clips, pictures
    from poise.compilation import compilations
    from poise.errors import MissingDependencyError

    output.mkdir(parents=True, exist_ok=True)
    clip = clips.get("punch")
    print(
        f"{clip.name}: {clip.character.name}, {clip.frames} frames at {clip.fps:g} fps, {clip.duration:.2f} s"
    )
    written = [clip.save(output / "punch.bvh"), clip.save(output / "punch.glb")]
    print("drawing …", file=sys.stderr, flush=True)
    trails = ("RightHand",)
    written.append(
        pictures.save_png(pictures.strobe(clip, trails=trails, centre_of_mass=True), output / "punch.png")
    )
    written.append(pictures.save_png(pictures.sheet(clip), output / "punch_sheet.png"))
    try:
        with progress("filming") as step:
            written.append(pictures.video(clip, output / "punch.mp4", trails=trails, progress=step))
    except MissingDependencyError as problem:
        print(f"no film: {problem}", file=sys.stderr)
    if compilations():
        print(f"({compilations()} kernels were compiled; the next run starts at once)", file=sys.stderr)
    for path in written:
        print(path)
