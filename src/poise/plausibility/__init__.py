"""Plausibility: what in a clip real bodies do not do. ``check`` judges, ``physics`` only measures."""

from poise.plausibility.ballistics import Parabola
from poise.plausibility.contacts import Contacts
from poise.plausibility.differentiated_clip import Take, measured
from poise.plausibility.finding import KINDS, Finding
from poise.plausibility.floor import Floor
from poise.plausibility.forces import Forces
from poise.plausibility.judge import check
from poise.plausibility.phase import Contact, Phase
from poise.plausibility.physics import Physics, physics
from poise.plausibility.playback_speed import Pace
from poise.plausibility.report import PlausibilityReport
from poise.plausibility.torques import Torques

__all__ = [
    "KINDS",
    "Contact",
    "Contacts",
    "Finding",
    "Floor",
    "Forces",
    "Pace",
    "Parabola",
    "Phase",
    "Physics",
    "PlausibilityReport",
    "Take",
    "Torques",
    "check",
    "measured",
    "physics",
]
