"""``poise info``: what is in a file, and what was guessed about it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli import captures
from poise.cli.exit_status import told
from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, counted, read
from poise.cli.outputs import Told
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.motion import Clip

EXAMPLES = (
    "info walk",
    "info take.bvh hero.glb --bodies --json",
)
"""Commands for the help."""


def info(
    inputs: Annotated[list[str], typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    as_json: Told = False,
    bodies: Annotated[
        bool, typer.Option("--bodies", help="List every body with its joint, mass and labels.")
    ] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
) -> None:
    """Describe a clip or character: bodies, masses, frame rate, units, and what was guessed.

    Of several files, those that cannot be read are named at the end, and the others described all the same.
    """
    facts: list[dict[str, Any]] = []
    problems: list[str] = []
    for name in inputs:
        try:
            facts.append(_facts(name, read_options, animation, bodies))
        except (InputError, OSError) as problem:
            if len(inputs) == 1:
                raise
            facts.append({"name": name, "problem": told(problem)})
            problems.append(told(problem))
    if as_json:
        print(json.dumps(facts if len(facts) > 1 else facts[0], indent=2, ensure_ascii=False))
    else:
        for number, each in enumerate(each for each in facts if "problem" not in each):
            if number:
                print()
            _print(each)
    for said in problems:
        print(f"poise: {said}", file=sys.stderr)
    if problems:
        raise typer.Exit(2)


def _facts(name: str, read_options: list[str] | None, animation: str | None, bodies: bool) -> dict[str, Any]:
    markers = captures.capture(name, read_options)
    if markers is not None:
        return captures.describe(markers, name)
    forces = captures.forces(name)
    if forces is not None:
        return forces
    return describe(read(name, read_options, animation), name, bodies=bodies)


def describe(clip: Clip, name: str, *, bodies: bool) -> dict[str, Any]:
    """Facts about a clip as plain data."""
    character, source = clip.character, clip.source
    facts: dict[str, Any] = {
        "name": name,
        "format": source.format if source else "built in",
        "character": character.name,
        "bodies": len(character.bodies),
        "degrees_of_freedom": character.nv,
        "height_m": round(_height(clip), 4),
        "mass_kg": round(character.total_mass, 3),
        "mass_source": character.mass_source,
        "frames": clip.frames,
        "fps": clip.fps,
        "rate": str(clip.rate),
        "duration_s": clip.duration,
        "loop": clip.loop,
        "animations": _animations(clip),
        "unit_m": source.unit if source else 1.0,
        "up": source.up if source else "z",
        "skin_vertices": len(character.skin.vertices) if character.skin else 0,
        "morph_targets": [m.name for m in character.skin.morphs] if character.skin else [],
        "morph_tracks": _morph_tracks(clip),
        "notes": [*(source.notes if source else ()), *character.notes],
    }
    if bodies:
        facts["body_list"] = [
            {
                "name": b.name,
                "parent": b.parent,
                "joint": b.joint.kind.name.lower(),
                "mass_kg": b.mass.mass,
                "side": b.side,
                "limb": b.limb,
                "points": sorted(b.points),
            }
            for b in character.bodies
        ]
    return facts


def _animations(clip: Clip) -> list[dict[str, Any]]:
    """All animations of the clip's file, and which of them it is."""
    source = clip.source
    return [
        {
            "name": each.name,
            "duration_s": round(each.duration, 6),
            "joints_moved": each.joints,
            "morphing_meshes": each.morphs,
            "also_moves": list(each.others),
            "read": source is not None and k == source.animation,
            "words": str(each),
        }
        for k, each in enumerate(source.animations if source is not None else ())
    ]


def _height(clip: Clip) -> float:
    """From the lowest to the highest joint, end point or vertex of the skin at rest [m]."""
    import numpy as np

    character = clip.character
    at, turns = character.rest_placement()
    heights = [float((at[p.body] + turns[p.body] @ p.position)[2]) for p in character.points.values()]
    if character.skin is not None and len(character.skin.vertices):
        z = character.skin.deformed(at, turns)[:, 2]
        heights += [float(z.min()), float(z.max())]
    return float(np.ptp(heights))


def _morph_tracks(clip: Clip) -> list[str]:
    """Names of the morph targets whose weights change in the course of the clip."""
    if clip.morphs is None:
        return []
    moving = (clip.morphs != clip.morphs[0]).any(axis=0)
    return [name for name, moves in zip(clip.morph_names, moving) if moves]


def _read(animation: dict[str, Any]) -> str:
    return "  ← read" if animation["read"] else ""


def _print(facts: dict[str, Any]) -> None:
    if "markers" in facts:
        print(captures.words(facts))
        return
    if "columns" in facts:
        print(captures.words_of_forces(facts))
        return
    bodies = f"{facts['bodies']} bodies" if facts["bodies"] != 1 else "1 body"
    frames = counted(facts["frames"], "frame")
    print(f"{facts['name']}  ({facts['format']})")
    print(
        f"  character  {facts['character']}: {bodies}, {facts['degrees_of_freedom']} degrees "
        f"of freedom, {facts['height_m']:.2f} m high at rest"
    )
    print(f"  mass       {facts['mass_kg']:.1f} kg, from: {facts['mass_source']}")
    rate = facts["rate"] if "/" in facts["rate"] else f"{facts['fps']:g}"
    loop = ", loop" if facts["loop"] else ""
    print(f"  motion     {frames} at {rate} fps = {facts['duration_s']:.3f} s{loop}")
    if len(facts["animations"]) > 1:
        for number, each in enumerate(facts["animations"]):
            print(f"  {'animation' if not number else ''.ljust(9)}  {number} {each['words']}{_read(each)}")
    print(f"  file       unit {facts['unit_m']:g} m, {facts['up']} up")
    if facts["skin_vertices"]:
        morphs = ""
        if facts["morph_targets"]:
            moving = len(facts["morph_tracks"])
            morphs = f", {len(facts['morph_targets'])} morph targets, {moving or 'none'} animated"
        print(f"  skin       {facts['skin_vertices']} vertices{morphs}")
    for note in facts["notes"]:
        if note.startswith("animations: ") and len(facts["animations"]) > 1:
            continue  # listed above
        print(f"  note       {note}")
    for b in facts.get("body_list", []):
        label = " ".join(x for x in (b["side"] if b["side"] != "centre" else "", b["limb"]) if x)
        print(f"    {b['name']:<24} {b['joint']:<7} {b['mass_kg']:7.3f} kg  {label}")
