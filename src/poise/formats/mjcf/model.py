"""Compiling an MJCF file with MuJoCo; files that lack included or asset files are read without them.

MuJoCo refuses a model if any file it names is missing. Looks (materials, textures, sky) often live in
such files and matter little here, so a model that only lacks files is compiled again without what
they would have held, and a note says what was left out.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType
from typing import Any

from poise.dynamics.mujoco_warnings import heard_warnings
from poise.errors import FileFormatError, MissingDependencyError

_ASSET_FOLDERS = {"mesh": "meshdir", "hfield": "assetdir", "skin": "assetdir", "texture": "texturedir"}
_DEEPEST = 20
"""Files that include files that include …: deeper than this is a circle."""


def mujoco_library() -> ModuleType:
    """The mujoco package, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise MissingDependencyError("mujoco", "MJCF", "pip install 'poise[contact]'") from None
    module: ModuleType = mujoco
    return module


def compile_model(path: Path) -> tuple[Any, list[str]]:
    """The compiled ``MjModel`` of a file, and notes on what had to be left out or what MuJoCo warns of."""
    mujoco_library()
    with heard_warnings() as heard:
        model, notes = _compiled(path)
    return model, [*notes, *(f"MuJoCo warns: {warning}" for warning in heard)]


def _compiled(path: Path) -> tuple[Any, list[str]]:
    mujoco = mujoco_library()
    tree = _parsed(path)
    if tree.tag != "mujoco":
        raise FileFormatError(path, f"not MJCF: the outermost element is <{tree.tag}>, not <mujoco>")
    try:
        return mujoco.MjModel.from_xml_path(str(path)), []
    except ValueError as problem:
        strict = problem
    missing: list[str] = []
    _inline(tree, path.parent, missing, 0, path)
    _drop_assets(tree, path.parent, missing)
    if not missing:
        raise _complaint(path, strict) from None
    _drop_looks(tree)
    try:
        model = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree, encoding="unicode"))
    except ValueError as problem:
        why = _complaint(path, problem).problem
        raise FileFormatError(path, f"{missing[0]} is not there, and without it: {why}") from None
    return model, [f"files that are not there were left out: {', '.join(missing)}"]


def _parsed(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(path.read_bytes())
    except OSError as problem:
        raise FileFormatError(path, f"cannot be read: {problem.strerror}") from None
    except ElementTree.ParseError as problem:
        line = problem.position[0] if problem.position else None
        raise FileFormatError(path, f"broken XML: {problem.msg}", line=line) from None
    except ValueError as problem:
        raise FileFormatError(path, f"broken XML: {problem}") from None


def _complaint(path: Path, problem: Exception) -> FileFormatError:
    """MuJoCo's message in one line, with the line number where it has one."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    found = re.search(r"line (\d+)", str(problem))
    text = "; ".join(lines).removeprefix("XML Error: ").removeprefix("Error: ")
    return FileFormatError(path, f"MuJoCo: {text}", line=int(found.group(1)) if found else None)


def _inline(element: ElementTree.Element, folder: Path, missing: list[str], depth: int, path: Path) -> None:
    """Replace includes by what they include; note those whose file is not there."""
    if depth > _DEEPEST:
        raise FileFormatError(path, "its includes form a circle")
    for i, child in reversed(list(enumerate(element))):
        if child.tag != "include":
            _inline(child, folder, missing, depth, path)
            continue
        name = child.get("file", "")
        element.remove(child)
        if not name or not (folder / name).is_file():
            missing.insert(0, name or "an include without a file")
            continue
        inner = _parsed(folder / name)
        _inline(inner, folder, missing, depth + 1, path)
        for part in reversed(list(inner)):
            element.insert(i, part)


def _drop_assets(tree: ElementTree.Element, folder: Path, missing: list[str]) -> None:
    """Remove assets whose file is not there and what is made of them; give the others full paths."""
    places = {k: v for c in tree.iter("compiler") for k, v in c.attrib.items()}
    gone: set[tuple[str, str]] = set()
    for assets in list(tree.iter("asset")):
        for item in list(assets):
            name = item.get("file")
            if name is None:
                continue
            where = places.get(_ASSET_FOLDERS.get(item.tag, "assetdir"), places.get("assetdir", ""))
            full = (folder / where / name).resolve()
            if full.is_file():
                item.set("file", str(full))
            else:
                missing.append(name)
                gone.add((item.tag, item.get("name") or Path(name).stem))
                assets.remove(item)
    for parent in list(tree.iter()):
        for child in list(parent):
            if (
                any((kind, child.get(kind, "")) in gone for kind in ("mesh", "hfield"))
                and child.tag == "geom"
            ):
                parent.remove(child)


def _drop_looks(tree: ElementTree.Element) -> None:
    """Remove references to materials and textures that nothing defines any more."""
    textures = {t.get("name") for t in tree.iter("texture")}
    for material in tree.iter("material"):
        if material.get("texture") not in textures:
            material.attrib.pop("texture", None)
    materials = {m.get("name") for assets in tree.iter("asset") for m in assets.iter("material")}
    for element in tree.iter():
        if element.get("material") is not None and element.get("material") not in materials:
            del element.attrib["material"]
