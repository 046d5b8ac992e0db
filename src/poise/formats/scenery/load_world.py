"""One function for every kind of file that holds a world, recognised by content first, then by its ending."""

from __future__ import annotations

from pathlib import Path

from poise.errors import FileFormatError
from poise.reading import blaming, read_head, read_json
from poise.world import World

ENDINGS = (".json", ".glb", ".gltf", ".xml", ".mjcf", ".usd", ".usda", ".usdc", ".usdz")
"""Of files that can hold a world."""
HEAD = 4096
"""Bytes by which a file is recognised."""


def load_world(path: str | Path) -> World:
    """The surfaces of a scene: a world as Poise writes it (JSON), or what glTF, MJCF and USD files hold.

    Meshes that no skin bends and solids that no joint moves become surfaces: boxes and floors are recognised,
    all else are meshes. What is animated moves, and what hangs from a bone is carried. Names are kept.

    Args:
        path: The file.

    Returns:
        World: Its surfaces, in metres with z up.

    Raises:
        FileFormatError: The file cannot be understood; the message names it and what was expected.
        MissingDependencyError: The format needs an extra that is not installed.

    Examples:
        >>> world = poise.load_world("room.glb")
    """
    path = Path(path)
    head = read_head(path, HEAD)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    ending = path.suffix.lower()
    if head.startswith(b"glTF") or ending == ".gltf" or (text[:1] == b"{" and b'"asset"' in head):
        from poise.formats.scenery.gltf_scene import read_scene

        with blaming(path, "glTF"):
            return read_scene(path)
    if head.startswith((b"#usda", b"PXR-USDC")) or ending in (".usd", ".usda", ".usdc", ".usdz"):
        from poise.formats.scenery.usd_scene import read_scene as read_usd

        with blaming(path, "USD"):
            return read_usd(path)
    if text[:1] == b"<" or ending in (".xml", ".mjcf"):
        from poise.formats.scenery.mjcf_scene import read_scene as read_mjcf

        with blaming(path, "MJCF"):
            return read_mjcf(path)
    if text[:1] in (b"{", b"[") or ending == ".json":
        with blaming(path, "a world"):
            return World.from_dict(read_json(path, what="a world"))
    raise FileFormatError(path, f"worlds are read from {', '.join(ENDINGS)} files")
