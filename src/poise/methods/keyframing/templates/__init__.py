"""What the centre of mass may do between two keys."""

from poise.methods.keyframing.templates.hermite import Hermite
from poise.methods.keyframing.templates.pendulum import Pendulum
from poise.methods.keyframing.templates.projectile import ProjectileI, ProjectileII, ProjectileIII
from poise.methods.keyframing.templates.template import (
    Arc,
    Given,
    Motion,
    Template,
    kinds,
    template_from_dict,
)

__all__ = [
    "Arc",
    "Given",
    "Hermite",
    "Motion",
    "Pendulum",
    "ProjectileI",
    "ProjectileII",
    "ProjectileIII",
    "Template",
    "kinds",
    "template_from_dict",
]
