"""Every file of ``shared/data``, in and out, judged by programs that share no code with Poise.

in       joints as Poise reads them against Blender's importers (both of FBX), usd-core, MuJoCo or ezc3d, at
         frames spread over the clip: the worst distance beside the figure's height; bar 1e-5
same     what is read and saved: the same bytes, or not
out      the same clip written anew in each format and read by Blender, beside the height; bar 1e-5
skin     points of that skin as Blender shows them [m]; bar 1e-4
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import poise
from poise.arrays import Array
from poise.errors import InputError
from poise.formats.facing import unfaced
from poise.kinematics import Kinematics
from poise.motion import Clip

DATA = Path(os.environ.get("DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
BPY = os.environ.get("POISE_BPY_PYTHON", "").split(os.pathsep)[0]
"""A Python that has Blender's module."""
FRAMES = 12
"""That are looked at, spread over a clip."""
CAPTURES = (".c3d", ".trc")
LARGEST = 6 << 20
"""Bytes of BVH that are given to Blender: it takes a minute for ten million."""
IMPORTERS = {
    ".bvh": ("bvh",),
    ".glb": ("gltf",),
    ".fbx": ("fbx", "fbx_cpp"),
    ".usda": ("usd",),
    ".usdc": ("usd",),
}


@dataclass
class Job:
    """A file that Blender is to open, and where Poise's joints are."""

    label: str
    path: Path
    importer: str
    clip: Clip
    out: Path
    skin: bool = False

    @property
    def frames(self) -> list[int]:
        """That are looked at."""
        return sorted({int(k) for k in np.linspace(0, self.clip.frames - 1, FRAMES)})

    def asked(self) -> dict[str, Any]:
        """For Blender's side."""
        source, told = self.clip.source, {}
        if self.importer == "bvh" and source is not None:
            up = source.up if self.path == Path(source.path) else "y"
            told = {"up": up.upper(), "forward": "-Z" if up == "y" else "Y", "scale": source.unit}
        if self.importer == "bvh" and (source is None or self.path != Path(source.path)):
            told = {"up": "Y", "forward": "-Z", "scale": 0.01}
        several = source is not None and self.path == Path(source.path) and len(source.animations) > 1
        return {
            "path": str(self.path), "importer": self.importer, "fps": float(self.clip.rate),
            "out": str(self.out), "frames": self.frames, "skin": self.skin, **told,
            "animation": self.clip.name if several else "",
        }  # fmt: skip

    def judged(self) -> tuple[float, float, list[str]] | str:
        """Worst distance beside the height, of points of the skin [m], and joints that Blender has not."""
        if not self.out.exists():
            reason = Path(f"{self.out}.txt")
            return reason.read_text().strip().splitlines()[-1][:100] if reason.exists() else "Blender ended"
        seen = np.load(self.out)
        names, who = list(seen["names"]), self.clip.character
        called = {n: re.sub(r"\W", "_", n) if self.importer == "usd" else n for n in who.names}
        found = Kinematics(who, self.clip.q[self.frames])
        ours = found.positions
        theirs = seen["heads"][..., [1, 0, 2]] * [-1.0, 1.0, 1.0]
        known = {n: names.index(called[n]) for n in who.names if called[n] in names}
        far = [np.linalg.norm(ours[:, who.index(n)] - theirs[:, k], axis=1).max() for n, k in known.items()]
        worst = max(far, default=np.nan) / height(self.clip)
        off = np.nan
        if self.skin and who.skin is not None and seen["points"].size:
            off = self._skin_off(found, seen["points"][..., [1, 0, 2]] * [-1.0, 1.0, 1.0])
        return float(worst), off, [n for n in who.names if n not in known]

    def _skin_off(self, found: Kinematics, theirs: Array) -> float:
        """How far any of our points is from the nearest of theirs [m]."""
        from scipy.spatial import cKDTree

        skin, off = self.clip.character.skin, 0.0
        assert skin is not None
        weights = self.clip.morphs[self.frames] if self.clip.morphs is not None else None
        for k in range(len(theirs)):
            mix = weights[k] if weights is not None else None
            points = skin.deformed(found.positions[k], found.rotations[k], mix)
            off = max(off, float(cKDTree(theirs[k]).query(points)[0].max()))
        return off


def height(clip: Clip) -> float:
    """The extent of joints in the first frame, at least 1 mm [m]."""
    where = Kinematics(clip.character, clip.q[:1]).positions[0]
    return float(max(np.ptp(where, axis=0).max(), 1e-3))


