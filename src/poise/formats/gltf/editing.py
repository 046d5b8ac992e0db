"""Editing a document in place: one animation changes, everything else stays as it was.

New keys are appended to the buffer, under a name of their own; the room of what an earlier edit had appended
and nothing uses any more is used again (``leftovers``), so that a file does not grow with every edit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.formats.cycle import loop_facts
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.body_mass import mass_extras, with_remembered_masses
from poise.formats.gltf.container import Json, is_whole
from poise.formats.gltf.interpretation import Interpretation
from poise.formats.gltf.joints import joint_extras
from poise.formats.gltf.leftovers import Leftovers
from poise.formats.gltf.original import KeptDocument, original_file, rewritten, room_for
from poise.formats.gltf.packer import Packer
from poise.formats.gltf.revision import Revision
from poise.formats.gltf.rig import MADE_UP
from poise.formats.gltf.wearing import put_on
from poise.manifold import so3
from poise.motion import Clip

KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}


def edited(clip: Clip, made: Revision[KeptDocument], path: Path) -> bytes:
    """The clip's own file with the revision in it, as the bytes of a file at ``path``."""
    document, read = made.document, made.read
    before = json.dumps(document.content)
    _tell_body_facts(clip, read, document)
    added = b""
    loop = loop_facts(clip)
    retold = read.said.get("loop") is True or bool(loop)
    retold = retold and {k: read.said.get(k) for k in ("loop", "travel", "yaw")} != loop
    if made.tracks or made.dropped or retold or made.worn is not None:
        _to_numbers(document, made)
        animation = _animation_of(document, read, clip)
        _without(animation, {*made.tracks, *made.dropped})
        leftovers = Leftovers(document)
        packer = leftovers.packed(*room_for(document, text=path.suffix.lower() == ".gltf"))
        tracks = dict(made.tracks)
        if made.worn is not None:
            swaying = put_on(document.content, made.worn, read.rig, clip.character.names, packer)
            tracks |= {(node, "weights"): weights for node, weights in swaying.items()}
        _add(animation, tracks, made.times, packer)
        added = packer.binary()
        leftovers.close()
        extras = animation.setdefault("extras", {})
        if isinstance(extras, dict):
            extras["poise"] = {"rate": str(clip.rate), **loop}
        for kind in ("bufferViews", "accessors"):
            if not document.content[kind]:
                del document.content[kind]
    if read.number is not None and clip.name and clip.name != read.title:
        document.content["animations"][read.number]["name"] = clip.name
    return rewritten(document, added, path, changed=before != json.dumps(document.content))


def _animation_of(document: KeptDocument, read: Interpretation, clip: Clip) -> Json:
    """The animation that changes; a new one where the file has none."""
    animations = document.content.setdefault("animations", [])
    if read.number is None:
        animations.append({"name": clip.name or "motion", "channels": [], "samplers": []})
    found: Json = animations[-1 if read.number is None else read.number]
    return found


def _without(animation: Json, keys: set[tuple[int, str]]) -> None:
    """Take channels out, and samplers that no other channel uses."""

    def part(channel: Any, name: str) -> Any:
        return channel.get(name) if isinstance(channel, dict) else None

    def goes(channel: Any) -> bool:
        node, path = (part(part(channel, "target"), name) for name in ("node", "path"))
        return is_whole(node) and isinstance(path, str) and (node, path) in keys

    channels = [c for c in animation.get("channels") or [] if not goes(c)]
    samplers = animation.get("samplers") or []
    named = {n for c in channels if is_whole(n := part(c, "sampler"))}
    used = [k for k in range(len(samplers)) if k in named]
    place = {old: new for new, old in enumerate(used)}
    animation["samplers"] = [samplers[k] for k in used]
    # A channel of somebody else's that names no sampler stays as it is.
    animation["channels"] = [
        {**c, "sampler": place[n]} if is_whole(n := part(c, "sampler")) and n in place else c
        for c in channels
    ]


