"""Broken BVH: every file is refused in one line that names the file, the line and the culprit."""
# ruff: noqa: E501  (one case per line reads best)

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import FileFormatError
from poise.formats import load

GOOD = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 90 0 1 2 3 4 5 6
0 90 0 1 2 3 4 5 6
0 90 0 1 2 3 4 5 6
"""


def without(text: str) -> str:
    assert text in GOOD
    return GOOD.replace(text, "", 1)


def instead(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


BROKEN = {
    "no HIERARCHY": (without("HIERARCHY\n"), 1, "begins with HIERARCHY, not 'ROOT'"),
    "some other text": ("Dear reader,\nthis is no skeleton.\n", 1, "begins with HIERARCHY, not 'Dear'"),
    "HIERARCHY alone": ("HIERARCHY\n", 1, "no ROOT"),
    "no ROOT": ("HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 1\n0\n", 1, "no ROOT"),
    "a root without name": (instead("ROOT Hips", "ROOT"), 2, "ROOT without a name"),
    "a joint without brace": (instead("JOINT Spine\n  {", "JOINT Spine\n"), 8, r"expected '\{' after JOINT Spine"),
    "one brace too few": (without("  }\n}\n"), 14, "joint 'Spine' of line 6 is not closed|'Hips' of line 2"),
    "one brace too many": (instead("}\nMOTION", "}\n}\nMOTION"), 16, "'}' without a joint"),
    "two skeletons": (instead("}\nMOTION", "}\nROOT Other\n{\nOFFSET 0 0 0\n}\nMOTION"), 16, "second skeleton, 'Other'"),
    "an unknown keyword": (instead("OFFSET 0 10 0", "OFFZET 0 10 0"), 8, "unexpected 'OFFZET' in joint 'Spine'"),
    "an offset of two": (instead("OFFSET 0 10 0", "OFFSET 0 10"), 9, "joint 'Spine': OFFSET z is 'CHANNELS'"),
    "an offset of words": (instead("OFFSET 0 10 0", "OFFSET 0 ten 0"), 8, "'Spine': OFFSET y is 'ten', not a number"),
    "an offset that is NaN": (instead("OFFSET 0 5 0", "OFFSET 0 nan 0"), 12, "'Spine': OFFSET y is 'nan'"),
    "no offset": (without("    OFFSET 0 10 0\n"), 13, "joint 'Spine' has no OFFSET"),
    "an end without offset": (without("      OFFSET 0 5 0\n"), 12, "End Site of 'Spine' has no OFFSET"),
    "an offset outside": (instead("HIERARCHY\n", "HIERARCHY\nOFFSET 0 0 0\n"), 2, "OFFSET outside a joint"),
    "too few channels": (instead("3 Zrotation Xrotation Yrotation", "3 Zrotation Xrotation"), 9, "announces 3 and names 2"),
    "too many channels": (instead("3 Zrotation Xrotation Yrotation", "2 Zrotation Xrotation Yrotation"), 9, "announces 2 and names 3"),
    "an unknown channel": (instead("3 Zrotation Xrotation", "3 Zrotation Wrotation"), 9, "'Wrotation' is no channel .*Xposition"),
    "a channel twice": (instead("3 Zrotation Xrotation Yrotation", "3 Zrotation Zrotation Yrotation"), 9, "Zrotation twice"),
    "channels uncounted": (instead("CHANNELS 3 Z", "CHANNELS Z"), 9, "'Spine': CHANNELS needs a number from 0 to 6"),
    "ninety channels": (instead("CHANNELS 3", "CHANNELS 90"), 9, "number from 0 to 6, not '90'"),
    "channels twice": (instead("    End Site", "    CHANNELS 1 Xposition\n    End Site"), 10, "must come once"),
    "an end with channels": (instead("OFFSET 0 5 0", "OFFSET 0 5 0 CHANNELS 1 Xrotation"), 12, "End Site of 'Spine' has channels"),
    "a joint in an end": (instead("OFFSET 0 5 0", "OFFSET 0 5 0 JOINT X { OFFSET 0 0 0 }"), 12, "'X.*' inside an End Site"),
    "no MOTION": (GOOD[: GOOD.index("MOTION")], 16, "no MOTION section"),
    "cut in the skeleton": (GOOD[: GOOD.index("OFFSET 0 10")], 8, "joint 'Spine' of line 6 is not closed|ends where"),
    "no Frames": (without("Frames: 3\n"), 17, "expected 'Frames: …'"),
    "no Frame Time": (without("Frame Time: 0.0333333\n"), 18, "expected 'Frame Time: …'"),
    "frames in words": (instead("Frames: 3", "Frames: three"), 17, "Frames is 'three'"),
    "negative frames": (instead("Frames: 3", "Frames: -3"), 17, "Frames is '-3'"),
    "half a frame": (instead("Frames: 3", "Frames: 2.5"), 17, "Frames is '2.5'"),
    "no frames": (GOOD[: GOOD.index("0 90")].replace("Frames: 3", "Frames: 0"), 17, "Frames: 0: there is no motion"),
    "fewer than announced": (instead("Frames: 3", "Frames: 4"), 17, "Frames says 4, but 3 frames of motion follow"),
    "more than announced": (instead("Frames: 3", "Frames: 2"), 17, "Frames says 2, but 3 frames of motion follow"),
    "announced, none there": (GOOD[: GOOD.index("0 90")], 17, "Frames says 3, but 0 frames of motion follow"),
    "a frame time of zero": (instead("0.0333333", "0.0"), 18, "Frame Time is '0.0'; it must be greater than 0"),
    "a negative frame time": (instead("0.0333333", "-0.04"), 18, "greater than 0"),
    "a frame time in words": (instead("0.0333333", "fast"), 18, "Frame Time is 'fast', not a number"),
    "a frame time that is NaN": (instead("0.0333333", "nan"), 18, "Frame Time is 'nan'"),
    "an endless frame": (instead("0.0333333", "1e300"), 18, "Frame Time is '1e300'; it must lie between 1e-09 and"),
    "no time at all": (instead("0.0333333", "1e-300"), 18, "Frame Time is '1e-300'; it must lie between"),
    "a frame time that no memory holds": (instead("0.0333333", "1e999999999"), 18, "Frame Time is '1e999999999'"),
    "no frame time": (instead("Frame Time: 0.0333333", "Frame Time:"), 18, "Frame Time is '', not a number"),
    "a short frame": (instead("4 5 6\n0 90 0 1 2 3 4 5 6\n", "4 5 6\n0 90 0 1 2 3 4\n"), 20, "frame 1 has 7 values, 9 are needed, the first missing is joint 'Spine', Xrotation"),
    "a value on the wrong line": (instead("4 5 6\n0 90 0 1", "4 5\n6 0 90 0 1"), 19, "frame 0 has 8 values, 9 are needed"),
    "a long frame": (instead("4 5 6\n0 90 0", "4 5 6 7\n0 90 0"), 19, "frame 0 has 10 values, 9 are needed"),
    "cut in a frame": (GOOD[:-8], 21, "frame 2 has 5 values, 9 are needed"),
    "a word in a frame": (instead("3 4 5 6\n0", "3 4 x 6\n0"), 19, "frame 0, joint 'Spine', Xrotation: 'x' is not a finite"),
    "NaN in a frame": (instead("1 2 3 4 5 6\n0 90", "1 nan 3 4 5 6\n0 90"), 19, "frame 0, joint 'Hips', Xrotation: 'nan'"),
    "infinity in a frame": (instead("4 5 6\n0 90 0 1", "4 5 6\n0 -inf 0 1"), 20, "frame 1, joint 'Hips', Yposition: '-inf'"),
    "overflow in a frame": (instead("4 5 6\n0 90 0 1", "4 5 6\n0 1e999 0 1"), 20, "Yposition: '1e999' is not a finite number"),
    "decimal commas": (instead("0 90 0 1", "0 90,5 0 1"), 19, "'90,5' is not a finite number .decimals need a point"),
    "words at the end": (GOOD + "the end\n", 22, "frame 3, joint 'Hips', Xposition: 'the'"),
    "no channels at all": ("HIERARCHY\nROOT A\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n", 7, "no joint has channels"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_refused_with_line_and_culprit(tmp_path, case, end):
    text, line, message = BROKEN[case]
    path = tmp_path / "broken.bvh"
    path.write_bytes(text.replace("\n", end).encode())
    with pytest.raises(FileFormatError, match=message) as caught:
        load(path)
    said = str(caught.value)
    assert said.startswith(f"{path}:{line}: "), said
    assert "\n" not in said


def test_the_good_file_is_good(tmp_path):
    path = tmp_path / "good.bvh"
    path.write_text(GOOD)
    assert load(path).frames == 3


def test_a_large_file_is_refused_as_precisely(tmp_path):
    """The compiled parser finds the same culprit."""
    line = "0 90 0 1 2 3 4 5 6.000001\n"
    rows = [line] * 90_000
    rows[70_123] = "0 90 0 1 2 3 4 oops 6.000001\n"
    path = tmp_path / "large.bvh"
    path.write_text(GOOD[: GOOD.index("0 90")].replace("Frames: 3", "Frames: 90000") + "".join(rows))
    with pytest.raises(FileFormatError, match=r":70142: frame 70123, joint 'Spine', Xrotation: 'oops'"):
        load(path)


@pytest.mark.parametrize("cut", range(3, 260, 7))
def test_no_cut_anywhere_makes_anything_but_a_clear_error(tmp_path, cut):
    path = tmp_path / "cut.bvh"
    path.write_text(GOOD[:cut])
    with pytest.raises(FileFormatError, match=r"cut\.bvh"):
        load(path)


@pytest.mark.parametrize("seed", range(60))
def test_scrambled_bytes_make_a_clip_or_a_clear_error(tmp_path, seed):
    rng = np.random.default_rng(seed)
    data = bytearray(GOOD.encode())
    for _ in range(int(rng.integers(1, 6))):
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
    path = tmp_path / "scrambled.bvh"
    path.write_bytes(bytes(data))
    said = ""
    try:
        load(path, mass=False)
    except FileFormatError as problem:
        said = str(problem)
    assert "\n" not in said
