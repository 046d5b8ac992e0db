"""Characters and analytic motions for the tests of clips, and a forward kinematics of their own."""

from __future__ import annotations

import numpy as np

from poise.character import Body, Character, Joint, JointKind
from poise.manifold import so3
from poise.motion import Clip

TWIST = so3.exp([0.3, -0.5, 0.9])


def biped(*, lopsided: float = 0.0, lame_axis: bool = False) -> Character:
    """Free root, all joint kinds, left and right frames that are *not* mirror images of one another."""
    mirror = np.diag([1.0, -1.0, 1.0])
    bodies = [
        Body("pelvis", None, Joint.free(), offset=(0, 0, 1.0), limb="spine"),
        Body("chest", "pelvis", Joint.ball(), offset=(0.02, 0, 0.3), rest=so3.exp([0, 0.2, 0]), limb="spine"),
        Body("head", "chest", Joint.ball(), offset=(0, 0, 0.25), limb="head"),
        Body("halo", "head", Joint.free(), offset=(0, 0, 0.2), rest=so3.exp([0, 0.1, 0])),
        Body("tail", "pelvis", Joint.slide((1, 0, 0.2)), offset=(-0.1, 0, 0)),
    ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        s = np.diag([1.0, sign, 1.0])
        arm = so3.exp(np.array([0.4, 0.3 * sign, 0.2])) if sign > 0 else TWIST
        world = so3.to_matrix(arm)  # the upper arm's own frame, differing without symmetry
        elbow = s @ np.array([0.01, 0.28, 0.0]) + [lopsided if sign > 0 else 0.0, 0, 0]
        axis = np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0])
        # An axis is a pseudo-vector: mirrored it is −S a. On the right the hinge counts the other way too.
        hinge = axis if sign > 0 else mirror @ axis
        if lame_axis and sign < 0:
            hinge = np.array([1.0, 0.0, 0.0])
        chest = so3.to_matrix(so3.exp([0, 0.2, 0]))
        bodies += [
            Body(
                f"{side}Arm",
                "chest",
                Joint.ball(),
                offset=chest.T @ (s @ [0, 0.2, 0.2]),
                rest=so3.from_matrix(chest.T @ world),
                side=side.lower(),
                limb="arm",
            ),
            Body(
                f"{side}ForeArm",
                f"{side}Arm",
                Joint.hinge(world.T @ hinge),
                offset=world.T @ elbow,
                side=side.lower(),
                limb="arm",
            ),
            Body(
                f"{side}Piston",
                f"{side}ForeArm",
                Joint.slide(world.T @ (s @ [0, 1.0, 0.0])),
                offset=world.T @ (s @ [0, 0.25, 0]),
                side=side.lower(),
            ),
            Body(
                f"{side}UpLeg",
                "pelvis",
                Joint.ball(),
                offset=s @ [0, 0.1, -0.05],
                side=side.lower(),
                limb="leg",
            ),
            Body(
                f"{side}Leg",
                f"{side}UpLeg",
                Joint.hinge((0, 1, 0)),
                offset=(0, 0, -0.45),
                side=side.lower(),
                limb="leg",
            ),
            Body(
                f"{side}Foot",
                f"{side}Leg",
                Joint.fixed(),
                offset=(0.05, 0, -0.45),
                side=side.lower(),
                limb="foot",
            ),
        ]
    return Character("biped", bodies)


def walker() -> Character:
    """Planar root and hinged legs."""
    bodies = [Body("hips", None, Joint.planar(), offset=(0, 0, 0.9))]
    for letter in "lr":
        bodies += [
            Body(
                f"thigh_{letter}",
                "hips",
                Joint.hinge((0, 1, 0)),
                offset=(0, 0.1 if letter == "l" else -0.1, 0),
            ),
            Body(f"shin_{letter}", f"thigh_{letter}", Joint.hinge((0, 1, 0)), offset=(0, 0, -0.45)),
        ]
    return Character("walker", bodies)


def crane() -> Character:
    """A fixed root with a ball and a hinge; nothing travels."""
    return Character(
        "crane",
        [
            Body("base", None, Joint.fixed(), offset=(0.5, 0.25, 0)),
            Body("boom", "base", Joint.ball(), offset=(0, 0, 0.5)),
            Body("hook", "boom", Joint.hinge((0, 1, 0)), offset=(0.6, 0, 0)),
        ],
    )


