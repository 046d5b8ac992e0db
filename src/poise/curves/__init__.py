"""Curves over time, linear in their parameters, and the one kind of edit made of them.

Examples:
    >>> basis = poise.curves.BSpline.uniform(0.0, 1.0, 0.1)
    >>> print(basis.size)
"""

from poise.curves.basis import MAX_DERIVATIVE, Basis, basis_kinds
from poise.curves.bspline import BSpline
from poise.curves.clash import SingularInterpolationError
from poise.curves.combined import Combined
from poise.curves.compact import CompactBells
from poise.curves.cubic import InterpolatingCubic
from poise.curves.ease import EaseBells
from poise.curves.gaussian import GaussianBells, GaussianDerivatives
from poise.curves.hermite import Hermite
from poise.curves.interpolation import Interpolation
from poise.curves.linear import Linear
from poise.curves.oscillator import Oscillation, oscillation
from poise.curves.tangent_curve import TangentCurve
from poise.curves.wiggly import Wiggly

__all__ = [
    "MAX_DERIVATIVE",
    "BSpline",
    "Basis",
    "Combined",
    "CompactBells",
    "EaseBells",
    "GaussianBells",
    "GaussianDerivatives",
    "Hermite",
    "InterpolatingCubic",
    "Interpolation",
    "Linear",
    "Oscillation",
    "SingularInterpolationError",
    "TangentCurve",
    "Wiggly",
    "basis_kinds",
    "oscillation",
]
