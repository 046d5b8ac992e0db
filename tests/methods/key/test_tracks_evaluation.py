"""Documents evaluated: the same bits in any company, physics to rounding, no jumps, momentum conserved."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest
from jumps import FEET, LANDING, TAKE_OFF, frames, hop, somersault, standing, unpinned

import poise
from poise import clips
from poise.arrays import Array
from poise.character import Body, Character, Joint, Mass
from poise.character.presets import humanoid, planar_humanoid
from poise.errors import CancelledError, InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.frames.bake import at_frames
from poise.methods.key.frames.smoothed import over_folds
from poise.methods.key.path.key import PathKey
from poise.methods.key.pose.values import pose
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.track import Track
from poise.motion import Clip
from poise.workers import on_threads

CHARACTERS = [pytest.param(planar_humanoid(), id="plane"), pytest.param(humanoid(), id="space")]


@lru_cache
def evaluated(character: Character, spinning: bool):
    tracks = somersault(character) if spinning else hop(character)
    return tracks, tracks.at(frames(tracks))


# Independence --------------------------------------------------------------------------------------


@pytest.mark.parametrize("spinning", [False, True], ids=["hop", "somersault"])
@pytest.mark.parametrize("character", CHARACTERS)
def test_a_pose_depends_on_its_time_alone(character, spinning, rng):
    """Bit for bit: all at once, one by one, backwards, on one thread or two, from a fresh document."""
    tracks, whole = evaluated(character, spinning)
    times, q = whole.times, whole.q
    for k in rng.permutation(len(times))[:12]:
        assert np.array_equal(tracks.at([times[k]]).q[0], q[k]), f"alone at {times[k]:.3f} s"
    assert np.array_equal(tracks.at(times[::-1]).q, q[::-1])
    some = np.sort(rng.choice(len(times), 17, replace=False))
    fresh = tracks.replaced(name="fresh")  # nothing worked out yet
    with on_threads(1):
        assert np.array_equal(fresh.at(times[some]).q, q[some])
    with on_threads(2):
        assert np.array_equal(fresh.at(times).q, q)


def test_times_may_repeat_and_be_none():
    tracks, whole = evaluated(humanoid(), False)
    k = 20
    twice = tracks.at([whole.times[k], whole.times[k]]).q
    assert np.array_equal(twice, whole.q[[k, k]])
    nothing = tracks.at([])
    assert nothing.q.shape == (0, humanoid().nq)
    assert nothing.report.outcomes == ()


# Physics -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spinning", [False, True], ids=["hop", "somersault"])
@pytest.mark.parametrize("character", CHARACTERS)
def test_the_centre_of_mass_is_on_its_path_at_every_frame(character, spinning):
    tracks, whole = evaluated(character, spinning)
    com = Kinematics(character, whole.q).com
    off = com - tracks.path.at(whole.times).position
    axes = [0, 2] if character is planar_humanoid() else [0, 1, 2]
    assert np.abs(off[:, axes]).max() < 1e-9
    assert whole.report.met, str(whole.report)
    assert whole.report.message == "physics kept"


@pytest.mark.parametrize("character", CHARACTERS)
def test_feet_stay_where_they_are_pinned(character):
    tracks, whole = evaluated(character, False)
    kin = Kinematics(character, whole.q)
    for point in FEET:
        for name in (point, f"{point} 2"):  # before the flight and after it
            held = tracks.pin_named(name).gain(whole.times) == 1.0
            assert held.sum() > 10
            assert np.ptp(kin.point(point)[held], axis=0).max() < 1e-4


def test_limits_hold():
    character = planar_humanoid()
    _, whole = evaluated(character, False)
    hinges = slice(3, None)
    assert (whole.q[:, hinges] >= character.lower[hinges] - 1e-9).all()
    assert (whole.q[:, hinges] <= character.upper[hinges] + 1e-9).all()


def test_inertia_is_held_between_its_keys_and_fades_beyond():
    tracks = unpinned(hop(humanoid())).with_inertia({0.75: 0.42, 0.95: 0.42})
    times = np.linspace(0.5, 1.2, 141)
    found = tracks.at(times)
    tensor = Kinematics(humanoid(), found.q).covariance.tensor
    k = np.sqrt((tensor[:, 0] + tensor[:, 3] + tensor[:, 5]) / humanoid().total_mass)
    inside = (times >= 0.75) & (times <= 0.95)
    assert np.abs(k[inside] - 0.42).max() < 1e-9
    assert np.abs(np.diff(k)).max() < 0.005, "it lets go over the whole fade"


def test_out_of_reach_is_reported_not_raised():
    tracks = (
        Keyframes(humanoid(), humanoid().rest_pose())
        .with_inertia({0.0: 3.0})
        .pin("LeftHand", to=(9.0, 0.0, 1.0))
    )
    tracks = tracks.with_path([PathKey(0.0, (0.0, 0.0, 1.0))])
    report = tracks.at([0.0]).report
    centre, inertia, hand = report.outcomes
    assert centre.met, "the centre of mass goes before the inertia"
    assert not inertia.met
    assert not hand.met
    assert (centre.priority, inertia.priority, hand.priority) == (0, 1, 2)
    assert report.message == "physics missed"


def test_a_missed_pin_is_no_missed_physics():
    rest = humanoid().rest_pose()
    tracks = (
        Keyframes(humanoid(), rest).pin("LeftHand", to=(0.0, 3.0, 1.0)).pin("RightHand", to=(0.0, -3.0, 1.0))
    )
    baked = poise.key(tracks, fps=30)
    assert baked.met
    assert not baked.report.met


# Fades ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", CHARACTERS)
def test_gains_fade_without_a_jump(character):
    """A hand pulled aside for a while: with finer sampling steps shrink in proportion, so nothing jumps."""
    q = standing(character)
    there = Kinematics(character, q).point("RightHand")[0] + [0.25, 0.0, 0.2]
    tracks = Keyframes(character, q).pin("RightHand", at=(0.3, 0.6), to=there, fade=0.2).pin("LeftToe")
    steps = []
    for count in (101, 201, 401):
        poses = tracks.at(np.linspace(0.0, 0.9, count)).q
        steps.append(np.abs(character.manifold.minus(poses[1:], poses[:-1])).max())
    assert steps[1] < 0.65 * steps[0]
    assert steps[2] < 0.65 * steps[1]
    hand = Kinematics(character, tracks.at([0.1, 0.3, 0.6, 0.8]).q).point("RightHand")
    assert np.abs(hand[1:3] - there).max() < 1e-4
    posed = tracks.evaluation.supple.softened(q)  # held limbs are never dead straight
    assert np.abs(hand[[0, 3]] - Kinematics(character, posed).point("RightHand")).max() < 1e-3


def test_where_the_path_ends_the_body_goes_on_from_there():
    """Beyond the path's ends the pose track stays carried as at the end, and letting go makes no jump."""
    character = humanoid()
    up, low = standing(character), standing(character, flex=0.4)
    tracks = Keyframes(character, {0.0: up, 1.0: low}).pin("LeftToe", to=(2.1, 0.1, 0.0))
    tracks = tracks.with_path([PathKey(0.2, (2.0, 0.0, 0.95)), PathKey(0.5, (2.0, 0.0, 0.9))])
    steps = []
    for count in (201, 401):
        poses = tracks.at(np.linspace(0.0, 1.0, count)).q
        steps.append(np.abs(character.manifold.minus(poses[1:], poses[:-1])).max())
    assert steps[1] < 0.6 * steps[0], "nothing jumps"
    free = tracks.without_pin("LeftToe").at([0.0, 0.9]).q
    com = Kinematics(character, free).com
    own = Kinematics(character, tracks.pose_track.at([0.0, 0.2, 0.5, 0.9])).com
    assert np.abs(com[0] - own[0] - ([2.0, 0.0, 0.95] - own[1])).max() < 1e-12
    assert np.abs(com[1] - own[3] - ([2.0, 0.0, 0.9] - own[2])).max() < 1e-12


