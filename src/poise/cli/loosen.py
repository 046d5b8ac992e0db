"""``poise loosen``: secondary dynamics on any clip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from poise.cli.faces import (
    FIRMNESS_HELP,
    RATIO_HELP,
    WHAT_HELP,
    What,
    fleshes,
    is_face,
    loosen_face,
    refuse_face_options,
)
from poise.cli.inputs import INPUT_HELP, ReadOptions, counted, read, refuse_overwriting
from poise.errors import InputError

TENSION_HELP = (
    "A preset (tense, firm, relaxed, loose, drunk), a frequency in Hz, or by joint or limb: "
    '"*=relaxed,right arm=2.5,Head=tense".'
)
WINDOW_HELP = "Length of each frame's own simulation: seconds, auto, or adaptive."


def loosen(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    target: Annotated[Path, typer.Argument(metavar="OUTPUT", help="File to write.")],
    tension: Annotated[str, typer.Option(help=TENSION_HELP)] = "relaxed",
    window: Annotated[str, typer.Option(help=WINDOW_HELP)] = "auto",
    gravity: Annotated[str, typer.Option(help="on, off or compensated.")] = "on",
    root: Annotated[
        str, typer.Option(help="prescribed (as animated) or driven (by springs).")
    ] = "prescribed",
    damping: Annotated[str, typer.Option(help="Dampers fixed to: rest, or the reference.")] = "rest",
    what: Annotated[What, typer.Option(help=WHAT_HELP)] = What.auto,
    ratio: Annotated[float | None, typer.Option(help=RATIO_HELP)] = None,
    firmness: Annotated[float | None, typer.Option(help=FIRMNESS_HELP)] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a strobed still (PNG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
    read_options: ReadOptions = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Loosen a clip: every frame becomes the end of a short simulation that follows the animation.

    Of a face animated by morph targets the vertices are loosened, and written as a mesh that moves.
    """
    import numpy as np

    from poise.kinematics import Kinematics
    from poise.methods import kinodynamics

    for path in (target, picture):
        if path is not None:
            refuse_overwriting(path, force)
    clip = read(source, read_options)
    if is_face(clip, what):
        flesh = fleshes(parse_tension(tension), ratio, firmness)
        loosen_face(clip, target, flesh, parse_window(window), picture, as_json)
        return
    refuse_face_options(ratio=ratio, firmness=firmness)
    loose = kinodynamics.loosen(
        clip, parse_tension(tension), parse_window(window), gravity=gravity, root=root, damping=damping
    )
    before, after = (Kinematics(c.character, c.q).positions for c in (clip, loose))
    distance = np.linalg.norm(after - before, axis=2)  # (F, n)
    frame, body = np.unravel_index(int(np.argmax(distance)), distance.shape)
    loose.save(target)
    if picture is not None:
        from poise import pictures

        pictures.save_png(pictures.strobe(loose), picture)
    facts = {
        "output": str(target),
        "frames": loose.frames,
        "largest_deviation_m": float(distance.max()),
        "largest_at": {"body": clip.character.names[int(body)], "frame": int(frame)},
        "mean_deviation_m": float(distance.mean()),
    }
    if as_json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    print(f"{target}: {counted(loose.frames, 'frame')}")
    print(
        f"bodies moved by {100 * distance.mean():.1f} cm on average, at most {100 * distance.max():.1f} cm "
        f"({clip.character.names[int(body)]} at frame {int(frame)})"
    )


def parse_tension(text: str) -> str | float | dict[str, str | float]:
    """A tension as typed on a command line."""

    def one(value: str) -> str | float:
        try:
            return float(value)
        except ValueError:
            return value.strip()

    if "=" not in text:
        return one(text)
    parts: dict[str, str | float] = {}
    for entry in text.split(","):
        pattern, sign, value = entry.partition("=")
        if not sign or not pattern.strip() or not value.strip():
            raise InputError(f'tension by joint is written "left arm=2.5,Head=tense", not {entry!r}')
        parts[pattern.strip()] = one(value)
    return parts


def parse_window(text: str) -> str | float:
    """A window as typed on a command line."""
    try:
        return float(text)
    except ValueError:
        return text
