"""Writing any clip: into its own file where it came from glTF, else as a new document.

A file of the user's is edited in place (see ``editing``). A new document has a node per body, a skinned mesh,
and one animation with a key at every frame. A loop is written as one cycle and its closing frame. Characters
without a skin get one made of their solids, so that any viewer shows something. What only Poise can read back
(kinds of joints, masses, the exact rate, the loop) stands in ``extras``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.files import write_bytes
from poise.formats.cycle import loop_facts, with_closing_frame
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.body_mass import mass_extras
from poise.formats.gltf.container import Json, glb_bytes, text_bytes
from poise.formats.gltf.editing import edited
from poise.formats.gltf.figure import figure_skin
from poise.formats.gltf.joints import joint_extras
from poise.formats.gltf.local_motion import ROTATES, TRANSLATES, local_motion
from poise.formats.gltf.losses import left_behind as belongings
from poise.formats.gltf.materials import KEY
from poise.formats.gltf.mesh_writer import WrittenSkin, looks_of, write_skin
from poise.formats.gltf.original import kept_document
from poise.formats.gltf.packer import Packer
from poise.formats.gltf.revision import Revision, revision
from poise.formats.gltf.vrm import refuse_unless_kept
from poise.manifold import so3
from poise.motion import Clip, MeshClip
from poise.pictures.mesh import seams, vertex_normals
from poise.reading import blaming
from poise.version import __version__


def save(
    clip: Clip | MeshClip,
    path: str | Path,
    *,
    fresh: bool = False,
    mesh: bool = True,
    tolerance: float | None = None,
) -> None:
    """Write a clip as GLB, or as self-contained .gltf text if the path says so.

    A clip that came from such a file changes its animation there and nothing else; ``fresh`` writes a new
    document all the same. ``mesh=False`` leaves out skin and solids: skeleton and animation alone. A mesh
    clip is written as few morph targets, no vertex off by more than ``tolerance`` [m] (10⁻⁴ of its size; 0:
    one per frame, exact).
    """
    path = Path(path)
    said: Json = {}
    if isinstance(clip, MeshClip):
        clip, error = morphing(clip, tolerance)
        said["largest_error_m"] = error
    elif tolerance is not None:
        raise InputError("tolerance is for mesh clips: a skeleton's motion is written as it is")
    elif mesh and not fresh and isinstance(made := revision(clip), Revision):
        refuse_unless_kept(path, made.document)
        with blaming(made.document.path, "glTF"):
            data = edited(clip, made, path)
        write_bytes(path, data)
        return
    refuse_unless_kept(path, None)
    content, binary = build_document(clip, mesh=mesh)
    content["asset"]["extras"] |= said
    to_bytes = text_bytes if path.suffix.lower() == ".gltf" else glb_bytes
    write_bytes(path, to_bytes(content, binary))


def losses(clip: Clip, *, fresh: bool = False) -> tuple[str, ...]:
    """What a clip, or the file it came from, has that its new glTF file will not."""
    document = kept_document(clip)
    if document is None:
        return ()
    made = "" if fresh else revision(clip)
    if isinstance(made, Revision):
        return made.notes
    rest = left_behind(clip, skin=True) or "nothing but how it was put together"
    why = f"{made}, so a" if made else "a"
    return (f"{why} new document is written; of {document.path.name} are left out: {rest}",)


def left_behind(clip: Clip, *, skin: bool) -> str:
    """What the clip's own glTF file holds beside it, counted and named; ``skin``: but for what it wears."""
    document = kept_document(clip)
    if document is None:
        return ""
    with blaming(document.path, "glTF"):
        return belongings(document, clip.source.animation if clip.source is not None else None, skin=skin)


def build_document(clip: Clip, *, mesh: bool = True) -> tuple[Json, bytes]:
    """The document of a clip and its buffer."""
    character, packer = clip.character, Packer()
    document = kept_document(clip)
    asset = document.content["asset"] if document is not None else {}
    nodes = _nodes(character)
    content: Json = {
        "asset": {
            "version": "2.0",
            "generator": f"Poise {__version__}",
            **{k: v for k, v in asset.items() if k == "copyright"},
            "extras": {"poise": character.name, "rate": str(clip.rate), "mass_source": character.mass_source},
        },
        "scene": 0,
        "scenes": [{"name": character.name or "scene", "nodes": [0]}],
        "nodes": nodes,
    }
    skin = (character.skin or figure_skin(character, clip.q)) if mesh else None
    written = write_skin(packer, skin) if skin is not None else None
    if written is not None:
        _place_meshes(content, written, len(character.bodies))
    animation = _animation(clip, packer, nodes, written)
    if animation is not None:
        content["animations"] = [animation]
    binary = packer.binary()
    if binary:
        content["accessors"], content["bufferViews"] = packer.accessors, packer.views
        content["buffers"] = [{"byteLength": len(binary)}]
    return content, binary


def _nodes(character: Character) -> list[Json]:
    """A node per body in the rest pose, in the same order, then one per named point."""
    positions, turns = local_motion(character, character.rest_pose()[None])
    nodes: list[Json] = []
    for i, body in enumerate(character.bodies):
        node: Json = {"name": body.name, "extras": joint_extras(body.joint)}
        if character.mass_source != "none":
            node["extras"]["poise"]["mass"] = mass_extras(body.mass)
        node["translation"] = _numbers(vector_to_gltf(positions[i, 0]))
        node["rotation"] = _numbers(turn_to_gltf(so3.normalise(turns[i, 0])))
        nodes.append(node)
        if character.parents[i] >= 0:
            nodes[int(character.parents[i])].setdefault("children", []).append(i)
    for i, body in enumerate(character.bodies):
        for name, place in body.points.items():
            nodes[i].setdefault("children", []).append(len(nodes))
            nodes.append({"name": name, "translation": _numbers(vector_to_gltf(np.asarray(place)))})
    return nodes


