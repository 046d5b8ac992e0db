"""BVH texts for tests, and what a loaded clip says about where things are."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.kinematics import forward
from poise.motion import Clip

PERSON = """HIERARCHY
ROOT Hips
{
	OFFSET 0.0 0.0 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Chest
	{
		OFFSET 0.0 30.0 -1.5
		CHANNELS 3 Yrotation Xrotation Zrotation
		JOINT Head
		{
			OFFSET 0.0 28.0 2.0
			CHANNELS 3 Xrotation Zrotation Yrotation
			End Site
			{
				OFFSET 0.0 20.0 0.0
			}
		}
		JOINT LeftArm
		{
			OFFSET 18.0 20.0 0.0
			CHANNELS 3 Zrotation Yrotation Xrotation
			JOINT LeftForeArm
			{
				OFFSET 30.0 0.0 0.5
				CHANNELS 1 Yrotation
				End Site
				{
					OFFSET 25.0 0.0 0.0
				}
			}
		}
	}
	JOINT LeftLeg
	{
		OFFSET 9.0 -5.0 0.0
		CHANNELS 3 Xrotation Yrotation Zrotation
		JOINT LeftFoot
		{
			OFFSET 0.0 -80.0 0.0
			CHANNELS 2 Xrotation Zrotation
			End Site
			{
				OFFSET 0.0 -6.0 14.0
			}
		}
	}
	JOINT RightLeg
	{
		OFFSET -9.0 -5.0 0.0
		CHANNELS 3 Yrotation Zrotation Xrotation
		JOINT RightFoot
		{
			OFFSET 0.0 -80.0 0.0
			CHANNELS 0
			End Site
			{
				OFFSET 0.0 -6.0 14.0
			}
		}
	}
}
"""
"""All six rotation orders, a hinge, a two-channel joint and a fixed one; centimetres, y up."""
PERSON_CHANNELS = 6 + 3 + 3 + 3 + 1 + 3 + 2 + 3


def person_values(frames: int = 8, *, seed: int = 1) -> np.ndarray:
    """Channel values of a standing, fidgeting person, (F, C)."""
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.normal(scale=4.0, size=(frames, PERSON_CHANNELS)), axis=0)
    values[:, :3] += [20.0, 91.0, -40.0]
    return values


def bvh(skeleton: str, values: np.ndarray, *, time: str = "0.0333333", form: str = "%.6f") -> str:
    """A whole file."""
    lines = [" ".join(form % v for v in row) for row in np.atleast_2d(values)]
    return f"{skeleton}MOTION\nFrames: {len(lines)}\nFrame Time: {time}\n" + "\n".join(lines) + "\n"


def person(frames: int = 8, **options) -> str:
    return bvh(PERSON, person_values(frames), **options)


def chain(*joints: tuple[str, str, str], end: str = "0 10 0") -> str:
    """A skeleton of one chain: (name, OFFSET, CHANNELS) for each joint."""
    lines = ["HIERARCHY"]
    for depth, (name, offset, channels) in enumerate(joints):
        lines += [f"{'JOINT' if depth else 'ROOT'} {name}", "{", f"OFFSET {offset}", f"CHANNELS {channels}"]
    return "\n".join([*lines, "End Site", "{", f"OFFSET {end}", "}", *["}"] * len(joints), ""])


SIX = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
TURN = "3 Zrotation Xrotation Yrotation"


def point_positions(clip: Clip, names: list[str] | None = None) -> np.ndarray:
    """World positions of named points (all bodies by default), (F, P, 3) [m]."""
    placement = forward(clip.character, clip.q)
    points = [clip.character.point(n) for n in (names or clip.character.names)]
    return np.stack(
        [placement.positions[:, p.body] + placement.rotations[:, p.body] @ p.position for p in points], axis=1
    )


def in_file(clip: Clip, positions: np.ndarray) -> np.ndarray:
    """Metres, z up, x to the front → the file's own axes and unit, by what up and front are there."""
    source = clip.source
    up, front = named_axis(source.up), named_axis(source.front or {"y": "z", "z": "-y"}[source.up])
    return positions / source.unit @ np.array([front, np.cross(up, front), up])


def named_axis(name: str) -> np.ndarray:
    """ "-y" as a vector."""
    return np.eye(3)["xyz".index(name[-1])] * (-1.0 if name.startswith("-") else 1.0)


def characters_equal(a: Character, b: Character) -> bool:
    """Whether two characters agree in every bit of their skeletons."""
    return a.names == b.names and all(
        x.joint.kind == y.joint.kind
        and np.array_equal(x.offset, y.offset)
        and np.array_equal(x.rest, y.rest)
        and x.parent == y.parent
        and {n: tuple(p) for n, p in x.points.items()} == {n: tuple(p) for n, p in y.points.items()}
        for x, y in zip(a.bodies, b.bodies)
    )
