"""Editing a USD file in place: one ``SkelAnimation`` changes, every other opinion stays as it was authored.

An animation holds an array of all its joints per sample, so a joint that changed brings new samples of its
kind (translations, rotations) for all of them, with the old numbers for the others; the kinds are sampled at
the same times. A figure that the stage moves as a whole gets one new transform X where it was moved: with A
what is above and B what is below, its skeleton stands at A X B. What comes from another file (a reference, a
payload, a layer below) is overridden in the first file, which is stronger.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError
from poise.formats.cycle import loop_facts
from poise.formats.gltf.axes import turn_to_gltf, vector_to_gltf
from poise.formats.gltf.container import Document
from poise.formats.gltf.revision import Revision, revised_scene
from poise.formats.gltf.scene import taken_apart
from poise.formats.usd.library import library
from poise.formats.usd.package import is_package, members, packed
from poise.formats.usd.reader import FREE, PER_BYTE
from poise.formats.usd.scene import UsdScene, facts_of, movers, placed
from poise.formats.usd.stage import CRATE, kept_stage, layer_bytes
from poise.formats.usd.text import spliced
from poise.manifold import so3
from poise.motion import Clip, OriginalFile
from poise.motion.source import listed
from poise.reading import Budget, blaming

SAME = 1e-6
"""How far two meshes' weights of one blend shape may lie apart."""
MOVED = "xformOp:transform:moved"
"""What a figure's new place is called where it was moved in other ways before."""
KINDS = {"translations": "Float3Array", "rotations": "QuatfArray", "scales": "Half3Array"}


@dataclass(frozen=True)
class InPlace:
    """A clip as a change of its own file: that file's bytes, and what beside the animation is not kept."""

    data: bytes
    notes: tuple[str, ...]


def original_usd(clip: Clip) -> OriginalFile | None:
    """The USD file that a clip was read from; None where it has none."""
    source = clip.source
    if source is None or source.format != "usd" or not isinstance(source.payload, OriginalFile):
        return None
    return source.payload


def left_behind(clip: Clip, *, skin: bool) -> str:
    """What the clip's own USD file holds beside it, named; ``skin``: but for what it wears."""
    original = original_usd(clip)
    if original is None or clip.source is None or _elsewhere(original):
        return ""
    path = Path(clip.source.path)
    with blaming(path, "USD"), kept_stage(path, original) as stage:
        made = _scene(stage, path, original)
        worn = [] if skin else [mesh.name for mesh in made.scene.meshes]
        return listed([*worn, *made.others])


def in_place(clip: Clip, path: Path | None = None) -> InPlace | str:
    """The clip's own file with its animation changed, for ``path``, where that has the kind of file to write.

    Where it cannot be, the reason, empty for a clip without a file.
    """
    original = original_usd(clip)
    if original is None or clip.source is None:
        return ""
    if _elsewhere(original):
        return f"the file is composed of others in other folders ({listed(_elsewhere(original))})"
    source = Path(clip.source.path)
    if path is not None and is_package(original.data) != (path.suffix.lower() == ".usdz"):
        return "a package (.usdz) becomes no other kind of file, and no other a package"
    with blaming(source, "USD"), kept_stage(source, original) as stage:
        made = _scene(stage, source, original)
        document = made.scene.document(source, original.data)
        changed = revised_scene(clip, document, original, made.rate if made.times.size else None)
        if isinstance(changed, str):
            return changed
        edit = _Edit(made, changed, clip)
        reason = edit.reason()
        return reason or InPlace(_filed(edit, original.data, source, path or source), edit.notes())


def _filed(edit: _Edit, data: bytes, source: Path, path: Path) -> bytes:
    """The bytes of the file at ``path``; of a package the first member changes."""
    if not is_package(data):
        return edit.written(data, source, path)
    files = members(data, source)
    first = next(iter(files))
    inside = edit.written(files[first], source, source.parent / first)
    return data if inside == files[first] else packed({**files, first: inside})


def _elsewhere(original: OriginalFile) -> list[str]:
    return [name for name in original.beside if name.startswith("..") or os.path.isabs(name)]


