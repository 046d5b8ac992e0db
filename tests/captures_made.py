"""Captures of the tests' own making: C3D bytes and tables written by hand."""

from __future__ import annotations

import struct

import numpy as np

DEC = 85


def _dec(values) -> bytes:
    """Floats as a VAX wrote them: four times the value, words exchanged."""
    words = (np.asarray(values, dtype="<f4") * np.float32(4)).astype("<f4").view("<u2").reshape(-1, 2)
    return words[:, ::-1].tobytes()


def c3d_bytes(
    points, *, rate=100.0, names=(), units="mm", screen="+Z", kind=84, scale=-1.0, analog=0
) -> bytes:
    """A file of points (F, P, 4): places in the file's unit and residuals."""
    points = np.asarray(points, dtype=np.float64)
    frames, count = points.shape[:2]
    big = ">" if kind == 86 else "<"

    def floats(values) -> bytes:
        return _dec(values) if kind == DEC else np.asarray(values, dtype=big + "f4").tobytes()

    def word(value) -> bytes:
        return struct.pack(big + "H", value)

    def entry(group, name, content) -> bytes:
        return bytes([len(name), group & 255]) + name.encode() + word(2 + len(content)) + content

    def letters(values) -> bytes:
        width = max(map(len, values))
        text = "".join(v.ljust(width) for v in values).encode()
        return bytes([255, 2, width, len(values)]) + text + b"\0"

    body = entry(-1, "POINT", b"\0")
    body += entry(1, "UNITS", letters([units]))
    if screen:
        body += entry(1, "Y_SCREEN", letters([screen]))
    body += entry(1, "LABELS", letters(list(names) or [f"M{k}" for k in range(count)]))
    section = bytes([1, 80, 0, kind]) + body + b"\0\0"
    blocks = -(-len(section) // 512)
    section = section[:2] + bytes([blocks]) + section[3:]
    section = section.ljust(512 * blocks, b"\0")
    head = bytes([2, 80]) + word(count) + word(analog) + word(1) + word(frames) + word(0) + floats([scale])
    head += word(2 + blocks) + word(analog) + floats([rate])
    rows = []
    for frame in points:
        values = frame.copy()
        if scale > 0:
            values[:, :3] = np.round(values[:, :3] / scale)
            rows.append(values.astype(big + "i2").tobytes() + np.zeros(analog, big + "i2").tobytes())
        else:
            rows.append(floats(values.ravel()) + floats(np.zeros(analog)))
    return head.ljust(512, b"\0") + section + b"".join(rows)


TRC = """PathFileType\t4\t(X/Y/Z)\tmade.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
100.00\t100.00\t3\t2\tmm\t100.00\t1\t3
Frame#\tTime\tLASI\t\t\tRASI\t\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.000\t100\t900\t-50\t101\t901\t50
2\t0.010\t110\t905\t-50\t\t\t
3\t0.020\t120\t910\t-50\t0\t0\t0
"""
MOT = """forces
version=1
nRows=3
nColumns=7
inDegrees=yes
endheader
time\tground_force_vx\tground_force_vy\tground_force_vz\tground_force_px\tground_force_py\tground_force_pz
0.00\t1\t700\t3\t0.1\t0.0\t0.2
0.01\t2\t710\t3\t0.1\t0.0\t0.2
0.02\t3\t720\t3\t0.1\t0.0\t0.2
"""
