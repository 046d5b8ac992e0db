"""Faults put into clips on purpose, each over known frames only."""

from __future__ import annotations

import numpy as np

import poise
from poise.constraints import Path, pin
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.spin.spin import rotated
from poise.motion import Clip


def bump(frames: int, first: int, last: int, edge: int) -> np.ndarray:
    """1 within frames, 0 outside, with smooth flanks of ``edge`` frames inside (F,)."""
    x = np.arange(frames)
    rise, fall = np.clip((x - first) / edge, 0, 1), np.clip((last - x) / edge, 0, 1)
    return (rise**2 * (3 - 2 * rise)) * (fall**2 * (3 - 2 * fall))


def sunk(clip: Clip, first: int, last: int, depth: float, edge: int = 8) -> Clip:
    """The whole body lower."""
    q = np.array(clip.q)
    up = 1 if clip.character.bodies[0].joint.kind.name == "PLANAR" else 2
    q[:, up] -= depth * bump(clip.frames, first, last, edge)
    return clip.with_q(q)


def slid(clip: Clip, points: list[str], joints: list[str], first: int, last: int, way: np.ndarray) -> Clip:
    """A foot that stands moves from frame to frame, and stays there until the clip ends."""
    x = np.clip((np.arange(clip.frames) - first) / (last - first), 0, 1)
    moved = (x**2 * (3 - 2 * x))[:, None] * np.asarray(way)
    kin, times = Kinematics(clip.character, clip.q), np.asarray(clip.times)
    window = (float(times[first - 2]), float(times[-1]))
    span = slice(first - 2, None)
    pins = [pin(p, Path(times[span], kin.point(p)[span] + moved[span]), window) for p in points]
    done = poise.adapt(clip, pins, plants=False, joints=joints, within=window, objective="joints").clip
    return clip.with_q(np.concatenate([clip.q[: first - 2], done.q[first - 2 :]]))


def kicked(clip: Clip, first: int, last: int, angle: float) -> Clip:
    """The body tips forward and back in the air, which needs a push from nowhere."""
    turn = angle * bump(clip.frames, first, last, (last - first) // 2)
    own = slice(first, last + 1)
    planar = clip.character.bodies[0].joint.kind.name == "PLANAR"
    how = turn[own] if planar else so3.exp(turn[own, None] * np.array([0.0, 1.0, 0.0]))
    q = np.array(clip.q)
    q[own] = rotated(clip.character, q[own], how)
    return clip.with_q(q)


def hurried(clip: Clip, first: int, last: int, ratio: float) -> tuple[Clip, int]:
    """The flight ``ratio`` times as fast, the rest as it was; and by how many frames the clip is shorter."""
    length = last - first
    fewer = round(length * (1 - 1 / ratio))
    inner = first + (np.arange(length - fewer + 1)) * (length / (length - fewer))
    frames = np.concatenate([np.arange(first), inner, np.arange(last + 1, clip.frames)])
    return clip.with_frames(clip.at(frames / clip.fps), clip.morphs_at(frames / clip.fps)), fewer


def jerk(clip: Clip) -> float:
    """The largest change of any body's velocity from frame to frame [m/s]."""
    places = Kinematics(clip.character, clip.q).positions
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=2).max() / clip.dt)


def changed(result, clip: Clip) -> np.ndarray:
    """Frames of the result that are no frames of the clip, to 1e-9."""
    at = result.sources
    whole = at == np.rint(at)
    apart = np.full(result.clip.frames, np.inf)
    manifold = clip.character.manifold
    apart[whole] = np.abs(manifold.minus(result.clip.q[whole], clip.q[at[whole].astype(int)])).max(axis=1)
    return np.flatnonzero(apart > 1e-9)
