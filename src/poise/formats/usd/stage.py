"""A USD file as a stage, safely: what it is composed of lies beside it, and complaints name the file.

Layers that a file refers to are looked through before anything is composed: only files in its own folder (or
where the user said) are opened, none on a network, and no program of the library's plug-ins is started.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from poise.errors import FileFormatError, InputError
from poise.formats.usd.library import library
from poise.formats.usd.package import is_package, members, packed
from poise.motion import OriginalFile
from poise.reading import beside, read_bytes, read_head

CRATE = b"PXR-USDC"
TRIAL = """
import sys
from pxr import Usd
stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.Traverse():
    for attribute in prim.GetAttributes():
        attribute.Get(Usd.TimeCode.EarliestTime()), attribute.GetTimeSamples()
stage.GetRootLayer().customLayerData
"""
"""What is done to binary files before they are trusted not to end the process: all of them is unpacked."""
PATIENCE = 60.0
"""The longest that may take [s]: a film's character takes one."""
MOST_LAYERS = 256
"""Files that one may be composed of."""


@contextmanager
def complaining(path: Path) -> Iterator[None]:
    """Whatever the library says of a file, in many lines, becomes one that names it."""
    errors = library("Tf").ErrorException
    try:
        yield
    except (errors, RuntimeError) as problem:
        lines = [line.strip() for line in str(problem).splitlines() if line.strip(" \t'\"")]
        said = lines[-1].rpartition(" : ")[2].strip("'\"") if lines else type(problem).__name__
        raise FileFormatError(path, f"not USD, or damaged ({said[:160]})") from None


def opened(path: Path) -> Any:
    """The stage of a file."""
    if read_head(path, 8) == CRATE:
        _try_elsewhere(path)
    _look_through(path)
    return library("Usd").Stage.Open(str(path))


def other_layers(stage: Any, path: Path) -> dict[str, bytes]:
    """The files that a stage is composed of beside the first, by their places seen from its folder."""
    folder = path.resolve().parent
    files = [Path(layer.realPath) for layer in stage.GetUsedLayers() if layer.realPath]
    return {
        os.path.relpath(file, folder).replace(os.sep, "/"): read_bytes(file)
        for file in sorted(f.resolve() for f in files)
        if file != path.resolve()
    }


@contextmanager
def kept_stage(path: Path, original: OriginalFile) -> Iterator[Any]:
    """The stage of a file that is given with those beside it: nothing is read where the file lay."""
    files = members(original.data, path) if is_package(original.data) else {path.name: original.data}
    with TemporaryDirectory() as folder:
        for name, data in {**files, **original.beside}.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        with complaining(path):
            try:
                stage = opened(Path(folder, next(iter(files))))
            except FileFormatError as problem:
                raise FileFormatError(path, problem.problem) from None
            yield stage


def _try_elsewhere(path: Path) -> None:
    """Read a binary file in a process of its own first: the library ends the process at some damaged ones."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", TRIAL, str(path)], capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise FileFormatError(path, f"damaged: it could not be read within {PATIENCE:g} s") from None
    if done.returncode < 0:
        raise FileFormatError(path, "damaged: usd-core cannot read it")


def _look_through(path: Path) -> None:
    sdf = library("Sdf")
    seen: set[Path] = set()
    todo = [path]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        if len(seen) > MOST_LAYERS:
            raise FileFormatError(path, f"it is composed of more than {MOST_LAYERS} files")
        layer = sdf.Layer.FindOrOpen(str(at))
        if layer is None:
            raise FileFormatError(path, "not USD, or damaged" if at == path else f"{at.name} cannot be read")
        layer.Reload(True)  # the library remembers files that may have changed since
        for name in layer.GetCompositionAssetDependencies():
            if ":" in name or "[" in name:
                raise FileFormatError(path, f"it refers to {name[:80]!r}; only files beside it are read")
            target = beside(at.parent, name, f"a layer of {path.name}")
            if target.is_file():
                todo.append(target)


def layer_bytes(layer: Any, path: Path) -> bytes:
    """The bytes of a file. The library writes binary ones to disks only, and would leave parts of them beside
    the file if killed: so it writes them where such things are cleared away."""
    if path.suffix.lower() == ".usda":
        return str(layer.ExportToString()).encode()
    package = path.suffix.lower() == ".usdz"
    with TemporaryDirectory() as folder:
        copy = Path(folder) / f"copy{'.usdc' if package else path.suffix.lower()}"
        try:
            written = bool(layer.Export(str(copy)))
        except library("Tf").ErrorException:  # in many lines
            written = False
        if not written:
            raise InputError(f"cannot write {path}: the disk of temporary files ({folder}) is full, or fails")
        data = copy.read_bytes()
    return packed({f"{path.stem}.usdc": data}) if package else data
