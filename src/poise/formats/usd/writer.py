"""Writing: a skeleton, its skin with blend shapes, and its animation, as UsdSkel has them.

    /Name (SkelRoot) ─ Skeleton · the motion (a sample per frame) · Skin ─ one BlendShape per morph target

z is up and a unit is a metre, as here, and characters face −y, so that they stand as those of glTF and BVH
files do wherever these meet. Matrices act on rows there: each is the transpose of ours. Time codes are
frames, ``timeCodesPerSecond`` the rate. Characters without a skin get one made of their solids. A mesh clip
becomes a mesh with points sampled at every frame. Needs ``usd-core``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, Skin
from poise.errors import InputError
from poise.files import write_bytes
from poise.formats.cycle import loop_facts, with_closing_frame
from poise.formats.gltf.figure import figure_skin
from poise.formats.gltf.local_motion import local_motion
from poise.formats.units import Axes
from poise.formats.usd.editing import InPlace, in_place, left_behind, original_usd
from poise.formats.usd.library import library
from poise.formats.usd.stage import layer_bytes
from poise.manifold import so3
from poise.motion import Clip, MeshClip
from poise.version import __version__

AXES = Axes("z")


def losses(clip: Clip, *, fresh: bool = False, path: str | Path | None = None) -> tuple[str, ...]:
    """What a clip, or the file it came from, has that its new USD file at ``path`` will not."""
    made = "" if fresh else in_place(clip, None if path is None else Path(path))
    if isinstance(made, InPlace):
        return made.notes
    skin = clip.character.skin
    lost = ["materials and textures of the skin"] if skin is not None and skin.extras else []
    if clip.source is not None and original_usd(clip) is not None:
        rest = left_behind(clip, skin=True) or "nothing but how it was put together"
        why = f"{made}, so a" if made else "a"
        lost.append(f"{why} new file is written; of {Path(clip.source.path).name} are left out: {rest}")
    return tuple(lost)


def save(clip: Clip | MeshClip, path: str | Path, *, mesh: bool = True, fresh: bool = False) -> None:
    """Write a clip as .usd, .usdc (binary), .usda (text) or .usdz; ``mesh=False``: skeleton and motion alone.

    A clip that came from a USD file changes its animation there and nothing else; ``fresh`` writes a new file
    all the same.
    """
    if isinstance(clip, Clip) and mesh and not fresh:
        made = in_place(clip, Path(path))
        if isinstance(made, InPlace):
            write_bytes(path, made.data)
            return
    usd, geometry = library("Usd"), library("UsdGeom")
    moving = clip.vertices if isinstance(clip, MeshClip) else with_closing_frame(clip)
    if not np.isfinite(moving).all():
        raise InputError(f"{clip.name or 'the clip'} holds values that are not finite")
    stage = usd.Stage.CreateInMemory()
    geometry.SetStageUpAxis(stage, geometry.Tokens.z)
    geometry.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(float(clip.rate))
    stage.SetFramesPerSecond(float(clip.rate))
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(float(len(moving) - 1))
    facts = {"generator": f"Poise {__version__}", "rate": str(clip.rate)}
    if isinstance(clip, MeshClip):
        root = geometry.Xform.Define(stage, f"/{_identifier(clip.name or 'mesh')}")
        _moving_mesh(clip, stage, str(root.GetPath()))
    else:
        facts |= {key: str(value) for key, value in loop_facts(clip).items()}
        root = library("UsdSkel").Root.Define(stage, f"/{_identifier(clip.character.name or 'character')}")
        _Figure(clip, stage, str(root.GetPath())).write(mesh=mesh)
    stage.SetDefaultPrim(root.GetPrim())
    stage.GetRootLayer().customLayerData = {"poise": facts}
    write_bytes(path, layer_bytes(stage.GetRootLayer(), Path(path)))


class _Figure:
    """A clip on its way into a stage, below the prim at ``place``."""

    def __init__(self, clip: Clip, stage: Any, place: str) -> None:
        self.clip, self.stage, self.place = clip, stage, place
        self.types, self.skel, self.vt = library("Sdf").ValueTypeNames, library("UsdSkel"), library("Vt")
        self.joints = joint_paths(clip.character)

    def write(self, *, mesh: bool) -> None:
        character = self.clip.character
        skin = (character.skin or figure_skin(character, self.clip.q)) if mesh else None
        skeleton = self._skeleton(skin)
        animation = self._animation()
        binding = self.skel.BindingAPI.Apply(skeleton.GetPrim())
        binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        if skin is not None:
            self._skin(skin, skeleton, animation)

    def _skeleton(self, skin: Skin | None) -> Any:
        character = self.clip.character
        skeleton = self.skel.Skeleton.Define(self.stage, f"{self.place}/Skeleton")
        skeleton.CreateJointsAttr(self.joints)
        skeleton.CreateJointNamesAttr(list(character.names))  # as they are: paths are identifiers
        positions, turns = local_motion(character, character.rest_pose()[None])
        skeleton.CreateRestTransformsAttr(self._matrices(_placed(positions[:, 0], turns[:, 0])))
        at, matrices = character.rest_placement()
        bound = np.zeros((len(at), 4, 4))
        bound[:, :3, :3], bound[:, :3, 3], bound[:, 3, 3] = matrices, at, 1.0
        if skin is not None:
            bound = np.linalg.inv(skin.inverse_bind)
        skeleton.CreateBindTransformsAttr(self._matrices(bound))
        return skeleton

    def _animation(self) -> Any:
        """A sample of every joint's translation and rotation at every frame, and of the weights of shapes."""
        clip = self.clip
        positions, turns = local_motion(clip.character, with_closing_frame(clip))  # (n, F, …)
        # Imaginary parts first, as quaternions lie in memory there.
        turns = AXES.quaternion_to_file(so3.continuous(np.swapaxes(so3.normalise(turns), 0, 1)))
        turns = np.roll(turns, -1, axis=-1)
        places = np.swapaxes(positions, 0, 1)
        title = self._title()
        animation = self.skel.Animation.Define(self.stage, f"{self.place}/{title}")
        if clip.name and title != clip.name:  # which holds more letters than the names of prims
            animation.GetPrim().SetMetadata("displayName", clip.name)
        animation.CreateJointsAttr(self.joints)
        animation.CreateScalesAttr(self.vt.Vec3hArray(len(self.joints), library("Gf").Vec3h(1, 1, 1)))
        moved, turned = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
        for f in range(len(places)):
            moved.Set(self.vt.Vec3fArray.FromNumpy(_vectors(places[f])), float(f))
            turned.Set(self.vt.QuatfArray.FromNumpy(_single(turns[f])), float(f))
        return animation

    def _title(self) -> str:
        """What the motion is called: programs show it as the name of the action."""
        title = _identifier(self.clip.name or "Animation")
        return f"{title}_motion" if title in ("Skeleton", "Skin") else title

    def _skin(self, skin: Skin, skeleton: Any, animation: Any) -> None:
        mesh = _mesh(self.stage, f"{self.place}/Skin", skin.vertices, skin.faces)
        if skin.normals is not None:
            mesh.CreateNormalsAttr(self.vt.Vec3fArray.FromNumpy(_vectors(skin.normals)))
            mesh.SetNormalsInterpolation(library("UsdGeom").Tokens.vertex)
        binding = self.skel.BindingAPI.Apply(mesh.GetPrim())
        binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
        binding.CreateGeomBindTransformAttr(library("Gf").Matrix4d(1.0))
        influences = skin.weights.shape[1]
        binding.CreateJointIndicesPrimvar(False, influences).Set(
            self.vt.IntArray.FromNumpy(np.ascontiguousarray(skin.bodies.ravel(), dtype=np.int32))
        )
        binding.CreateJointWeightsPrimvar(False, influences).Set(
            self.vt.FloatArray.FromNumpy(_single(skin.weights.ravel()))
        )
        if skin.morphs:
            self._shapes(skin, mesh, binding, animation)

    def _shapes(self, skin: Skin, mesh: Any, binding: Any, animation: Any) -> None:
        names = _unlike([morph.name for morph in skin.morphs])
        targets = []
        for name, morph in zip(names, skin.morphs):
            shape = self.skel.BlendShape.Define(self.stage, f"{mesh.GetPath()}/{name}")
            shape.CreateOffsetsAttr(self.vt.Vec3fArray.FromNumpy(_vectors(morph.deltas)))
            indices = np.ascontiguousarray(morph.indices, dtype=np.int32)
            shape.CreatePointIndicesAttr(self.vt.IntArray.FromNumpy(indices))
            targets.append(shape.GetPath())
        binding.CreateBlendShapesAttr(names)
        binding.CreateBlendShapeTargetsRel().SetTargets(targets)
        animation.CreateBlendShapesAttr(names)
        weights = animation.CreateBlendShapeWeightsAttr()
        own = self.clip.morphs if self.clip.morphs is not None else np.zeros((1, len(names)))
        closed = np.concatenate([own, own[:1]]) if self.clip.loop else own
        for f, row in enumerate(closed):
            weights.Set(self.vt.FloatArray.FromNumpy(_single(row)), float(f))

    def _matrices(self, columns: Array) -> Any:
        """Matrices (n, 4, 4) as USD has them: acting on rows."""
        gf = library("Gf")
        rows = AXES.matrix_to_file(columns).swapaxes(1, 2)
        return self.vt.Matrix4dArray([gf.Matrix4d(*m.ravel().tolist()) for m in rows])


