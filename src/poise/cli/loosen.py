"""``poise loosen``: secondary dynamics on any clip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli import attaching
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
from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, counted, read, refuse_overwriting
from poise.cli.outputs import Fresh, write
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.methods.loosen import Sway
    from poise.motion import MeshClip

WEARING = (".glb", ".gltf", ".npz")
"""Files that can hold a mesh that sways."""
TENSION_HELP = (
    "A preset (tense, firm, relaxed, loose, drunk), a frequency in Hz, or by joint or limb: "
    '"*=relaxed,right arm=2.5,Head=tense".'
)
KEPT = "none"
"""The tension that leaves the skeleton as it is animated."""
WINDOW_HELP = "Length of each frame's own simulation: seconds, auto, or adaptive."


def loosen(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    target: Annotated[Path, typer.Argument(metavar="OUTPUT", help="File to write.")],
    tension: Annotated[
        str, typer.Option(help=TENSION_HELP + " With --attach also none: the skeleton moves as animated.")
    ] = "relaxed",
    window: Annotated[str, typer.Option(help=WINDOW_HELP)] = "auto",
    gravity: Annotated[str, typer.Option(help="on, off or compensated.")] = "on",
    root: Annotated[
        str, typer.Option(help="prescribed (as animated) or driven (by springs).")
    ] = "prescribed",
    damping: Annotated[str, typer.Option(help="Dampers fixed to: rest, or the reference.")] = "rest",
    what: Annotated[What, typer.Option(help=WHAT_HELP)] = What.auto,
    ratio: Annotated[
        float | None, typer.Option(help=RATIO_HELP + " Of what is attached: of its slowest mode (0.06).")
    ] = None,
    firmness: Annotated[float | None, typer.Option(help=FIRMNESS_HELP)] = None,
    attach: attaching.Attach = None,
    to: attaching.To = "Head",
    young: attaching.Young = None,
    poisson: attaching.Poisson = None,
    density: attaching.Density = None,
    offset: attaching.Offset = None,
    scale: attaching.Scale = None,
    frame: attaching.Frame = None,
    hold: attaching.Hold = None,
    large: attaching.Large = False,
    picture: Annotated[Path | None, typer.Option(help="Also draw a strobed still (PNG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Loosen a clip: every frame becomes the end of a short simulation that follows the animation.

    Of a face animated by morph targets the vertices are loosened, and written as a mesh that moves. With
    --attach a soft mesh sways on one of the bones; the output (GLB, NPZ) wears it.
    """
    import numpy as np

    from poise.kinematics import Kinematics
    from poise.methods import loosen as kinodynamics
    from poise.methods.loosen.wear import QUICK_REACH

    for path in (target, picture):
        if path is not None:
            refuse_overwriting(path, force)
    material = {
        "young": young, "poisson": poisson, "density": density, "damping": ratio, "hold": hold,
        "scale": scale, "frame": frame,
    }  # fmt: skip
    if attach is None:
        shown = {k: v for k, v in material.items() if k != "damping"}
        attaching.refuse_without_mesh({**shown, "offset": offset, "large": large})
    elif target.suffix.lower() not in WEARING:
        raise InputError(f"{target.name} cannot hold a mesh that sways: write {' or '.join(WEARING)}")
    clip = read(source, read_options, animation)
    if attach is None and is_face(clip, what):
        flesh = fleshes(parse_tension(tension), ratio, firmness)
        loosen_face(clip, target, flesh, parse_window(window), picture, as_json)
        return
    refuse_face_options(ratio=ratio if attach is None else None, firmness=firmness)
    worn = None if attach is None else attaching.attached(clip.character, attach, to, offset, material)
    if tension == KEPT and worn is not None:
        loose = clip
    else:
        loose = kinodynamics.loosen(
            clip, parse_tension(tension), parse_window(window), gravity=gravity, root=root, damping=damping
        )
    before, after = (Kinematics(c.character, c.q).positions for c in (clip, loose))
    distance = np.linalg.norm(after - before, axis=2)  # (F, n)
    worst, body = np.unravel_index(int(np.argmax(distance)), distance.shape)
    meshes = []
    swung: dict[str, object] = {}
    if worn is None:
        write(loose, target, fresh=fresh)
    else:
        from poise.formats.gltf.dressed import dressed

        write(dressed(loose, [worn], large=large), target, fresh=fresh)
        meshes = [kinodynamics.sway(loose, worn, large=large)]
        swung = {"attachment": _swung(kinodynamics.sway_of(loose, worn, large=large), meshes[0])}
    if picture is not None:
        from poise import pictures

        pictures.save_png(pictures.strobe(loose, meshes=meshes), picture)
    facts = swung | {
        "output": str(target),
        "frames": loose.frames,
        "largest_deviation_m": float(distance.max()),
        "largest_at": {"body": clip.character.names[int(body)], "frame": int(worst)},
        "mean_deviation_m": float(distance.mean()),
    }
    if as_json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    print(f"{target}: {counted(loose.frames, 'frame')}")
    print(
        f"bodies moved by {100 * distance.mean():.1f} cm on average, at most {100 * distance.max():.1f} cm "
        f"({clip.character.names[int(body)]} at frame {int(worst)})"
    )
    if worn is not None:
        told = facts["attachment"]
        assert isinstance(told, dict)
        print(
            f"{worn.name} on {worn.bone}: {told['vertices']} vertices in {told['elements']} elements, "
            f"{worn.body.total_mass:.2g} kg, {told['frequencies_hz'][0]:.2g} Hz; "
            f"sways by up to {100 * told['largest_sway_m']:.1f} cm"
        )
        if not large and told["largest_sway_m"] > QUICK_REACH * worn.diameter:
            part = 100 * told["largest_sway_m"] / worn.diameter
            print(f"! that is {part:.0f} % of its size; beyond {100 * QUICK_REACH:.0f} % use --large")


def _swung(motion: Sway, mesh: MeshClip) -> dict[str, object]:
    """What there is to say of an attachment: its make, and how far it leaves its place at rest."""
    worn = motion.attachment
    return {
        "name": worn.name,
        "bone": worn.bone,
        "vertices": len(worn.surface.points),
        "elements": len(worn.body.lattice.cells),
        "mass_kg": worn.body.total_mass,
        "frequencies_hz": [round(float(f), 4) for f in worn.frequencies],
        "largest_sway_m": motion.farthest(mesh.vertices),
    }


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
