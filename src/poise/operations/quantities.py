"""Kinds of numbers that options are made of, each with its unit and its range."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import PURE, unit

Time = Annotated[float, unit("s")]
Duration = Annotated[float, unit("s", gt=0)]
Span = tuple[Time, Time]
"""From and to."""
Metres = Annotated[float, unit("m")]
Length = Annotated[float, unit("m", gt=0)]
Place = tuple[Metres, Metres, Metres]
"""In the world, z up; or in a body."""
Speed = Annotated[float, unit("m/s")]
Velocity = tuple[Speed, Speed, Speed]
Hertz = Annotated[float, unit("Hz", gt=0)]
Rate = Annotated[float, unit("fps", gt=0)]
FrameRate = Rate | str
"""A number, or an exact fraction: ``24000/1001``."""
Radians = Annotated[float, unit("rad")]
Degrees = Annotated[float, unit("°")]
Rotation = tuple[Radians, Radians, Radians]
"""A rotation vector."""
Mass = Annotated[float, unit("kg", gt=0)]
Newtons = Annotated[float, unit("N")]
Force = tuple[Newtons, Newtons, Newtons]
NewtonSeconds = Annotated[float, unit("N·s")]
Blow = tuple[NewtonSeconds, NewtonSeconds, NewtonSeconds]
Stiffness = Annotated[float, unit("N·m/rad", ge=0)]
Damping = Annotated[float, unit("N·m·s/rad", ge=0)]
Pascals = Annotated[float, unit("Pa", ge=1, le=1e9)]
"""From the softest jelly to hard plastic: what is stiffer does not sway."""
Density = Annotated[float, unit("kg/m³", ge=1, le=1e5)]
"""From balloons to the heaviest metals."""
Ratio = Annotated[float, unit(PURE, ge=0)]
Share = Annotated[float, unit(PURE, ge=0, le=1)]
Factor = Annotated[float, unit(PURE, gt=0)]
Count = Annotated[int, unit(PURE, ge=1)]
Colour = tuple[Share, Share, Share]
"""Red, green, blue."""
