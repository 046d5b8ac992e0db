"""The acted clips, measured: feet, limits, balance, flight, blows and beats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from poise.character import Point, presets
from poise.character.shape import ShapeKind
from poise.clips.author import drum as drums
from poise.clips.author import jump as jumps
from poise.clips.author import punch as punches
from poise.clips.author import reach as reaches
from poise.clips.author.drum import drum
from poise.clips.author.punch import punch
from poise.clips.author.puppet import Puppet
from poise.clips.author.reach import reach
from poise.clips.author.wave import wave
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.sheet.keyframes import Keyframes
from poise.motion import Clip

AUTHORS = {"punch": punch, "wave": wave, "reach": reach, "drum": drum}
FISTS = {"punch", "drum"}
SECONDS = {"jump": 2.6, "punch": 1.9, "wave": 3.2, "reach": 3.0, "drum": 2.4}
SOLE = [side + point for side in ("Left", "Right") for point in ("Heel", "Ball", "Toe")]
PIVOTING = {"punch": {"RightToe"}}
"""Points that turn about the ball of their foot: they move without sliding."""
CALM = {"jump": 1050.0, "punch": 850.0, "wave": 120.0, "reach": 120.0, "drum": 560.0}
"""Bounds of joint accelerations [rad/s²]: what a blow and a take-off need, and no more. The arms of the jump
turn about themselves as they give the body the spin that its feet cannot."""
SUNK = {"jump": 6e-4}
"""How deep soles may be [m]: those of clips that are put on the ground stand there to half a millimetre."""
FLESH = [
    ("Arm", 0.22, 0.035),
    ("Arm", 0.29, 0.04),
    ("ForeArm", 0.10, 0.036),
    ("ForeArm", 0.20, 0.03),
    ("Hand", 0.07, 0.03),
]
"""Places on an arm: bone, distance along it, radius there [m]."""
EVERY = ("jump", *AUTHORS)
LEAVE, LAND = 69, 98
"""Frames of the jump: the last and the first with a foot on the ground."""


OVERREACH: dict[str, float] = {}
"""How much farther a limb was asked than it is long [m], by clip."""


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    out = {}
    for name, author in AUTHORS.items():
        puppet = Puppet(presets.humanoid(hands="fist" if name in FISTS else "open"))
        out[name] = author(puppet)
        OVERREACH[name] = puppet.overreach
    return out | {"jump": jumps.jump(presets.humanoid())}


def body(clip: Clip) -> Kinematics:
    return Kinematics(clip.character, clip.q, clip.velocity)


def angle(clip: Clip, joint: str) -> np.ndarray:
    return np.degrees(clip.q[:, clip.character.coordinates(joint)][:, 0])


def accelerations(clip: Clip) -> np.ndarray:
    """Second differences of all joints but the root, across the seam of a loop, (F, nv − 6)."""
    q = np.concatenate([clip.q, clip.q[:2]]) if clip.loop else clip.q
    velocity = clip.character.manifold.minus(q[1:], q[:-1]) * clip.fps
    return np.diff(velocity, axis=0)[:, 6:] * clip.fps


@pytest.mark.parametrize("name", AUTHORS)
def test_every_foot_and_hand_is_within_reach(clips: dict[str, Clip], name: str) -> None:
    assert name in clips
    assert OVERREACH[name] < 0


@pytest.mark.parametrize("name", EVERY)
class TestEveryClip:
    def test_length(self, clips: dict[str, Clip], name: str) -> None:
        clip = clips[name]
        assert clip.fps == 60
        assert clip.loop is (name == "drum")
        assert clip.duration == pytest.approx(SECONDS[name], abs=1e-12)

    def test_soles_neither_slide_nor_sink(self, clips: dict[str, Clip], name: str) -> None:
        points = body(clips[name])
        for point in SOLE:
            x = points.point(point)
            assert x[:, 2].min() > -SUNK.get(name, 1e-5), point
            if point in PIVOTING.get(name, ()):
                continue
            low = x[:, 2] < 5e-4
            down = low[:-3] & low[1:-2] & low[2:-1] & low[3:]  # neither coming down nor leaving
            moved = np.linalg.norm(np.diff(x[:, :2], axis=0), axis=-1)[1:-1]
            assert not down.any() or moved[down].max() < 2e-4, point

    def test_somebody_stands_on_the_ground(self, clips: dict[str, Clip], name: str) -> None:
        points = body(clips[name])
        lowest = np.min([points.point(point)[:, 2] for point in SOLE], axis=0)
        flying = lowest > SUNK.get(name, 1e-5)
        if name == "jump":
            assert np.flatnonzero(flying).tolist() == list(range(LEAVE + 1, LAND))
        else:
            assert not flying.any()

    def test_joint_limits(self, clips: dict[str, Clip], name: str) -> None:
        clip = clips[name]
        character = clip.character
        at = character.manifold.minus(clip.q, character.manifold.neutral())
        for dof in range(6, character.nv):
            low, high = character.lower[dof], character.upper[dof]
            assert at[:, dof].min() >= low - 1e-9, character.dof_names[dof]
            assert at[:, dof].max() <= high + 1e-9, character.dof_names[dof]

    def test_no_joint_pops(self, clips: dict[str, Clip], name: str) -> None:
        assert np.abs(accelerations(clips[name])).max() < CALM[name]

    def test_arms_stay_out_of_the_trunk(self, clips: dict[str, Clip], name: str) -> None:
        clip = clips[name]
        moving = body(clip)
        index = clip.character.index
        solids = [
            (index(part), shape)
            for part in ("Hips", "Spine", "Chest", "Head", "LeftUpLeg", "RightUpLeg")
            for shape in clip.character.bodies[index(part)].shapes
            if shape.kind is ShapeKind.ELLIPSOID
        ]
        for side, s in (("Left", 1.0), ("Right", -1.0)):
            for bone, along, radius in FLESH:
                at = moving.point(Point(index(side + bone), np.array([0.0, s * along, 0.0])))
                for part, shape in solids:
                    centre = moving.point(Point(part, np.asarray(shape.position)))
                    axes = moving.rotations[:, part] @ so3.to_matrix(shape.rotation)
                    inside = np.einsum("tji,tj->ti", axes, at - centre) / (np.asarray(shape.size) + radius)
                    assert np.linalg.norm(inside, axis=-1).min() > 1, (side + bone, part)

    def test_limbs_bend_and_never_lock(self, clips: dict[str, Clip], name: str) -> None:
        for side in ("Left", "Right"):
            assert angle(clips[name], f"{side}Leg").min() > 5
            assert angle(clips[name], f"{side}ForeArm").min() > 10

    def test_quaternions_do_not_flip(self, clips: dict[str, Clip], name: str) -> None:
        clip = clips[name]
        slots = clip.character.manifold.rotation_slots[0]
        assert (np.sum(clip.q[1:, slots] * clip.q[:-1, slots], axis=-1) > 0).all()

    def test_starts_and_ends_at_rest(self, clips: dict[str, Clip], name: str) -> None:
        clip = clips[name]
        if clip.loop:
            return
        steps = clip.character.manifold.minus(clip.q[1:], clip.q[:-1]) * clip.fps
        assert np.abs(steps[[0, -1]]).max() < 0.25

    def test_ends_as_it_began(self, clips: dict[str, Clip], name: str) -> None:
        clip = clips[name]
        if clip.loop:
            return
        gap = clip.character.manifold.minus(clip.q[-1], clip.q[0])
        gap[0] -= jumps.HOP if name == "jump" else 0.0
        assert np.abs(gap).max() < 0.02


@pytest.mark.parametrize("name", ["punch", "wave", "reach", "drum"])
def test_centre_of_mass_is_over_the_feet(clips: dict[str, Clip], name: str) -> None:
    points = body(clips[name])
    soles = np.stack([points.point(point) for point in SOLE], axis=1)  # (F, 6, 3)
    for frame, com in enumerate(points.com):
        planted = soles[frame, soles[frame, :, 2] < 1e-3, :2]
        hull = ConvexHull(planted)
        outside = hull.equations[:, :2] @ com[:2] + hull.equations[:, 2]
        assert outside.max() < 0, f"frame {frame} of {name}"


@pytest.fixture(scope="module", params=["humanoid", "planar_humanoid"])
def document(request: pytest.FixtureRequest) -> Keyframes:
    return jumps.JUMP.tracks(presets.get(request.param))


class TestJump:
    def test_lands_when_the_arc_does(self, document: Keyframes) -> None:
        assert document.path is not None
        assert document.path.hints == ()
        leap = jumps.JUMP
        due = sum(np.sqrt(2 * (leap.apex - z) / 9.81) for z in (leap.take_off[1], leap.touch_down[1]))
        assert document.spins[0].end - document.spins[0].start == pytest.approx(due, abs=1e-12)

    def test_flight_is_a_parabola(self, document: Keyframes) -> None:
        flight = document.spins[0]
        times = np.linspace(flight.start, flight.end, 60)
        com = Kinematics(document.character, document.at(times).q).com
        arc = np.polynomial.Polynomial.fit(times, com[:, 2], 2)
        np.testing.assert_allclose(com[:, 2], arc(times), atol=1e-9)
        assert arc.deriv(2)(0.0) == pytest.approx(-9.81, abs=1e-6)
        steady = np.polynomial.Polynomial.fit(times, com[:, 0], 1)
        np.testing.assert_allclose(com[:, 0], steady(times), atol=1e-9)
        assert com[:, 2].max() - com[0, 2] > 0.22

    def test_the_ground_only_pushes(self, clips: dict[str, Clip]) -> None:
        com = body(clips["jump"]).com
        force = np.diff(com, n=2, axis=0) * 3600 + [0, 0, 9.81]
        assert force[:, 2].min() > -0.02 * 9.81
        assert force[:, 2].max() < 3.3 * 9.81
        # Continuous: no jump of the force within a frame but what a landing needs.
        assert np.abs(np.diff(force[:, 2])).max() < 1.2 * 9.81

    def test_angular_momentum_in_flight_is_constant(self, document: Keyframes) -> None:
        flight, manifold = document.spins[0], document.character.manifold
        keys = np.array([key.time for key in document.pose_track.keys])
        times = np.linspace(flight.start + 0.003, flight.end - 0.003, 40)
        times = times[np.abs(times[:, None] - keys).min(axis=1) > 0.003]  # differences do not reach over keys
        step = 1e-3
        q = [document.at(times + k * step).q for k in (-2, -1, 0, 1, 2)]
        back, near, ahead, far = (manifold.minus(q[k], q[2]) for k in (0, 1, 3, 4))
        velocity = (8 * (ahead - near) - (far - back)) / (12 * step)
        spin = Kinematics(document.character, q[2], velocity).momentum[:, 3:]
        axes = slice(None) if manifold.rotation_slots[0].size else slice(1, 2)  # in the plane about y alone
        apart = np.abs(spin - spin.mean(axis=0))[:, axes].max()
        assert apart < 1e-6 * np.linalg.norm(spin[0])
        assert np.linalg.norm(spin[0]) > 3.0

    def test_swings_more_on_the_ground(self, clips: dict[str, Clip]) -> None:
        assert np.ptp(body(clips["jump"]).momentum[:, 4]) > 30.0

    def test_hands_draw_a_smooth_arc_through_take_off(self, clips: dict[str, Clip]) -> None:
        for side in ("Left", "Right"):
            way = body(clips["jump"]).point(f"{side}HandCentre")
            acceleration = np.linalg.norm(np.diff(way, n=2, axis=0), axis=-1) * 3600
            assert acceleration[LEAVE - 5 : LEAVE + 8].max() < 410  # thrown up


class TestPunch:
    contact = round(punches.CONTACT * 60)

    def test_speed_and_time(self, clips: dict[str, Clip]) -> None:
        fist = body(clips["punch"]).point("RightHandCentre")
        speed = np.linalg.norm(np.diff(fist, axis=0), axis=-1) * 60
        assert 6.0 < speed.max() < 9.0
        assert 0.70 < speed.argmax() / 60 < punches.CONTACT
        assert np.linalg.norm(fist[self.contact] - punches.TARGET) < 0.006
        assert fist[:, 0].max() - punches.TARGET[0] < 0.01

    def test_fist_arrives_on_a_line(self, clips: dict[str, Clip]) -> None:
        fist = body(clips["punch"]).point("RightHandCentre")[self.contact - 6 : self.contact + 1]
        assert np.linalg.norm(fist[-1] - fist[0]) > 0.3
        along = (fist[-1] - fist[0]) / np.linalg.norm(fist[-1] - fist[0])
        aside = (fist - fist[0]) - np.outer((fist - fist[0]) @ along, along)
        assert np.linalg.norm(aside, axis=-1).max() < 0.002

    def test_hips_then_chest_then_fist(self, clips: dict[str, Clip]) -> None:
        clip = clips["punch"]
        moving = body(clip)
        window = slice(27, self.contact + 1)
        peaks = []
        for name in ("Hips", "Chest"):
            peaks.append(int(moving.velocities[window, clip.character.index(name), 5].argmax()))
        fist = np.linalg.norm(np.gradient(moving.point("RightHandCentre"), axis=0), axis=-1)
        peaks.append(int(fist[window].argmax()))
        assert peaks[0] < peaks[1] < peaks[2]

    def test_eyes_on_the_target_and_guard_up(self, clips: dict[str, Clip]) -> None:
        moving = body(clips["punch"])
        look = moving.rotations[:, clips["punch"].character.index("Head"), :, 0]
        assert np.degrees(np.arctan2(np.abs(look[:, 1]), look[:, 0])).max() < 10
        guard = moving.point("LeftHandCentre") - moving.point("Nose")
        assert np.linalg.norm(guard, axis=-1).max() < 0.25

    def test_weight_goes_forward_not_back(self, clips: dict[str, Clip]) -> None:
        moving = body(clips["punch"])
        hips, neck = moving.point("Hips")[self.contact], moving.point("Head")[self.contact]
        assert neck[0] - hips[0] > 0.08
        assert moving.com[self.contact, 0] - moving.com[0, 0] > 0.08
        assert moving.point("RightHeel")[self.contact, 2] > 0.07


class TestWave:
    def test_three_waves_high_up(self, clips: dict[str, Clip]) -> None:
        moving = body(clips["wave"])
        hand = moving.point("RightFingertips")[48:146]
        assert (hand[:, 2] > moving.point("RightArm")[48:146, 2] + 0.15).all()
        speed = np.diff(hand[:, 1])
        assert np.count_nonzero(np.diff(np.sign(speed))) >= 5

    def test_elbow_follows_the_shoulder(self, clips: dict[str, Clip]) -> None:
        clip = clips["wave"]
        upper = body(clip).velocities[66:126, clip.character.index("RightArm"), 3]
        rate = np.gradient(angle(clip, "RightForeArm"))[66:126]
        lags = np.arange(-6, 7)
        match = [float(np.dot(np.roll(upper - upper.mean(), k), rate - rate.mean())) for k in lags]
        assert 1 <= abs(lags[int(np.argmax(np.abs(match)))]) <= 5


class TestReach:
    def test_looks_first(self, clips: dict[str, Clip]) -> None:
        clip = clips["reach"]
        moving = body(clip)
        look = moving.rotations[:, clip.character.index("Head"), 2, 0]
        hand = moving.point("RightHandCentre")[:, 2]
        looked = int(np.argmax(look > 0.5 * look.max()))
        moved = int(np.argmax(hand > hand[0] + 0.1 * np.ptp(hand)))
        assert looked + 6 <= moved

    def test_gets_there_on_its_toes(self, clips: dict[str, Clip]) -> None:
        moving = body(clips["reach"])
        hand = moving.point("RightHandCentre")
        top = int(hand[:, 2].argmax())
        assert np.linalg.norm(hand[top] - reaches.SHELF) < 0.003
        assert 1.3 < top / 60 < 1.65
        for side in ("Left", "Right"):
            assert moving.point(f"{side}Heel")[top, 2] > 0.05
            assert moving.point(f"{side}Toe")[top, 2] == pytest.approx(0.0, abs=1e-9)


class TestDrum:
    def test_hits_are_on_the_beat_and_on_the_drum(self, clips: dict[str, Clip]) -> None:
        moving = body(clips["drum"])
        for side, played in drums.PATTERN.items():
            hand = moving.point(f"{side}HandCentre")
            z = hand[:, 2]
            bottoms = np.flatnonzero((z < np.roll(z, 1)) & (z < np.roll(z, -1)))
            hits = [frame for frame in bottoms if z[frame] < drums.HEAD + 0.03]
            assert hits == [round(beat * drums.BEAT * 60) for beat in sorted(played)]
            np.testing.assert_allclose(z[hits], drums.HEAD, atol=1e-9)
            np.testing.assert_allclose(hand[hits, :2], [drums.TOM[side]] * len(hits), atol=2e-3)
            assert z.min() > drums.HEAD - 1e-4

    def test_strokes_go_outward_too(self, clips: dict[str, Clip]) -> None:
        moving = body(clips["drum"])
        for side, s in (("Left", 1.0), ("Right", -1.0)):
            hand = moving.point(f"{side}HandCentre")
            assert np.ptp(hand[:, 2]) > 0.3
            assert 0.12 < (s * hand[:, 1]).max() - (s * hand[:, 1]).min() < 0.25
            assert (s * hand[:, 1]).min() > 0.2  # nothing crosses
            # An open loop: the way up lies outside the way down.
            x, z = s * hand[:, 1], hand[:, 2]
            area = 0.5 * np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z)
            assert abs(area) > 0.01

    def test_seam_is_like_any_other_frame(self, clips: dict[str, Clip]) -> None:
        # A beat at the seam is an accent like the one on beat six; nothing else happens there.
        clip = clips["drum"]
        change = np.abs(np.diff(accelerations(clip), axis=0)).max(axis=1)
        assert change[-2:].max() <= change[:-2].max()
        step = np.abs(clip.character.manifold.minus(clip.q[0], clip.q[-1])).max()
        inside = np.abs(clip.character.manifold.minus(clip.q[1:], clip.q[:-1])).max()
        assert step <= inside
