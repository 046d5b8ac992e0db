"""What the centre of mass may do between two keys."""

from poise.methods.key.path.templates.hermite import Hermite
from poise.methods.key.path.templates.pendulum import Pendulum
from poise.methods.key.path.templates.projectile import ProjectileI, ProjectileII, ProjectileIII
from poise.methods.key.path.templates.template import Arc, Given, Motion, Template, kinds, template_from_dict

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
