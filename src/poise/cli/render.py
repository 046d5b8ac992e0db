"""``poise render``: a strobed still, a contact sheet, a film, or a page that plays."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli import captures
from poise.cli.inputs import FILES, INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.outputs import Force
from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.errors import InputError
from poise.operations.values.camera import CUTS

if TYPE_CHECKING:
    from poise.contacts.support import Support
    from poise.motion import Clip
    from poise.pictures.shots import Shots
    from poise.world import World


class Kind(StrEnum):
    """What to draw."""

    strobe = "strobe"
    sheet = "sheet"
    video = "video"
    page = "page"


TAKES = {
    Kind.strobe: ("count", "frames", "trail", "com", "size", "world", "contacts"),
    Kind.sheet: ("count", "frames", "world", "contacts"),
    Kind.video: ("trail", "size", "fps", "camera", "world", "contacts"),
    Kind.page: ("world", "contacts"),
}
"""Options that mean something for a kind; all but pages take ``--view``."""
KINDS = {
    ".png": (Kind.strobe, Kind.sheet),
    ".mp4": (Kind.video,),
    ".gif": (Kind.video,),
    ".webm": (Kind.video,),
    ".zip": (Kind.video,),
    ".html": (Kind.page,),
}
"""What a file can hold; the first is what it holds unless said otherwise."""


class View(StrEnum):
    """Where the camera stands."""

    auto = "auto"
    three_quarter = "three-quarter"
    side = "side"
    front = "front"
    top = "top"


EXAMPLES = (
    "render walk -o walk.png --trail LeftToe --com",
    "render take.bvh -o take.mp4 --view side --fps 60 --world found --contacts",
)
"""Commands for the help."""


def render(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PNG|MP4|GIF|HTML",
            help="Output file: a picture, a video or a web page.",
            rich_help_panel=FILES,
        ),
    ],
    kind: Annotated[
        Kind | None, typer.Option(help="Default: strobe (PNG), video (MP4, GIF), page (HTML).")
    ] = None,
    view: Annotated[
        View | None,
        typer.Option(help="Camera position. Default: auto, side-on for planar characters; a project's cuts."),
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|cuts", help="One of the project's cameras, or its cuts from one to another."
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(metavar="<number>", help="Number of figures in a strobe, or of frames on a sheet."),
    ] = None,
    frames: Annotated[
        str | None, typer.Option(metavar="<number>,…", help="Exact frame numbers, counted from 0.")
    ] = None,
    trail: Annotated[
        list[str] | None,
        typer.Option(metavar="POINT", help="Draw the trail of this joint or point. Repeatable."),
    ] = None,
    com: Annotated[
        bool, typer.Option("--com", help="Draw the centre of mass with its trail and shadow.")
    ] = False,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="<px>x<px>", help="Width and height. Default: 1600x900 for pictures, 960x540 for videos."
        ),
    ] = None,
    fps: Annotated[
        float | None, typer.Option(metavar="<fps>", help="Frame rate of a video. Default: 30.")
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|found", help="Draw the surfaces of this file (JSON), or those found in the motion."
        ),
    ] = None,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Draw contacts, and contact forces in body weights.")
    ] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    force: Force = False,
) -> None:
    """Draw a clip as a strobe picture, contact sheet, video or web page."""
    from poise import pictures

    refuse_overwriting(output, force)
    suffix = output.suffix.lower()
    can = "use .png for stills, .mp4, .webm, .gif or .zip (PNG files) for films, .html for a page"
    if suffix not in KINDS:
        files = f"{suffix} files" if suffix else "a file without an extension"
        raise InputError(f"{output.name}: cannot write {files}; {can}")
    wanted = kind or KINDS[suffix][0]
    if wanted not in KINDS[suffix]:
        raise InputError(f"a {wanted} cannot be written to {output.name}: {can}")
    given = {
        "camera": camera,
        "count": count,
        "frames": frames,
        "trail": trail,
        "com": com,
        "size": size,
        "fps": fps,
    }
    given |= {"world": world, "contacts": contacts}
    # Zero is a value that was given, and equals False: hence the comparison by identity.
    said = [name for name, value in given.items() if value is not None and value is not False and value != []]
    _refuse_idle(wanted, said)
    pixels = _size(size or ("960x540" if wanted is Kind.video else "1600x900"))
    chosen = _frames(frames)
    look = _look(source, view, camera, wanted)
    clip = _shown(source, read_options, animation)
    trails = tuple(trail or ())
    around = _around(clip, world, contacts)
    if wanted is Kind.page:
        _page(clip, output, around)
        return
    with progress(f"rendering {output.name}") as step:
        if wanted is Kind.video:
            rate = 30.0 if fps is None else fps
            pictures.video(
                clip,
                output,
                view=look,
                size=pixels,
                fps=rate,
                trails=trails,
                world=around,
                progress=step,
            )
        elif wanted is Kind.sheet:
            image = pictures.sheet(
                clip,
                views=((view or View.auto).value,),
                count=12 if count is None else count,
                frames=chosen,
                world=around,
            )
            pictures.save_png(image, output)
        else:
            image = pictures.strobe(
                clip,
                view=(view or View.auto).value,
                size=pixels,
                count=5 if count is None else count,
                frames=chosen,
                trails=trails,
                centre_of_mass=com,
                world=around,
            )
            pictures.save_png(image, output)
    print(output)


def _look(source: str, view: View | None, camera: str | None, kind: Kind) -> str | Shots:
    """Where a film is seen from: a view, or cameras of the project that is filmed."""
    if view is not None and camera is not None:
        raise InputError(f"give --view {view.value} or --camera {camera}, not both")
    project = Path(source).suffix.lower() == ".poise" and Path(source).exists()
    if camera is not None and not project:
        raise InputError(f"--camera {camera}: {source} is not a project, and only those have cameras")
    if view is not None or kind is not Kind.video or not project:
        return (view or View.auto).value
    from poise import project as projects

    opened = projects.open(source)
    if camera is None and not opened.document.cameras:
        return View.auto.value
    return opened.shots(camera or CUTS)


def _shown(source: str, read_options: list[str] | None, animation: str | None) -> Any:
    """The clip, or markers of a capture as balls."""
    markers = captures.capture(source, read_options)
    if markers is None:
        return read(source, read_options, animation)
    from poise.markers.mesh import marker_mesh

    return marker_mesh(markers)


def _page(clip: Clip, output: Path, world: World | Support | None) -> None:
    if not hasattr(clip, "character"):
        raise InputError(f"{output.name}: markers can be drawn as .png, .mp4 or .gif; pages need a body")
    from poise.files import write_text
    from poise.studio.page import page

    write_text(output, page(clip, title=output.stem, world=world))
    print(output)


FOUND = "found"
"""In place of a file: surfaces as they are found in the motion."""


def _around(clip: Clip, world: str | None, contacts: bool) -> World | Support | None:
    """The surfaces to draw, with what carries the motion among them if that is asked for."""
    if world is None and not contacts:
        return None
    if not hasattr(clip, "character"):
        raise InputError("--world and --contacts need a body: fit one with poise solve-markers")
    from poise.contacts.find import find
    from poise.operations.check import Check

    given = Check(world=world).surfaces() if world not in (None, FOUND) else None
    if given is not None and not contacts:
        return given
    support = find(clip, given)
    return support if contacts else support.world


def _refuse_idle(kind: Kind, given: list[str]) -> None:
    """An option that would do nothing is a mistake, and said so."""
    idle = [f"--{name}" for name in given if name not in TAKES[kind]]
    if idle:
        known = ", ".join(f"--{name}" for name in ("view", *TAKES[kind]))
        raise InputError(f"{' and '.join(idle)} cannot be used with a {kind} (it takes {known})")
    if {"count", "frames"} <= set(given):
        raise InputError("give --count or --frames, not both")


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise InputError(f"a size is written WIDTHxHEIGHT, for example 1600x900, not {text!r}") from None
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise InputError(f"a size must lie between 16 and 8192 pixels, not {text}")
    return width, height


def _frames(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"frames are written as whole numbers with commas, for example 0,12,24, not {text!r}"
        ) from None
