"""Motions as tools for robots want them: tables of joint positions, with names and order beside; write only.

| ends in | read by | holds |
|---|---|---|
| ``.csv`` | LAFAN1 for G1 | x y z, qx qy qz qw, joints; a first line of comment names the columns |
| ``.gmr.npz`` | what reads GMR's pickles | fps, root_pos, root_rot (xyzw), dof_pos, names; no pickle |
| ``.beyondmimic.npz`` | BeyondMimic | joints and their speeds, bodies' places, turns (wxyz) and speeds |
| ``.protomotions.npz`` | ProtoMotions | gts, grs (xyzw), gvs, gavs, dps, dvs |
"""

from poise.formats.robot_motion.writer import losses, save

__all__ = ["losses", "save"]
