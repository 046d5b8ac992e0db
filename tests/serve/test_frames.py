"""Frames: what is sent arrives to the bit, and whatever else arrives is refused with a word."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.serve import frames
from poise.serve.frames import MARK, PREFIX, BrokenFrameError

SOUND = frames.packed(
    {"id": 1, "ask": "clip", "name": "Ärmel"},
    {"positions": np.arange(24.0).reshape(2, 4, 3), "parents": np.array([-1, 0, 1])},
)


def heard(data: bytes) -> object:
    return frames.read(io.BytesIO(data))


def test_messages_arrive_as_they_were_sent():
    head, arrays = heard(SOUND)
    assert head == {"id": 1, "ask": "clip", "name": "Ärmel"}
    assert (arrays["positions"] == np.arange(24.0).reshape(2, 4, 3)).all()
    assert arrays["parents"].tolist() == [-1, 0, 1]


def test_several_messages_follow_one_another():
    stream = io.BytesIO(SOUND + frames.packed({"id": 2}, {}) + SOUND)
    assert [frames.read(stream)[0]["id"] for _ in range(3)] == [1, 2, 1]
    assert frames.read(stream) is None


def frame(head: object, body: bytes = b"") -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return PREFIX.pack(MARK, len(text), len(body)) + text + body


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PSE", "ends after 3 of"),
        (b"GET / HTTP/1.1\r\n", "begins with"),
        (SOUND[:-1], "ends after"),
        (SOUND[:20], "ends after"),
        (PREFIX.pack(MARK, 2**31, 0), "announces"),
        (PREFIX.pack(MARK, 2, 2**32 - 1), "announces"),
        (frame(b"{"), "not JSON"),
        (frame(b"\xff\xfe"), "not JSON"),
        (frame([1]), "JSON object"),
        (frame(b'{"ask": "\\ud800"}'), "not JSON"),
        (frame(b"[" * 100_000), "nested"),
        (frame({"arrays": 3}), "at most"),
        (frame({"arrays": [["a", "f8", [1]]] * 300}), "at most"),
        (frame({"arrays": [["a", "O8", [1]]]}, b"\0" * 8), "told as"),
        (frame({"arrays": [["a", "f8", [-1]]]}, b"\0" * 8), "told as"),
        (frame({"arrays": [["a", "f8", [True]]]}, b"\0" * 8), "told as"),
        (frame({"arrays": [["a", "f8", [2**29, 2**29]]]}, b"\0" * 8), "does not fit"),
        (frame({"arrays": [["a", "f8", [1]]]}, b"\0" * 16), "belong to no array"),
        (frame({"arrays": [["a", "f8", [1, 1, 1, 1, 1]]]}, b"\0" * 8), "told as"),
        (frame({"arrays": [["a", "f8", [0, 2**30, 2**30, 2**30]]]}), "too large"),
    ],
    ids=range(20),
)
def test_what_is_no_frame_is_refused(data, words):
    with pytest.raises(BrokenFrameError, match=words):
        heard(data)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_changed_bytes_are_refused_or_understood(data):
    """A message, or the one complaint: nothing else comes of bytes that were changed, cut or added."""
    raw = bytearray(SOUND)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        match data.draw(st.sampled_from(["change", "cut", "add", "number"])):
            case "change":
                raw[at] = data.draw(st.integers(0, 255))
            case "cut":
                del raw[at : at + data.draw(st.integers(1, 20))]
            case "add":
                raw[at:at] = data.draw(st.binary(min_size=1, max_size=20))
            case "number":
                raw[at : at + 4] = struct.pack(
                    "<I", data.draw(st.sampled_from([0, 1, 2**16, 2**31, 2**32 - 1]))
                )
        if not raw:
            break
    try:
        found = heard(bytes(raw))
    except BrokenFrameError:
        return
    assert found is None or isinstance(found[0], dict)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_after_a_sound_prefix(data):
    half = len(data) // 2
    with pytest.raises(BrokenFrameError):
        heard(PREFIX.pack(MARK, half, len(data) - half) + data)


def test_a_message_that_is_too_long_is_not_sent():
    with pytest.raises(BrokenFrameError, match="too long"):
        frames.packed({"text": "x" * (frames.MOST_HEAD + 1)}, {})
