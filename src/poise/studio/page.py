"""A clip as one HTML file: the viewer, the figure and its poses, with nothing to download."""

from __future__ import annotations

import base64
import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poise.contacts.support import Support
    from poise.motion import Clip
    from poise.world import World

STATIC = Path(__file__).parent / "static"
"""Where the build puts the browser's half of the studio."""


def page(clip: Clip, *, title: str | None = None, world: World | Support | None = None) -> str:
    """An HTML document that plays the clip in any browser, offline.

    ``world``: surfaces to show; with what carries the motion (``poise.contacts.find``), contacts and forces
    too.
    """
    name = html.escape(title or clip.character.name)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>{static("look.css")}</style>
<body>
<main id="viewer"></main>
<script>{static("viewer.js")}</script>
<script>poise.show(document.getElementById("viewer"), "{encoded(clip, title=title, world=world)}");</script>
</body>
</html>
"""


def frame(clip: Clip, *, height: int = 420) -> str:
    """The page inside a frame, for a notebook's cell."""
    inside = html.escape(page(clip), quote=True)
    return (
        f'<iframe srcdoc="{inside}" style="width:100%;height:{height}px;border:0" '
        f'sandbox="allow-scripts" title="{html.escape(clip.character.name, quote=True)}"></iframe>'
    )


def encoded(clip: Clip, *, title: str | None = None, world: World | Support | None = None) -> str:
    """The clip as a packet in base64."""
    # The studio's server only wants to know where its files are.
    import msgspec
    import numpy as np

    from poise.pictures.performance import Performance
    from poise.pictures.surroundings import floor_of
    from poise.studio.carried import seen
    from poise.studio.looks import DETAIL, looks
    from poise.studio.packet import pack
    from poise.studio.poses import placed

    shown = Performance(clip, detail=DETAIL, floor=floor_of(world))
    look = looks(shown.figure)
    arrays: dict[str, NDArray[Any]] = {
        **look.arrays,
        "poses": placed(shown.positions, shown.rotations),
        "com": shown.kinematics.com + shown.offset,
    }
    if shown.morphs is not None and look.header["morphs"]:
        arrays["morphs"] = shown.morphs
    header = {
        **look.header,
        "title": title or clip.character.name,
        "fps": float(clip.rate),
        "loop": clip.loop,
        "heading": float(np.deg2rad(shown.heading)),
        "lift": float(shown.offset[2]),
        "carried": None if world is None else msgspec.to_builtins(seen(shown, world)),
    }
    return base64.b64encode(pack(header, arrays)).decode()


def built() -> bool:
    """Whether the browser's half is there."""
    return (STATIC / "viewer.js").is_file()


def static(name: str) -> str:
    """A built file of the browser's half."""
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"the studio's {name} has not been built: install Poise with pip, "
            f"or run `npm install && npm run build` in {STATIC.parent / 'web'} (Node 20 or newer)"
        ) from None
