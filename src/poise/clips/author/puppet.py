"""Poses the humanoid by what an animator thinks of: hips, spine, feet on the ground, hands in space.

All frames at once. Legs are solved exactly: hip ball (3), knee (1) and two ankle hinges are six
degrees of freedom for the foot's six; the knee's swivel is what makes the ankle come out without a
twist it does not have. Arms reach a point with the elbow towards a pole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.manifold import so3

SIDES = {"Left": 1.0, "Right": -1.0}
REACH = 0.9995
"""A limb is never straighter than this part of its length: straight knees pop."""


def about_x(angle: Array) -> Array:
    """Rotations about x, (…, 3, 3)."""
    return so3.to_matrix(so3.exp(np.asarray(angle)[..., None] * np.array([1.0, 0.0, 0.0])))


def about_y(angle: Array) -> Array:
    """Rotations about y, (…, 3, 3)."""
    return so3.to_matrix(so3.exp(np.asarray(angle)[..., None] * np.array([0.0, 1.0, 0.0])))


def about_z(angle: Array) -> Array:
    """Rotations about z, (…, 3, 3)."""
    return so3.to_matrix(so3.exp(np.asarray(angle)[..., None] * np.array([0.0, 0.0, 1.0])))


def turn(yaw: Array, pitch: Array, roll: Array) -> Array:
    """Yaw about z, then pitch about y (positive leans forward), then roll about x, (…, 3, 3)."""
    return about_z(yaw) @ about_y(pitch) @ about_x(roll)


def bend(flex: Array, side: Array, twist: Array) -> Array:
    """A piece of spine: forward bend, side bend to the left, twist to the left, (…, 3, 3)."""
    return about_y(flex) @ about_x(-np.asarray(side)) @ about_z(twist)


def hanging(side: str) -> Array:
    """Chest-from-upper-arm rotation of an arm that hangs down, (3, 3); at rest arms point sideways."""
    return about_x(np.array(-SIDES[side] * np.pi / 2))


@dataclass
class Footing:
    """Where a foot is over time."""

    ankle: Array  # (T, 3) world
    turn: Array  # (T, 3, 3) world-from-foot
    toes: Array  # (T,) extension of the toes [rad]


class Puppet:
    """The humanoid's measures, and the solvers that pose it."""

    def __init__(self, character: Character) -> None:
        self.character = character
        offset = {b.name: np.asarray(b.offset) for b in character.bodies}
        self.offset = offset
        self.thigh = float(np.linalg.norm(offset["LeftLeg"]))
        self.shin = float(np.linalg.norm(offset["LeftAnkle"]))
        self.upper_arm = float(np.linalg.norm(offset["LeftForeArm"]))
        hand = character.bodies[character.index("LeftHand")].points["LeftHandCentre"]
        self.forearm = float(np.linalg.norm(offset["LeftHand"])) + float(np.linalg.norm(hand))
        """Elbow to the middle of the hand."""
        heel = np.asarray(character.bodies[character.index("LeftFoot")].points["LeftHeel"])
        self.heel = heel * [1, 0, 1]
        """In the foot's frame (ankle at the origin)."""
        self.toe_joint = offset["LeftToeBase"] * [1, 0, 1]
        self.overreach = 0.0
        """The farthest any limb was asked beyond its length [m]."""

    # Feet ------------------------------------------------------------------------------------

    def rolling_foot(self, heel: Array, yaw: Array, pitch: Array) -> Footing:
        """A foot whose sole touches: toes up rolls on the heel, heel up rolls on the toe joint.

        ``heel`` (T, 3) is where the heel is (or would be) with the foot flat; ``pitch`` > 0 lifts the
        toes. The toes stay flat on the ground while the heel is up.
        """
        flat, tilted = about_z(yaw), about_z(yaw) @ about_y(-np.asarray(pitch))
        pivot = np.where((np.asarray(pitch) > 0)[..., None], self.heel, self.toe_joint)
        fixed = heel + np.einsum("...ij,...j->...i", flat, pivot - self.heel)
        ankle = fixed - np.einsum("...ij,...j->...i", tilted, pivot)
        return Footing(ankle, tilted, np.maximum(0.0, -np.asarray(pitch)))

    # Limbs -----------------------------------------------------------------------------------

    def _two_bones(self, start: Array, end: Array, upper: float, lower: float) -> tuple[Array, Array, Array]:
        """Direction to the end, flexion of the middle joint, angle between upper bone and direction."""
        way = end - start
        distance = np.linalg.norm(way, axis=-1)
        longest = (upper + lower) * REACH
        self.overreach = max(self.overreach, float(np.max(distance - longest)))
        reach = np.clip(distance, abs(upper - lower) + 1e-6, longest)
        flex = np.pi - np.arccos((upper**2 + lower**2 - reach**2) / (2 * upper * lower))
        lift = np.arccos((upper**2 + reach**2 - lower**2) / (2 * upper * reach))
        return way / distance[..., None], flex, lift

    def leg(self, side: str, hips: Array, hips_turn: Array, footing: Footing) -> dict[str, Array]:
        """Joint values of one leg that put the foot exactly where it should be."""
        socket = hips + np.einsum("...ij,j->...i", hips_turn, self.offset[f"{side}UpLeg"])
        way, knee, lift = self._two_bones(socket, footing.ankle, self.thigh, self.shin)
        forward = np.cross(footing.turn[..., :, 1], -way)
        forward /= np.linalg.norm(forward, axis=-1, keepdims=True)

        def swivelled(angle: Array) -> tuple[Array, Array]:
            ahead = so3.rotate(so3.exp(angle[..., None] * way), forward)
            c, s = np.cos(lift)[..., None], np.sin(lift)[..., None]
            up, front = -(c * way + s * ahead), c * ahead - s * way
            thigh = np.stack([front, np.cross(up, front), up], axis=-1)
            ankle = np.swapaxes(thigh @ about_y(knee), -1, -2) @ footing.turn
            return thigh, ankle

        def twist(ankle: Array) -> Array:
            return np.arctan2(ankle[..., 1, 0], ankle[..., 1, 1])

        before = np.zeros(way.shape[:-1])
        error_before = twist(swivelled(before)[1])
        now = before - error_before
        for _ in range(12):
            error = twist(swivelled(now)[1])
            change = error - error_before
            slope = np.where(np.abs(change) > 1e-14, change / np.where(now == before, 1.0, now - before), 1.0)
            before, error_before, now = now, error, now - error / np.where(np.abs(slope) > 0.05, slope, 1.0)
        thigh, ankle = swivelled(now)
        dorsal = np.arctan2(ankle[..., 0, 2], ankle[..., 2, 2])  # about +y
        inversion = -np.arcsin(np.clip(ankle[..., 1, 2], -1, 1))  # about +x
        return {
            f"{side}UpLeg": so3.from_matrix(np.swapaxes(hips_turn, -1, -2) @ thigh),
            f"{side}Leg": knee[..., None],
            f"{side}Ankle": (dorsal * self._axis(f"{side}Ankle")[1])[..., None],
            f"{side}Foot": (inversion * self._axis(f"{side}Foot")[0])[..., None],
            f"{side}ToeBase": (-footing.toes * self._axis(f"{side}ToeBase")[1])[..., None],
        }

    def arm_angles(
        self, side: str, flex: Array, abduct: Array, twist: Array, elbow: Array, hand: Array
    ) -> dict[str, Array]:
        """An arm by angles from hanging: forward, outward, turned outward; elbow; palm turned inward."""
        s = SIDES[side]
        upper = about_y(-np.asarray(flex)) @ about_x(s * np.asarray(abduct)) @ about_z(s * np.asarray(twist))
        return self._arm(side, upper, elbow, hand)

    def arm_reach(
        self, side: str, chest: Array, chest_turn: Array, target: Array, pole: Array, hand: Array
    ) -> dict[str, Array]:
        """An arm whose hand's middle is at ``target`` (T, 3), elbow towards ``pole`` (T, 3), world axes."""
        shoulder = chest + np.einsum("...ij,j->...i", chest_turn, self.offset[f"{side}Arm"])
        way, elbow, lift = self._two_bones(shoulder, target, self.upper_arm, self.forearm)
        out = pole - np.sum(pole * way, axis=-1, keepdims=True) * way
        out /= np.linalg.norm(out, axis=-1, keepdims=True)
        c, s = np.cos(lift)[..., None], np.sin(lift)[..., None]
        up, front = -(c * way + s * out), s * way - c * out
        upper = np.stack([front, np.cross(up, front), up], axis=-1)
        return self._arm(side, np.swapaxes(chest_turn, -1, -2) @ upper, elbow, hand)

    def _arm(self, side: str, upper: Array, elbow: Array, hand: Array) -> dict[str, Array]:
        return {
            f"{side}Arm": so3.from_matrix(upper @ hanging(side)),
            f"{side}ForeArm": np.asarray(elbow)[..., None],
            f"{side}Hand": np.asarray(hand)[..., None],
        }

    def _axis(self, name: str) -> Array:
        return np.asarray(self.character.bodies[self.character.index(name)].joint.axis)

    # Whole body ------------------------------------------------------------------------------

    def chest_placement(
        self, hips: Array, hips_turn: Array, spine: Array, chest: Array
    ) -> tuple[Array, Array]:
        """World position (T, 3) and rotation (T, 3, 3) of the chest."""
        lower = hips_turn @ spine
        at = hips + np.einsum("...ij,j->...i", hips_turn, self.offset["Spine"])
        at = at + np.einsum("...ij,j->...i", lower, self.offset["Chest"])
        return at, lower @ chest

    def assemble(
        self, hips: Array, hips_turn: Array, spine: Array, chest: Array, head: Array, limbs: dict[str, Array]
    ) -> Array:
        """All joints as configurations (T, nq); quaternions keep their sign from frame to frame."""
        q = np.tile(self.character.rest_pose(), (len(hips), 1))
        parts = {
            "Hips": np.concatenate([hips, so3.continuous(so3.from_matrix(hips_turn))], axis=-1),
            "Spine": so3.from_matrix(spine),
            "Chest": so3.from_matrix(chest),
            "Head": so3.from_matrix(head),
            **limbs,
        }
        for name, values in parts.items():
            q[:, self.character.coordinates(name)] = (
                so3.continuous(values) if values.shape[-1] == 4 else values
            )
        return q
