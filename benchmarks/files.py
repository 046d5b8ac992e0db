"""Files of others, in and out: ``python -m benchmarks.files``.

fbx       processor time of reading and writing 60 joints × 1,000 frames [s]; bars 0.5 and 0.5
joints    positions of bundled clips' joints, clean and with 4 mm of noise: how far joints are from the truth,
          and how far feet slide while they should stand [mm]; bars 1 mm, below the noise, no more than before
markers   captures of ``shared/data``, where they are: rms of markers [cm], mean distance of joints from the
          AMC [cm]; bars 2 and 3; "spoilt": with a tenth of all markers lost, long gaps, and pairs swapped
exchange  every file of ``shared/data`` against programs that share no code with Poise: see ``exchange``
written   clips of all kinds written anew in every format, read by Blender
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import poise
from benchmarks.exchange import DATA, table
from poise.arrays import Array
from poise.character import Body, Character, Joint
from poise.markers import Markers
from poise.motion import Clip

NOISE = 0.004
"""Of noisy positions [m]."""


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least processor time of a few."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def large() -> Clip:
    """Sixty joints that all turn, a thousand frames."""
    rng = np.random.default_rng(0)
    bodies = [Body("mixamorig:Hips", None, Joint.free(), (0, 0, 1))]
    for k in range(59):
        parent = bodies[max(0, k - int(rng.integers(0, 6)))].name
        bodies.append(Body(f"mixamorig:J{k}", parent, Joint.ball(), rng.normal(0, 0.1, 3)))
    who = Character("mixamo", bodies)
    phase, pace = rng.uniform(0, 6, who.nv), rng.uniform(0.5, 3, who.nv)
    swing = 0.4 * np.sin(np.linspace(0, 30, 1000)[:, None] * pace + phase)
    return Clip(who, who.manifold.plus(np.tile(who.rest_pose(), (1000, 1)), swing), 30, name="mixamo")


def fbx(folder: Path) -> None:
    """Reading and writing."""
    clip, path = large(), folder / "large.fbx"
    clip.save(path)
    poise.load(path)
    wrote, read = seconds(lambda: clip.save(path)), seconds(lambda: poise.load(path))
    print(f"fbx       write {wrote:.2f} s, read {read:.2f} s")


def arrays(folder: Path, name: str) -> None:
    """A bundled clip as positions."""
    clip = poise.clips.get(name)
    who = clip.character
    kept = [i for i, b in enumerate(who.bodies) if i == 0 or np.linalg.norm(b.offset) > 1e-6]
    place = {i: k for k, i in enumerate(kept)}
    up = [-1 if i == 0 else place.get(int(who.parents[i]), place.get(_above(who, i), 0)) for i in kept]
    truth = who.placement(clip.q).positions[:, kept]
    names = [who.names[i] for i in kept]
    feet = [k for k, n in enumerate(names) if n.endswith("ToeBase")]
    for noise in (0.0, NOISE):
        seen = truth + np.random.default_rng(1).normal(0, noise, truth.shape)
        np.savez(folder / "x.npz", positions=seen[:, :, [1, 2, 0]], parents=up, names=names, fps=clip.fps)
        again = poise.load(folder / "x.npz", scale=1.0, up="y")
        found = again.character.placement(again.q).positions[:, [again.character.index(n) for n in names]]
        off, before = (float(np.sqrt(((x - truth) ** 2).sum(axis=2).mean())) for x in (found, seen))
        slides = [_slide(x[:, feet], truth[:, feet]) for x in (seen, found)]
        print(
            f"joints    {name:6s} noise {1000 * before:5.2f} mm: {1000 * off:7.4f} mm off; standing feet go "
            f"{1000 * slides[0]:.2f} -> {1000 * slides[1]:.2f} mm/frame"
        )


def _above(who: Character, body: int) -> int:
    return int(who.parents[int(who.parents[body])])


def _slide(feet: Array, truth: Array) -> float:
    """Mean way per frame of feet that the truth keeps still."""
    still = np.linalg.norm(np.diff(truth, axis=0), axis=2) < 0.002
    way = np.linalg.norm(np.diff(feet[:, :, :2], axis=0), axis=2)
    return float(way[still].mean()) if still.any() else 0.0


def markers() -> None:
    """Real captures."""
    path = DATA / "c3d_momentum" / "02_01.c3d"
    if not path.exists():
        print("markers   the captures (shared/data beside the checkout) are not here")
        return
    truth = poise.load(DATA / "cmu_asfamc" / "02_01.amc")
    fit = poise.solve_markers(str(path), poise.load(DATA / "cmu_asfamc" / "02.asf").character).fit
    found = fit.character.placement(fit.q).positions @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]]).T
    off = np.linalg.norm(found - truth.character.placement(truth.q).positions, axis=2).mean()
    print(f"markers   02_01.c3d {100 * fit.rms:.2f} cm rms, joints {100 * off:.2f} cm from the AMC")
    for capture in sorted((DATA / "opencap_forces").glob("*.trc")):
        seen = poise.load_markers(capture)
        fit, bad = (poise.solve_markers(each).fit for each in (seen, spoilt(seen)))
        moved = [f.character.placement(f.q).positions for f in (fit, bad)]
        apart = np.linalg.norm(moved[0] - moved[1], axis=2).mean()
        rms = float(np.sqrt(np.nanmean(fit.errors**2)))
        print(
            f"markers   {capture.name} {100 * rms:.2f} cm rms, all markers; spoilt: joints move by "
            f"{100 * apart:.2f} cm, {100 * bad.doubted.mean():.1f} % of markers doubted"
        )


def spoilt(seen: Markers, seed: int = 3) -> Markers:
    """A capture that lost a tenth of its markers, some for a quarter of the time, and swapped some."""
    rng, places = np.random.default_rng(seed), np.array(seen.positions)
    frames, count = places.shape[:2]
    for _ in range(6):
        one, other = rng.choice(count, 2, replace=False)
        begin = int(rng.integers(0, frames - 10))
        span = slice(begin, begin + int(rng.integers(5, max(6, int(0.3 * float(seen.rate))))))
        places[span, [one, other]] = places[span, [other, one]]
    places[rng.random((frames, count)) < 0.1] = np.nan
    for _ in range(8):
        begin = int(rng.integers(0, frames // 2))
        places[begin : begin + frames // 4, int(rng.integers(0, count))] = np.nan
    return Markers(seen.names, places, seen.rate)


def main() -> int:
    """Print all of it."""
    with TemporaryDirectory() as folder:
        fbx(Path(folder))
        for name in ("walk", "jump"):
            arrays(Path(folder), name)
    markers()
    table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
