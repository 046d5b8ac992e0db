"""Pictures into files, all or nothing: a temporary file beside the target, then a rename."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise.errors import InputError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path with the same extension; renamed to ``path`` on success, removed on failure."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")
    temporary = target.with_name(f".{target.stem}.{os.getpid()}.part{target.suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as problem:
        raise InputError(f"cannot write {target}: {problem.strerror or problem}") from problem
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def save_png(image: NDArray[np.uint8], path: str | Path) -> Path:
    """Write an 8-bit picture (H, W, 3) as PNG."""
    from PIL import Image

    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] not in (3, 4):
        raise InputError(f"a picture must be uint8 of shape (H, W, 3), not {image.dtype} {image.shape}")
    with replacing(path) as temporary:
        Image.fromarray(image).save(temporary, format="PNG", optimize=True)
    return Path(path)
