"""Characters and motions that several timing tests share."""

from __future__ import annotations

from functools import cache

import numpy as np

import poise
from poise.character import Body, Character, Joint, Mass
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script.script import Script


def rod(mass: float = 2.0, length: float = 0.6) -> Mass:
    """A thin rod along −z from the origin."""
    side = mass * length**2 / 12
    return Mass(mass, (0.0, 0.0, -length / 2), (side, side, 1e-4 * mass))


@cache
def pendulum(links: int = 1) -> Character:
    """Rods on parallel hinges, hanging from a post that does not move."""
    bodies = [Body("post", None, Joint.fixed(), (0, 0, 2), mass=Mass(1.0, (0, 0, 0), np.ones(3)))]
    for k in range(links):
        up = bodies[-1].name
        offset = (0.0, 0.0, -0.6) if k else (0.0, 0.0, 0.0)
        bodies.append(Body(f"rod{k}", up, Joint.hinge((0, 1, 0)), offset, mass=rod()))
    return Character("pendulum", bodies)


@cache
def danced(name: str, control: str = "full", step: float = 0.002) -> PerformResult:
    """A bundled script, performed."""
    script = Script.bundled(name)
    return poise.perform(script=script, control=control, step=step)


def worst(result: PerformResult) -> float:
    """The largest error of any joint at any key [°]."""
    return max(a.error for a in result.arrivals)


def worst_speed(result: PerformResult) -> float:
    """The largest error of a velocity [rad/s]."""
    return max(a.speed_error for a in result.arrivals)
