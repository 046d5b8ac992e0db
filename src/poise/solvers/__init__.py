"""Solvers: they know residuals and Jacobians, not methods."""

from poise.solvers.bounded_least_squares import settle
from poise.solvers.bounds_least_norm import least_norm_within
from poise.solvers.expensive_least_norm import least_norm_through
from poise.solvers.least_norm import Known, Solution, least_norm

__all__ = ["Known", "Solution", "least_norm", "least_norm_through", "least_norm_within", "settle"]
