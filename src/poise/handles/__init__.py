"""Handles: the differentiable quantities of a pose that constraints and solvers speak of.

Examples:
    >>> from poise.kinematics import Kinematics
    >>> walk = poise.clips.get("walk")
    >>> centre = poise.handles.CentreOfMass()
    >>> path = centre.value(Kinematics(walk.character, walk.q))
"""

from poise.handles.angle import Angle
from poise.handles.attachment_point import AttachmentPoint
from poise.handles.centre_of_mass import CentreOfMass
from poise.handles.direction import Direction
from poise.handles.distance import Distance, PlaneDistance
from poise.handles.handle import Handle, handle_from_dict, kinds
from poise.handles.inertia import RotationalInertia, shape_of_radii
from poise.handles.joint import JointValue
from poise.handles.look_at import LookAt
from poise.handles.momentum import AngularMomentum, LinearMomentum
from poise.handles.orientation import BodyOrientation
from poise.handles.pair import PairDistance, PairJacobian, PointToPoint
from poise.handles.place import On, Place
from poise.handles.point import PointDifference, PointPosition
from poise.handles.pose import Pose

__all__ = [
    "Angle",
    "AngularMomentum",
    "AttachmentPoint",
    "BodyOrientation",
    "CentreOfMass",
    "Direction",
    "Distance",
    "Handle",
    "JointValue",
    "LinearMomentum",
    "LookAt",
    "On",
    "PairDistance",
    "PairJacobian",
    "Place",
    "PlaneDistance",
    "PointDifference",
    "PointPosition",
    "PointToPoint",
    "Pose",
    "RotationalInertia",
    "handle_from_dict",
    "kinds",
    "shape_of_radii",
]
