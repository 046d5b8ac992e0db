"""One recipe over a whole folder of clips: local processes, or the workers of a Dask cluster."""

from __future__ import annotations

from poise.batch.outcome import Deserted, Outcome, Summary
from poise.batch.recipe import Recipe, read_recipe
from poise.batch.run import Stopped, run

__all__ = ["Deserted", "Outcome", "Recipe", "Stopped", "Summary", "read_recipe", "run"]
