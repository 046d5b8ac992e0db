"""A clip as one HTML file: the viewer, the figure and its poses, with nothing to download."""

from __future__ import annotations

import base64
import gzip
import html
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import InputError
from poise.files import write_text
from poise.operations.frozen_data import as_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poise.contacts.support import Support
    from poise.motion import Clip
    from poise.world import World

STATIC = Path(__file__).parent / "static"
"""Where the build puts the browser's half of the studio."""
UNPACK = """
async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}"""
"""What a page holds is compressed: a third of the size."""
LOAD = """
const script = document.createElement("script");
script.textContent = new TextDecoder().decode(await unpacked("packed"));
document.head.append(script);"""
"""Start the viewer that the page holds itself."""


def page(
    clip: Clip,
    *,
    title: str | None = None,
    world: World | Support | None = None,
    viewer: str | None = None,
) -> str:
    """An HTML document that plays the clip in any browser, offline.

    ``world``: surfaces to show; with what carries the motion (``poise.contacts.find``), contacts and forces
    too. ``viewer``: address of a folder that holds ``viewer.js`` and ``look.css``, for many pages that share
    them (``share``); left out: both are in the page.
    """
    name = html.escape(title or clip.character.name)
    motion = encoded(clip, title=title, world=world)
    if viewer is None:
        style = f"<style>{static('look.css')}</style>"
        script, load = f'<script id="packed" type="text/plain">{_compressed("viewer.js")}</script>', LOAD
    else:
        at = html.escape(viewer.rstrip("/"), quote=True)
        style = f'<link rel="stylesheet" href="{at}/look.css">'
        script, load = f'<script src="{at}/viewer.js"></script>', ""
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
{style}
<body>
<main id="viewer"></main>
<script id="motion" type="text/plain">{motion}</script>
{script}
<script type="module">{UNPACK}{load}
poise.show(document.getElementById("viewer"), await unpacked("motion"));
</script>
</body>
</html>
"""


def share(folder: Path) -> None:
    """Put into a folder what pages with ``viewer`` need beside them."""
    for name in ("viewer.js", "look.css"):
        write_text(folder / name, static(name))


@cache
def _compressed(name: str) -> str:
    """A built file, compressed, in base64."""
    return _packed(static(name).encode())


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def frame(clip: Clip, *, height: int = 420) -> str:
    """The page inside a frame, for a notebook's cell."""
    inside = html.escape(page(clip), quote=True)
    return (
        f'<iframe srcdoc="{inside}" style="width:100%;height:{height}px;border:0" '
        f'sandbox="allow-scripts" title="{html.escape(clip.character.name, quote=True)}"></iframe>'
    )


def encoded(clip: Clip, *, title: str | None = None, world: World | Support | None = None) -> str:
    """The clip as a packet, compressed, in base64."""
    # The studio's server only wants to know where its files are.
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
        "carried": None if world is None else as_plain(seen(shown, world)),
    }
    return _packed(pack(header, arrays))


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
