"""Reading BVH: the largest real file against bvhio, and a synthetic file of 10,000 frames × 60 joints.

Both read the same bytes into rotations per joint and frame, in turns, in one process. Places of all
joints agree before anything is timed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from poise.formats import load, save
from poise.kinematics import forward

FRAMES, JOINTS = 10_000, 60


def shared_files() -> list[Path]:
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    return sorted(folder.rglob("*.bvh"), key=lambda p: p.stat().st_size)


def synthetic(path: Path, *, frames: int = FRAMES, joints: int = JOINTS) -> Path:
    """Limbs of ten joints on one root, angles that wander."""
    rng = np.random.default_rng(0)
    lines = ["HIERARCHY", "ROOT j0", "{", "OFFSET 0 0 0"]
    lines.append("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation")
    for limb in range(1, joints, 10):
        members = range(limb, min(limb + 10, joints))
        for n in members:
            lines += [f"JOINT j{n}", "{", f"OFFSET {rng.normal():.5f} 9.5 {rng.normal():.5f}"]
            lines.append("CHANNELS 3 Zrotation Xrotation Yrotation")
        lines += ["End Site", "{", "OFFSET 0 5 0", "}", *["}"] * len(members)]
    values = np.cumsum(rng.normal(size=(frames, 3 + 3 * joints)), axis=0)
    lines += ["}", "MOTION", f"Frames: {frames}", "Frame Time: 0.0083333"]
    lines += [" ".join(f"{x:.6f}" for x in row) for row in values.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def best_of(functions: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Least seconds of each, taken in turns so that a slow moment hits all."""
    best = [np.inf] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            began = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - began)
    return best


def places_differ(path: Path) -> float:
    """Largest difference of joint positions between Poise and bvhio (single precision) [m]."""
    import bvhio

    clip = load(path, mass=False, up="y")
    root = bvhio.readAsHierarchy(str(path))
    worst = 0.0
    for frame in np.linspace(0, clip.frames - 1, 5).astype(int).tolist():
        root.loadPose(frame)
        theirs = {j.Name: np.array(j.PositionWorld) for j, _, _ in root.layout()}
        ours = forward(clip.character, clip.q[frame]).positions[0]
        for name, (x, y, z) in zip(clip.character.names, ours):
            apart = np.abs(theirs[name] * clip.source.unit - [y, z, x]).max()
            worst = max(worst, float(apart))
    return worst


def metric(
    key: str, value: float, unit: str, direction: str, peer: str = "", ratio: float | None = None
) -> dict:
    return {"key": key, "value": value, "unit": unit, "direction": direction, "peer": peer, "ratio": ratio}


def run() -> list[dict]:
    """Metrics: seconds, megabytes per second, and how many times faster than the peer."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        big = synthetic(Path(folder) / "synthetic.bvh")
        load(big)  # loads the compiled parser
        clip = load(big)
        seconds, writing = best_of([lambda: load(big), lambda: save(clip, Path(folder) / "out.bvh")], 5)
        size = big.stat().st_size / 1e6
        out.append(metric("bvh: read 10,000 frames × 60 joints", seconds, "s", "lower"))
        out.append(metric("bvh: reading", size / seconds, "MB/s", "higher"))
        out.append(metric("bvh: write them unedited", writing, "s", "lower"))
        anew = clip.replaced(source=None)
        (composing,) = best_of([lambda: save(anew, Path(folder) / "out.bvh")], 1)
        out.append(metric("bvh: write them anew", composing, "s", "lower"))
        files = shared_files()
        path = files[-1] if files else synthetic(Path(folder) / "smaller.bvh", frames=600, joints=40)
        try:
            import bvhio
        except ImportError:
            return out
        difference = places_differ(path)
        ours, whole, theirs = best_of(
            [lambda: load(path, mass=False), lambda: load(path), lambda: bvhio.readAsHierarchy(str(path))], 7
        )
        peer = f"bvhio ({theirs:.3f} s)"
        out.append(metric("bvh: largest real file", ours, "s", "lower", peer, theirs / ours))
        out.append(metric("bvh: largest real file, with masses", whole, "s", "lower", peer, theirs / whole))
        out.append(metric("bvh: joints differ from bvhio's", difference, "m", "lower"))
    return out


if __name__ == "__main__":
    for row in run():
        ratio = f"{row['ratio']:.1f}× {row['peer']}" if row["ratio"] else row["peer"]
        print(f"{row['key']:40} {row['value']:12.4g} {row['unit']:10} {ratio}")
