"""Every kind of handle, and some that no package knows, are met by every solver that takes handles.

Whether they are is judged by the handle's own value and error on what is handed back. Only rates are refused,
where there is one pose alone. (``plan`` takes keys of points, bodies and the whole, not handles.)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "handles"))
from handle_examples import EXAMPLES

import poise
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Constraint, constrain
from poise.errors import InputError
from poise.handles import Handle, kinds
from poise.handles import handle as handle_registry
from poise.handles.form import GENERAL
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.pose.posture import limber
from poise.methods.key.pose.solve import solve
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.pin import hold
from poise.motion import Clip
from poise.operations.pose import Pose as AskedPose


@dataclass(frozen=True)
class HandSquare(Handle):
    """½ |x_left − x_right|² of the hands [m²]: neither a point nor an angle, in a unit of its own."""

    kind: ClassVar[str] = "outside: square"

    @property
    def label(self) -> str:
        return "half the squared distance of the hands"

    @property
    def units(self) -> tuple[str, ...]:
        return ("m²",)

    def check(self, character: Character) -> None:
        character.point("LeftHand")

    def _way(self, kin: Kinematics) -> Array:
        return kin.point("LeftHand") - kin.point("RightHand")

    def value(self, kin: Kinematics) -> Array:
        return 0.5 * np.sum(self._way(kin) ** 2, axis=1, keepdims=True)

    def jacobian(self, kin: Kinematics) -> Array:
        change = kin.point_jacobian("LeftHand") - kin.point_jacobian("RightHand")
        return self._way(kin)[:, None, :] @ change


@dataclass(frozen=True)
class Facing(Handle):
    """Rotation of the left hand against the right one, compared on its own curved space."""

    kind: ClassVar[str] = "outside: turn"

    @property
    def label(self) -> str:
        return "turn of the left hand against the right"

    @property
    def units(self) -> tuple[str, ...]:
        return ("rad",) * 3

    @property
    def size(self) -> int:
        return 4

    def check(self, character: Character) -> None:
        character.index("LeftHand")

    def value(self, kin: Kinematics) -> Array:
        left, right = (kin.rotations[:, kin.character.index(f"{side}Hand")] for side in ("Left", "Right"))
        return so3.from_matrix(np.swapaxes(right, 1, 2) @ left)

    def error(self, value: Array, target: Array) -> Array:
        return so3.difference(value, self.as_target(target, value))

    def between(self, a: Array, b: Array, s: Array) -> Array:
        return so3.slerp(a, b, s)

    def jacobian(self, kin: Kinematics) -> Array:
        left, right = (kin.character.index(f"{side}Hand") for side in ("Left", "Right"))
        turning = kin.angular_jacobian(left) - kin.angular_jacobian(right)
        return np.swapaxes(kin.rotations[:, left], 1, 2) @ turning

    def error_jacobian(self, kin: Kinematics, target: Array) -> Array:
        return so3.right_jacobian_inverse(self.error(self.value(kin), target)) @ self.jacobian(kin)


@dataclass(frozen=True)
class HandSpeed(Handle):
    """Velocity of the left hand [m/s], as a rate of its own."""

    kind: ClassVar[str] = "outside: speed"
    needs_velocity: ClassVar[bool] = True

    @property
    def label(self) -> str:
        return "velocity of the left hand"

    @property
    def units(self) -> tuple[str, ...]:
        return ("m/s",) * 3

    def check(self, character: Character) -> None:
        character.point("LeftHand")

    def value(self, kin: Kinematics) -> Array:
        return np.einsum("fan,fn->fa", kin.point_jacobian("LeftHand"), kin.v)

    def jacobian(self, kin: Kinematics) -> Array:
        character, v, step = kin.character, kin.v, 1e-6
        moves = step * np.concatenate([np.eye(character.nv), -np.eye(character.nv)])
        q = character.manifold.plus(kin.q[:, None], moves)
        moved = Kinematics(character, q.reshape(-1, character.nq), np.repeat(v, len(moves), axis=0))
        rate = self.value(moved).reshape(kin.frames, 2, character.nv, 3)
        return np.swapaxes(rate[:, 0] - rate[:, 1], 1, 2) / (2 * step)

    def velocity_jacobian(self, kin: Kinematics) -> Array:
        return kin.point_jacobian("LeftHand")


OUTSIDE = {handle.kind: handle for handle in (HandSquare(), Facing(), HandSpeed())}
for name in OUTSIDE:
    del handle_registry._registry[name]  # other tests cover every kind that they find


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made known as a package would, while a test of this file runs."""
    for name, handle in OUTSIDE.items():
        monkeypatch.setitem(handle_registry._registry, name, type(handle))