def test_nothing_but_poses_is_the_pose_track():
    character = humanoid()
    tracks = Keyframes(character, {0.0: standing(character), 1.0: standing(character, flex=0.6)})
    times = np.linspace(-0.5, 1.5, 21)
    assert np.array_equal(tracks.at(times).q, tracks.pose_track.at(times))


def test_muted_tracks_are_as_if_they_were_not_there():
    tracks = hop(humanoid()).with_inertia({0.7: 0.4})
    times = frames(tracks)[::6]
    silent = tracks.replaced(
        pins=tuple(p.replaced(muted=True) for p in tracks.pins),
        path_muted=True,
        inertia=tracks.inertia.replaced(muted=True),
    )
    assert np.array_equal(silent.at(times).q, tracks.pose_track.at(times))


def test_a_character_that_stands_fast_is_not_carried():
    hang = Joint.hinge((0, 1, 0))
    mass = Mass(1.0, (0, 0, -0.5), np.eye(3) * 0.01)
    bodies = [Body("a", None, hang, mass=mass), Body("b", "a", hang, (0, 0, -1), mass=mass)]
    arm = Character("arm", bodies)
    goal = Kinematics(arm, [0.5, 0.3]).com[0]
    tracks = Keyframes(arm, [0.1, 0.2]).with_path([PathKey(0.0, tuple(goal))])
    assert np.abs(Kinematics(arm, tracks.at([0.0]).q).com[0] - goal).max() < 1e-9


