"""What a document holds beside the clip that was read of it: said by name where a file cannot keep it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from poise.formats.gltf.container import Document, Json
from poise.formats.gltf.nodes import read_nodes
from poise.formats.gltf.tracks import animation_labels
from poise.motion.source import listed

LIGHTS = "KHR_lights_punctual"
OF_MATERIALS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_")
"""What extensions of materials begin with: those go where materials go."""


def left_behind(document: Document, animation: int | None, *, skin: bool) -> str:
    """Everything but one animation of a skeleton, counted and named; ``skin``: what is on it stays too.

    Empty where there is nothing else.
    """
    parts = [_said(noun, names) for noun, names in _belongings(document, animation, skin=skin) if names]
    return ", ".join(parts)


def _belongings(document: Document, animation: int | None, *, skin: bool) -> Iterator[tuple[str, list[str]]]:
    tree, nodes = read_nodes(document), document.items("nodes")
    names = [name or f"node {k}" for k, name in enumerate(tree.names)]
    skins = document.items("skins")
    joints = {j for s in skins for j in s.get("joints", [])}
    meshes = [k for k, node in enumerate(nodes) if "mesh" in node]
    worn = [
        k for k in meshes if "skin" in nodes[k] or not joints or joints & {k, *tree.ancestors(k)}
    ]  # on the skeleton
    yield "other animation", [n for k, n in enumerate(animation_labels(document)) if k != animation]
    if not skin:
        yield "mesh", [names[k] for k in worn]
        targets = [t for k in worn for t in _morph_targets(document, nodes[k]["mesh"])]
        yield "morph target", targets
        yield "material", [str(m.get("name") or k) for k, m in enumerate(document.items("materials"))]
    yield "prop", [names[k] for k in meshes if k not in worn]
    yield "camera", [names[k] for k, node in enumerate(nodes) if "camera" in node]
    yield "light", [names[k] for k, node in enumerate(nodes) if LIGHTS in _extensions(node)]
    used = document.content.get("extensionsUsed")
    kept = OF_MATERIALS if skin else ()
    extensions = [str(e) for e in used if e != LIGHTS] if isinstance(used, list) else []
    yield "extension", [e for e in extensions if not (kept and e.startswith(kept))]
    extras = [names[k] for k, node in enumerate(nodes) if _foreign(node.get("extras"))]
    yield "node with extras", extras


def _morph_targets(document: Document, mesh: Any) -> list[str]:
    content = document.item("meshes", mesh, "a node")
    primitives = content.get("primitives", [])
    first = primitives[0] if isinstance(primitives, list) and primitives else {}
    count = len(first.get("targets", [])) if isinstance(first, dict) else 0
    extras = content.get("extras")
    told = extras.get("targetNames") if isinstance(extras, dict) else None
    whole = isinstance(told, list) and len(told) == count
    return [str(told[k]) if whole and told is not None else str(k) for k in range(count)]


def _foreign(extras: Any) -> bool:
    """Whether somebody but Poise has put something beside a node."""
    return bool(extras) and not (isinstance(extras, dict) and extras.keys() == {"poise"})


def _extensions(node: Json) -> Json:
    found = node.get("extensions")
    return found if isinstance(found, dict) else {}


def _said(noun: str, names: list[str]) -> str:
    count = len(names)
    plural = {"mesh": "meshes", "node with extras": "nodes with extras"}.get(noun, f"{noun}s")
    return f"{count} {noun if count == 1 else plural} ({listed(names, 4)})"
