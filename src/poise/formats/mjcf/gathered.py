"""An MJCF file and every file that it names, brought together, so that MuJoCo opens none by itself.

MuJoCo follows any path that a model names. Here includes are put in their places and other files read by us,
each a regular file in the model's own folder (or where the user says); MuJoCo is given the text and the
bytes. Textures are left out: nothing that is read of a model depends on them.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from poise.errors import FileFormatError, InputError
from poise.formats.mjcf.claims import require_modest
from poise.reading import Budget, beside, is_regular, read_bytes

DEEPEST = 200
"""Elements within one another: more than any chain of bodies has."""
_ASSET_FOLDERS = {"mesh": "meshdir", "hfield": "assetdir", "skin": "assetdir", "model": "assetdir"}
_FOLDERS = ("meshdir", "texturedir", "assetdir", "strippath")
_NESTED = 20
"""Models that name models that name …: deeper than this is a circle."""
_SHAPES = ("mesh", "hfield")
Shapes = dict[str, str]
Gone = set[tuple[str, str]]
"""Kinds and names of what is not there."""
_NEVER = ("memory", "nstack", "njmax", "nconmax", "nkey")
"""Sizes of a running simulation, of which there is none; and the number of keys, which can be counted."""


@dataclass(eq=False)
class Gathered:
    """What MuJoCo is to compile."""

    path: Path
    text: str = ""
    assets: dict[str, bytes] = field(default_factory=dict)
    """Files that the text names, by the name it has for them."""
    missing: list[str] = field(default_factory=list)
    """Files that are not there: what they would have held is left out."""
    as_written: bool = True
    """Whether the text is the file's own, line by line."""
    size: int = 0
    """Bytes of all files together."""


def gathered(path: Path) -> Gathered:
    """A model and its files; refused where it claims more than files of their size can stand for."""
    out = Gathered(path)
    out.text = _gather(path, out, 0)
    return out


def _gather(path: Path, out: Gathered, depth: int) -> str:
    if depth > _NESTED:
        raise FileFormatError(path, "the models that it includes include each other in a circle")
    data = read_bytes(path)
    out.size += len(data)
    tree = parsed(data, path)
    if tree.tag != "mujoco":
        raise FileFormatError(path, f"not MJCF: the outermost element is <{tree.tag}>, not <mujoco>")
    changed = _inline(tree, path, out, {path.resolve()})
    changed |= _bring_files(tree, path, out, depth)
    changed |= _drop_looks(tree, partial=bool(out.missing))
    for size in tree.iter("size"):
        for name in _NEVER:
            changed |= size.attrib.pop(name, None) is not None
    require_modest(tree, Budget(out.path, out.size))
    if not changed:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:  # of another encoding, which its first line names
            pass
    out.as_written = False
    return ElementTree.tostring(tree, encoding="unicode")


def parsed(data: bytes, path: Path) -> ElementTree.Element:
    """XML that is whole and not nested without end."""
    try:
        tree = ElementTree.fromstring(data)
    except ElementTree.ParseError as problem:
        line = problem.position[0] if problem.position else None
        raise FileFormatError(path, f"broken XML: {problem.msg}", line=line) from None
    except (ValueError, LookupError) as problem:
        raise FileFormatError(path, f"broken XML: {problem}") from None
    level, deep = [tree], 0
    while level:
        deep += 1
        if deep > DEEPEST:
            raise FileFormatError(path, f"its elements are nested deeper than {DEEPEST}")
        level = [child for element in level for child in element]
    return tree


def _inline(element: ElementTree.Element, path: Path, out: Gathered, known: set[Path]) -> bool:
    """Replace includes by what they include; note those whose file is not there. Whether there were any."""
    changed = False
    for i, child in reversed(list(enumerate(element))):
        if child.tag != "include":
            changed |= _inline(child, path, out, known)
            continue
        changed = True
        name = child.get("file", "")
        element.remove(child)
        file = _file(path, name, "an included file") if name else None
        if file is None:
            out.missing.insert(0, name or "an include without a file")
            continue
        if file in known:
            raise FileFormatError(path, f"it includes {name!r} twice, or its includes form a circle")
        known.add(file)
        data = read_bytes(file)
        out.size += len(data)
        inner = parsed(data, file)
        _inline(inner, path, out, known)
        for part in reversed(list(inner)):
            element.insert(i, part)
    return changed