# Spins ---------------------------------------------------------------------------------------------


def angular_momentum(tracks: Keyframes, times: Array) -> Array:
    """(T, 3), by differences of fourth order."""
    character, h = tracks.character, 1e-3
    ahead = [tracks.at(times + k * h).q for k in (-2, -1, 0, 1, 2)]
    d = [character.manifold.minus(q, ahead[2]) for q in ahead]
    v = (d[0] - 8 * d[1] + 8 * d[3] - d[4]) / (12 * h)
    return Kinematics(character, ahead[2], v).momentum[:, 3:]


@pytest.mark.parametrize("character", CHARACTERS)
def test_a_somersault_conserves_angular_momentum_and_lands_as_posed(character):
    tracks, whole = evaluated(character, True)
    plain = hop(character)
    momentum = tracks.evaluation.flight(0).rotation.momentum
    inside = np.linspace(TAKE_OFF + 0.1, LANDING - 0.1, 7)  # pins have let go
    assert np.abs(angular_momentum(tracks, inside) - momentum).max() < 1e-4 * np.linalg.norm(momentum)
    ends = np.array([TAKE_OFF, LANDING])
    difference = character.manifold.minus(tracks.at(ends).q, plain.at(ends).q)
    if character is planar_humanoid():
        difference[1, 2] -= 2 * np.pi  # the angle counts its turn
    assert np.abs(difference).max() < 1e-9
    assert whole.report.met


@pytest.mark.parametrize("character", CHARACTERS)
def test_turning_comes_and_goes_smoothly(character):
    """The root's turning rate does not jump where the spin begins and ends."""
    tracks = unpinned(somersault(character))
    for edge in (TAKE_OFF, LANDING):
        h = 1e-4
        near = tracks.at(edge + h * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])).q
        step = character.manifold.minus(near[1:], near[:-1]) / h
        root = slice(3, 6) if character is humanoid() else slice(2, 3)
        assert np.linalg.norm(step[2, root] - step[1, root]) < 0.15, "turning rate [rad/s] about the edge"


def test_without_room_the_jump_is_told():
    report = somersault(humanoid()).replaced(fade=0.0).at([0.8]).report
    assert any("turning jumps by" in warning for warning in report.warnings)


@pytest.mark.parametrize("character", CHARACTERS)
def test_a_given_momentum_goes_on_turned(character):
    """The body leaves the spin as turned as it came to be, and the report says by how much."""
    tracks = unpinned(somersault(character, momentum=(0.0, 20.0, 0.0)))
    turn = tracks.evaluation.flight(0).rotation.at([LANDING])[0]
    around = LANDING + np.array([-1e-5, 0.0, 1e-5])
    poses = tracks.at(around).q
    assert np.abs(character.manifold.minus(poses[1:], poses[:-1])).max() < 1e-3
    later = np.array([1.7])
    posed, after = tracks.replaced(spins=()).at(later).q, tracks.at(later).q
    if character is planar_humanoid():
        assert after[0, 2] - posed[0, 2] == pytest.approx(float(turn), abs=1e-9)
    else:
        got = so3.multiply(after[0, 3:7], so3.conjugate(posed[0, 3:7]))
        assert np.abs(so3.difference(got, turn)).max() < 1e-9
    assert any("ends turned by" in w for w in tracks.at([0.8]).report.warnings)


@pytest.mark.parametrize("gain", [1.0, 0.01])
@pytest.mark.parametrize("character", CHARACTERS)
def test_a_pin_that_pulls_in_the_air_is_warned_of(character, gain):
    """With how far the body is turned there; at any gain."""
    tracks = somersault(character).pin("LeftHand", at=(0.7, 0.9), to=(0.5, 0.0, 1.5), gain=gain)
    times = np.linspace(0.6, 1.0, 9)
    found = tracks.at(times)
    (said,) = [w for w in found.report.warnings if w.startswith("LeftHand pulls in a spin")]
    inside = times[1:-1]  # its gain is zero at both ends
    turns = tracks.evaluation.flight(0).rotation.at(inside)
    if character is planar_humanoid():
        turns = so3.exp(turns[:, None] * [0.0, 1.0, 0.0])
    most = np.degrees(2.0 * np.arccos(np.abs(turns[:, 0])).max())
    assert said.endswith(f"by up to {most:.3g}°")
    assert f"{inside[0]:.3f}–{inside[-1]:.3f} s" in said
    assert not [o for o in found.report.outcomes if o.name == "LeftHand"]


