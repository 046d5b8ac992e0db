"""A seamless loop from a plain clip: pose and velocity agree where the end meets the start.

Frames i … j of the clip make one cycle; frame j is frame i come round again, so the loop has j − i
frames. What the root does on the ground between the two is the loop's travel G. The rest of the gap,

    e = (G q_i) ⊖ q_j   and the difference of the velocities there,

is closed halfway from both sides: the end is led to m = q_j ⊕ e/2 and the start to G⁻¹ m, both with the
mean velocity u = ½ (exp(−e/2) v_j + exp(e/2) v_i), by offsets that die out over ``span`` (see ``offset``).
Heights, and all joints, therefore close exactly; the middle of the clip is untouched.

Morph weights close likewise, by shares: each side is led to the mean of the two by b + k (mean − b), k ≤ 1,
which leaves no range that they were in.

A clip that already repeats its first frame, with velocities that agree as far as its sampling can
tell, keeps its bits: authored cycles and unrolled loops come back as they were.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.errors import InputError, UnknownNameError
from poise.motion.clip import Clip
from poise.motion.operators.ground import FLAT, between, moved, turned
from poise.motion.operators.offset import carried, decaying, departing_rate, fading
from poise.motion.operators.spots import spots
from poise.motion.travel import Travel

VELOCITY_TIME = 0.1  # [s]
LEAST_REACH = 0.05  # of the whole character's: a wrist without a hand still counts

TRAVELS = {"ground": FLAT, "all": np.ones(3), "none": np.zeros(3)}
LONGEST_SPAN = 0.5  # [s]
CLOSED = 1e-9  # [m or rad]
UNSEEN = 1e-4  # [m or rad] not worth a note
LARGEST_GAP = 0.3  # of the character's size
LARGEST_ANGLE = 60.0  # [degrees]


def loop(
    clip: Clip,
    *,
    span: float | None = None,
    search: float = 0.0,
    shortest: float | None = None,
    travel: str = "ground",
    force: bool = False,
) -> Clip:
    """``clip`` as a loop; loops come back unchanged.

    How large the gap was and how the loop moves on is noted in its source.

    Args:
        clip: The motion.
        span: How long on each side of the seam the gap is closed [s, > 0, at most the period]. Default: half
            the period, at most 0.5 s.
        search: How much of each end of the clip is searched for the pair of frames that meet best [s, ≥ 0].
        shortest: The least period then allowed [s]. Default: half the clip.
        travel: What the root keeps from cycle to cycle: "ground" (way and turn), "all" (heights too: stairs)
            or "none" (the loop stays in place, its drift is part of the gap).
        force: Whether a motion that does not repeat is closed all the same.

    Returns:
        Clip: The loop.

    Raises:
        InputError: An option is out of range, or the gap exceeds 30 % of the character's size or 60° in a
            joint.
        UnknownNameError: There is no such travel.

    Examples:
        >>> waves = poise.motion.operators.loop(poise.clips.get("wave"), force=True)
    """
    if travel not in TRAVELS:
        raise UnknownNameError("kind of travel", travel, TRAVELS)
    if clip.loop:
        return clip
    if clip.frames == 1:
        return clip.replaced(loop=True)
    first, closing = _ends(clip, search, shortest)
    period = float((closing - first) / clip.rate)
    if span is None:
        span = min(LONGEST_SPAN, 0.5 * period)
    if not (math.isfinite(span) and 0 < span <= period * (1 + 1e-12)):
        raise InputError(
            f"the span of a seam must be positive and at most the period, {period:g} s, not {span!r}"
        )

    character, manifold = clip.character, clip.character.manifold
    q, v = clip.q[first : closing + 1], clip.velocity
    shift, yaw = between(character, q[0], q[-1])
    if travel == "none":
        yaw = np.zeros(())
    moves_on = Travel(shift * TRAVELS[travel], float(yaw))
    gap = manifold.minus(moves_on.apply(character, q[0], 1), q[-1])
    v_end, v_start = v[closing], turned(character, v[first], yaw)
    since = clip.times[: len(q) - 1]
    morphs = None
    if clip.morphs is not None:
        morphs = _closed(clip.morphs[first : closing + 1], fading(span, since), fading(span, period - since))
    looped = clip.with_frames(q[:-1], morphs, loop=True, travel=moves_on)
    if np.abs(gap).max(initial=0.0) < CLOSED and _velocities_agree(clip, q, v_end - v_start):
        return looped
    note = _measured(clip, q, gap, moves_on, force=force)
    noted = looped.with_note(note) if note else looped

    w_end, w_start = 0.5 * gap, -0.5 * gap
    mean = 0.5 * (carried(manifold, w_end, v_end) + carried(manifold, w_start, v_start))
    rate_end = departing_rate(manifold, w_end, v_end, mean)
    rate_start = departing_rate(manifold, w_start, v_start, mean)
    # The start's offset is found one cycle later: bring it back. The end's runs backwards in time.
    w_start, rate_start = turned(character, w_start, -yaw), turned(character, rate_start, -yaw)
    offset = decaying(w_start, rate_start, span, since) + decaying(w_end, -rate_end, span, period - since)
    touched = np.any(offset != 0.0, axis=1)
    return noted.with_q(np.where(touched[:, None], manifold.plus(q[:-1], offset), q[:-1]))


def _measured(clip: Clip, q: Array, gap: Array, travel: Travel, *, force: bool) -> str:
    """What is closed and how the loop moves on, in words; "" if nothing is. An error if that is no seam."""
    character = clip.character
    names, ends = spots(character, np.stack([q[-1], travel.apply(character, q[0], 1)]))
    apart = np.linalg.norm(ends[1] - ends[0], axis=1)  # (P,)
    far = int(np.argmax(apart))
    turns = character.manifold.rotation_slots[1]
    angles = np.concatenate([np.linalg.norm(gap[turns], axis=-1), _single_angles(character, gap)])
    angle = float(np.degrees(angles.max(initial=0.0)))
    size = float(np.ptp(spots(character, character.rest_pose()[None])[1][0], axis=0).max())
    if apart[far] < UNSEEN and angle < np.degrees(UNSEEN):
        return ""
    seam = f"the end misses the start by {100 * apart[far]:.1f} cm at {names[far]} and {angle:.0f}° at most"
    if not force and (apart[far] > LARGEST_GAP * size or angle > LARGEST_ANGLE):
        raise InputError(
            f"{clip.name or 'the clip'} does not repeat: {seam}; trim it to one cycle, let search= find "
            "where it meets itself, or use force=True"
        )
    way = float(np.hypot(*np.asarray(travel.translation)[:2]))
    return f"loop: {seam}; each cycle goes on by {way:.3g} m and turns by {np.degrees(travel.yaw):.3g}°"


def _single_angles(character: Character, v: Array) -> Array:
    """Components of a tangent vector (nv,) that are angles of hinges and planar joints [rad]."""
    dofs = [
        character.dofs(i).stop - 1
        for i, body in enumerate(character.bodies)
        if body.joint.kind in (JointKind.HINGE, JointKind.PLANAR)
    ]
    return np.abs(v[np.array(dofs, dtype=np.int64)])


def _closed(weights: Array, from_start: Array, to_end: Array) -> Array:
    """Morph weights (F, m) of frames whose last, dropped here, is to be the first come round again.

    ``from_start`` and ``to_end`` (F − 1, 1) fall from 1 at either end. Half of each: at the seam both
    sides are at the mean.
    """
    first, last = weights[0], weights[-1]
    inner = weights[:-1]
    if np.abs(last - first).max() < CLOSED:
        return inner
    return np.asarray(inner + 0.5 * from_start * (last - inner) + 0.5 * to_end * (first - inner))


def _ends(clip: Clip, search: float, shortest: float | None) -> tuple[int, int]:
    """First and closing frame of the cycle."""
    last = clip.frames - 1
    if not (math.isfinite(search) and search >= 0):
        raise InputError(f"the seam is searched over 0 s or more at each end, not {search!r}")
    if shortest is None:
        shortest = 0.5 * clip.duration
    least = max(1, math.ceil(shortest * clip.rate - 1e-9))
    if least > last:
        raise InputError(f"no period of {shortest:g} s fits in a clip of {clip.duration:g} s")
    margin = min(last, math.floor(search * clip.rate + 1e-9))
    return best_seam(clip, margin, least) if margin else (0, last)


def _velocities_agree(clip: Clip, q: Array, jump: Array) -> bool:
    """Whether a jump in velocity (nv,) is within what differences over frames leave unknown.

    Second- and third-order one-sided differences at either end disagree by about their error.
    """
    if len(q) < 4:
        return not np.any(np.abs(jump) > CLOSED)
    steps = clip.character.manifold.minus(q[1:], q[:-1]) / clip.dt
    doubt = 0.0
    for near in (steps[:3], steps[:-4:-1]):
        second = 1.5 * near[0] - 0.5 * near[1]
        third = (15 * near[0] - 10 * near[1] + 3 * near[2]) / 8
        doubt += float(np.linalg.norm(third - second))
    return float(np.linalg.norm(jump)) <= 2 * doubt + CLOSED


def best_seam(clip: Clip, margin: int, shortest: int) -> tuple[int, int]:
    """First and closing frame (i, j): i ≤ margin, j ≥ F − 1 − margin, j − i ≥ shortest. Ties: the longest."""
    character, q, v = clip.character, clip.q, clip.velocity
    weight = lever_arms(character) ** 2
    last = clip.frames - 1
    best, found = np.inf, (0, last)
    for i in range(min(margin, last - shortest) + 1):
        closing = np.arange(last, max(last - margin, i + shortest) - 1, -1)
        shift, yaw = between(character, q[i], q[closing])
        here = moved(character, q[i], shift * FLAT, yaw)
        pose = character.manifold.minus(q[closing], here)  # (n, nv)
        speed = v[closing] - turned(character, v[i], yaw)
        distance = (pose**2 + VELOCITY_TIME**2 * speed**2) @ weight
        k = int(np.argmin(distance))
        if distance[k] < best:
            best, found = float(distance[k]), (i, int(closing[k]))
    return found


def lever_arms(character: Character) -> Array:
    """How far a unit of each degree of freedom moves what it carries, (nv,) [1 or m/rad]."""
    position, turn = character.rest_placement()
    spots = [
        np.array([position[i], *(position[i] + turn[i] @ np.asarray(p) for p in body.points.values())])
        for i, body in enumerate(character.bodies)
    ]
    reach = np.zeros(len(character.bodies))
    for i in range(len(character.bodies)):
        hanging = np.concatenate([spots[k] for k in character.subtree(i)])
        reach[i] = np.linalg.norm(hanging - position[i], axis=1).max()
    reach = np.maximum(reach, LEAST_REACH * reach.max() if reach.max() > 0 else 1.0)
    arms = np.ones(character.nv)
    for i, body in enumerate(character.bodies):
        dofs = character.dofs(i)
        match body.joint.kind:
            case JointKind.HINGE | JointKind.BALL:
                arms[dofs] = reach[i]
            case JointKind.PLANAR:
                arms[dofs.start + 2] = reach[i]
            case JointKind.FREE:
                arms[dofs.start + 3 : dofs.stop] = reach[i]
    return arms
