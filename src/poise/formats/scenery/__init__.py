"""Worlds from files: what stands, or moves, in a scene beside its character."""

from poise.formats.scenery.load_world import load_world

__all__ = ["load_world"]