KINDS = [*EXAMPLES, *OUTSIDE]
TOLERANCE = {"m": 1e-4, "rad": 1e-3, "m/s": 1e-2, "kg·m/s": 0.05, "kg·m²/s": 0.05, "kg·m²": 1e-3, "m²": 1e-4}


def of_kind(kind: str, character: Character) -> list[Handle]:
    made = [OUTSIDE[kind]] if kind in OUTSIDE else EXAMPLES[kind](character)
    return [handle.bind(character) for handle in made]


def tolerance(handle: Handle) -> float:
    return max(TOLERANCE[unit] for unit in handle.units)


def off(handle: Handle, kin: Kinematics, target: Array) -> float:
    return float(np.abs(handle.error(handle.value(kin), target)).max())


@pytest.fixture(scope="module")
def character() -> Character:
    return poise.characters.get("humanoid")


def near(character: Character, q: Array, seed: int, size: float = 0.12) -> Array:
    """Another pose, inside all limits."""
    free = PoseSolver(character, [])
    moved = character.manifold.plus(q, size * np.random.default_rng(seed).normal(size=character.nv))
    return free.solve(moved, moved, []).q[0]


def test_the_walk_covers_every_registered_kind() -> None:
    assert set(kinds()) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0, None])
def test_a_pose_meets_it(kind: str, level: int | None, character: Character) -> None:
    """Strictly, to what numbers hold; softly, when it is pulled as firmly as can be."""
    rest = near(character, character.rest_pose(), 1)
    dt = 0.05
    for k, handle in enumerate(of_kind(kind, character)):
        there = near(character, rest, 10 + k)
        options, kin = {}, Kinematics(character, there)
        if handle.needs_velocity:
            kin = Kinematics(character, rest, character.manifold.minus(there, rest)[None] / dt)
            options = {"previous": rest, "dt": dt}
        target = handle.value(kin)[0]
        solver = PoseSolver(character, [Task(handle, level)], momentum=handle.needs_velocity)
        solved = solver.solve(rest, rest, [target], [1.0], **options)
        assert solved.settled.all(), handle.label
        found = Kinematics(character, solved.q)
        if handle.needs_velocity:
            found = Kinematics(character, rest, character.manifold.minus(solved.q, rest) / dt)
        miss = off(handle, found, target)
        assert miss < (1e-7 if level == 0 else tolerance(handle)), f"{handle.label}: {miss}"
        np.testing.assert_allclose(solved.errors[0], handle.error(handle.value(found), target), atol=1e-8)
        x = character.manifold.minus(solved.q[0], character.manifold.neutral())
        plain = np.setdiff1d(np.arange(character.nv), character.manifold.rotation_slots[1].ravel())
        assert (x[plain] <= np.asarray(character.upper)[plain] + 1e-9).all(), "limits hold for all rows"


@pytest.mark.parametrize("kind", [k for k in KINDS if k in OUTSIDE or k in ("pose", "attachment_point")])
def test_general_rows_keep_their_level(kind: str, character: Character) -> None:
    """A compiled row above is not moved by a general one that contradicts it, and the other way round."""
    handle = of_kind(kind, character)[0]
    if handle.needs_velocity:
        pytest.skip("its level is that of momentum, tried elsewhere")
    rest = near(character, character.rest_pose(), 2)
    place = poise.handles.PointPosition("LeftHand")
    far = place.value(Kinematics(character, rest))[0] + [0.0, 0.1, 0.1]
    away = handle.value(Kinematics(character, near(character, rest, 3, 0.3)))[0]
    first = PoseSolver(character, [Task(place, 0), Task(handle, 1)]).solve(rest, rest, [far, away])
    assert first.settled.all()
    assert np.abs(first.errors[0]).max() < 1e-8
    second = PoseSolver(character, [Task(handle, 0), Task(place, 1)]).solve(rest, rest, [away, far])
    assert second.settled.all()
    assert np.abs(second.errors[0]).max() < 1e-7


