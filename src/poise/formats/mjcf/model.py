"""Compiling an MJCF file with MuJoCo; files that lack included or asset files are read without them.

MuJoCo refuses a model if any file it names is missing. Looks (materials, textures, sky) often live in
such files and matter little here, so a model that only lacks files is compiled without what they would
have held, and a note says what was left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

from poise.dynamics.mujoco_warnings import heard_warnings
from poise.errors import FileFormatError, MissingDependencyError
from poise.formats.mjcf.gathered import Gathered, gathered


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
    mujoco = mujoco_library()
    whole = gathered(path)
    with heard_warnings() as heard:
        try:
            model = mujoco.MjModel.from_xml_string(whole.text, whole.assets)
        except (ValueError, mujoco.FatalError) as problem:
            raise _complaint(whole, problem) from None
    notes = [f"files that are not there were left out: {', '.join(whole.missing)}"] if whole.missing else []
    return model, [*notes, *(f"MuJoCo warns: {warning}" for warning in heard)]


def _complaint(whole: Gathered, problem: Exception) -> FileFormatError:
    """MuJoCo's message in one line, with the line number where it has one of the file's own."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    found = re.search(r"line (\d+)", str(problem))
    text = "; ".join(lines).removeprefix("XML Error: ").removeprefix("Error: ")
    if not whole.as_written:
        text, found = re.sub(r",? line \d+", "", text), None
    why = (
        f"{whole.missing[0]} is not there, and without it: MuJoCo: {text}"
        if whole.missing
        else f"MuJoCo: {text}"
    )
    return FileFormatError(whole.path, why, line=int(found.group(1)) if found else None)
