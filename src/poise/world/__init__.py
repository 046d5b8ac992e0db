"""The world around a motion, as frozen data: ground, slopes, boxes, steps, seats, bars, balls, uneven
ground."""

from poise.world.surface import Ball, Bar, Box, Field, Ground, Shape, Surface, ground, step
from poise.world.world import Below, World

__all__ = ["Ball", "Bar", "Below", "Box", "Field", "Ground", "Shape", "Surface", "World", "ground", "step"]