CHARACTERS = {"biped": biped, "walker": walker, "crane": crane}


def analytic(
    character: Character, seed: int = 0, *, size: float = 0.5, base: float = 1.0, harmonics: int = 2
):
    """A smooth motion q(t), (T,) → (T, nq), of period 1 / base: q0 ⊕ a(t) ⊕ b(t) with a, b sums of sines."""
    rng = np.random.default_rng(seed)
    manifold = character.manifold
    k = np.arange(1, harmonics + 1)
    amplitude = size * rng.normal(size=(2, harmonics, character.nv)) / k[:, None]
    phase = rng.uniform(0, 2 * np.pi, size=(2, harmonics, character.nv))
    start = manifold.plus(character.rest_pose(), 0.3 * rng.normal(size=character.nv))

    def q(t):
        angle = 2 * np.pi * base * np.multiply.outer(np.asarray(t, dtype=float), k)[..., None]
        a = (amplitude[0] * np.sin(angle + phase[0])).sum(axis=-2)
        b = (amplitude[1] * np.sin(angle + phase[1])).sum(axis=-2)
        return manifold.plus(manifold.plus(start, a), b)

    return q


def polynomial(character: Character, seed: int, degree: int = 2):
    """A motion whose tangent coordinates from a random pose are polynomials; rotations about fixed axes."""
    rng = np.random.default_rng(seed)
    start = character.manifold.plus(character.rest_pose(), 0.2 * rng.normal(size=character.nv))
    direction = rng.normal(size=character.nv)
    c = rng.normal(size=degree) * 0.5

    def q(t):
        s = sum(ck * t ** (k + 1) for k, ck in enumerate(c))
        return character.manifold.plus(start, np.multiply.outer(s, direction))

    return q


def sampled(character: Character, motion, rate, frames: int, **more) -> Clip:
    clip = Clip(character, motion(np.zeros(1)), rate)
    times = np.array([float(k / clip.rate) for k in range(frames)])
    return Clip(character, motion(times), rate, **more)


def forward(character: Character, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World positions (F, n, 3) and rotations (F, n, 3, 3), straight from the definition of joints."""
    frames, n = len(q), len(character.bodies)
    x, r = np.zeros((frames, n, 3)), np.zeros((frames, n, 3, 3))
    for i, body in enumerate(character.bodies):
        up = int(character.parents[i])
        xp, rp = (
            (x[:, up], r[:, up]) if up >= 0 else (np.zeros((frames, 3)), np.tile(np.eye(3), (frames, 1, 1)))
        )
        own = q[:, character.coordinates(i)]
        offset, rest = np.asarray(body.offset), so3.to_matrix(body.rest)
        axis = np.asarray(body.joint.axis)
        t, turn = np.tile(offset, (frames, 1)), np.tile(rest, (frames, 1, 1))
        match body.joint.kind:
            case JointKind.FREE:
                t, turn = own[:, :3], so3.to_matrix(own[:, 3:])
            case JointKind.PLANAR:
                t = np.stack([own[:, 0], np.full(frames, offset[1]), own[:, 1]], axis=1)
                turn = so3.to_matrix(so3.exp(own[:, 2:] * np.array([0.0, 1.0, 0.0])))
            case JointKind.BALL:
                turn = rest @ so3.to_matrix(own)
            case JointKind.HINGE:
                turn = rest @ so3.to_matrix(so3.exp(own * axis))
            case JointKind.SLIDE:
                t = offset + own * (rest @ axis)
        x[:, i] = xp + np.einsum("fij,fj->fi", rp, t)
        r[:, i] = rp @ turn
    return x, r


def apart(character: Character, a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two motions, as tangent vectors (blind to quaternion signs)."""
    return float(np.abs(character.manifold.minus(a, b)).max(initial=0.0))


def left_velocity(manifold, q: np.ndarray, dt: float) -> np.ndarray:
    """Velocity at the last of six frames, exact for polynomials of degree five in the tangent space there."""
    d = manifold.minus(q[-6:], q[-1])  # (6, nv)
    weights = np.array([-12.0, 75.0, -200.0, 300.0, -300.0, 137.0]) / 60.0
    return weights @ d / dt


def right_velocity(manifold, q: np.ndarray, dt: float) -> np.ndarray:
    """Velocity at the first of six frames."""
    return -left_velocity(manifold, q[5::-1], dt)
