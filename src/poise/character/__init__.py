"""Characters: bodies, joints, masses, skins."""

from poise.character.body import Body, Mass
from poise.character.character import Character, Point
from poise.character.joint import Joint, JointKind
from poise.character.placement import BodyPlaces
from poise.character.shape import Shape, ShapeKind
from poise.character.skin import MorphTarget, Skin

__all__ = [
    "Body",
    "BodyPlaces",
    "Character",
    "Joint",
    "JointKind",
    "Mass",
    "MorphTarget",
    "Point",
    "Shape",
    "ShapeKind",
    "Skin",
]