def blender(jobs: list[Job]) -> None:
    """Let Blender look at all of them, in processes of its own: what ends one costs the rest of its batch."""
    with TemporaryDirectory() as folder:
        for start in range(0, len(jobs), 20):
            orders = Path(folder, "jobs.json")
            orders.write_text(json.dumps([job.asked() for job in jobs[start : start + 20]]))
            script = Path(__file__).with_name("blender_import.py")
            subprocess.run(
                [BPY, str(script), str(orders)], check=False, capture_output=True,
                env={**os.environ, "BLENDER_USER_RESOURCES": folder},
            )  # fmt: skip


def files() -> Iterator[tuple[Path, Clip | str]]:
    """All files of motion, read; or why not; of captures what there is to say."""
    endings = (".bvh", ".amc", ".glb", ".fbx", ".usda", ".usdc", ".xml", ".c3d", ".trc")
    for path in sorted(DATA.rglob("*")):
        if path.suffix.lower() not in endings:
            continue
        if path.suffix.lower() in CAPTURES:
            yield path, markers(path)
            continue
        try:
            yield path, poise.load(path) if path.suffix == ".xml" else poise.load(path, mass=False)
        except InputError as problem:
            yield path, "refused: " + str(problem).rpartition(": ")[2][:90]


def same(clip: Clip, path: Path, folder: Path) -> str:
    """Whether what is read and saved is what there was."""
    copy = folder / path.name
    try:
        clip.save(copy)
    except InputError:
        return "not written"
    return "same bytes" if copy.read_bytes() == path.read_bytes() else "other bytes"


def usd_core(path: Path, clip: Clip) -> float:
    """The worst distance from where usd-core puts joints, beside the height."""
    from poise.formats.usd.library import library

    Usd, UsdGeom, UsdSkel = (library(name) for name in ("Usd", "UsdGeom", "UsdSkel"))

    stage = Usd.Stage.Open(str(path))
    unit = UsdGeom.GetStageMetersPerUnit(stage)
    turn = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    if UsdGeom.GetStageUpAxis(stage) == "Z":
        turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    prim = next((p for p in stage.Traverse() if p.IsA(UsdSkel.Skeleton)), None)
    query = UsdSkel.Cache().GetSkelQuery(UsdSkel.Skeleton(prim))
    joints = [str(j).rpartition("/")[2] for j in query.GetJointOrder()]
    ours = Kinematics(clip.character, clip.q).positions
    begin, step, worst = stage.GetStartTimeCode(), stage.GetTimeCodesPerSecond() / float(clip.rate), 0.0
    for frame in range(clip.frames):
        time = begin + frame * step
        place = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(prim))
        there = (np.array(query.ComputeJointSkelTransforms(time)) @ place).reshape(-1, 4, 4)[:, 3, :3]
        for k, name in enumerate(joints):
            mine = ours[frame, clip.character.index(name)]
            worst = max(worst, float(np.linalg.norm(mine - unit * turn @ there[k])))
    return worst / height(clip)


def mujoco_says(path: Path, clip: Clip) -> str:
    """The worst distance from where MuJoCo puts bodies in the model's own pose, beside the height."""
    import mujoco

    text = re.sub(r"<include [^>]*/>", "", path.read_text())  # looks of the room, which are not here
    text = re.sub(r' material="\w+"', "", text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    ours = Kinematics(clip.character, clip.q[:1]).positions[0]
    far = []
    for k in range(model.nbody):
        name, first = model.body(k).name, model.body_jntadr[k]
        if name not in clip.character.names:
            continue
        joints = range(first, first + model.body_jntnum[k])
        hinged = len(joints) and model.jnt_type[first] != mujoco.mjtJoint.mjJNT_FREE
        places = (
            data.xanchor[joints] if hinged else data.xpos[k][None]
        )  # bodies of ours begin where they turn
        mine = ours[clip.character.index(name)]
        far.append(np.linalg.norm(places - mine, axis=1).min())
    return f"MuJoCo {float(max(far, default=np.nan)) / height(clip):.1e} of height"


def markers(path: Path) -> str:
    """Places of markers [m] against another reader's: ezc3d, or the plain numbers of a table."""
    from poise.formats.captures import load_markers

    ours = np.asarray(load_markers(path).positions)
    if path.suffix.lower() == ".c3d":
        import ezc3d

        points = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0) / 1000.0
    else:
        rows = [line.split("\t") for line in path.read_text().splitlines()[5:] if line.strip()]
        wide = 2 + 3 * ours.shape[1]
        table = np.array(
            [[float(x) if x.strip() else np.nan for x in (r + [""] * wide)[:wide]] for r in rows]
        )
        unit = 0.001 if "\tmm\t" in path.read_text()[:2000] else 1.0
        points = unit * table[:, 2:].reshape(len(rows), -1, 3)
    both = np.isfinite(ours).all(axis=2) & np.isfinite(points[:, : ours.shape[1]]).all(axis=2)
    near = np.sort(np.abs(ours[both]), axis=1), np.sort(np.abs(points[:, : ours.shape[1]][both]), axis=1)
    gaps = int((np.isfinite(ours).all(axis=2) != np.isfinite(points[:, : ours.shape[1]]).all(axis=2)).sum())
    return f"{np.abs(near[0] - near[1]).max():.1e} m, {gaps} gaps unlike, {both.sum():,} places"


