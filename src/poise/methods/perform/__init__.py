"""On the beat: simulated characters that arrive on time, even when pushed."""

from poise.methods.perform.control.balance import Balance
from poise.methods.perform.perform import Result, Track, play
from poise.methods.perform.report.arrival import Arrival, Shortfall
from poise.methods.perform.script import sound
from poise.methods.perform.script.beats import Beats, quantise
from poise.methods.perform.script.file import bundled_names, load
from poise.methods.perform.script.key import Key
from poise.methods.perform.script.pose import Pose, PoseLibrary
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Cue, Machine, State
from poise.methods.perform.script.style import STYLES, approach
from poise.methods.perform.simulate.contact_world import Flight, Touch
from poise.methods.perform.simulate.perturbation import Impulse, Load, Push, Throw
from poise.methods.perform.simulate.simulation import CONTROLS

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
