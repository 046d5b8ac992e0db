"""Batched kinematics: placements, Jacobians, centre of mass, inertia, momentum. Compiled.

Examples:
    >>> walk = poise.clips.get("walk")
    >>> moved = poise.kinematics.Kinematics(walk.character, walk.q)
    >>> print(moved.com[0], moved.point("RightHandCentre")[0])
"""

from poise.kinematics.baked_skin import baked_skin
from poise.kinematics.bundle import Bundle
from poise.kinematics.centre_of_mass import CentreOfMass, centre_of_mass
from poise.kinematics.dressed import Carried, Dressed
from poise.kinematics.forward import Placement, body_velocities, forward
from poise.kinematics.inertia import MassCovariance, mass_covariance
from poise.kinematics.jacobians import angular_jacobians, point_jacobians
from poise.kinematics.kinematics import Kinematics
from poise.kinematics.momentum import momentum, momentum_jacobian, momentum_matrix

__all__ = [
    "Bundle",
    "Carried",
    "CentreOfMass",
    "Dressed",
    "Kinematics",
    "MassCovariance",
    "Placement",
    "angular_jacobians",
    "baked_skin",
    "body_velocities",
    "centre_of_mass",
    "forward",
    "mass_covariance",
    "momentum",
    "momentum_jacobian",
    "momentum_matrix",
    "point_jacobians",
]
