"""A USD stage as a scene: skeletons of UsdSkel, what is bound to them, and the animation they have.

A skinned point is Σ w_j · J_j · B_j⁻¹ · G · p (J: a joint in its skeleton's frame, B: the joint when it was
bound, G: the mesh when it was bound), so B_j⁻¹ G is what glTF calls an inverse bind matrix. Matrices act on
rows there: each is the transpose of ours.
"""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.errors import InputError
from poise.formats.gltf.scene import (
    Z_UP,
    Scene,
    SceneAnimation,
    SceneMaterial,
    SceneMesh,
    SceneNode,
    taken_apart,
    triangles,
)
from poise.formats.key_times import likely_rate
from poise.formats.units import Axes
from poise.formats.usd.library import library
from poise.manifold import so3
from poise.motion.frame_times import exact_rate
from poise.motion.source import listed
from poise.reading import Budget

STILL = 1e-9
"""What a place may change by, beside its size, and still be no motion."""


class UsdScene:
    """Reads a stage into a scene."""

    def __init__(self, stage: Any, budget: Budget) -> None:
        self.stage, self.budget = stage, budget
        self.scene = Scene()
        self.up = "y"
        self.unit = 1.0
        """Of its lengths [m]."""
        self.notes: list[str] = []
        self._skipped: list[str] = []
        self.bones: dict[int, tuple[Any, int]] = {}
        """By node: the query of its skeleton, and its number there."""
        self.places: dict[int, Any] = {}
        """By node: the skeleton that stands there, which a stage may move as a whole."""
        self.shapes: dict[int, tuple[Any, list[str]]] = {}
        """By node of a mesh: the query of its skeleton, and names of its blend shapes."""
        self.times = np.zeros(0)
        """Time codes of the frames."""
        self.rate = Fraction(24)
        self.others: list[str] = []
        """What there is beside the character."""

    def read(self, unit: float | None, fps: Fraction | None, up: str | None = None) -> Scene:
        """All skeletons; ``unit`` [m] and ``up`` axis in place of the file's own, ``fps`` in place of its
        rate."""
        geometry = library("UsdGeom")
        stage = self.stage
        self.unit = unit if unit is not None else float(geometry.GetStageMetersPerUnit(stage))
        stated = "z" if geometry.GetStageUpAxis(stage) == geometry.Tokens.z else "y"
        self.up = stated if up is None else Axes(up).up
        frame = Z_UP if self.up == "z" else np.eye(3)
        self.scene.nodes.append(SceneNode("", -1, np.zeros(3), so3.from_matrix(frame), np.full(3, self.unit)))
        tracks: dict[tuple[int, str], Array] = {}
        queries = self._skeletons()
        if not queries:
            raise InputError("no skeleton found; Poise reads UsdSkel characters")
        times, rate = self._times([(prim, query) for prim, query, _ in queries], fps)
        self.times, self.rate = times, rate
        name = ""
        for prim, query, targets in queries:
            joints = self._skeleton(prim, query, times, tracks)
            for target in targets:
                self._mesh(query, target, joints, times, tracks)
            source = query.GetAnimQuery()
            if source and not name:
                prim = source.GetPrim()
                name = str(prim.GetMetadata("displayName") or prim.GetName())
        if tracks and len(times):
            begin = times[0]
            self.scene.animations.append(
                SceneAnimation(name or "motion", (times - begin) / self.codes, tracks, str(rate))
            )
        bound = {str(t.GetPrim().GetPath()) for _, _, targets in queries for t in targets}
        self.others = [
            f"{prim.GetName()} ({prim.GetTypeName()})"
            for prim in stage.Traverse()
            if str(prim.GetPath()) not in bound and (prim.IsA(geometry.Gprim) or prim.IsA(geometry.Camera))
        ]
        if self.others:
            self.notes.append(f"beside the character there is, not in the clip: {listed(self.others)}")
        if self._skipped:
            self.notes.append(f"what is bound but is no mesh is left out: {listed(self._skipped)}")
        return self.scene

    def _skeletons(self) -> list[tuple[Any, Any, list[Any]]]:
        """Skeletons, each with its query (which does not know where an instance is) and what is bound."""
        skel, proxies = library("UsdSkel"), library("Usd").TraverseInstanceProxies()
        cache = skel.Cache()
        found: dict[str, tuple[Any, Any, list[Any]]] = {}
        prims = list(self.stage.Traverse(proxies))
        for prim in prims:
            if prim.IsA(skel.Root):
                cache.Populate(skel.Root(prim), proxies)
                for bound in cache.ComputeSkelBindings(skel.Root(prim), proxies):
                    skeleton = bound.GetSkeleton()
                    _, _, targets = found.setdefault(
                        str(skeleton.GetPath()),
                        (skeleton.GetPrim(), cache.GetSkelQuery(skeleton), list[Any]()),
                    )
                    targets += bound.GetSkinningTargets()
        for prim in prims:  # skeletons that nothing is bound to
            query = cache.GetSkelQuery(skel.Skeleton(prim)) if prim.IsA(skel.Skeleton) else None
            if query and len(query.GetJointOrder()):
                found.setdefault(str(prim.GetPath()), (prim, query, []))
        return list(found.values())

    @property
    def codes(self) -> float:
        """Time codes in a second."""
        return float(self.stage.GetTimeCodesPerSecond()) or 24.0

    def _times(self, skeletons: list[tuple[Any, Any]], fps: Fraction | None) -> tuple[Array, Fraction]:
        """Time codes of the frames, and their rate."""
        said = facts_of(self.stage).get("rate")
        own = exact_rate(str(said)) if said else likely_rate(self.codes)
        rate = fps or own
        samples: set[float] = set()
        for prim, query in skeletons:
            for mover in movers(prim):
                samples.update(library("UsdGeom").Xformable(mover).GetTimeSamples())
            source = query.GetAnimQuery()
            if source:
                samples.update(source.GetJointTransformTimeSamples())
                samples.update(source.GetBlendShapeWeightTimeSamples())
        if not samples:
            return np.zeros(0), rate
        begin, end = min(samples), max(samples)
        if (
            self.stage.HasAuthoredTimeCodeRange()
            and self.stage.GetEndTimeCode() > self.stage.GetStartTimeCode()
        ):
            begin, end = self.stage.GetStartTimeCode(), self.stage.GetEndTimeCode()
        step = self.codes / float(rate)
        frames = int(np.floor((end - begin) / step + 1e-3)) + 1
        joints = sum(len(query.GetJointOrder()) for _, query in skeletons)
        self.budget.spend(16 * frames * max(joints, 1), "the frames of its animation")
        return np.asarray(begin + step * np.arange(frames), dtype=np.float64), rate

    def _skeleton(
        self, prim: Any, query: Any, times: Array, tracks: dict[tuple[int, str], Array]
    ) -> list[int]:
        """Nodes of a skeleton's joints, in its order; where they go over time is added to ``tracks``."""
        topology, order = query.GetTopology(), list(query.GetJointOrder())
        skeleton = query.GetSkeleton()
        told = skeleton.GetJointNamesAttr().Get()
        names = list(told) if told and len(told) == len(order) else [str(j).rpartition("/")[2] for j in order]
        base = self._place_of(prim, times, tracks)
        rest = _columns(query.ComputeJointLocalTransforms(library("Usd").TimeCode.Default(), True))
        at, turn, scale = taken_apart(rest)
        joints = [base + 1 + k for k in range(len(order))]
        self.bones |= {node: (query, k) for k, node in enumerate(joints)}
        for k, name in enumerate(names):
            parent = topology.GetParent(k)
            if parent >= k:
                raise ValueError(f"joint {name!r} comes before its parent")
            above = joints[parent] if parent >= 0 else base
            self.scene.nodes.append(SceneNode(name, above, at[k], turn[k], scale[k]))
        if order:
            self.scene.skeletons.append((names[0], joints))
        if query.GetAnimQuery() and len(times) and order:
            moving = np.array(
                [_columns(query.ComputeJointLocalTransforms(t, False)) for t in times]
            )  # (F, n, 4, 4)
            for k, node in enumerate(joints):
                at, turn, scale = taken_apart(moving[:, k])
                tracks[node, "translation"], tracks[node, "rotation"] = at, turn
                if np.abs(scale - self.scene.nodes[node].scale).max() > 1e-3:  # half floats
                    tracks[node, "scale"] = scale
        return joints

    def _place_of(self, prim: Any, times: Array, tracks: dict[tuple[int, str], Array]) -> int:
        """The node of a skeleton as a whole; where the stage moves it over time is added to ``tracks``."""
        node, moved = len(self.scene.nodes), bool(movers(prim)) and len(times) > 0
        start = [times[0]] if moved else [library("Usd").TimeCode.EarliestTime()]
        at, turn, scale = taken_apart(placed(prim, start))
        self.scene.nodes.append(SceneNode(prim.GetName(), 0, at[0], turn[0], scale[0]))
        self.places[node] = prim
        if moved:
            at, turn, scale = taken_apart(placed(prim, list(times)))
            for name, values in (("translation", at), ("rotation", turn), ("scale", scale)):
                if np.abs(values - values[0]).max() > STILL * (1.0 + np.abs(values).max()):
                    tracks[node, name] = values
        return node

    def _mesh(
        self, query: Any, target: Any, joints: list[int], times: Array, tracks: dict[tuple[int, str], Array]
    ) -> None:
        prim = target.GetPrim()
        geometry, earliest = library("UsdGeom"), library("Usd").TimeCode.EarliestTime()
        if not prim.IsA(geometry.Mesh):
            self._skipped.append(str(prim.GetName()))
            return
        mesh = geometry.Mesh(prim)
        points = np.array(mesh.GetPointsAttr().Get(earliest) or [], dtype=np.float64).reshape(-1, 3)
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get(earliest) or [], dtype=np.int64)
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(earliest) or [], dtype=np.int64)
        faces, _ = triangles(corners, counts, len(points))
        if not len(faces):
            return
        if mesh.GetOrientationAttr().Get() == geometry.Tokens.leftHanded:
            faces = faces[:, ::-1]
        node = len(self.scene.nodes)
        self.scene.nodes.append(SceneNode(str(prim.GetName()), 0, np.zeros(3), so3.IDENTITY, np.ones(3)))
        bound = self._binding(query, target, joints, len(points))
        names, shapes = self._blend_shapes(prim, target, len(points))
        self.shapes[node] = query, names
        self.scene.meshes.append(
            SceneMesh(
                str(prim.GetName()),
                node,
                points,
                [(faces, self._colour(mesh))],
                joints=bound[0],
                inverse_bind=bound[1],
                influences=bound[2],
                morphs=shapes,
            )
        )
        source = query.GetAnimQuery()
        if shapes and source and len(times):
            order = [str(n) for n in source.GetBlendShapeOrder()]
            rows = np.array([source.ComputeBlendShapeWeights(t) for t in times], dtype=np.float64).reshape(
                len(times), -1
            )
            column = {n: rows[:, k] for k, n in enumerate(order) if k < rows.shape[1]}
            tracks[node, "weights"] = np.stack([column.get(n, np.zeros(len(times))) for n in names], axis=1)

    def _binding(
        self, query: Any, target: Any, joints: list[int], count: int
    ) -> tuple[list[int], Array | None, tuple[IntArray, Array] | None]:
        if not target.HasJointInfluences() or not joints:
            return [], None, None
        found = target.ComputeVaryingJointInfluences(count, library("Usd").TimeCode.EarliestTime())
        index, weights = (np.array(part) for part in found[-2:])
        each = target.GetNumInfluencesPerComponent()
        own = target.GetJointOrder()
        order = [str(j) for j in query.GetJointOrder()]
        used = [order.index(str(j)) for j in own] if own else list(range(len(order)))
        inverse = np.linalg.inv(_columns(query.GetJointWorldBindTransforms()))
        stood = np.array(target.GetGeomBindTransform(library("Usd").TimeCode.EarliestTime())).T
        index = index.reshape(count, each).astype(np.int64)
        if index.min(initial=0) < 0 or index.max(initial=0) >= len(used):
            raise ValueError(f"{target.GetPrim().GetName()} is bound to joint {index.max()} of {len(used)}")
        shares = weights.reshape(count, each).astype(np.float64)
        return [joints[k] for k in used], inverse[used] @ stood, (index, shares)

    def _blend_shapes(
        self, prim: Any, target: Any, count: int
    ) -> tuple[list[str], list[tuple[str, IntArray, Array]]]:
        skel = library("UsdSkel")
        order = target.GetBlendShapeOrder() if target.HasBlendShapes() else None
        if not order:
            return [], []
        shapes = skel.BlendShapeQuery(skel.BindingAPI(prim))
        names, found, between = [], [], []
        for k, name in enumerate(order):
            shape = shapes.GetBlendShape(k)
            if not shape:
                continue
            ways = np.array(shape.GetOffsetsAttr().Get() or [], dtype=np.float64).reshape(-1, 3)
            told = shape.GetPointIndicesAttr().Get()
            where = np.array(told, dtype=np.int64) if told else np.arange(len(ways))
            size = min(len(where), len(ways))
            inside = (where[:size] >= 0) & (where[:size] < count)
            found.append((str(name), where[:size][inside], ways[:size][inside]))
            names.append(str(name))
            between += [str(name)] if shape.GetInbetweens() else []
        if between:
            self.notes.append(f"blend shapes in between are not read: {listed(between)}")
        return names, found

    def _colour(self, mesh: Any) -> int | None:
        told = mesh.GetDisplayColorAttr().Get()
        if not told:
            return None
        red, green, blue = (float(c) for c in np.clip(np.array(told)[0], 0.0, 1.0))
        self.scene.materials.append(SceneMaterial(str(mesh.GetPrim().GetName()), (red, green, blue, 1.0)))
        return len(self.scene.materials) - 1