def joint_paths(character: Character) -> list[str]:
    """Joints as USD names them: paths from the root on, of names that are identifiers and unlike."""
    names, found = _unlike(list(character.names)), list[str]()
    for name, parent in zip(names, character.parents):
        found.append(name if parent < 0 else f"{found[int(parent)]}/{name}")
    return found


def _moving_mesh(clip: MeshClip, stage: Any, place: str) -> None:
    mesh, vt = _mesh(stage, f"{place}/Mesh", clip.vertices[0], clip.faces), library("Vt")
    for f, shape in enumerate(clip.vertices):
        mesh.GetPointsAttr().Set(vt.Vec3fArray.FromNumpy(_vectors(shape)), float(f))


def _mesh(stage: Any, place: str, vertices: Array, faces: Array) -> Any:
    geometry, vt = library("UsdGeom"), library("Vt")
    mesh = geometry.Mesh.Define(stage, place)
    mesh.CreatePointsAttr(vt.Vec3fArray.FromNumpy(_vectors(vertices)))
    mesh.CreateFaceVertexCountsAttr(vt.IntArray.FromNumpy(np.full(len(faces), 3, dtype=np.int32)))
    mesh.CreateFaceVertexIndicesAttr(
        vt.IntArray.FromNumpy(np.ascontiguousarray(faces.ravel(), dtype=np.int32))
    )
    mesh.CreateSubdivisionSchemeAttr(geometry.Tokens.none)
    return mesh


def _placed(positions: Array, turns: Array) -> Array:
    """Positions (n, 3) and quaternions (n, 4) as matrices (n, 4, 4)."""
    found = np.zeros((len(positions), 4, 4))
    found[:, :3, :3], found[:, :3, 3], found[:, 3, 3] = so3.to_matrix(turns), positions, 1.0
    return found


def _vectors(values: Array) -> Any:
    """Positions or directions (…, 3) in the file's axes."""
    return _single(AXES.vector_to_file(values))


def _single(values: Array) -> Any:
    return np.ascontiguousarray(values, dtype=np.float32)


def _identifier(name: str) -> str:
    return str(library("Tf").MakeValidIdentifier(name))


def _unlike(names: list[str]) -> list[str]:
    """Names as identifiers, numbered where two would be the same."""
    found: list[str] = []
    for name in map(_identifier, names):
        same, number = name, 1
        while same in found:
            number += 1
            same = f"{name}_{number}"
        found.append(same)
    return found
