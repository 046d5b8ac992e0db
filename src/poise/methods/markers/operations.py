"""What is done when a character is fitted to captured markers."""

from __future__ import annotations

from pathlib import Path

from poise.character import Character
from poise.errors import InputError
from poise.methods.markers.result import MarkerResult
from poise.methods.markers.solve import solve
from poise.operations.frozen_data import thaw
from poise.operations.situation import Situation
from poise.operations.solve_markers import SolveMarkers
from poise.reading import beside


def solve_markers(asked: SolveMarkers, at: Situation) -> MarkerResult:
    """The motion of a character that explains a capture."""
    markers = at.given("capture")
    if markers is None:
        name = str(asked.capture)
        where = name if at.folder == Path() else str(beside(at.folder, name, "the capture"))
        markers = at.capture(where, None if asked.up == "auto" else asked.up)
    fit = solve(
        markers,
        _character(asked, at),
        scaling=asked.scaling,
        onto=thaw(asked.attach),
        mass=asked.mass,
        watch=at.progress,
    )
    return MarkerResult(fit, markers)


def _character(asked: SolveMarkers, at: Situation) -> Character:
    given = at.given("character")
    if given is None:
        given = at.clip(asked.character).character
    if not isinstance(given, Character):
        raise InputError(f"character must be a character, a preset or a file, not {given!r:.60}")
    return given
