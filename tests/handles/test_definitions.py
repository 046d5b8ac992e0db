"""Every kind of handle is what its definition says, by kinematics in plain numpy and sums over bodies."""

from __future__ import annotations

import numpy as np
import pytest
from handle_examples import EXAMPLES, examples

from poise.character import Character, presets
from poise.errors import UnknownNameError
from poise.handles import Handle, On, handle_from_dict
from poise.kinematics import Kinematics
from poise.manifold import so3

STEP = 1e-6


class Seen:
    """A pose as plain matrices, and the same a moment later."""

    def __init__(self, character: Character, q: np.ndarray, v: np.ndarray) -> None:
        self.character, self.q = character, q
        self.places, self.turns = self._placed(q)
        self.later, self.before = (
            self._centres(character.manifold.plus(q, s * STEP * v)) for s in (1.0, -1.0)
        )
        self.masses = np.array([b.mass.mass for b in character.bodies])
        self.centres = self._centres(q)[0]

    def _placed(self, q):
        at, turn = self.character.placement(q[None])
        return np.asarray(at).reshape(-1, 3), np.asarray(turn).reshape(-1, 3, 3)

    def _centres(self, q):
        at, turn = self._placed(q)
        own = np.array([b.mass.centre for b in self.character.bodies])
        return at + np.einsum("nij,nj->ni", turn, own), turn

    @property
    def velocities(self):
        """Of the bodies' centres [m/s], and their angular velocities, world axes [rad/s]."""
        linear = (self.later[0] - self.before[0]) / (2 * STEP)
        spin = [so3.log(so3.from_matrix(a @ b.T)) / (2 * STEP) for a, b in zip(self.later[1], self.before[1])]
        return linear, np.array(spin)

    def place(self, item):
        if isinstance(item, On):
            base = self.character.point(item.point)
            return self.places[base.body] + self.turns[base.body] @ (base.position + np.array(item.offset))
        if isinstance(item, str):
            return self.place(On(item))
        return np.array(item)

    def direction(self, way):
        """A direction as it is written in a file."""
        if "start" in way:
            a, b = (On(**x) if isinstance(x, dict) else x for x in (way["start"], way["end"]))
            line = self.place(b) - self.place(a)
        elif way.get("body"):
            line = self.turns[self.character.index(way["body"])] @ np.array(way["vector"])
        else:
            line = np.array(way["vector"])
        return line / np.linalg.norm(line)

    @property
    def centre(self):
        return self.masses @ self.centres / self.masses.sum()

    @property
    def inertia(self):
        """About the centre of mass, world axes (3, 3): ∑ R I Rᵀ + m (|r|² 1 − r rᵀ)."""
        total = np.zeros((3, 3))
        for body, turn, place in zip(self.character.bodies, self.turns, self.centres):
            r = place - self.centre
            total += turn @ np.asarray(body.mass.inertia) @ turn.T
            total += body.mass.mass * (r @ r * np.eye(3) - np.outer(r, r))
        return total

    @property
    def momenta(self):
        linear, spin = self.velocities
        about = np.zeros(3)
        for k, body in enumerate(self.character.bodies):
            own = self.turns[k] @ np.asarray(body.mass.inertia) @ self.turns[k].T
            about += own @ spin[k] + body.mass.mass * np.cross(self.centres[k] - self.centre, linear[k])
        return self.masses @ linear, about


def _axes(handle: Handle) -> list[int]:
    return ["xyz".index(letter) for letter in handle.axes]


def _radii(seen: Seen) -> np.ndarray:
    """√ of the eigenvalues of the covariance over the mass, C = ½ tr(I) 1 − I, longest first."""
    covariance = 0.5 * np.trace(seen.inertia) * np.eye(3) - seen.inertia
    return np.sqrt(np.linalg.eigvalsh(covariance / seen.masses.sum()).clip(0.0))[::-1]