def _place_meshes(content: Json, written: WrittenSkin, bodies: int) -> None:
    """One node per mesh beside the skeleton (a skinned mesh ignores where its node stands)."""
    first = len(content["nodes"])
    content["skins"] = [
        {"joints": list(range(bodies)), "inverseBindMatrices": written.inverse_bind, "skeleton": 0}
    ]
    content["meshes"] = written.meshes
    for i, name in enumerate(written.names):
        content["nodes"].append({"name": name, "mesh": i, "skin": 0})
        content["scenes"][0]["nodes"].append(first + i)
    content.update(written.looks)
    if written.extensions:
        content["extensionsUsed"] = written.extensions


def _animation(clip: Clip, packer: Packer, nodes: list[Json], written: WrittenSkin | None) -> Json | None:
    """The clip's animation; one frame of rest is none."""
    character = clip.character
    q = with_closing_frame(clip)
    frames = len(q)
    positions, turns = local_motion(character, q)
    kinds = [b.joint.kind for b in character.bodies]
    moving = [i for i, k in enumerate(kinds) if k in TRANSLATES]
    turning = [i for i, k in enumerate(kinds) if k in ROTATES]
    if not np.isfinite(q).all():
        raise InputError(f"{clip.name or 'the clip'} holds values that are not finite")
    tracks: list[tuple[int, str, Array]] = []
    tracks += [(i, "translation", vector_to_gltf(positions[i])) for i in moving]
    continuous = so3.continuous(np.swapaxes(so3.normalise(turns[turning]), 0, 1)) if turning else None
    if continuous is not None:
        tracks += [(i, "rotation", turn_to_gltf(continuous[:, k])) for k, i in enumerate(turning)]
    tracks += _weight_tracks(clip, nodes, written, frames)
    at_rest = frames == 1 and np.array_equal(q[0], character.rest_pose())
    if not tracks or (at_rest and len(tracks) <= len(moving + turning)):
        return None
    times = np.array([float(k / clip.rate) for k in range(frames)]).astype(np.float32)
    if (np.diff(times) <= 0).any():
        raise InputError(
            f"{clip.fps:g} frames per second for {clip.duration:g} s is finer than glTF can tell times apart"
        )
    clock = packer.add(times, "SCALAR", bounds=True)
    samplers: list[Json] = []
    channels: list[Json] = []
    for path, kind in (("translation", "VEC3"), ("rotation", "VEC4")):
        own = [(node, values) for node, p, values in tracks if p == path]
        stacked = np.array([values for _, values in own], dtype=np.float32)
        for (node, _), output in zip(own, packer.add_all(stacked, kind)):
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})
    for node, path, values in tracks:
        if path == "weights":
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            output = packer.add(values.astype(np.float32).ravel(), "SCALAR")
            samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})
    said: dict[str, Any] = {"rate": str(clip.rate), **loop_facts(clip)}
    return {
        "name": clip.name or "motion",
        "channels": channels,
        "samplers": samplers,
        "extras": {"poise": said},
    }


def _weight_tracks(
    clip: Clip, nodes: list[Json], written: WrittenSkin | None, frames: int
) -> list[tuple[int, str, Array]]:
    """Animated morph weights; constant ones are put on the mesh instead."""
    out: list[tuple[int, str, Array]] = []
    weights = clip.morphs
    if written is None or weights is None:
        return out
    for i, (mesh, morphs) in enumerate(zip(written.meshes, written.morphs)):
        if not morphs:
            continue
        own = weights[:, morphs]
        if np.array_equal(own, np.broadcast_to(own[0], own.shape)):
            mesh["weights"] = _numbers(own[0])
        else:
            out.append((len(nodes) - len(written.meshes) + i, "weights", _closed(own, frames)))
    return out


def _closed(values: Array, frames: int) -> Array:
    """Values with the first repeated where a loop's closing frame was added."""
    return values if len(values) == frames else np.concatenate([values, values[:1]])


def _numbers(values: Array) -> list[float]:
    return [float(v) for v in values]


def morphing(mesh: MeshClip, tolerance: float | None = None) -> tuple[Clip, float]:
    """The mesh clip as a clip moved by morph weights, with normals and looks, and its largest error [m]."""
    clip, local, error = mesh.baked(tolerance)
    skin = clip.character.skin
    assert skin is not None  # as_clip made it
    looks = looks_of(skin)
    group, corner = seams(local.vertices[0])
    welded = group[mesh.faces]
    normals = np.stack(
        [vertex_normals(frame[corner], welded)[group] for frame in local.vertices]
    )  # (F, N, 3)
    changes: dict[int, Array] = {}
    if skin.morphs and clip.morphs is not None:
        turned = (normals - normals[0]).reshape(mesh.frames, -1)
        mixed = np.linalg.lstsq(clip.morphs, turned, rcond=None)[0].reshape(len(skin.morphs), -1, 3)
        changes = {k: mixed[k][target.indices] for k, target in enumerate(skin.morphs)}
    extras = {**skin.extras, KEY: replace(looks, morph_normals=changes)}
    dressed = replace(skin, normals=normals[0], extras=extras)
    character = clip.character.with_bodies(clip.character.bodies, skin=dressed)
    return clip.replaced(character=character), error