def _bring_files(tree: ElementTree.Element, path: Path, out: Gathered, depth: int) -> bool:
    """Read what elements name with ``file``; remove what is not there, and what is made of it."""
    places = {k: v for c in tree.iter("compiler") for k, v in c.attrib.items() if k in _FOLDERS}
    gone: Gone = set()
    changed = False
    for parent in list(tree.iter()):
        for item in list(parent):
            name = item.get("file")
            if name is None or item.tag == "texture":
                continue
            changed = True
            folder = places.get(_ASSET_FOLDERS.get(item.tag, "assetdir"), places.get("assetdir", ""))
            file = _file(path, str(Path(folder) / name), f"the {item.tag} {Path(name).name!r}")
            if "name" not in item.attrib and item.tag in _ASSET_FOLDERS:
                item.set("name", Path(name).stem)
            if file is None:
                out.missing.append(name)
                gone.add((item.tag, item.get("name", "")))
                parent.remove(item)
                continue
            fresh = f"{len(out.assets)}{Path(name).suffix}"
            item.set("file", fresh)
            out.assets[fresh] = b""  # taken
            out.assets[fresh] = (
                _gather(file, out, depth + 1).encode() if item.tag == "model" else read_bytes(file)
            )
            out.size += len(out.assets[fresh]) if item.tag != "model" else 0
    if changed:
        for compiler in tree.iter("compiler"):
            for name in _FOLDERS:
                compiler.attrib.pop(name, None)
    if gone:
        classes: dict[str, Shapes] = {}
        for default in tree.findall("default"):
            _note_classes(default, {}, classes, gone)
        for world in tree.findall("worldbody"):
            _drop_geoms(world, "main", classes, gone)
    return changed


def _note_classes(
    default: ElementTree.Element, outer: Shapes, classes: dict[str, Shapes], gone: Gone
) -> None:
    """Which mesh and height field geoms of each class have; what is gone is no default any more."""
    own = dict(outer)
    for geom in default.findall("geom"):
        own |= {kind: geom.attrib[kind] for kind in _SHAPES if kind in geom.attrib}
        for kind in _SHAPES:
            if (kind, geom.get(kind, "")) in gone:
                del geom.attrib[kind]
    classes[default.get("class", "main")] = own
    for inner in default.findall("default"):
        _note_classes(inner, own, classes, gone)


def _drop_geoms(parent: ElementTree.Element, usual: str, classes: Mapping[str, Shapes], gone: Gone) -> None:
    """Remove geoms whose mesh or height field, of their own or by their class, is gone."""
    for child in list(parent):
        if child.tag == "geom":
            told = classes.get(child.get("class", usual), {})
            if any((kind, child.get(kind, told.get(kind, ""))) in gone for kind in _SHAPES):
                parent.remove(child)
        else:
            _drop_geoms(child, child.get("childclass", usual), classes, gone)


def _file(path: Path, name: str, what: str) -> Path | None:
    """A file that the model names; None if there is none."""
    try:
        found = beside(path.parent, name, what)
    except InputError as problem:
        raise FileFormatError(path, str(problem)) from None
    if not os.path.exists(found):
        return None
    if not is_regular(found):
        raise FileFormatError(path, f"{what}, {name!r}, is not a regular file")
    return found


def _drop_looks(tree: ElementTree.Element, *, partial: bool) -> bool:
    """Remove textures and, from ``partial`` models, names of materials that are not there. Whether any."""
    changed = False
    for assets in tree.iter("asset"):
        for texture in assets.findall("texture"):
            assets.remove(texture)
            changed = True
    for material in tree.iter("material"):
        changed |= material.attrib.pop("texture", None) is not None
        for layer in material.findall("layer"):
            material.remove(layer)
            changed = True
    materials = {m.get("name") for assets in tree.iter("asset") for m in assets.iter("material")}
    for element in tree.iter():
        if partial and element.get("material") is not None and element.get("material") not in materials:
            del element.attrib["material"]
            changed = True
    return changed