def movers(prim: Any) -> list[Any]:
    """The prim itself and those above it whose places change over time, the nearest first."""
    found = []
    while prim and not prim.IsPseudoRoot():
        place = library("UsdGeom").Xformable(prim)
        if place and place.TransformMightBeTimeVarying():
            found.append(prim)
        if place and place.GetResetXformStack():
            break
        prim = prim.GetParent()
    return found


def placed(prim: Any, times: list[Any]) -> Array:
    """Where a prim is in the stage at times, (F, 4, 4)."""
    cache, found = library("UsdGeom").XformCache(), []
    for time in times:
        cache.SetTime(time)
        found.append(np.array(cache.GetLocalToWorldTransform(prim)).T)
    return np.array(found)


def _columns(matrices: Any) -> Array:
    """Matrices (n, 4, 4) that act on columns."""
    return np.swapaxes(np.array(matrices, dtype=np.float64).reshape(-1, 4, 4), 1, 2)


def facts_of(stage: Any) -> dict[str, Any]:
    """What Poise wrote beside a stage: texts, of which loop, travel and yaw are JSON."""
    told = stage.GetRootLayer().customLayerData.get("poise", {})
    facts: dict[str, Any] = {str(k): str(v) for k, v in told.items()} if isinstance(told, dict) else {}
    for name in ("loop", "travel", "yaw"):
        if name in facts:
            with suppress(ValueError):
                facts[name] = json.loads(facts[name].lower())
    return facts