def test_in_the_plane_a_place_across_it_says_nothing():
    """Nothing can bring a planar figure's hand to y = 0: a pin there asks for x and z."""
    character = planar_humanoid()
    q = standing(character)
    hand = Kinematics(character, q).point("LeftHand")[0]
    assert abs(hand[1]) > 0.1
    found = Keyframes(character, q).pin("LeftHand", to=(hand[0] + 0.2, 0.0, hand[2] + 0.1)).at(0.0)
    assert found.report.met
    assert np.abs(Kinematics(character, found.q).point("LeftHand")[0] - hand - [0.2, 0.0, 0.1]).max() < 1e-4


def test_a_key_beyond_a_joint_limit_is_told():
    character = planar_humanoid()
    knee = character.dof_names.index("LeftLeg")
    q = np.array(standing(character))
    assert not Keyframes(character, q).at(0.0).report.warnings
    q[knee] = character.lower[knee] - 0.5
    (said,) = Keyframes(character, {0.3: q}).at(0.0).report.warnings
    assert said.startswith("the pose key at 0.3 s has LeftLeg 0.5 beyond its limit")


def test_two_spins_follow_one_another():
    character = planar_humanoid()
    tracks = unpinned(somersault(character)).with_spin(1.3, 1.5, momentum=(0.0, 5.0, 0.0))
    poses = tracks.at(np.linspace(0.0, 1.8, 361)).q
    assert np.abs(np.diff(poses[:, 2])).max() < 0.15
    assert tracks.at([1.75]).q[0, 2] > 2 * np.pi


# Baking --------------------------------------------------------------------------------------------


def test_a_bake_is_the_document_at_its_frames():
    tracks, _ = evaluated(humanoid(), False)
    calls = []
    baked = poise.key(tracks, fps="30000/1001", progress=calls.append)
    assert baked.clip.name == "hop"
    assert float(baked.clip.rate) == pytest.approx(29.97, abs=1e-3)
    assert baked.clip.frames == 54
    assert np.array_equal(baked.clip.q, tracks.at(baked.clip.times).q)
    assert calls == sorted(calls)
    assert calls[-1] == 1.0
    part = poise.key(tracks, fps=30, start=0.5, end=1.0).clip
    assert part.frames == 16
    assert np.array_equal(part.q, tracks.at(0.5 + np.arange(16) / 30).q)
    assert poise.key(tracks, fps=30, start=0.5, end=0.5).clip.frames == 1


def test_a_jump_between_frames_is_told():
    """A pin that comes and goes at once: that is keyed, so it stays."""
    character = humanoid()
    q = standing(character)
    there = Kinematics(character, q).point("RightHand")[0] + [0.4, 0.0, 0.5]
    sudden = (
        Keyframes(character, {0.0: q, 1.0: q})
        .pin("RightHand", at=(0.5, 0.8), to=there, fade=0.0)
        .pin("Chest")
    )
    found = [w for w in poise.key(sudden, fps=30).report.warnings if " jumps by " in w]
    assert len(found) == 2
    assert "between frames 14 and 15, 0.467 and 0.500 s: RightHand comes, goes or moves at once" in found[0]
    assert "between frames 24 and 25, 0.800 and 0.833 s" in found[1]
    smooth = poise.key(hop(character), fps=60).report
    assert not smooth.warnings


@pytest.mark.parametrize("span", [0.05, 0.1, 0.2])
def test_fast_is_not_a_jump(span):
    """A kick keyed and a hand thrown by a pin, from nothing to half a turn within two frames to six."""
    character = humanoid()
    q = standing(character)
    kick = pose(character, {"LeftUpLeg": ("0 deg", "-80 deg", "0 deg"), "LeftLeg": "5 deg"}, base=q)
    keys = {0.0: q, 0.5: q, 0.5 + span: kick, 0.5 + 2 * span: q, 1.5: q}
    assert not poise.key(Keyframes(character, keys).pin("RightHand"), fps=30).report.warnings
    hand = Kinematics(character, q).point("RightHand")[0]
    throw = {0.0: hand, 0.5: hand, 0.5 + span: hand + [0.4, 0.1, 0.5], 1.5: hand + [0.4, 0.1, 0.5]}
    said = poise.key(
        Keyframes(character, {0.0: q, 1.5: q}).pin("RightHand", to=throw).pin("Chest"), fps=30
    ).report
    assert not [w for w in said.warnings if "jump" in w]


