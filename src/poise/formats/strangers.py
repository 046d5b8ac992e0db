"""Files of other programs that Poise does not read, and what to do with them: by their extensions."""

from __future__ import annotations

from pathlib import Path

from poise.errors import FileFormatError

_EXPORT = "export the animation as FBX (binary), GLB or USD"
_ADVICE = {
    (".blend",): f"a Blender file: {_EXPORT}, or use Poise inside Blender with its extension",
    (".ma", ".mb"): f"a Maya scene: {_EXPORT} there",
    (".max",): f"a 3ds Max scene: {_EXPORT} there",
    (".bip",): "a Biped of 3ds Max: load it onto its figure there and export that as FBX (binary) or BVH",
    (".c4d",): f"a Cinema 4D scene: {_EXPORT} there",
    (".hip", ".hiplc", ".hipnc", ".bgeo"): f"a file of Houdini's: {_EXPORT} there",
    (".dae",): f"Collada: open it in Blender (up to 4.5) and {_EXPORT}",
    (".abc",): "Alembic: it holds vertices, not bones; export the skeleton as FBX (binary), GLB or USD",
    (".vmd", ".pmx", ".pmd"): f"MikuMikuDance: open it in Blender with MMD Tools and {_EXPORT}",
    (".anim", ".unity", ".prefab", ".unitypackage"): "Unity's own: use its FBX Exporter, binary",
    (".uasset", ".umap"): "Unreal's own: export the animation as FBX from its context menu",
    (".trk", ".htr", ".v", ".vsk", ".tak", ".cap", ".mvn", ".mvnx"): (
        "a mocap system's own: export BVH, FBX (binary) or C3D from its software"
    ),
    (".mp4", ".mov", ".avi", ".mkv", ".webm", ".gif"): (
        "a film: Poise does not estimate poses; a tool that does writes BVH, FBX, GLB or an AMASS npz"
    ),
    (
        ".pkl",
        ".pt",
        ".pth",
    ): "Python objects: save their arrays, np.savez('motion.npz', poses=…, trans=…)",
    (".zip", ".rar", ".7z", ".gz"): "an archive: unpack it first",
    (".osim",): "a model of OpenSim's: Poise reads its markers (TRC) and forces (MOT), and fits a character",
}


def refuse_known(path: Path) -> None:
    """Complain of a file whose extension says what it is, saying what to do."""
    suffix = path.suffix.lower()
    for suffixes, advice in _ADVICE.items():
        if suffix in suffixes:
            raise FileFormatError(path, f"not a format Poise reads ({advice})")