def _scene(stage: Any, path: Path, original: OriginalFile) -> UsdScene:
    rate = original.read.get("fps")
    made = UsdScene(stage, Budget(path, len(original.data), free=FREE, per_byte=PER_BYTE))
    made.read(original.read.get("scale"), Fraction(rate) if rate else None, original.read.get("up"))
    return made


def _in_an_instance(prim: Any) -> bool:
    return bool(prim.IsInstanceProxy() or prim.IsInPrototype())


def _composed(at: Array, turn: Array, scale: Array) -> Array:
    """Transforms (F, 4, 4) of places (F, 3), turns (F, 3, 3) and scales (F, 3)."""
    out = np.tile(np.eye(4), (len(at), 1, 1))
    out[:, :3, :3], out[:, :3, 3] = turn * scale[:, None, :], at
    return out


class _Edit:
    """One animation of a stage on its way into the stage's first layer."""

    def __init__(self, made: UsdScene, changed: Revision[Document], clip: Clip) -> None:
        self.made, self.changed, self.clip = made, changed, clip
        self.nodes = sorted({n for n, path in changed.tracks if n in made.bones and path != "weights"})
        self.meshes = sorted({node for node, path in changed.tracks if path == "weights"})
        self.figures = sorted({n for n, path in changed.tracks if n in made.places and path != "weights"})
        owners = [made.bones[n][0] for n in self.nodes] + [made.shapes[n][0] for n in self.meshes]
        self.query: Any = owners[0] if owners else None
        self.several = len({str(q.GetPrim().GetPath()) for q in owners}) > 1
        self.source: Any = self.query.GetAnimQuery() if self.query is not None else None
        self.layer = library("Sdf").Layer.CreateAnonymous(".usda")
        self.layer.TransferContent(made.stage.GetRootLayer())
        self.properties: list[tuple[str, str]] = []
        self.facts: list[str] = []
        codes = made.codes if made.times.size else float(clip.rate)
        begin = float(made.times[0]) if made.times.size else made.stage.GetStartTimeCode()
        self.times = begin + (changed.times - changed.times[0]) * codes
        if len(self.times) == len(made.times) and np.abs(self.times - made.times).max() < 1e-6 * codes:
            self.times = made.times  # to the bit: samples take the place of samples

    def reason(self) -> str:
        """Why the file cannot be changed so; empty where it can."""
        loose = sorted(
            {n for n, path in self.changed.tracks if path != "weights"} - {*self.nodes, *self.figures}
        )
        if loose:
            names = [self.made.scene.nodes[node].name or f"node {node}" for node in loose]
            return f"{listed(names)} moves, which is no joint of a skeleton there"
        for prim in (self._mover(node) for node in self.figures):
            if _in_an_instance(prim):
                return f"{prim.GetName()} is part of an instance, which cannot be overridden"
        if self.query is None:
            return ""
        if self.several:
            return "the motion moves several skeletons"
        skeleton, weights = self.query.GetPrim(), dict[str, Array]()
        if _in_an_instance(skeleton) or (self.source and _in_an_instance(self.source.GetPrim())):
            return f"{skeleton.GetName()} is part of an instance, which cannot be overridden"
        for node in self.meshes:
            columns = self.changed.tracks[node, "weights"].T
            for name, column in zip(self.made.shapes[node][1], columns, strict=True):
                if np.abs(weights.setdefault(name, column) - column).max() > SAME:
                    return f"two meshes share the blend shape {name!r}, which now has two weights"
        return ""

    def notes(self) -> tuple[str, ...]:
        """What the file does not keep, in words."""
        told = facts_of(self.made.stage)
        lost = self.clip.loop and told.get("loop") is not True
        said = ("that the motion loops (the closing frame is written)",) if lost else ()
        return (*self.changed.notes, *said)

    def written(self, data: bytes, source: Path, path: Path) -> bytes:
        """The bytes of the file."""
        text = not data.startswith(CRATE)
        wanted = {".usda": True, ".usdc": False}.get(path.suffix.lower(), text)
        if self.query is not None:
            self._author()
        if self.figures:
            self._carry()
        self._tell_loop()
        moved = self._same_references(source, path)
        if not (self.properties or self.facts or moved) and wanted == text:
            return data
        anew = str(self.layer.ExportToString()) if wanted else ""
        if wanted and text and not moved:
            found = spliced(data.decode(), anew, self.properties, self.facts)
            return (anew if found is None else found).encode()
        return anew.encode() if wanted else layer_bytes(self.layer, path)

    def _author(self) -> None:
        place, new = self._place()
        joints = [str(j) for j in self.source.GetJointOrder()] if self.source else []
        order = [str(j) for j in self.query.GetJointOrder()]
        mine = {node: order[self.made.bones[node][1]] for node in self.nodes}
        grown = [*joints, *(j for j in mine.values() if j not in joints)]
        new = new or grown != joints
        if new:
            self._set(place, "joints", "TokenArray", library("Vt").TokenArray(grown), uniform=True)
        arrays = self._arrays(grown, order)
        kinds = {"translation": "translations", "rotation": "rotations", "scale": "scales"}
        paths = {kinds[path] for node, path in self.changed.tracks if node in mine and path != "weights"}
        paths |= {"scales"} if self._dropped else set()
        if paths:  # some programs hold what has no sample where others have one
            paths |= {name for name in KINDS if self._sampled_otherwise(name)}
        for name, kind in KINDS.items():
            if name not in paths and not new:
                continue
            for node, joint in mine.items():
                track = self.changed.tracks.get((node, name[:-1]))
                if track is None:
                    continue
                turned = turn_to_gltf(track) if name == "rotations" else vector_to_gltf(track)
                arrays[name][:, grown.index(joint)] = turned
            self._sample(place, name, kind, arrays[name])
        if self.meshes or (new and self.source and len(self.source.GetBlendShapeOrder())):
            self._weigh(place, new=new)
        self._end()

    @property
    def _dropped(self) -> bool:
        """Whether scales of joints no longer move."""
        return any(node in self.made.bones for node, _ in self.changed.dropped)

    def _mover(self, node: int) -> Any:
        """The prim that moves a figure as a whole: of several the nearest, its skeleton where none does."""
        prim = self.made.places[node]
        return next(iter(movers(prim)), prim)

    def _carry(self) -> None:
        """Figures go where the clip has them: one transform per sample at what moves them."""
        geometry, gf = library("UsdGeom"), library("Gf")
        times = [float(t) for t in self.times]
        for node in self.figures:
            mover = self._mover(node)
            xform = geometry.Xformable(mover)
            was, resets = placed(self.made.places[node], times), xform.GetResetXformStack()
            own = np.array([np.array(xform.GetLocalTransformation(t)).T for t in times])
            stood = placed(mover, times)
            above = np.tile(np.eye(4), (len(times), 1, 1)) if resets else stood @ np.linalg.inv(own)
            below = np.linalg.inv(stood) @ was
            wanted = self._wanted(node, was)
            moved = np.linalg.inv(above) @ wanted @ np.linalg.inv(below)
            place, ops = str(mover.GetPath()), [str(op.GetOpName()) for op in xform.GetOrderedXformOps()]
            name = ops[0] if ops in (["xformOp:transform"], [MOVED]) else MOVED
            spec = self._spec(place, name, "Matrix4d")
            spec.ClearInfo("timeSamples")
            for time, matrix in zip(times, moved, strict=True):
                self.layer.SetTimeSample(spec.path, time, gf.Matrix4d(matrix.T.tolist()))
            self.properties.append((place, name))
            if ops != [name]:
                order = [*(["!resetXformStack!"] if resets else []), name]
                kind = library("Vt").TokenArray(order)
                self._set(place, "xformOpOrder", "TokenArray", kind, uniform=True)
        if self.query is None:
            self._end()

    def _wanted(self, node: int, was: Array) -> Array:
        """Where a figure's skeleton is to be in the stage, (F, 4, 4); ``was``: where the file has it."""
        at, turn, scale = taken_apart(was)
        tracks = self.changed.tracks
        old = _composed(at, so3.to_matrix(turn), scale)
        if (node, "translation") in tracks:
            at = vector_to_gltf(tracks[node, "translation"])
        if (node, "rotation") in tracks:
            turn = np.roll(turn_to_gltf(tracks[node, "rotation"]), 1, axis=-1)
        if (node, "scale") in tracks:
            scale = vector_to_gltf(tracks[node, "scale"])
        return np.asarray(_composed(at, so3.to_matrix(turn), scale) @ np.linalg.inv(old) @ was)

    def _sampled_otherwise(self, name: str) -> bool:
        """Whether something moves, by samples at other times than the frames."""
        told = self.source.GetPrim().GetAttribute(name).GetTimeSamples() if self.source else []
        return len(told) > 1 and not (len(told) == len(self.times) and np.allclose(told, self.times))

    def _place(self) -> tuple[str, bool]:
        """The animation that is changed, and whether it is new: there was none, or others use it too."""
        skeleton = self.query.GetPrim()
        users = {
            str(query.GetPrim().GetPath())
            for query, _ in self.made.bones.values()
            if self.source
            and query.GetAnimQuery()
            and query.GetAnimQuery().GetPrim() == self.source.GetPrim()
        }
        if self.source and len(users) <= 1:
            return str(self.source.GetPrim().GetPath()), False
        sdf = library("Sdf")
        name = library("Tf").MakeValidIdentifier(self.clip.name or "Animation")
        place = skeleton.GetPath().AppendChild(name)
        while self.made.stage.GetPrimAtPath(place):
            name += "_motion"
            place = skeleton.GetPath().AppendChild(name)
        over = sdf.CreatePrimInLayer(self.layer, skeleton.GetPath())
        made = sdf.PrimSpec(over, name, sdf.SpecifierDef, "SkelAnimation")
        applied = over.GetInfo("apiSchemas") if over.HasInfo("apiSchemas") else sdf.TokenListOp()
        if "SkelBindingAPI" not in skeleton.GetAppliedSchemas():
            applied.prependedItems = ["SkelBindingAPI", *applied.prependedItems]
            over.SetInfo("apiSchemas", applied)
        rel = over.relationships.get("skel:animationSource")
        rel = rel or sdf.RelationshipSpec(over, "skel:animationSource", False)
        rel.targetPathList.ClearEditsAndMakeExplicit()
        rel.targetPathList.explicitItems = [made.path]
        self.properties.append((str(skeleton.GetPath()), "skel:animationSource"))
        return str(place), True

    def _arrays(self, grown: list[str], order: list[str]) -> dict[str, Array]:
        """What the animation has at all frames: translations, rotations (x, y, z, w), scales, (F, n, …)."""
        vt, rest = (
            library("Vt"),
            self.query.ComputeJointLocalTransforms(library("Usd").TimeCode.Default(), True),
        )
        moves, turns, sizes = library("UsdSkel").DecomposeTransforms(rest)
        known = len(self.source.GetJointOrder()) if self.source else 0
        where = [order.index(joint) if joint in order else 0 for joint in grown]
        still = (
            np.array(moves)[where],
            np.array([[*turns[k].imaginary, turns[k].real] for k in where]),
            np.array(sizes)[where],
        )
        out = {
            name: np.tile(np.asarray(rows, dtype=np.float64), (len(self.times), 1, 1))
            for name, rows in zip(KINDS, still, strict=True)
        }
        for f, time in enumerate(self.times if known else ()):
            found = self.source.ComputeJointLocalTransformComponents(time)
            if found is None or len(found) != len(KINDS):
                raise FileFormatError(self.made.budget.path, "its animation has no whole transforms")
            for name, values in zip(KINDS, found, strict=True):
                if len(values) == known:
                    out[name][f, :known] = np.array(vt.QuatfArray(values) if name == "rotations" else values)
        if self._dropped and known:
            out["scales"][:] = out["scales"][:1]
        return out

    def _sample(self, place: str, name: str, kind: str, values: Array) -> None:
        vt = library("Vt")
        pack, number = {
            "Float3Array": (vt.Vec3fArray.FromNumpy, np.float32),
            "QuatfArray": (vt.QuatfArray.FromNumpy, np.float32),
            "Half3Array": (vt.Vec3hArray.FromNumpy, np.float16),
            "FloatArray": (vt.FloatArray.FromNumpy, np.float32),
        }[kind]
        spec = self._spec(place, name, kind)
        spec.ClearInfo("timeSamples")
        if np.ptp(values, axis=0).max(initial=0.0) == 0.0 and name == "scales":
            spec.default = pack(np.ascontiguousarray(values[0], dtype=number))
        else:
            for time, row in zip(self.times, values, strict=True):
                self.layer.SetTimeSample(
                    spec.path, float(time), pack(np.ascontiguousarray(row, dtype=number))
                )
        self.properties.append((place, name))

    def _weigh(self, place: str, *, new: bool) -> None:
        """Weights of blend shapes; those of meshes that did not change stay as they are."""
        order = [str(n) for n in self.source.GetBlendShapeOrder()] if self.source else []
        names = [n for node in self.meshes for n in self.made.shapes[node][1]]
        grown = [*order, *dict.fromkeys(n for n in names if n not in order)]
        if new or grown != order:
            self._set(place, "blendShapes", "TokenArray", library("Vt").TokenArray(grown), uniform=True)
        values = np.zeros((len(self.times), len(grown)))
        for f, time in enumerate(self.times if order else ()):
            values[f, : len(order)] = np.array(self.source.ComputeBlendShapeWeights(time))
        for node in self.meshes:
            for name, column in zip(self.made.shapes[node][1], self.changed.tracks[node, "weights"].T):
                values[:, grown.index(name)] = column
        self._sample(place, "blendShapeWeights", "FloatArray", values)

    def _spec(self, place: str, name: str, kind: str, *, uniform: bool = False) -> Any:
        sdf = library("Sdf")
        prim = self.layer.GetPrimAtPath(place) or sdf.CreatePrimInLayer(self.layer, place)
        how = sdf.VariabilityUniform if uniform else sdf.VariabilityVarying
        return prim.attributes.get(name) or sdf.AttributeSpec(
            prim, name, getattr(sdf.ValueTypeNames, kind), how
        )

    def _set(self, place: str, name: str, kind: str, value: Any, *, uniform: bool) -> None:
        self._spec(place, name, kind, uniform=uniform).default = value
        self.properties.append((place, name))

    def _end(self) -> None:
        """A motion of another length moves the end of the stage, where that is said."""
        stage, layer = self.made.stage, self.layer
        if not self.made.times.size:
            for name, value in (("timeCodesPerSecond", float(self.clip.rate)),
                                ("startTimeCode", float(self.times[0])),
                                ("endTimeCode", float(self.times[-1]))):  # fmt: skip
                layer.pseudoRoot.SetInfo(name, value)
                self.facts.append(name)
        elif len(self.times) != len(self.made.times) and stage.HasAuthoredTimeCodeRange():
            layer.pseudoRoot.SetInfo("endTimeCode", float(self.times[-1]))
            self.facts.append("endTimeCode")

    def _tell_loop(self) -> None:
        """In files of Poise's own: whether the motion still is a loop."""
        told = dict(self.layer.customLayerData.get("poise", {}))
        facts = {key: str(value) for key, value in loop_facts(self.clip).items()}
        if not told or all(told.get(key) == facts.get(key) for key in ("loop", "travel", "yaw")):
            return
        kept = {k: v for k, v in told.items() if k not in ("loop", "travel", "yaw")}
        self.layer.customLayerData = {**self.layer.customLayerData, "poise": {**kept, **facts}}
        self.facts.append("customLayerData")

    def _same_references(self, source: Path, path: Path) -> bool:
        """Let a file in another folder refer to the same files; whether that changed anything."""
        old, new = source.resolve().parent, path.resolve().parent
        if old == new:
            return False
        moved: list[str] = []

        def pointed(name: str) -> str:
            target = old / name
            if not name or os.path.isabs(name) or ":" in name or not target.exists():
                return name
            moved.append(name)
            return os.path.relpath(target, new).replace(os.sep, "/")

        library("UsdUtils").ModifyAssetPaths(self.layer, pointed)
        return bool(moved)