def _inertia(handle, seen):
    upper = np.triu_indices(3)
    match handle.measure:
        case "tensor":
            return seen.inertia[upper]
        case "planar":
            return seen.inertia[[1], [1]]
        case "gyration":
            return np.linalg.norm(_radii(seen), keepdims=True)
        case "radii":
            return _radii(seen)
        case "shape":
            covariance = 0.5 * np.trace(seen.inertia) * np.eye(3) - seen.inertia
            squares, axes = np.linalg.eigh(covariance / seen.masses.sum())
            return ((axes * np.sqrt(squares.clip(0.0))) @ axes.T)[upper]


def _look(handle, seen):
    eye = handle.eye if isinstance(handle.eye, On) else On(handle.eye)
    gaze = seen.turns[seen.character.point(eye.point).body] @ np.array(handle.axis)
    way = seen.place(handle.at) - seen.place(eye)
    way /= np.linalg.norm(way)
    axis = np.cross(gaze, way)
    return np.arccos(np.clip(gaze @ way, -1, 1)) * axis / np.linalg.norm(axis)


def _joint(handle, seen):
    q = seen.q[seen.character.coordinates(handle.joint)]
    rotation = len(q) in (4, 7)
    whole = np.concatenate([q[:-4], so3.log(q[-4:])]) if rotation else q
    return whole if handle.components is None else whole[list(handle.components)]


def _angle(handle, seen):
    a, b = (seen.direction(handle.to_dict()[key]) for key in "ab")
    return np.arccos(np.clip([a @ b], -1, 1))


DEFINED = {
    "point_position": lambda h, s: s.place(h.point)[_axes(h)],
    "attachment_point": lambda h, s: s.place(On(h.bone, h.place))[_axes(h)],
    "point_difference": lambda h, s: (s.place(h.b) - s.place(h.a))[_axes(h)],
    "body_orientation": lambda h, s: so3.from_matrix(s.turns[s.character.index(h.body)]),
    "centre_of_mass": lambda h, s: s.centre[_axes(h)],
    "rotational_inertia": _inertia,
    "linear_momentum": lambda h, s: s.momenta[0][_axes(h)],
    "angular_momentum": lambda h, s: s.momenta[1][_axes(h)],
    "distance": lambda h, s: [np.linalg.norm(s.place(h.b) - s.place(h.a))],
    "plane_distance": lambda h, s: [(s.place(h.point) - np.array(h.through)) @ np.array(h.normal)],
    "angle": _angle,
    "look_at": _look,
    "joint_value": _joint,
    "pose": lambda h, s: s.q if "*" in h.to_dict()["joints"] else None,
}


def test_every_kind_is_defined():
    assert set(DEFINED) == set(EXAMPLES)


@pytest.mark.parametrize("name", ["humanoid", "planar_humanoid", "lamp"])
@pytest.mark.parametrize("seed", [1, 2])
def test_values_are_what_the_definitions_say(name, seed):
    character, rng = presets.get(name), np.random.default_rng(seed)
    q = character.manifold.plus(character.rest_pose(), 0.5 * rng.normal(size=character.nv))
    v = rng.normal(size=character.nv)
    kin, seen = Kinematics(character, q, v), Seen(character, q, v)
    for handle in examples(character):
        wanted = DEFINED[handle.kind](handle, seen)
        if wanted is None:
            continue
        (got,) = handle.value(kin)
        if handle.kind == "body_orientation":
            wanted = wanted * np.sign(wanted @ got)
        scale = max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(got, wanted, atol=2e-7 * scale, err_msg=str(handle))


def _renamed(data, path=()):
    """Copies of a handle as data, in each of which another name of a body, point or joint is unknown."""
    if isinstance(data, str):
        if path[-1] not in ("kind", "axes", "measure", "attachment"):
            yield "nobody has this"
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from ({**data, key: other} for other in _renamed(value, (*path, key)))
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from ([*data[:k], other, *data[k + 1 :]] for other in _renamed(value, (*path, str(k))))


def test_every_unknown_name_of_every_handle_is_refused():
    character, tried = presets.get("humanoid"), 0
    for handle in examples(character):
        for broken in _renamed(handle.to_dict()):
            with pytest.raises(UnknownNameError, match="nobody has this"):
                handle_from_dict(broken).bind(character)
            with pytest.raises(UnknownNameError, match="nobody has this"):
                handle_from_dict(broken).check(character)
            tried += 1
    assert tried > 20