def table() -> None:
    """Print it."""
    if not DATA.is_dir():
        print("exchange  shared/data is not beside the checkout")
        return
    if not BPY:
        print("exchange  without Blender: let POISE_BPY_PYTHON name a Python that has its module")
    with TemporaryDirectory() as place:
        folder = Path(place)
        jobs: list[Job] = []
        rows: list[tuple[str, str, list[Job]]] = []
        for path, clip in files():
            name = str(path.relative_to(DATA))
            if isinstance(clip, str):
                rows.append((name, clip, []))
                continue
            rows.append((name, _told(path, clip, folder), []))
            clip = unfaced(clip)
            suffix = path.suffix.lower()
            small = suffix != ".bvh" or path.stat().st_size < LARGEST
            for how in IMPORTERS.get(suffix, ()) if BPY and small else ():
                job = Job(how, path, how, clip, folder / f"{len(jobs)}.npz", skin=suffix == ".glb")
                rows[-1][2].append(job)
                jobs.append(job)
        jobs += (written := list(anew(folder)))
        if BPY:
            blender(jobs)
        for name, said, own in rows:
            print(f"exchange  {name}: {'; '.join([said, *(_verdict(job) for job in own)])}")
        for job in written if BPY else ():
            print(f"written   {job.clip.name} as {job.path.suffix[1:]}: {_verdict(job)}")


def _told(path: Path, clip: Clip, folder: Path) -> str:
    said = [same(clip, path, folder)] if path.suffix.lower() in IMPORTERS else []
    plain = unfaced(clip)
    if path.suffix == ".usda" and len(plain.character.names) > 1 and clip.frames > 1:
        said.append(f"usd-core {usd_core(path, plain):.1e} of height")
    if path.suffix == ".xml":
        said.append(mujoco_says(path, plain))
    return "; ".join(said) or f"read, {clip.frames} frames"


def _verdict(job: Job) -> str:
    found = job.judged()
    if isinstance(found, str):
        return f"{job.label}: {found}"
    worst, skin, absent = found
    said = f"Blender ({job.label}) {worst:.1e} of height"
    if job.importer == "bvh" and worst > 1e-5:  # it takes all positions for absolute
        source = job.clip.source
        scale, up = (None, None) if source is None else (source.unit, source.up)
        job.clip = unfaced(poise.load(job.path, mass=False, positions="absolute", scale=scale, up=up))
        again = job.judged()
        said += f" ({again[0]:.1e} read with positions=absolute)" if not isinstance(again, str) else ""
    said += f", skin {skin:.1e} m" if np.isfinite(skin) else ""
    return said + (f", without {len(absent)} joints" if absent else "")


def anew(folder: Path) -> Iterator[Job]:
    """Clips of all kinds written as new files of every format."""
    sources = [
        "threejs/RobotExpressive.glb", "khronos_gltf/CesiumMan.glb", "khronos_gltf/Fox.glb",
        "fbx_ozz/pab_walk.fbx", "cmu_cgspeed_bvh/16_01.bvh", "usd_openusd/lbs.usda", "threejs/pirouette.bvh",
    ]  # fmt: skip
    clips = [poise.load(DATA / s, mass=False) for s in sources if (DATA / s).exists()]
    for clip in [*clips, poise.clips.get("walk"), poise.clips.get("punch")]:
        first = None if clip.morphs is None else clip.morphs[:60]
        short = clip.with_frames(clip.q[:60], first, loop=False) if clip.frames > 60 else clip
        for ending, importers in IMPORTERS.items():
            path = folder / f"{clip.character.name}-{clip.name}-new{ending}".replace("/", "_").replace(
                " ", "_"
            )
            if ending == ".bvh":
                back = short.replaced(source=None)
                back.save(path, scale=0.01)
            else:
                back = unfaced(short)
                short.save(path, fresh=True)
            for how in importers:
                yield Job(how, path, how, back, folder / f"{path.name}-{how}.npz", skin=ending != ".bvh")
