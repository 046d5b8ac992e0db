"""VRM: avatars (.vrm) and their motions (.vrma), which are GLB files with an extension that says who it is.

What the extension says (who may use the avatar, how its face and hair move) is somebody's own: files keep it
when their motion changes, and Poise makes none up.
"""

from __future__ import annotations

from pathlib import Path

from poise.errors import InputError
from poise.formats.gltf.container import Document

EXTENSIONS = {".vrm": ("VRMC_vrm", "VRM"), ".vrma": ("VRMC_vrm_animation",)}
"""What makes a GLB file one of each kind; of several, one will do."""


def refuse_unless_kept(path: Path, document: Document | None) -> None:
    """Complain where a file that is to be VRM by its name would hold nothing of it."""
    needed = EXTENSIONS.get(path.suffix.lower())
    if needed is None:
        return
    there = document.content.get("extensions") if document is not None else None
    if not isinstance(there, dict) or not any(name in there for name in needed):
        raise InputError(
            f"cannot write {path}: only motions that come from {path.suffix.lower()} files, and fit them, "
            "can be written as such; write .glb"
        )
