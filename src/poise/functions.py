"""What can be done to a motion, as functions.

Made from the declarations; do not edit: ``python -m poise.operations.functions`` makes it anew.

Every function takes a clip or the result of another one, and checks its options before anything is computed.
Long work tells ``progress`` the part done (0 to 1), and ends with ``CancelledError`` when ``cancel`` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from poise.operations.adapt import Adapt
from poise.operations.check import Check
from poise.operations.fix import Fix
from poise.operations.ground import Ground
from poise.operations.hit import Hit
from poise.operations.key import Key
from poise.operations.loop import Loop
from poise.operations.loosen import Loosen
from poise.operations.mirror import Mirror
from poise.operations.perform import Perform
from poise.operations.plan import Plan
from poise.operations.pose import Pose
from poise.operations.repeat import Repeat
from poise.operations.reroute import Reroute
from poise.operations.resample import Resample
from poise.operations.retarget import Retarget
from poise.operations.retouch import Retouch
from poise.operations.running import call
from poise.operations.solve_markers import SolveMarkers
from poise.operations.trim import Trim
from poise.operations.wear import Wear

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from poise.arrays import Array
    from poise.character import Character
    from poise.constraints import Constraint, FootPlant
    from poise.dynamics.elastic import Surface
    from poise.markers.capture import Markers
    from poise.methods.adapt.result import AdaptResult
    from poise.methods.adapt.retarget.retarget import RetargetResult
    from poise.methods.ground.result import GroundResult
    from poise.methods.key.edits.result import RetouchResult
    from poise.methods.key.pose.result import PoseResult
    from poise.methods.key.result import KeyResult
    from poise.methods.key.sheet.keyframes import Keyframes
    from poise.methods.loosen.hit.hit import HitResult
    from poise.methods.loosen.operations import LoosenResult
    from poise.methods.loosen.wear.result import WearResult
    from poise.methods.markers.result import MarkerResult
    from poise.methods.perform.result import PerformResult
    from poise.methods.perform.script.beats import Beats
    from poise.methods.perform.script.pose import JointPose
    from poise.methods.perform.script.script import Script
    from poise.methods.perform.script.state_machine import Machine
    from poise.methods.perform.script.timed_pose import TimedPoses
    from poise.methods.plan.result import PlanResult
    from poise.methods.plan.scene.scene import Scene
    from poise.motion import Clip
    from poise.operations.adapt import Coordinate, PlantMove
    from poise.operations.fix import RepairName
    from poise.operations.perform import Power, Strength, Tempo
    from poise.operations.pose import PosePin
    from poise.operations.quantities import (
        Colour,
        Count,
        Degrees,
        Density,
        Duration,
        Factor,
        FrameRate,
        Hertz,
        Length,
        Mass,
        Metres,
        Pascals,
        Place,
        Rate,
        Ratio,
        Span,
        Time,
    )
    from poise.operations.result import Result
    from poise.operations.retouch import PoseEdit
    from poise.operations.trim import Frame
    from poise.operations.values.amplitude import Amplitude, AmplitudeKey
    from poise.operations.values.balance import Balance
    from poise.operations.values.bell import Bell
    from poise.operations.values.displacement import BasisName, CurveKeys, Displacement, Lock
    from poise.operations.values.disturbance import Disturbance
    from poise.operations.values.look import Look
    from poise.operations.values.tension import Spring, Tension, TensionKey
    from poise.operations.wear import Quaternion
    from poise.plausibility.result import CheckResult
    from poise.repair.result import FixResult
    from poise.watching import Cancel, Progress
    from poise.world import World

__all__ = [
    "adapt",
    "check",
    "fix",
    "ground",
    "hit",
    "key",
    "loop",
    "loosen",
    "mirror",
    "perform",
    "plan",
    "pose",
    "repeat",
    "reroute",
    "resample",
    "retarget",
    "retouch",
    "solve_markers",
    "trim",
    "wear",
]


def solve_markers(
    capture: str | Markers,
    character: str | Character = "humanoid",
    *,
    scaling: Literal["segments", "whole", "none"] = "segments",
    attach: dict[str, str] | None = None,
    up: Literal["auto", "y", "z"] = "auto",
    mass: Mass | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> MarkerResult:
    """Fit a character to captured markers: its proportions, where markers sit, and how it moves.

    Args:
        capture: The markers: a C3D or TRC file, or NPZ or JSON as Poise writes them.
        character: Who is fitted: a preset or a file.
        scaling: What of the character takes the person's proportions (segments: every bone, left and right
            alike; whole: the figure as a whole; none: nothing: a rig that must stay as it is).
        attach: Joints that markers sit on, for names that Poise does not know; left out, motion tells.
        up: Up axis of the file (auto: as the file says, or its markers do; y: y; z: z).
        mass: The person's mass; left out: by the figure's size [kg].
    """
    return cast("MarkerResult", call(SolveMarkers, **locals()))


def key(
    keyframes: dict[str, Any] | str | Keyframes,
    clip: Clip | Result | None = None,
    *,
    retime: bool = False,
    fps: Rate | str | None = None,
    start: Time | None = None,
    end: Time | None = None,
    grounded: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> KeyResult:
    """Turn key-frames into motion: poses, pins, a path of the centre of mass, inertia, spins.

    Args:
        keyframes: The key-frames: a file (JSON) that has poses, or what it holds; without poses they change
            the motion they are put on.
        retime: First move keys in time as the hints of the path ask.
        fps: Frames per second of a motion that starts here; left out: 30 [fps].
        start: Time of the first frame; left out: of the first key [s].
        end: Time of the last frame; left out: of the last key [s].
        grounded: Change what comes out as little as contact forces need to carry it, as poise ground does.
    """
    return cast("KeyResult", call(Key, **locals()))


def plan(
    scene: str | dict[str, Any] | Scene,
    *,
    modes: Count | None = None,
    springs: Literal["standing", "loose", "stiff"] | None = None,
    stiffer: dict[str, Factor | Sequence[Factor]] | None = None,
    rayleigh: tuple[float, float] | None = None,
    key_weight: Factor | None = None,
    refine: int | None = None,
    together: bool | None = None,
    grounded: bool | None = None,
    judge: bool = True,
    fps: FrameRate | None = None,
    character: str | Character | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> PlanResult:
    """Plan motion of least effort through a few partial key-frames.

    Args:
        scene: What is to happen: a bundled scene (four punches, walk, lamp jump …), a file (JSON) or what one
            holds.
        modes: Modes of vibration that are steered; left out: the scene's, or 20.
        springs: Springs of the joints; left out: the scene's or the character's own (standing: as a person
            stands; loose: 0.7 times as fast; stiff: 1.4 times as fast).
        stiffer: How many times as stiff joints are, by name or pattern, about all axes or about each.
        rayleigh: Damping in proportion to mass and to stiffness; left out: the scene's, or 0.5 1/s and 0.005
            s [1/s].
        key_weight: How much keys weigh against effort; left out: the scene's, or 1e6.
        refine: How often what keys still miss is asked for in addition; left out: the scene's, or 6.
        together: Whether stances on the same feet are solved all at once, for a longer horizon.
        grounded: Change what comes out as little as contact forces need to carry it, as poise ground does;
            keys stay met, held feet may be put elsewhere; left out: the scene's, or no.
        judge: Whether the report says how plausible the motion is under full dynamics.
        fps: Frames per second of what comes out; left out: the scene's, or 60 [fps].
        character: Another character, whose names fit the scene: a preset or a file.
    """
    return cast("PlanResult", call(Plan, **locals()))


def perform(
    clip: Clip | Result | None = None,
    script: str | dict[str, Any] | Script | Machine | TimedPoses | None = None,
    *,
    character: str | Character | None = None,
    beats: Tempo | str | Beats | None = None,
    from_pose: str | dict[str, Any] | Sequence[float] | JointPose | Array | None = None,
    duration: Duration | None = None,
    style: Literal["snappy", "lively", "smooth", "settled"] | float | Sequence[Power] = "smooth",
    hold: Duration = 0.25,
    look_ahead: Duration = 0.1,
    recovery: Duration = 0.3,
    strength: Strength | dict[str, Strength] | None = None,
    root: Literal["fixed", "prescribed", "free"] | None = None,
    balance: Balance | None = None,
    ground: bool | None = None,
    disturbances: Sequence[Disturbance] | None = None,
    control: Literal["full", "composite", "local", "manual"] = "full",
    joint_limits: bool = True,
    gravity: Literal["on", "off"] = "on",
    step: float = 0.002,
    fps: FrameRate | None = None,
    tolerance: float = 0.1,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> PerformResult:
    """Simulate a character that goes from key to key, or follows a motion, and arrives on time.

    Args:
        script: What to perform: a bundled script (conducting, ymca), a file (JSON, TOML) or what one holds.
        character: Who performs, where neither the script nor a motion says: a preset or a file.
        beats: Beats to move keys to: a tempo, a MIDI file, or a WAV file to listen to [bpm].
        from_pose: The pose to begin in: one of the script's by name, angles by joint in degrees, or a
            configuration; left out: the script's own, or at rest.
        duration: How long to perform; left out: as long as the motion, or half a second after the last key
            [s].
        style: How keys are approached: late and snappy, or early and settled; or a number above 2 (snappy:
            half way after 0.41 of the time; lively: half way after 0.31 of the time; smooth: half way after
            0.25 of the time; settled: half way after 0.17 of the time).
        hold: How soon a joint that holds would be back [s].
        look_ahead: How soon a joint that follows the motion would be back on it [s].
        recovery: Time to get back to the motion after a disturbance [s].
        strength: Largest torque of joints, of all or by joint or limb (slides in N); left out: unlimited
            [N·m].
        root: How the root moves; left out: as the motion that is followed, else fixed (fixed: not at all;
            prescribed: as the motion that is followed; free: on its feet, with a helping hand).
        balance: The helping hand on a free root; left out: 1.5 Hz, damped so that it does not overshoot.
        ground: Whether there is ground to stand on, at height 0; left out: where the root is free.
        disturbances: What happens on the way: blows, pushes, weights put on, balls thrown.
        control: What muscles know of the body (full: all of it: exact; composite: inertia, but not how limbs
            act on each other; local: each joint its own limb alone; manual: nothing: gains tuned by hand for
            the first key).
        joint_limits: Whether joints keep to their limits; where a character brings none, to a person's. Poses
            that are asked for are reached all the same.
        gravity: Whether limbs weigh anything (on: they do; off: they do not).
        step: Longest step of the simulation [s].
        fps: Frames per second of what comes out; left out: the motion's own, else 60 [fps].
        tolerance: Largest error of a joint that counts as on time [°].
    """
    return cast("PerformResult", call(Perform, **locals()))


def pose(
    clip: Clip | Result,
    constraints: Sequence[Constraint | FootPlant | Mapping[str, Any]] | None = None,
    *,
    at: Time = 0.0,
    pins: Sequence[PosePin] | None = None,
    com: Place | None = None,
    gyration: Length | None = None,
    strict: int = 1,
    joint_limits: bool = True,
    iterations: Count = 3000,
    accuracy: float = 1e-10,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> PoseResult:
    """Take one pose of a motion and change it: by pins, centre of mass and inertia, or by constraints.

    Args:
        constraints: What the pose is to meet at its time, by priority.
        at: The time of the pose [s].
        pins: Points that stay where they are, or go to a place.
        com: How far to move the centre of mass [m].
        gyration: Radius of gyration; small tucks [m].
        strict: Constraints of priorities below this are met exactly, in their order; the others pull.
        joint_limits: Whether joints keep to their limits.
        iterations: Most steps of the search.
        accuracy: How near is near enough (of angles in rad) [m].
    """
    return cast("PoseResult", call(Pose, **locals()))


def retouch(
    clip: Clip | Result,
    edits: Sequence[PoseEdit] | None = None,
    *,
    mode: Literal["add", "override"] = "add",
    fade: Duration = 0.25,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> RetouchResult:
    """Change poses of a motion by hand: the change flows from key to key and fades beyond them.

    Args:
        edits: Keys: when, and what each joint is then; joints that none names are as they were.
        mode: What happens between keys (add: the motion below goes on, and what the keys change is added to
            it; override: joints go from key to key, whatever the motion below does).
        fade: How long a change comes and goes before a joint's first key and after its last [s].
    """
    return cast("RetouchResult", call(Retouch, **locals()))


def adapt(
    clip: Clip | Result,
    constraints: Sequence[Constraint | FootPlant | Mapping[str, Any]] | None = None,
    *,
    plants: bool = True,
    floor: bool | Metres | dict[str, Metres] | None = None,
    exact: bool = False,
    joints: Sequence[str] | None = None,
    key_spacing: Duration | Sequence[Time] | dict[str, Duration | Sequence[Time] | CurveKeys] = 0.1,
    basis: BasisName = "bspline",
    ends: Literal["auto", "free", "zero", "periodic"] = "auto",
    locked: Sequence[Lock] | dict[str, Sequence[Lock]] | None = None,
    smoothness: Ratio = 0.01,
    displacements: Sequence[Displacement] | None = None,
    objective: Literal["length", "mass", "joints"] = "length",
    prices: dict[str, Factor] | None = None,
    joint_limits: bool = True,
    iterations: int = 20,
    look: Sequence[Look] | None = None,
    known: dict[str, Time] | None = None,
    move: Sequence[PlantMove] | None = None,
    within: Span | None = None,
    prior: str | Sequence[Coordinate] | Clip | None = None,
    prior_weight: Ratio = 0.1,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AdaptResult:
    """Change a whole motion as little as possible so that constraints hold and feet stand.

    Args:
        constraints: What to meet, and when: places, paths, poses, foot plants.
        plants: Find where feet stand, and keep them there.
        floor: Keep feet above a height, each of their points above its own, or above where the motion stands
            (on); left out: on where feet are kept [m].
        exact: Hold points to a fifth of a millimetre; knees may then show the noise of a capture.
        joints: Joints or limbs that may change; left out: all that the motion uses.
        key_spacing: Distance of keys of the change, or their times; by joint or limb, the first that fits
            counts and the others stay [s].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: What holds at the first and last key (auto: periodic for loops, else free; free: anything; zero:
            no change; periodic: the end goes on at the start).
        locked: Times or intervals whose keys stay as they are, for all or by joint or limb [s].
        smoothness: Price of bending the change over a tenth of a second, beside moving the body as far.
        displacements: Curves to solve for one after the other; left out: one, and where points are held a
            finer one.
        objective: What a change is measured by (length: how far bones are seen to move; mass: how much mass
            moves how far; joints: how far joints turn).
        prices: How much dearer it is to move joints or limbs.
        joint_limits: Whether joints keep to their limits.
        iterations: Most steps of the search.
        look: Where the head looks, at a time or over an interval.
        known: When the character learns of constraints, by their names; before, nothing foretells them [s].
        move: Foot plants to move and turn, counted from 1 in the order of time.
        within: Change and look at this stretch only [s].
        prior: A clip of as many frames, or a pose by its coordinates, that the motion is drawn towards.
        prior_weight: How much: at 1 leaving it costs as much as leaving the motion.
    """
    return cast("AdaptResult", call(Adapt, **locals()))


def retarget(
    clip: Clip | Result,
    onto: str | Character | Clip,
    *,
    plants: bool = True,
    floor: bool | Metres | dict[str, Metres] | None = None,
    exact: bool = False,
    joints: Sequence[str] | None = None,
    key_spacing: Duration | Sequence[Time] | dict[str, Duration | Sequence[Time] | CurveKeys] = 0.15,
    basis: BasisName = "bspline",
    ends: Literal["auto", "free", "zero", "periodic"] = "auto",
    locked: Sequence[Lock] | dict[str, Sequence[Lock]] | None = None,
    smoothness: Ratio = 0.01,
    displacements: Sequence[Displacement] | None = None,
    objective: Literal["length", "mass", "joints"] = "length",
    prices: dict[str, Factor] | None = None,
    joint_limits: bool = True,
    iterations: int = 5,
    map: dict[str, str] | None = None,
    hands: bool = False,
    grounded: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> RetargetResult:
    """Give a performance to another character: feet stand where the performer's did, scaled.

    Args:
        onto: Who performs: a character, by a file, a preset or a clip.
        plants: Find where feet stand, and keep them there.
        floor: Keep feet above a height, each of their points above its own, or above where the motion stands
            (on); left out: on where feet are kept [m].
        exact: Hold points to a fifth of a millimetre; knees may then show the noise of a capture.
        joints: Joints or limbs that may change; left out: all that the motion uses.
        key_spacing: Distance of keys of the change, or their times; by joint or limb, the first that fits
            counts and the others stay [s].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: What holds at the first and last key (auto: periodic for loops, else free; free: anything; zero:
            no change; periodic: the end goes on at the start).
        locked: Times or intervals whose keys stay as they are, for all or by joint or limb [s].
        smoothness: Price of bending the change over a tenth of a second, beside moving the body as far.
        displacements: Curves to solve for one after the other; left out: one, and where points are held a
            finer one.
        objective: What a change is measured by (length: how far bones are seen to move; mass: how much mass
            moves how far; joints: how far joints turn).
        prices: How much dearer it is to move joints or limbs.
        joint_limits: Whether joints keep to their limits.
        iterations: Most steps of the search.
        map: For joints that Poise cannot match by name or role: the performer's to the character's.
        hands: Hands keep their places beside the shoulders, whatever the arms' length; off: arms keep their
            angles. Hands that are near each other or the own body stay so either way.
        grounded: Change what comes out as little as contact forces need to carry it, as poise ground does.
    """
    return cast("RetargetResult", call(Retarget, **locals()))


def reroute(
    clip: Clip | Result,
    turn: Degrees = 0.0,
    *,
    plants: bool = True,
    floor: bool | Metres | dict[str, Metres] | None = None,
    exact: bool = False,
    joints: Sequence[str] | None = None,
    key_spacing: Duration | Sequence[Time] | dict[str, Duration | Sequence[Time] | CurveKeys] = 0.1,
    basis: BasisName = "bspline",
    ends: Literal["auto", "free", "zero", "periodic"] = "auto",
    locked: Sequence[Lock] | dict[str, Sequence[Lock]] | None = None,
    smoothness: Ratio = 0.01,
    displacements: Sequence[Displacement] | None = None,
    objective: Literal["length", "mass", "joints"] = "length",
    prices: dict[str, Factor] | None = None,
    joint_limits: bool = True,
    iterations: int = 20,
    route: Sequence[tuple[Metres, Metres]] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AdaptResult:
    """Bend the way a motion goes: steps get longer or shorter, feet still stand.

    Args:
        turn: How far to the left the way bends [°].
        plants: Find where feet stand, and keep them there.
        floor: Keep feet above a height, each of their points above its own, or above where the motion stands
            (on); left out: on where feet are kept [m].
        exact: Hold points to a fifth of a millimetre; knees may then show the noise of a capture.
        joints: Joints or limbs that may change; left out: all that the motion uses.
        key_spacing: Distance of keys of the change, or their times; by joint or limb, the first that fits
            counts and the others stay [s].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: What holds at the first and last key (auto: periodic for loops, else free; free: anything; zero:
            no change; periodic: the end goes on at the start).
        locked: Times or intervals whose keys stay as they are, for all or by joint or limb [s].
        smoothness: Price of bending the change over a tenth of a second, beside moving the body as far.
        displacements: Curves to solve for one after the other; left out: one, and where points are held a
            finer one.
        objective: What a change is measured by (length: how far bones are seen to move; mass: how much mass
            moves how far; joints: how far joints turn).
        prices: How much dearer it is to move joints or limbs.
        joint_limits: Whether joints keep to their limits.
        iterations: Most steps of the search.
        route: Places on the ground that the way leads through, in place of bending it [m].
    """
    return cast("AdaptResult", call(Reroute, **locals()))


def loop(
    clip: Clip | Result,
    search: float = 0.0,
    *,
    plants: bool = True,
    floor: bool | Metres | dict[str, Metres] | None = None,
    exact: bool = False,
    joints: Sequence[str] | None = None,
    key_spacing: Duration | Sequence[Time] | dict[str, Duration | Sequence[Time] | CurveKeys] = 0.1,
    basis: BasisName = "bspline",
    ends: Literal["auto", "free", "zero", "periodic"] = "auto",
    locked: Sequence[Lock] | dict[str, Sequence[Lock]] | None = None,
    smoothness: Ratio = 0.01,
    displacements: Sequence[Displacement] | None = None,
    objective: Literal["length", "mass", "joints"] = "length",
    prices: dict[str, Factor] | None = None,
    joint_limits: bool = True,
    iterations: int = 20,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AdaptResult:
    """Close a motion into a seamless loop that moves on each cycle, feet standing across the seam.

    Args:
        search: How far from either end to look for the frames that meet best [s].
        plants: Find where feet stand, and keep them there.
        floor: Keep feet above a height, each of their points above its own, or above where the motion stands
            (on); left out: on where feet are kept [m].
        exact: Hold points to a fifth of a millimetre; knees may then show the noise of a capture.
        joints: Joints or limbs that may change; left out: all that the motion uses.
        key_spacing: Distance of keys of the change, or their times; by joint or limb, the first that fits
            counts and the others stay [s].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: What holds at the first and last key (auto: periodic for loops, else free; free: anything; zero:
            no change; periodic: the end goes on at the start).
        locked: Times or intervals whose keys stay as they are, for all or by joint or limb [s].
        smoothness: Price of bending the change over a tenth of a second, beside moving the body as far.
        displacements: Curves to solve for one after the other; left out: one, and where points are held a
            finer one.
        objective: What a change is measured by (length: how far bones are seen to move; mass: how much mass
            moves how far; joints: how far joints turn).
        prices: How much dearer it is to move joints or limbs.
        joint_limits: Whether joints keep to their limits.
        iterations: Most steps of the search.
    """
    return cast("AdaptResult", call(Loop, **locals()))


def loosen(
    clip: Clip | Result,
    tension: Tension | Sequence[TensionKey] | Spring = "relaxed",
    window: Duration | Sequence[Duration] | Literal["auto", "adaptive"] = "auto",
    contacts: bool | None = True,
    *,
    gravity: Literal["on", "off", "compensated"] = "on",
    root: Literal["prescribed", "driven"] = "prescribed",
    dampers: Literal["rest", "reference"] = "rest",
    step: Duration = 0.01,
    order: Literal[1, 2] = 2,
    device: Literal["cpu", "cuda", "auto"] | None = None,
    amplitude: Amplitude | Sequence[AmplitudeKey] = 1.0,
    joint_limits: bool = True,
    passive: bool = False,
    clean: bool = False,
    world: str | dict[str, Any] | World | None = None,
    touching: str = "*",
    part: Literal["auto", "body", "face"] = "auto",
    firmness: float | None = None,
    ratio: Ratio | None = None,
    grounded: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> LoosenResult:
    """Loosen a motion: every frame becomes the end of a short simulation that follows the animation.

    Args:
        tension: How tightly joints hold the animation: overall, by joint or limb, or keyed over time [Hz]
            (keyed: exactly as animated; tense: 7.5 Hz; firm: 4.4 Hz; relaxed: 2.8 Hz; loose: 1.6 Hz; drunk: 1
            Hz).
        window: How far back each frame looks; longer follows through more [s] (auto: one length for the clip;
            adaptive: as each frame needs).
        contacts: Keep feet planted where the animation plants them, and hands, knees or hips that lean, kneel
            or sit.
        gravity: Whether limbs weigh anything (on: they sag; off: they do not; compensated: springs carry the
            weight of the animated pose).
        root: How the root moves (prescribed: as animated; driven: on springs, like any joint).
        dampers: What dampers slow down (rest: all motion; reference: only what differs from the animation).
        step: Longest step of the simulation [s].
        order: Order of the integrator (1: robust: backward Euler; 2: accurate, and stable at any step).
        device: What simulates; left out: as the variable POISE_DEVICE says, else the processor. Not saved
            (cpu: the processor; cuda: the graphics card; auto: the card, where there is one and it gains).
        amplitude: How much of the loose motion is shown, from 0 (as animated) to 1: overall, by joint or
            limb, or keyed over time.
        joint_limits: Whether joints keep to their limits; where a character brings none, to a person's.
        passive: Whether joints also feel the springs and dampers that their file gives them, towards its rest
            pose.
        clean: Mend joints that flip or spin as no body's do before they are simulated; left out, they are
            only named.
        world: Surfaces that limbs run into: a file (JSON, glTF, MJCF, USD), surfaces, what a file holds, or
            none; in a project they stand beside its world, and count for those of their name.
        touching: Bodies that touch the world, by name or limb; the others go through.
        part: What is loosened (auto: the face, where morph targets move on a character of few bodies; else
            the body; body: the skeleton; face: the skin that morph targets move; comes out as a mesh, not in
            projects).
        firmness: How firmly a face keeps its shape; left out: as its tension has it, 6 where that is a number
            [Hz].
        ratio: Damping ratio of a face; left out: as its tension has it, 0.2 where that is a number.
        grounded: Change what comes out as little as contact forces need to carry it, as poise ground does.
    """
    return cast("LoosenResult", call(Loosen, **locals()))


def hit(
    clip: Clip | Result,
    constraints: Sequence[Constraint | FootPlant | Mapping[str, Any]],
    tension: Tension | Sequence[TensionKey] | Spring = "relaxed",
    window: Duration | Sequence[Duration] | Literal["auto", "adaptive"] = "auto",
    contacts: bool | None = True,
    *,
    gravity: Literal["on", "off", "compensated"] = "on",
    root: Literal["prescribed", "driven"] = "prescribed",
    dampers: Literal["rest", "reference"] = "rest",
    step: Duration = 0.01,
    order: Literal[1, 2] = 2,
    device: Literal["cpu", "cuda", "auto"] | None = None,
    amplitude: Amplitude | Sequence[AmplitudeKey] = 1.0,
    joint_limits: bool = False,
    passive: bool = False,
    clean: bool = False,
    world: str | dict[str, Any] | World | None = None,
    touching: str = "*",
    part: Literal["auto", "body", "face"] = "auto",
    firmness: float | None = None,
    ratio: Ratio | None = None,
    grounded: bool = False,
    width: Duration | Bell | None = None,
    widths: dict[str, Duration | Bell] | None = None,
    joints: Sequence[str] | None = None,
    method: Literal["newton", "paper"] = "newton",
    iterations: int = 30,
    accuracy: float = 5e-09,
    scale: float = 1.0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> HitResult:
    """Loosen a motion and correct it so that the loose motion meets its targets at exact times.

    Args:
        constraints: What to meet, and when: places (at a time, or held), velocities, poses; of a face shapes
            of regions.
        tension: How tightly joints hold the animation: overall, by joint or limb, or keyed over time [Hz]
            (keyed: exactly as animated; tense: 7.5 Hz; firm: 4.4 Hz; relaxed: 2.8 Hz; loose: 1.6 Hz; drunk: 1
            Hz).
        window: How far back each frame looks; longer follows through more [s] (auto: one length for the clip;
            adaptive: as each frame needs).
        contacts: Keep feet planted where the animation plants them, and hands, knees or hips that lean, kneel
            or sit.
        gravity: Whether limbs weigh anything (on: they sag; off: they do not; compensated: springs carry the
            weight of the animated pose).
        root: How the root moves (prescribed: as animated; driven: on springs, like any joint).
        dampers: What dampers slow down (rest: all motion; reference: only what differs from the animation).
        step: Longest step of the simulation [s].
        order: Order of the integrator (1: robust: backward Euler; 2: accurate, and stable at any step).
        device: What simulates; left out: as the variable POISE_DEVICE says, else the processor. Not saved
            (cpu: the processor; cuda: the graphics card; auto: the card, where there is one and it gains).
        amplitude: How much of the loose motion is shown, from 0 (as animated) to 1: overall, by joint or
            limb, or keyed over time.
        joint_limits: Whether joints keep to their limits while they reach; targets near them are found more
            slowly, or missed.
        passive: Whether joints also feel the springs and dampers that their file gives them, towards its rest
            pose.
        clean: Mend joints that flip or spin as no body's do before they are simulated; left out, they are
            only named.
        world: Surfaces that limbs run into: a file (JSON, glTF, MJCF, USD), surfaces, what a file holds, or
            none; in a project they stand beside its world, and count for those of their name.
        touching: Bodies that touch the world, by name or limb; the others go through.
        part: What is loosened (auto: the face, where morph targets move on a character of few bodies; else
            the body; body: the skeleton; face: the skin that morph targets move; comes out as a mesh, not in
            projects).
        firmness: How firmly a face keeps its shape; left out: as its tension has it, 6 where that is a number
            [Hz].
        ratio: Damping ratio of a face; left out: as its tension has it, 0.2 where that is a number.
        grounded: Change what comes out as little as contact forces need to carry it, as poise ground does.
        width: How long corrections last; left out: 1 s, of a face 0.6 s or less [s].
        widths: The same for single constraints, by their names [s].
        joints: Joints or limbs that may change; left out: those that reach.
        method: How targets are met (newton: all at once; paper: one by one, as published).
        iterations: Most steps of the search.
        accuracy: How near is near enough (of angles in rad) [m].
        scale: Shortens the steps of the published method.
    """
    return cast("HitResult", call(Hit, **locals()))


def wear(
    clip: Clip | Result,
    mesh: str | Surface | Clip = "hat",
    *,
    to: str = "Head",
    young: Pascals | None = None,
    poisson: float = 0.3,
    density: Density = 100.0,
    ratio: Ratio = 0.06,
    offset: Place | None = None,
    rotation: Quaternion | None = None,
    scale: float | None = None,
    frame: Literal["bone", "world"] | None = None,
    grip: Length | None = None,
    cells: int = 220,
    modes: Count = 14,
    gravity: Literal["on", "off", "compensated"] = "on",
    colour: Colour = (0.16, 0.05, 0.3),
    window: Duration | Literal["auto", "adaptive"] = "auto",
    large: bool = False,
    constraints: Sequence[Constraint | FootPlant | Mapping[str, Any]] | None = None,
    width: Duration | None = None,
    joints: Sequence[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> WearResult:
    """Put something soft on a bone: it sways with the motion, and may be made to hit.

    Args:
        mesh: The mesh: the bundled hat, a file (GLB, OBJ) or a clip's skin.
        to: The bone that carries it.
        young: Young's modulus, softer sways more; left out: 20 kPa, for a hat as its size asks [Pa].
        poisson: Poisson's ratio.
        density: Density [kg/m³].
        ratio: Damping ratio of its slowest mode.
        offset: Where its origin is on the bone; left out, the hat is fitted [m].
        rotation: How it is turned, as a quaternion w, x, y, z.
        scale: Scale factor.
        frame: Axes of its place (bone: the bone's; world: the world's, where the character stands at rest).
        grip: What is within this distance of the bone is held; left out, what lies inside it [m].
        cells: Elements, about.
        modes: Modes of vibration.
        gravity: Whether it weighs anything (on: it sags; off: it does not; compensated: it has its modelled
            shape at rest).
        colour: Its colour, linear red, green and blue.
        window: How far back each frame looks [s] (auto: until little is left of a blow; adaptive: as each
            frame needs).
        large: For large motions of the mesh: exact, and slower.
        constraints: Where points of it, or of its wearer, are to be.
        width: How long corrections last [s].
        joints: Joints or limbs that may change; left out: all.
    """
    return cast("WearResult", call(Wear, **locals()))


def ground(
    clip: Clip | Result,
    most_force: Factor = 5.0,
    *,
    floor: Metres | None = None,
    world: str | dict[str, Any] | World | None = None,
    filter: Hertz | Literal["auto", "off"] = "auto",
    key_spacing: Duration = 0.05,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> GroundResult:
    """Put weight on the ground: the smallest change such that contact forces carry the motion.

    Args:
        most_force: Largest vertical force on the whole body, in body weights.
        floor: Height of the floor: level ground and nothing else; left out: found in the motion [m].
        world: The surfaces that are there: a file (JSON, glTF, MJCF, USD), surfaces, or what a file holds;
            nothing is added to them.
        filter: Cut-off of the low-pass filter against capture noise, where frames change [Hz] (auto: 10 Hz
            for clips that jitter; off: the frames as they are).
        key_spacing: Time between the keys of the change [s].
    """
    return cast("GroundResult", call(Ground, **locals()))


def check(
    clip: Clip | Result,
    *,
    floor: Metres | None = None,
    world: str | dict[str, Any] | World | None = None,
    confirm: Sequence[str] | None = None,
    filter: Hertz | Literal["off"] = 10.0,
    metrics: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> CheckResult:
    """Check a motion: what carries it, flights and their gravity, depth, skate, jumps, joints, torques.

    Args:
        floor: Height of the floor: level ground and nothing else; left out: found in the motion [m].
        world: The surfaces that are there: a file (JSON, glTF, MJCF, USD), surfaces, or what a file holds;
            nothing is added to them.
        confirm: What was assumed and is so: names of questions, or all.
        filter: Cut-off of the low-pass filter against capture noise [Hz] (off: the frames as they are).
        metrics: Also measure what papers print (foot skating ratio, Penetrate, Float, Skate, FS, jitter,
            PFC), with rate, floor and joints.
    """
    return cast("CheckResult", call(Check, **locals()))


def fix(
    clip: Clip | Result,
    may: Sequence[RepairName] | None = None,
    *,
    floor: Metres | None = None,
    world: str | dict[str, Any] | World | None = None,
    confirm: Sequence[str] | None = None,
    filter: Hertz | Literal["off"] = 10.0,
    metrics: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> FixResult:
    """Fix a motion: its time scale, pops, limbs, feet that sink, float or slide, flights, spins.

    Args:
        may: What may be changed; left out: all (time: the speed at which it plays, of the clip or of one
            flight; pops: frames that jump: they are made anew from their neighbours; limits: limbs thrown
            where they cannot go: an elbow backwards, an arm inside the trunk; body: where the whole body is,
            if all of it is carried wrongly: sunk, lifted, dragged, spun; feet: feet and hands that sink,
            hover or slide; flight: the way of the body in the air; spin: its rotation in the air).
        floor: Height of the floor: level ground and nothing else; left out: found in the motion [m].
        world: The surfaces that are there: a file (JSON, glTF, MJCF, USD), surfaces, or what a file holds;
            nothing is added to them.
        confirm: What was assumed and is so: names of questions, or all.
        filter: Cut-off of the low-pass filter against capture noise [Hz] (off: the frames as they are).
        metrics: Also measure what papers print (foot skating ratio, Penetrate, Float, Skate, FS, jitter,
            PFC), with rate, floor and joints.
    """
    return cast("FixResult", call(Fix, **locals()))


def trim(
    clip: Clip | Result,
    start: Time | None = None,
    end: Time | None = None,
    *,
    frames: tuple[Frame, Frame] | None = None,
    fit: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Keep a part of a motion; of a loop any stretch, over as many cycles as it takes.

    Args:
        start: Keep from this time on; left out: from the start [s].
        end: Keep up to this time; left out: to the end [s].
        frames: Keep from the first frame to the last, both included, instead of times.
        fit: Take an end after the motion's own for that: for motions of any length.
    """
    return cast("Result", call(Trim, **locals()))


