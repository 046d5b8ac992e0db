"""MP4 and WebM files by ffmpeg, fed frame by frame; what it complains about becomes one line."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from threading import Thread
from typing import IO

import numpy as np

from poise.errors import InputError, MissingDependencyError
from poise.pictures.compositing import Picture

TOLD = 50
"""Lines of complaints that are kept."""
SOUNDS = ("wav", "w64", "aiff", "caf", "flac", "mp3", "aac", "ogg", "mov", "mp4", "m4a", "matroska", "webm")
"""What ffmpeg calls files that hold sound themselves."""
DISK = ("No space left on device", "Input/output error", "File too large", "Disk quota exceeded")
"""What systems say of a disk that takes no more."""


def need_encoder() -> str:
    """Where ffmpeg is; an error that says what to do unless MP4 can be written."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingDependencyError(
            "imageio-ffmpeg", "writing MP4", "pip install 'poise[video]', or write a .gif instead"
        ) from None
    try:
        program: str = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError:
        raise MissingDependencyError(
            "the program ffmpeg",
            "writing MP4",
            "install ffmpeg, or pip install --force-reinstall 'poise[video]'",
        ) from None
    return program


CODECS = {
    # The pixel format that every player knows.
    "mp4": ("-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", "17", "-preset", "medium",
            "-movflags", "+faststart"),
    "webm": ("-vcodec", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "24", "-b:v", "0",
             "-deadline", "good", "-cpu-used", "4", "-row-mt", "1"),
}  # fmt: skip
VOICES = {"mp4": "aac", "webm": "libopus"}


def write_encoded(
    pictures: Iterator[Picture],
    path: Path,
    *,
    kind: str,
    name: str,
    size: tuple[int, int],
    rate: Fraction,
    sound: str | Path | None,
) -> None:
    """Encode pictures of one ``size`` (width, height) into ``path``, which complaints call ``name``.

    ``kind`` is ``mp4`` (H.264) or ``webm`` (VP9).

    A film not written to its end is an error: ffmpeg's status decides, not that it took every frame.
    """
    heard = ["-an"]
    if sound is not None:
        # A file that is a list of others, or of addresses, whatever it is called, is not followed.
        only = ["-protocol_whitelist", "file", "-format_whitelist", ",".join(SOUNDS)]
        heard = [*only, "-i", f"file:{Path(sound).absolute()}"]
        heard += ["-acodec", VOICES[kind], "-map", "0:v:0", "-map", "1:a:0"]
    command = [
        need_encoder(), "-y", "-v", "error", "-f", "rawvideo", "-vcodec", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-", *heard,
        *CODECS[kind], "-f", kind, str(path),
    ]  # fmt: skip
    # A group of its own: Ctrl+C is for us, who then end it.
    ffmpeg = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert ffmpeg.stdin is not None
    assert ffmpeg.stderr is not None
    told: deque[str] = deque(maxlen=TOLD)
    listening = Thread(target=_listen, args=(ffmpeg.stderr, told), daemon=True)
    listening.start()
    try:
        with suppress(BrokenPipeError):  # it has given up: its status says so, its words say why
            for picture in pictures:
                ffmpeg.stdin.write(np.ascontiguousarray(picture).data)
            ffmpeg.stdin.close()
        status = ffmpeg.wait()
    except BaseException:
        ffmpeg.kill()
        ffmpeg.wait()
        raise
    finally:
        with suppress(OSError):
            ffmpeg.stdin.close()
        listening.join()
        ffmpeg.stderr.close()
    if status:
        raise InputError(f"cannot write {name}: {_reason(told, status)}")


def _listen(stream: IO[bytes], told: deque[str]) -> None:
    for line in stream:
        told.append(line.decode("utf-8", "replace").strip())


def _reason(told: deque[str], status: int) -> str:
    """Of all that ffmpeg said, what the user can do something about."""
    said = " ".join(told)
    disk = next((reason for reason in DISK if reason in said), None)
    return disk or (f"ffmpeg says: {told[0]}" if told else f"ffmpeg ended with status {status}")
