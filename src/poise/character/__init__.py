"""Characters: bodies, joints, masses, skins."""

from poise.character.body import Body, Mass
from poise.character.character import Character, Point, RestPlacement
from poise.character.joint import Joint, JointKind
from poise.character.shape import Shape, ShapeKind
from poise.character.skin import MorphTarget, Skin

__all__ = [
    "Body",
    "Character",
    "Joint",
    "JointKind",
    "Mass",
    "MorphTarget",
    "Point",
    "RestPlacement",
    "Shape",
    "ShapeKind",
    "Skin",
]
