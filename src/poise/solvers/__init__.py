"""Solvers: they know residuals and Jacobians, not methods."""

from poise.solvers.composed import least_norm_through
from poise.solvers.quasi_newton import Solution, least_norm
from poise.solvers.settle import settle
from poise.solvers.within import least_norm_within

__all__ = ["Solution", "least_norm", "least_norm_through", "least_norm_within", "settle"]
