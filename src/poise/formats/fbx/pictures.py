"""Pictures on FBX materials: the texture of a material's colour, in the file or beside it.

    Material ─ "DiffuseColor" ← Texture ← Video (the picture's name, and its bytes where they are embedded)

Names are those of the machine that wrote the file: a picture is looked for where the file says, seen from its
own folder, then by its bare name there and in the folder that programs unpack to (``name.fbm``).
"""

from __future__ import annotations

from collections.abc import Iterator

from poise.errors import InputError
from poise.formats.fbx.objects import FbxObject, FbxObjects
from poise.formats.gltf.scene import ScenePicture
from poise.reading import beside, is_regular, read_bytes

COLOURS = ("diffusecolor", "basecolor", "base_color", "color_map", "diffuse")
"""What properties are called that hold a material's colour, in materials of several programs."""
KNOWN = (b"\x89PNG", b"\xff\xd8")
"""How pictures begin that other formats can hold."""
LARGEST = 1 << 28
"""Bytes of a picture."""


class Pictures:
    """Finds the pictures of materials; every file is read once."""

    def __init__(self, objects: FbxObjects, *, outside: bool) -> None:
        self.objects = objects
        self.outside = outside
        """Whether pictures beside the file are read."""
        self.left_out: list[str] = []

    def of(self, material: FbxObject) -> ScenePicture | None:
        """The picture of a material's colour; None where it has none, or it cannot be had."""
        texture = self.texture(material)
        if texture is None:
            return None
        places = [texture, *self.objects.below(texture.identity, "Video")]
        names = [name for place in places for name in _names(place)]
        title = names[0].rpartition("/")[2] if names else texture.name
        for place in places:
            content = place.record.value("Content")
            if isinstance(content, bytes) and content:
                return self._kept(title, content)
        for data in self._beside(names) if self.outside else ():
            return self._kept(title, data)
        self.left_out.append(f"{title} (not found)")
        return None

    def texture(self, material: FbxObject) -> FbxObject | None:
        """The texture of a material's colour."""
        found: list[tuple[int, FbxObject]] = []
        for kind in ("Texture", "LayeredTexture"):
            for texture, what in self.objects.of_property(material.identity, kind):
                rank = next((k for k, word in enumerate(COLOURS) if word in what.lower()), None)
                inner = (
                    self.objects.below(texture.identity, "Texture") if kind == "LayeredTexture" else [texture]
                )
                if rank is not None and inner:
                    found.append((rank, inner[0]))
        return min(found, key=lambda each: each[0])[1] if found else None

    def _kept(self, title: str, data: bytes) -> ScenePicture | None:
        if data.startswith(KNOWN):
            return ScenePicture(title, data)
        self.left_out.append(f"{title} (neither PNG nor JPEG)")
        return None

    def _beside(self, names: list[str]) -> Iterator[bytes]:
        path = self.objects.file.path
        bare = [name.rpartition("/")[2] for name in names]
        for name in dict.fromkeys([*names, *bare, *(f"{path.stem}.fbm/{b}" for b in bare)]):
            try:
                place = beside(path.parent, name, "a picture")
                if is_regular(place):
                    yield read_bytes(place, largest=LARGEST)
            except (InputError, OSError):
                continue  # elsewhere, or not to be read: the next name


def _names(place: FbxObject) -> list[str]:
    said = [place.record.value(n) for n in ("RelativeFilename", "FileName", "Filename")]
    return [name.replace("\\", "/") for name in said if isinstance(name, str) and name]