def _add(animation: Json, tracks: Mapping[tuple[int, str], Array], at: Array, packer: Packer) -> None:
    """Channels with a key per frame."""
    times = at.astype(np.float32)
    if (np.diff(times) <= 0).any():
        raise InputError("the frame rate is too high: glTF cannot tell its times apart")
    if not tracks:
        return
    clock = packer.add(times, "SCALAR", bounds=True)
    for path, kind in KINDS.items():
        own = [(node, _in_gltf(path, values)) for (node, p), values in tracks.items() if p == path]
        if path == "weights":
            outputs = [packer.add(values.ravel(), kind) for _, values in own]
        else:
            outputs = packer.add_all(np.array([values for _, values in own], dtype=np.float32), kind)
        for (node, _), output in zip(own, outputs):
            samplers = animation["samplers"]
            target = {"node": node, "path": path}
            animation["channels"].append({"sampler": len(samplers), "target": target})
            samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})


def _in_gltf(path: str, values: Array) -> Array:
    if path == "rotation":
        values = turn_to_gltf(values)
    elif path != "weights":
        values = vector_to_gltf(values)
    return np.asarray(values, dtype=np.float32)


def _to_numbers(document: KeptDocument, made: Revision[KeptDocument]) -> None:
    """A node that is given as a matrix cannot be animated: it gets translation, rotation and scale."""
    for node, _ in made.tracks:
        content = document.content["nodes"][node]
        if "matrix" in content:
            local = made.read.tree.locals[node]
            scale = np.diag(local.stretch)
            if np.abs(local.stretch - np.diag(scale)).max() > 1e-6 * np.abs(scale).max():
                name = made.read.tree.names[node] or f"node {node}"
                raise InputError(f"{name} has a sheared matrix, which glTF cannot animate: write with fresh")
            del content["matrix"]
            content["translation"] = vector_to_gltf(local.position).tolist()
            content["rotation"] = turn_to_gltf(so3.normalise(local.turn)).tolist()
            content["scale"] = vector_to_gltf(scale).tolist()


def _tell_body_facts(clip: Clip, read: Interpretation, document: KeptDocument) -> None:
    """Joints and masses that were set by hand, beside their nodes; what is guessed is guessed again."""
    nodes, character, rig = document.content["nodes"], clip.character, read.rig
    told: dict[int, Json] = {}
    for k, (node, body) in enumerate(zip(rig.nodes, read.bodies)):
        joint = character.bodies[character.index(body.name)].joint
        if node != MADE_UP and joint_extras(joint) != joint_extras(body.joint):
            told.setdefault(k, {}).update(joint_extras(joint)["poise"])
    if _weighed_by_hand(clip, read, document) and MADE_UP not in rig.nodes:
        for k, (name, frame) in enumerate(zip(rig.names, rig.rest)):
            mass = character.bodies[character.index(name)].mass
            told.setdefault(k, {})["mass"] = mass_extras(mass, frame.stretch)
        asset = document.content["asset"].setdefault("extras", {})
        if isinstance(asset, dict):
            asset["mass_source"] = character.mass_source
    for k, said in told.items():
        extras = nodes[rig.nodes[k]].setdefault("extras", {})
        if isinstance(extras, dict):
            known = extras.get("poise")
            extras["poise"] = {**(known if isinstance(known, dict) else {}), **said}


def _weighed_by_hand(clip: Clip, read: Interpretation, document: KeptDocument) -> bool:
    """Whether masses were given, and are not what the file says already."""
    original = original_file(clip)
    asked = original is not None and not isinstance(original.read.get("mass", True), bool)
    character = clip.character
    if character.total_mass == 0 or not (asked or character.mass_source == "given"):
        return False
    bare = Character("", read.bodies, mass_source="none")
    stated = with_remembered_masses(bare, document, read.rig)
    if stated.mass_source != character.mass_source:
        return True
    return not all(
        np.allclose(a.mass.inertia, b.mass.inertia, rtol=1e-12)
        and np.allclose(a.mass.centre, b.mass.centre, rtol=1e-12)
        and a.mass.mass == b.mass.mass
        for a, b in ((character.bodies[character.index(body.name)], body) for body in stated.bodies)
    )
