"""On the beat: simulated characters that arrive on time, even when pushed."""

from poise.methods.timing import sound
from poise.methods.timing.arrival import Arrival, Shortfall
from poise.methods.timing.balance import Balance
from poise.methods.timing.beats import Beats, quantise
from poise.methods.timing.key import Key
from poise.methods.timing.machine import Cue, Machine, State
from poise.methods.timing.perturbation import Impulse, Load, Push, Throw
from poise.methods.timing.play import Result, Track, play
from poise.methods.timing.pose import Pose, PoseLibrary
from poise.methods.timing.script import Script
from poise.methods.timing.script_file import bundled_names, load
from poise.methods.timing.simulation import CONTROLS
from poise.methods.timing.style import STYLES, approach
from poise.methods.timing.world import Flight, Touch

__all__ = [
    "CONTROLS",
    "STYLES",
    "Arrival",
    "Balance",
    "Beats",
    "Cue",
    "Flight",
    "Impulse",
    "Key",
    "Load",
    "Machine",
    "Pose",
    "PoseLibrary",
    "Push",
    "Result",
    "Script",
    "Shortfall",
    "State",
    "Throw",
    "Touch",
    "Track",
    "approach",
    "bundled_names",
    "load",
    "play",
    "quantise",
    "sound",
]
