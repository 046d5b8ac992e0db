"""Pictures into files, all or nothing."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise.errors import InputError
from poise.files import write_bytes


def save_png(image: NDArray[np.uint8], path: str | Path) -> Path:
    """Write an 8-bit picture (H, W, 3) as PNG.

    Args:
        image: 8-bit sRGB.
        path: The file.

    Returns:
        Path: The file.

    Raises:
        InputError: The picture is not 8 bits in three channels.

    Examples:
        >>> picture = poise.pictures.strobe(poise.clips.get("punch"), count=3, size=(320, 180))
        >>> poise.pictures.save_png(picture, "punch.png")
    """
    from PIL import Image

    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] not in (3, 4):
        raise InputError(f"a picture must be uint8 of shape (H, W, 3), not {image.dtype} {image.shape}")
    drawn = BytesIO()
    Image.fromarray(image).save(drawn, format="PNG", optimize=True)
    return write_bytes(path, drawn.getbuffer())