def test_a_key_that_itself_jumps_is_meant():
    character = planar_humanoid()
    q = standing(character)
    lifted = pose(character, {"LeftArm": "-90 deg"}, base=q)
    keys = Track.of(character.manifold, {0.0: q, 0.5: lifted, 1.0: lifted}).changed(0, ease="hold")
    baked = poise.key(Keyframes(character, keys).pin("RightHand"), fps=30)
    turned = np.abs(np.diff(baked.clip.q[:, character.dof_names.index("LeftArm")]))
    assert turned.max() > 1.0
    assert not baked.report.warnings


def walk_under_a_leap() -> tuple[Clip, dict]:
    """A walk whose hand is held while its centre of mass is thrown up and back: legs go forward, or back."""
    document = {
        "pins": [{"point": "LeftHand", "at": [0.2, 0.6], "fade": 0.1}],
        "path": {
            "keys": [
                {
                    "time": 0.2,
                    "position": [0.273, 0.0118, 0.9865],
                    "template": {"kind": "projectile_3", "height": 1.287},
                },
                {"time": 0.6667, "position": [0.2188, 0.0065, 0.9839]},
            ]
        },
        "inertia": {"measure": "gyration", "keys": [{"time": 0.2, "value": 0.4018}]},
    }
    return clips.get("walk"), document


def test_tracks_that_disagree_do_not_pop_and_are_named():
    """The document does, at every frame rate; its bake goes over, and nothing strict gives."""
    clip, data = walk_under_a_leap()
    poses = [{"time": float(t), "q": q.tolist()} for t, q in zip(clip.times, clip.q)]
    tracks = Keyframes.from_dict({"version": 1, "character": "humanoid", "poses": poses, **data})
    found = at_frames(tracks, clip.times)
    step = character_steps(clip.character, tracks.at(clip.times).q, "LeftUpLeg")
    k = int(step.argmax())
    assert step[k] > 1.0, "the document pops"
    assert character_steps(clip.character, found.q, "LeftUpLeg")[k - 8 : k + 9].max() < 0.25
    (said,) = [w for w in found.report.warnings if " jump " in w]
    assert re.match(r"LeftUpLeg would jump by \d+° at 0.34\d s, where the document's tracks disagree", said)


def test_nothing_strict_gives_on_the_way_over_a_fold():
    """Centre of mass and inertia keyed right through the passage."""
    clip, data = walk_under_a_leap()
    poses = [{"time": float(t), "q": q.tolist()} for t, q in zip(clip.times, clip.q)]
    tracks = Keyframes.from_dict({"version": 1, "character": "humanoid", "poses": poses, **data})
    tracks = tracks.with_inertia({0.2: 0.4018, 0.5: 0.36})
    inside = np.linspace(0.2, 0.5, 61)
    over = over_folds(tracks, tracks.evaluation.poses, inside)
    (passage,) = over.passages
    assert passage.inside(inside).sum() > 50
    poses, alone = over.poses(inside), tracks.at(inside).q
    kin = Kinematics(clip.character, poses)
    assert np.abs(kin.com - tracks.path.at(inside).position).max() < 1e-9
    assert np.abs(tracks.inertia.handle.value(kin) - tracks.inertia.values.at(inside)).max() < 1e-9
    assert character_steps(clip.character, alone, "LeftUpLeg").max() > 1.0
    assert character_steps(clip.character, poses, "LeftUpLeg").max() < 0.1


def character_steps(character: Character, q: Array, name: str) -> Array:
    """How far a joint turns from frame to frame [rad], (F − 1,)."""
    own = character.manifold.minus(q[1:], q[:-1])[:, character.dofs(name)]
    return np.linalg.norm(own, axis=1)


def test_bakes_that_cannot_be():
    tracks = hop(humanoid())
    with pytest.raises(InputError, match="before the start"):
        poise.key(tracks, fps=30, start=1.0, end=0.5)
    with pytest.raises(InputError, match=r"fps.*> 0"):
        poise.key(tracks, fps=0)
    with pytest.raises(InputError, match="frames, more than"):
        poise.key(tracks, fps=1e9)

    def stop(part: float) -> None:
        raise CancelledError("enough")

    with pytest.raises(CancelledError):
        poise.key(tracks, fps=30, progress=stop)
