"""The Blenders that tests run in."""

from __future__ import annotations

from blender_process import blender as blender  # a fixture of all files here
