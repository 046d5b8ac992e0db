"""Thin things: sheets of cloth and strands, as masses, springs and hinges that run into solids."""

from poise.dynamics.cloth.sheet import Sheet, sheet_of, strand_of
from poise.dynamics.cloth.solids import Solid

__all__ = ["Sheet", "Solid", "sheet_of", "strand_of"]
