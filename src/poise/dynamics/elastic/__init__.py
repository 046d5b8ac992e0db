"""Elastic solids: a lattice of finite elements around any closed surface, its modes, and a small model."""

from poise.dynamics.elastic.body import ElasticBody
from poise.dynamics.elastic.lattice import Lattice, lattice_around
from poise.dynamics.elastic.material import Material
from poise.dynamics.elastic.surface import Surface, merged

__all__ = ["ElasticBody", "Lattice", "Material", "Surface", "lattice_around", "merged"]
