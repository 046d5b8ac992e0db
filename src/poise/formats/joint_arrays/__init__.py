"""Positions of joints over frames, as generators and estimators of motion write them."""

from poise.formats.joint_arrays.reader import from_arrays, load

__all__ = ["from_arrays", "load"]
