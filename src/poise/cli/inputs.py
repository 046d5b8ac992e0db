"""What a verb may be pointed at: a file, a bundled clip, a preset character; and how a file is read."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from poise.motion import Clip

STANDARD = "-"
"""The name of the standard streams."""
FILES = "Files"
"""The heading of options that all verbs have."""
INPUT_HELP = (
    "A file (BVH, GLB/glTF, FBX, USD, ASF/AMC, MJCF, NPZ, AMASS, joint arrays as NPY, markers as C3D or "
    "TRC), a project, a bundled clip (walk, smile …) or a preset character; - reads BVH from standard input."
)
READ_HELP = (
    "Correct a wrong guess about the file (repeatable): up=z, scale=0.01, skeleton=x.asf, "
    "drop_tpose=auto, animation=Run … Options depend on the format. within=FOLDER also allows references to "
    "files in that folder."
)
ReadOptions = Annotated[
    list[str] | None, typer.Option("--read", metavar="KEY=VALUE", help=READ_HELP, rich_help_panel=FILES)
]
"""The type of the parameter ``read_options`` of every verb that reads a clip."""
ANIMATION_HELP = (
    "Animation to read from a file with several, by name or number from 0; poise info lists them. Default: "
    "the first that moves the skeleton."
)
AnimationOption = Annotated[
    str | None, typer.Option("--animation", metavar="NAME", help=ANIMATION_HELP, rich_help_panel=FILES)
]
"""The type of the parameter ``animation`` of the same verbs."""

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
# Numbers with leading zeros are left alone: they are names ("001") more often than numbers.
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")

Value = bool | int | float | str


def read(name: str, options: Sequence[str] | None = None, animation: str | None = None) -> Clip:
    """The clip of that name: an existing file first, then a bundled clip, then a preset at rest.

    ``options`` are as typed after ``--read``, ``animation`` as after ``--animation``; only files take any.
    """
    from poise import clips, formats
    from poise.character import presets
    from poise.clips import faces
    from poise.motion import Clip
    from poise.reading import trusting

    given: dict[str, Any] = {**parse_options(options or ())}
    if animation is not None:
        if "animation" in given:
            raise InputError(f"the animation is given twice: {given['animation']} and {animation}")
        given["animation"] = animation
    if name == STANDARD:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "standard input.bvh"
            path.write_bytes(sys.stdin.buffer.read())
            return read(str(path), options, animation)
    path = Path(name)
    if not path.exists() or path.suffix.lower() == ".poise":
        given.pop("lenient", None)  # which is for what is read, and leaves the rest alone
    said = str(given.pop("within", ""))  # a folder whose files may be read too, where a document names them
    within = [said] if said else []
    if path.suffix.lower() == ".poise":
        from poise import project

        if given:
            raise InputError(f"--{_said(given)} does not apply to the project {path}: set it for its clips")
        return project.open(path, within=within).clip()
    if path.exists() or path.suffix.lower() in formats.extensions() or "/" in name:
        try:
            with trusting(*within):
                return formats.load(path, **given)
        except (TypeError, ValueError) as problem:
            if not given:
                raise
            listed = ", ".join(f"{k}={v!r}" for k, v in given.items())
            raise InputError(f"{path} cannot be read with {listed}: wrong type of value") from problem
    known = (*clips.names(), *faces.names(), *presets.names())
    if name not in known:
        raise UnknownNameError("file, bundled clip or preset", name, known)
    if given:
        raise InputError(f"--{_said(given)} does not apply to {name}: it is bundled, not a file")
    if name in clips.names():
        return clips.get(name)
    if name in faces.names():
        return faces.get(name)
    character = presets.get(name)
    return Clip(character, [character.rest_pose()], 30, name=name)


def _said(given: dict[str, Value]) -> str:
    """The first of the options, as it is typed."""
    first = next(iter(given))
    return first if first == "animation" else f"read {first}"


def parse_options(entries: Sequence[str]) -> dict[str, Value]:
    """Options as typed, ``KEY=VALUE`` each."""
    found: dict[str, Value] = {}
    for entry in entries:
        key, sign, value = entry.partition("=")
        key, value = key.strip().replace("-", "_"), value.strip()
        if not sign or not key or not value:
            raise InputError(f"--read takes KEY=VALUE, for example up=z, not {entry!r}")
        if key in found:
            raise InputError(f"--read {key} is given twice: {found[key]} and {value}")
        found[key] = parse_value(value)
    return found


def parse_value(text: str) -> Value:
    """A truth value, a number, or else text; what stands in quotes is always text."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and not _LEADING_ZERO.match(text):
        return float(text)
    return text


def counted(number: int, noun: str) -> str:
    """ "1 frame", "2 frames"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def refuse_overwriting(path: Path, force: bool) -> None:
    """Existing work is replaced only when asked, and no folder ever is."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; say what the file in it is to be called")
    if str(path) != STANDARD and path.exists() and not force:
        raise InputError(f"{path} already exists; choose another name, or use --force to overwrite it")
