"""Motions of the planar humanoid, taken from the humanoid's: seen from the side, feet where they were.

Trunk and arms keep the angles they have in side view. Legs are solved anew in the plane, so that
ankles and soles are exactly where the humanoid has them.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.clips.author.puppet import REACH, SIDES
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.motion import Clip


def flattened(clip: Clip, character: Character, name: str) -> Clip:
    """The clip in side view, on the planar humanoid."""
    kin = Kinematics(clip.character, clip.q)
    place = {n: kin.positions[:, i] for i, n in enumerate(clip.character.names)}
    pitch = {n: _pitch(kin.rotations[:, i]) for i, n in enumerate(clip.character.names)}
    world = {n: pitch[n] for n in ("Hips", "Spine", "Chest", "Head")}
    world["Spine1"] = 0.5 * (world["Spine"] + world["Chest"])
    world["Neck"] = 0.5 * (world["Chest"] + world["Head"])
    hips = place["Hips"][:, [0, 2]]
    for side in SIDES:
        for upper, lower in (("Arm", "ForeArm"), ("ForeArm", "Hand")):
            world[f"{side}{upper}"] = _hang(place[f"{side}{lower}"] - place[f"{side}{upper}"])
        world[f"{side}Hand"] = world[f"{side}ForeArm"]
        thigh, shin = _leg(character, side, hips, world["Hips"], place[f"{side}Foot"][:, [0, 2]])
        world[f"{side}UpLeg"], world[f"{side}Leg"] = thigh, shin
        world[f"{side}Foot"], world[f"{side}ToeBase"] = pitch[f"{side}Foot"], pitch[f"{side}ToeBase"]
    q = np.zeros((clip.frames, character.nq))
    q[:, :2] = hips
    q[:, 2] = world["Hips"]
    for body in character.bodies[1:]:
        turn = world[body.name] - world[body.parent or ""]
        q[:, character.coordinates(body.name)] = np.unwrap(turn)[:, None]
    return Clip(character, q, clip.rate, loop=clip.loop, travel=clip.travel, name=name)


def _pitch(rotation: Array) -> Array:
    """Angle about y of a rotation seen from the side, (F,)."""
    return np.arctan2(rotation[:, 0, 2], rotation[:, 2, 2])


def _hang(direction: Array) -> Array:
    """Angle about y that turns straight down into a direction, (F,)."""
    return np.arctan2(-direction[:, 0], -direction[:, 2])


def _leg(character: Character, side: str, hips: Array, lean: Array, ankle: Array) -> tuple[Array, Array]:
    """World angles of thigh and shin that put the ankle where it should be, knee forward."""
    offset = {
        n: np.asarray(character.bodies[character.index(f"{side}{n}")].offset)
        for n in ("UpLeg", "Leg", "Foot")
    }
    x, z = offset["UpLeg"][0], offset["UpLeg"][2]
    c, s = np.cos(lean), np.sin(lean)
    way = ankle - hips - np.stack([c * x + s * z, c * z - s * x], axis=-1)
    a, b = float(np.linalg.norm(offset["Leg"])), float(np.linalg.norm(offset["Foot"]))
    reach = np.linalg.norm(way, axis=1)
    if np.any(reach > (a + b) * REACH):
        frame = int(np.argmax(reach))
        raise InputError(f"the {side.lower()} leg is too short at frame {frame} of the planar clip")
    knee = np.pi - np.arccos((a * a + b * b - reach**2) / (2 * a * b))
    lift = np.arccos((a * a + reach**2 - b * b) / (2 * a * reach))
    thigh = np.arctan2(-way[:, 0], -way[:, 1]) - lift
    return thigh, thigh + knee