def test_poses_of_general_rows_have_the_same_bits_in_any_batch(character: Character) -> None:
    rng, handles = np.random.default_rng(4), [HandSquare(), Facing(), poise.handles.CentreOfMass()]
    q = character.manifold.plus(
        np.repeat([character.rest_pose()], 5, axis=0), 0.1 * rng.normal(size=(5, character.nv))
    )
    kin = Kinematics(character, q[::-1])
    targets = [handle.value(kin) for handle in handles]
    solver = PoseSolver(character, [Task(h, k) for k, h in enumerate(handles)])
    whole = solver.solve(q, q, targets)
    order = [3, 0, 4]
    part = solver.solve(q[order], q[order], [t[order] for t in targets])
    np.testing.assert_array_equal(whole.q[order], part.q)


@pytest.mark.parametrize("kind", KINDS)
def test_one_pose_alone_has_no_rates(kind: str, character: Character) -> None:
    for handle in of_kind(kind, character):
        held = constrain(handle, handle.value(_moving(character, handle))[0], 0.0)
        if handle.needs_velocity:
            with pytest.raises(InputError, match="is a rate, and one pose alone has none"):
                solve(character, [held], AskedPose())
            with pytest.raises(InputError, match="is a rate"):
                hold(handle)
        else:
            assert solve(character, [held], AskedPose()).report.met, handle.label


def _moving(character: Character, handle: Handle) -> Kinematics:
    v = np.full((1, character.nv), 0.1) if handle.needs_velocity else None
    return Kinematics(character, character.rest_pose()[None], v)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "outside: speed" and "momentum" not in k])
def test_key_frames_meet_a_pin_of_it(kind: str, character: Character) -> None:
    """Limbs that are held keep short of straight (``Supple``): so do these poses."""
    handle = of_kind(kind, character)[0]
    rest = limber(character, near(character, character.rest_pose(), 1))
    there = limber(character, near(character, rest, 10))
    target = handle.value(Kinematics(character, there))[0]
    keyframes = Keyframes(character, {0.0: rest, 1.0: rest}).pin(handle, to=target, name="it")
    found = keyframes.at([0.0, 0.4, 1.0])
    assert off(handle, Kinematics(character, found.q), target) < tolerance(handle)
    assert next(o for o in found.report.outcomes if o.name == "it").error < 3 * tolerance(handle)


@pytest.fixture(scope="module")
def punch() -> Clip:
    whole = poise.clips.get("punch")
    return Clip(whole.character, whole.q[:60], whole.rate)


FRAME = 30


def asked(handle: Handle, clip: Clip, seed: int = 5) -> tuple[Constraint, Array]:
    """A constraint at a frame, its target that of another pose close by."""
    character, q = clip.character, clip.q[FRAME]
    there = near(character, q, seed, 0.04)[None]
    v = clip.velocity[FRAME : FRAME + 1]
    kin = Kinematics(character, there, 1.05 * v if handle.needs_velocity else None)
    target = handle.value(kin)[0]
    return constrain(handle, target, FRAME / clip.fps, name="it"), target


def shown(clip: Clip, handle: Handle) -> Kinematics:
    v = clip.velocity[FRAME : FRAME + 1] if handle.needs_velocity else None
    return Kinematics(clip.character, clip.q[FRAME : FRAME + 1], v)


@pytest.mark.parametrize("kind", KINDS)
def test_adapt_meets_it(kind: str, punch: Clip) -> None:
    for handle in of_kind(kind, punch.character):
        held, target = asked(handle, punch)
        result = poise.adapt(punch, [held], plants=False)
        miss = off(handle, shown(result.clip, handle), target)
        assert miss < tolerance(handle), f"{handle.label}: {miss}"
        assert result.met


@pytest.mark.parametrize("kind", KINDS)
def test_hit_meets_it(kind: str, punch: Clip) -> None:
    handle = of_kind(kind, punch.character)[0]
    held, target = asked(handle, punch)
    result = poise.hit(punch, [held], "tense", 0.2)
    miss = off(handle, shown(result.clip, handle), target)
    assert miss < tolerance(handle), f"{handle.label}: {miss}"
    assert result.met


def test_forms_and_handles_without_one(character: Character) -> None:
    """What has no form is general, and only that."""
    for kind in KINDS:
        for handle in of_kind(kind, character):
            form = handle.form(character)
            general = kind in OUTSIDE or kind in ("pose", "attachment_point")
            assert (form is None) == general, handle.label
            assert form is None or form.kind != GENERAL