def resample(
    clip: Clip | Result,
    fps: FrameRate,
    *,
    interpolation: Literal["cubic", "linear", "step"] = "cubic",
    keep: Literal["rate", "period"] = "rate",
    cover: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Give a motion another frame rate, at exact times.

    Args:
        fps: Frames per second [fps].
        interpolation: What a motion is between frames (cubic: a smooth curve through them; linear: the
            shortest way from one to the next; step: the frame before).
        keep: What a loop keeps whose period is no whole number of new frames (rate: the rate that is asked
            for; period: its exact period).
        cover: Whether a last frame holds the pose where the end falls between frames.
    """
    return cast("Result", call(Resample, **locals()))


def mirror(
    clip: Clip | Result,
    plane: Literal["y", "x"] = "y",
    *,
    asymmetry: Ratio = 0.05,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Swap left and right; the way goes to the other side.

    Args:
        plane: The plane that a motion is reflected in, by its normal (y: from left to right; x: from front to
            back).
        asymmetry: How uneven the rest pose of a character may be, over its reach.
    """
    return cast("Result", call(Mirror, **locals()))


def repeat(
    clip: Clip | Result,
    cycles: Count,
    *,
    closing: bool = True,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Write a loop several times in a row, as a plain motion that travels on.

    Args:
        cycles: How many times.
        closing: Whether the first frame comes round once more at the end.
    """
    return cast("Result", call(Repeat, **locals()))
