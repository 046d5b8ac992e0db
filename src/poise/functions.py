"""Every operation as a function.

A function takes a clip or the result of another function, and checks its options before it computes anything.
While it works it calls ``progress`` with the part done (0 to 1) and stops with ``CancelledError`` as soon as
``cancel`` returns True.
"""

# Made from the declarations; do not edit: ``python -m poise.operations.functions`` makes it anew.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from poise.operations.adapt import Adapt
from poise.operations.assemble import Assemble
from poise.operations.check import Check
from poise.operations.fix import Fix
from poise.operations.ground import Ground
from poise.operations.hang import Hang
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
    from poise.methods.adapt.assembly.assemble import AssembleResult
    from poise.methods.adapt.result import AdaptResult
    from poise.methods.adapt.retarget.retarget import RetargetResult
    from poise.methods.ground.result import GroundResult
    from poise.methods.key.edits.result import RetouchResult
    from poise.methods.key.pose.result import PoseResult
    from poise.methods.key.result import KeyResult
    from poise.methods.key.sheet.keyframes import Keyframes
    from poise.methods.loosen.hit.hit import HitResult
    from poise.methods.loosen.operations import LoosenResult
    from poise.methods.loosen.wear.hang import HangResult
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
    from poise.operations.assemble import Strip
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
    from poise.operations.retouch import HeldPoint, MorphKey, PoseEdit
    from poise.operations.trim import Frame
    from poise.operations.values.amplitude import Amplitude, AmplitudeKey
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
    "assemble",
    "check",
    "fix",
    "ground",
    "hang",
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


def assemble(
    strips: Sequence[Strip],
    *,
    feet: bool = True,
    onto: str | None = None,
    fps: Rate | str | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AssembleResult:
    """Play clips one after another: trimmed, retimed, looped, mirrored, blended, with feet kept planted.

    Args:
        strips: Strips with their times. Overlapping strips blend.
        feet: Keep planted feet in place while strips blend.
        onto: The character: a clip of it. Clips of other characters are retargeted. Default: that of the
            first strip.
        fps: Frame rate. Default: that of the first strip [fps, > 0].

    Returns:
        AssembleResult: One motion of many clips.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> strips = [{"clip": "walk", "loop": 2}, {"clip": "run", "at": 2.0, "loop": 2}]
        >>> moving = poise.assemble(strips).clip
    """
    return cast("AssembleResult", call(Assemble, **locals()))


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
    """Fit a character to captured markers: proportions, marker positions and motion.

    Args:
        capture: The markers: a C3D or TRC file, or an NPZ or JSON file from Poise.
        character: The character to fit: a preset or a file.
        scaling: What is scaled to the person's proportions (segments: every bone, left and right alike;
            whole: the figure as a whole; none: nothing; the rig stays as it is).
        attach: Joints that carry markers with unknown names. Default: found from the motion.
        up: Up axis of the file (auto: as in the file, or found from the markers; y: y points up; z: z points
            up).
        mass: The person's mass. Default: estimated from the size [kg, > 0].

    Returns:
        MarkerResult: A character's motion and how well it explains the markers.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> captured = poise.solve_markers("captured.trc", mass=75.3).clip
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
    """Turn key-frames into motion: poses, pins, centre-of-mass path, inertia, spins.

    Args:
        keyframes: The key-frames: a JSON file or its contents. Without poses, they modify the motion below.
        retime: First retime the keys as the path's hints suggest.
        fps: Frame rate of a motion that starts here. Default: 30 [fps, > 0].
        start: Time of the first frame. Default: the first key [s].
        end: Time of the last frame. Default: the last key [s].
        grounded: Adjust the result so that contact forces can carry it, as poise ground does.

    Returns:
        KeyResult: The motion; met where centre of mass and inertia are as they were keyed, at every frame.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> hop = poise.key("hop.json", fps=60).clip
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
    over: Length | None = None,
    high: Length | None = None,
    spin: Degrees | None = None,
    route: Sequence[tuple[Metres, Metres]] | None = None,
    footsteps: Sequence[tuple[Metres, Metres]] | None = None,
    steps: Count | None = None,
    speed: float | None = None,
    to: Place | None = None,
    side: Literal["left", "right"] | None = None,
    seconds: Duration | None = None,
    tempo: float = 1.0,
    world: str | dict[str, Any] | World | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> PlanResult:
    """Plan a motion from a template for any body, or of least effort through a few partial key-frames.

    Args:
        scene: A template for any body (walk, jump, turn, reach, sit down …), a bundled scene (four punches,
            lamp jump …), a JSON file, or its contents.
        modes: Number of vibration modes to control. Default: the scene's, or 20 [≥ 1].
        springs: Joint springs. Default: those of the scene or character (standing: as stiff as a standing
            person; loose: swing at 0.7 times that frequency; stiff: swing at 1.4 times that frequency).
        stiffer: Stiffness factors of joints, by name or pattern, for all axes or for each [> 0].
        rayleigh: Rayleigh damping: proportional to mass and to stiffness. Default: the scene's, or 0.5 1/s
            and 0.005 s [1/s, ≥ 0].
        key_weight: Weight of keys against effort. Default: the scene's, or 1e6 [> 0].
        refine: Number of refinement passes towards missed keys. Default: the scene's, or 6 [≥ 0].
        together: Solve stances on the same feet together, for a longer horizon.
        grounded: Adjust the result so that contact forces can carry it, as poise ground does; keys stay met;
            held points stay in place or come to rest nearby. Default: as the scene says, else tried if the
            motion starts on the ground, with a warning of what is left.
        judge: Report how plausible the motion is under full dynamics.
        fps: Frame rate of the result. Default: the scene's, or 60 [fps, > 0].
        character: The character: a preset or a file. A scene needs one whose names fit.
        over: Distance to travel. Default: depends on leg length [m, > 0].
        high: Height of a jump, hop, step or seat, or depth of a crouch. Default: depends on body size [m, >
            0].
        spin: Turn to the left, in the air or step by step. Default: 90° for the template turn, else 0 [°].
        route: Points on the ground to pass through, starting at 0,0 and facing along x [m].
        footsteps: Footsteps, left and right in turn, instead of a route [m].
        steps: Number of steps, strides or hops. Default: as many as fit [≥ 1].
        speed: Speed. Default: depends on leg length [m/s, > 0].
        to: Target of a reaching hand (or head, without hands). Default: in front of the shoulder [m].
        side: Hand that reaches, or foot that goes first. Default: right (left: left hand or foot; right:
            right hand or foot).
        seconds: Duration. Default: depends on body size [s, > 0].
        tempo: Speed factor. Flights keep their duration [≥ 0.5, ≤ 1.5].
        world: Surfaces for a template: a file (JSON, glTF, MJCF, USD) or a list. Default: level ground and
            what the template needs (a step, a seat).

    Returns:
        PlanResult: The motion, its pieces, and how well it does what was asked.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> jump = poise.plan("lamp jump").clip
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
    ground: bool | None = None,
    world: str | dict[str, Any] | World | None = None,
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
    """Simulate a character that moves from key to key, or follows a motion, and stays on time.

    Args:
        script: What to perform: a bundled script (conducting, ymca), or a JSON or TOML file.
        character: The performer, if neither the script nor a motion names one: a preset or a file.
        beats: Beats to align keys with: a tempo, a MIDI file or a WAV file [bpm, > 0, ≤ 10000].
        from_pose: Starting pose: a pose of the script by name, joint angles in degrees, or a configuration.
            Default: the script's own, or rest.
        duration: Duration. Default: that of the motion, or until 0.5 s after the last key [s, > 0].
        style: How keys are approached: from late and snappy to early and settled, or a number above 2 [> 2, <
            100, > 1] (snappy: halfway after 41 % of the time; lively: halfway after 31 % of the time; smooth:
            halfway after 25 % of the time; settled: halfway after 17 % of the time).
        hold: Time a holding joint takes to return [s, > 0].
        look_ahead: Time a following joint takes to return to the motion [s, > 0].
        recovery: Time to get back to the motion after a disturbance [s, > 0].
        strength: Maximum joint torque, overall or by joint or limb (N for sliding joints). Default: unlimited
            [N·m, > 0].
        root: How the root moves. Default: as in the followed motion, else fixed (fixed: it does not move;
            prescribed: as in the followed motion; free: it is held up by contact forces alone).
        ground: Put a floor at height 0, or where the followed motion has it. Default: on if the root is free.
        world: Surfaces to stand on and collide with: a file (JSON, glTF, MJCF, USD) or a list. Default: the
            project's, else the ground.
        disturbances: Disturbances: blows, pushes, loads, thrown balls.
        control: How much the controller knows of the body's dynamics (full: everything; exact; composite:
            inertia, but not coupling between limbs; local: each joint knows only its own limb; manual:
            nothing; gains tuned by hand for the first key).
        joint_limits: Respect joint limits. A character without limits gets human ones. Requested poses are
            still reached.
        gravity: Gravity on limbs (on: limbs have weight; off: limbs are weightless).
        step: Longest time step of the simulation [s, > 0, ≤ 0.05].
        fps: Frame rate of the result. Default: that of the motion, else 60 [fps, > 0].
        tolerance: Largest joint error that counts as on time [°, > 0].

    Returns:
        PerformResult: The performance, who arrived when, and every step of the simulation.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> ymca = poise.perform(script="ymca", beats=110).clip
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
    """Change one pose of a motion by pins, centre of mass and inertia, or constraints.

    Args:
        constraints: Constraints on the pose, by priority.
        at: Time of the pose [s].
        pins: Points to hold in place or move to a position.
        com: Offset of the centre of mass [m].
        gyration: Radius of gyration; smaller tucks the body [m, > 0].
        strict: Constraints with a priority below this are met exactly, in order. Others are met as far as
            possible [≥ 0].
        joint_limits: Respect joint limits.
        iterations: Maximum number of iterations [≥ 1].
        accuracy: Tolerance (rad for angles) [m, > 0, < 1].

    Returns:
        PoseResult: A pose; its motion is this pose alone, which is no edit of the animation that it was taken
            from.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> tuck = poise.pose(poise.clips.get("jump"), at=0.9, gyration=0.25)
    """
    return cast("PoseResult", call(Pose, **locals()))


def retouch(
    clip: Clip | Result,
    edits: Sequence[PoseEdit] | None = None,
    *,
    morphs: Sequence[MorphKey] | None = None,
    mode: Literal["add", "override"] = "add",
    held: Sequence[HeldPoint] | None = None,
    fade: Duration = 0.25,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> RetouchResult:
    """Change poses and faces of a motion by hand. Changes blend from key to key and fade beyond them.

    Args:
        edits: Keys: a time and joint values. Other joints do not change.
        morphs: Keys of a face: a time and morph target weights.
        mode: What happens between keys (add: the change is added to the motion below; override: the keys
            replace the motion below).
        held: Points that stay in place for a while, such as a foot or a hand. The rest of the body follows
            them as little as it can; they are stronger than keys of joints.
        fade: Fade-in before a joint's first key and fade-out after its last [s, > 0].

    Returns:
        RetouchResult: The motion; feet stand where they stood before it was edited.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> import math
        >>> nod = {"time": 0.5, "joints": {"Head": [math.cos(0.2), 0.0, math.sin(0.2), 0.0]}}
        >>> nodding = poise.retouch(poise.clips.get("walk"), [nod]).clip
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
    """Change a whole motion as little as possible to meet constraints, with feet kept planted.

    Args:
        constraints: Constraints with their times: positions, paths, poses, foot plants.
        plants: Detect planted feet and keep them planted.
        floor: Keep feet above this height, or above the floor of the motion (on); or one height per point.
            Default: on if feet are kept planted [m].
        exact: Hold points to 0.2 mm. Knees may then show capture noise.
        joints: Joints or limbs that may change. Default: all that the motion uses.
        key_spacing: Spacing of the change's keys, or their times; also by joint or limb (the first match
            counts; others do not change) [s, > 0].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: Boundary condition at the first and last key (auto: periodic for loops, else free; free:
            anything; zero: no change; periodic: the end continues at the start).
        locked: Times or intervals whose keys do not change, overall or by joint or limb [s].
        smoothness: Cost of bending the change within 0.1 s, relative to moving the body [≥ 0].
        displacements: Curves to solve for, one after the other. Default: one, plus a finer one where points
            are held.
        objective: How the size of a change is measured (length: by how far bones visibly move; mass: by mass
            times distance; joints: by joint angles).
        prices: Extra cost of moving joints or limbs, as a factor [> 0].
        joint_limits: Respect limits of joints, and of robots' motors.
        iterations: Maximum number of iterations [≥ 1].
        look: Where the head looks, at a time or during an interval.
        known: When the character becomes aware of a constraint, by constraint name. The motion does not
            anticipate it earlier [s].
        move: Foot plants to move or turn, numbered from 1 in order of time.
        within: Change and check only this part of the clip [s].
        prior: A clip of the same length, or a pose, that the result is drawn towards.
        prior_weight: Strength of the prior. At 1 it counts as much as the motion itself [≥ 0].

    Returns:
        AdaptResult: An adapted motion.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> reach = poise.constraints.pin("RightHandCentre", (0.6, -0.2, 1.4), 0.5)
        >>> reached = poise.adapt(walk, [reach]).clip
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
    """Transfer a performance to another character. Feet stand where the performer's did, scaled.

    Args:
        onto: The new character: a file, a preset or a clip.
        plants: Detect planted feet and keep them planted.
        floor: Keep feet above this height, or above the floor of the motion (on); or one height per point.
            Default: on if feet are kept planted [m].
        exact: Hold points to 0.2 mm. Knees may then show capture noise.
        joints: Joints or limbs that may change. Default: all that the motion uses.
        key_spacing: Spacing of the change's keys, or their times; also by joint or limb (the first match
            counts; others do not change) [s, > 0].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: Boundary condition at the first and last key (auto: periodic for loops, else free; free:
            anything; zero: no change; periodic: the end continues at the start).
        locked: Times or intervals whose keys do not change, overall or by joint or limb [s].
        smoothness: Cost of bending the change within 0.1 s, relative to moving the body [≥ 0].
        displacements: Curves to solve for, one after the other. Default: one, plus a finer one where points
            are held.
        objective: How the size of a change is measured (length: by how far bones visibly move; mass: by mass
            times distance; joints: by joint angles).
        prices: Extra cost of moving joints or limbs, as a factor [> 0].
        joint_limits: Respect limits of joints, and of robots' motors.
        iterations: Maximum number of iterations [≥ 1].
        map: For joints that Poise cannot match by name or role: the performer's to the character's.
        hands: Keep hand positions relative to the shoulders; off: keep arm angles. Hands near each other or
            the body stay near either way.
        grounded: Adjust the result so that contact forces can carry it, as poise ground does.

    Returns:
        RetargetResult: A performance of another character, and how well each limb does it.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> walk = poise.retarget(poise.clips.get("walk"), "biped180").clip
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
    """Bend the route of a motion. Steps get longer or shorter; feet stay planted.

    Args:
        turn: How far the route bends to the left [°].
        plants: Detect planted feet and keep them planted.
        floor: Keep feet above this height, or above the floor of the motion (on); or one height per point.
            Default: on if feet are kept planted [m].
        exact: Hold points to 0.2 mm. Knees may then show capture noise.
        joints: Joints or limbs that may change. Default: all that the motion uses.
        key_spacing: Spacing of the change's keys, or their times; also by joint or limb (the first match
            counts; others do not change) [s, > 0].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: Boundary condition at the first and last key (auto: periodic for loops, else free; free:
            anything; zero: no change; periodic: the end continues at the start).
        locked: Times or intervals whose keys do not change, overall or by joint or limb [s].
        smoothness: Cost of bending the change within 0.1 s, relative to moving the body [≥ 0].
        displacements: Curves to solve for, one after the other. Default: one, plus a finer one where points
            are held.
        objective: How the size of a change is measured (length: by how far bones visibly move; mass: by mass
            times distance; joints: by joint angles).
        prices: Extra cost of moving joints or limbs, as a factor [> 0].
        joint_limits: Respect limits of joints, and of robots' motors.
        iterations: Maximum number of iterations [≥ 1].
        route: Points on the ground that the route passes through, instead of a turn [m].

    Returns:
        AdaptResult: An adapted motion.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> steps = poise.repeat(poise.clips.get("walk"), 3)
        >>> left = poise.reroute(steps, turn=45).clip
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
    """Close a motion into a seamless loop, with feet planted across the seam.

    Args:
        search: How far from either end to search for the best matching frames [s, ≥ 0].
        plants: Detect planted feet and keep them planted.
        floor: Keep feet above this height, or above the floor of the motion (on); or one height per point.
            Default: on if feet are kept planted [m].
        exact: Hold points to 0.2 mm. Knees may then show capture noise.
        joints: Joints or limbs that may change. Default: all that the motion uses.
        key_spacing: Spacing of the change's keys, or their times; also by joint or limb (the first match
            counts; others do not change) [s, > 0].
        basis: Kind of curve (bspline: smooth, keys pull; cubic: the same curves, keys are values; linear:
            straight between keys).
        ends: Boundary condition at the first and last key (auto: periodic for loops, else free; free:
            anything; zero: no change; periodic: the end continues at the start).
        locked: Times or intervals whose keys do not change, overall or by joint or limb [s].
        smoothness: Cost of bending the change within 0.1 s, relative to moving the body [≥ 0].
        displacements: Curves to solve for, one after the other. Default: one, plus a finer one where points
            are held.
        objective: How the size of a change is measured (length: by how far bones visibly move; mass: by mass
            times distance; joints: by joint angles).
        prices: Extra cost of moving joints or limbs, as a factor [> 0].
        joint_limits: Respect limits of joints, and of robots' motors.
        iterations: Maximum number of iterations [≥ 1].

    Returns:
        AdaptResult: An adapted motion.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> cycle = poise.loop(poise.clips.get("walk"), search=0.3).clip
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
    """Add weight and follow-through: every frame is the end of a short simulation of the animation.

    Args:
        tension: How tightly joints follow the animation: overall, by joint or limb, or keyed over time [Hz]
            (keyed: exactly as animated; tense: 7.5 Hz; firm: 4.4 Hz; relaxed: 2.8 Hz; loose: 1.6 Hz; drunk: 1
            Hz).
        window: How far back each frame's simulation starts. Longer gives more follow-through [s, > 0] (auto:
            one length for the clip; adaptive: as each frame needs).
        contacts: Keep planted feet planted, and hands, knees or hips that lean, kneel or sit.
        gravity: Gravity on limbs (on: limbs sag under their weight; off: limbs are weightless; compensated:
            springs carry the weight of the animated pose).
        root: How the root moves (prescribed: as animated; driven: on springs, like any joint).
        dampers: What the dampers slow down (rest: all motion; reference: only what differs from the
            animation).
        step: Longest time step of the simulation [s, > 0].
        order: Order of the integrator (1: robust: backward Euler; 2: accurate, and stable at any step).
        device: Device that simulates. Default: the environment variable POISE_DEVICE, else the processor. Not
            saved in projects (cpu: the processor; cuda: the graphics card; auto: the graphics card if there
            is one and it is faster).
        amplitude: Share of the loose motion, from 0 (as animated) to 1: overall, by joint or limb, or keyed
            over time [≥ 0, ≤ 1].
        joint_limits: Respect joint limits. A character without limits gets human ones.
        passive: Also simulate the joint springs and dampers given in the character's file.
        clean: Repair joints that flip or spin impossibly fast before simulating. Otherwise they are only
            reported.
        world: Surfaces that limbs collide with: a file (JSON, glTF, MJCF, USD), a list, or none. In a project
            they add to its world and replace surfaces of the same name.
        touching: Bodies that collide with the world, by name or limb. Others pass through.
        part: What to loosen (auto: the face if morph targets move on a character of few bodies, else the
            body; body: the skeleton; face: the skin moved by morph targets; the result is a mesh, not
            available in projects).
        firmness: How firmly a face keeps its shape. Default: set by the tension, or 6 if that is a number
            [Hz, ≥ 0].
        ratio: Damping ratio of a face. Default: set by the tension, or 0.2 if that is a number [≥ 0].
        grounded: Adjust the result so that contact forces can carry it, as poise ground does.

    Returns:
        LoosenResult: The loose motion, how far back each frame looked, and how far bodies went from the
            animation.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> loose = poise.loosen(poise.clips.get("walk"), "loose").clip
        >>> arms = poise.loosen(poise.clips.get("walk"), {"*": "keyed", "* arm": "loose"}).clip
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
    """Loosen a motion and still hit its targets at exact times.

    Args:
        constraints: Targets with their times: positions (at a time or held), velocities, poses; for faces,
            shapes of regions.
        tension: How tightly joints follow the animation: overall, by joint or limb, or keyed over time [Hz]
            (keyed: exactly as animated; tense: 7.5 Hz; firm: 4.4 Hz; relaxed: 2.8 Hz; loose: 1.6 Hz; drunk: 1
            Hz).
        window: How far back each frame's simulation starts. Longer gives more follow-through [s, > 0] (auto:
            one length for the clip; adaptive: as each frame needs).
        contacts: Keep planted feet planted, and hands, knees or hips that lean, kneel or sit.
        gravity: Gravity on limbs (on: limbs sag under their weight; off: limbs are weightless; compensated:
            springs carry the weight of the animated pose).
        root: How the root moves (prescribed: as animated; driven: on springs, like any joint).
        dampers: What the dampers slow down (rest: all motion; reference: only what differs from the
            animation).
        step: Longest time step of the simulation [s, > 0].
        order: Order of the integrator (1: robust: backward Euler; 2: accurate, and stable at any step).
        device: Device that simulates. Default: the environment variable POISE_DEVICE, else the processor. Not
            saved in projects (cpu: the processor; cuda: the graphics card; auto: the graphics card if there
            is one and it is faster).
        amplitude: Share of the loose motion, from 0 (as animated) to 1: overall, by joint or limb, or keyed
            over time [≥ 0, ≤ 1].
        joint_limits: Stop swings at joint limits too. Targets near a limit take longer to solve, or are
            missed. Corrections keep to the limits in any case, as far as targets allow.
        passive: Also simulate the joint springs and dampers given in the character's file.
        clean: Repair joints that flip or spin impossibly fast before simulating. Otherwise they are only
            reported.
        world: Surfaces that limbs collide with: a file (JSON, glTF, MJCF, USD), a list, or none. In a project
            they add to its world and replace surfaces of the same name.
        touching: Bodies that collide with the world, by name or limb. Others pass through.
        part: What to loosen (auto: the face if morph targets move on a character of few bodies, else the
            body; body: the skeleton; face: the skin moved by morph targets; the result is a mesh, not
            available in projects).
        firmness: How firmly a face keeps its shape. Default: set by the tension, or 6 if that is a number
            [Hz, ≥ 0].
        ratio: Damping ratio of a face. Default: set by the tension, or 0.2 if that is a number [≥ 0].
        grounded: Adjust the result so that contact forces can carry it, as poise ground does.
        width: How long corrections last. Default: 1 s; for faces 0.6 s or less [s, > 0].
        widths: The same for single constraints, by name [s, > 0].
        joints: Joints or limbs that may change. Default: those that can reach the targets.
        method: Solver (newton: all at once; paper: one by one, as published).
        iterations: Maximum number of iterations [≥ 0].
        accuracy: Tolerance (rad for angles) [m, > 0].
        scale: Damping of the published method [> 0, ≤ 1].

    Returns:
        HitResult: What was achieved. Hand it to the next call as ``start`` to go on from here.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> mark = poise.constraints.pin("RightHandCentre", (0.9, 0.0, 1.36), 0.85)
        >>> result = poise.hit(poise.clips.get("punch"), [mark], "loose")
        >>> print(result.met)
    """
    return cast("HitResult", call(Hit, **locals()))


def hang(
    clip: Clip | Result,
    joints: Sequence[str],
    *,
    bend: Length | None = None,
    ratio: Ratio = 0.3,
    thickness: Length | None = None,
    gravity: Literal["on", "off"] = "on",
    friction: Ratio = 0.3,
    collide: bool = True,
    world: str | dict[str, Any] | World | None = None,
    window: Duration | Literal["auto"] = "auto",
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> HangResult:
    """Let chains of joints hang and swing: hair, tails, straps, cloth bones. They collide with the body.

    Args:
        joints: Chains of joints, by joint names or limb. The first bone of each stays as animated.
        bend: Bending length: how far a chain sticks out before it droops. Default: an eighth of its length
            [m, > 0].
        ratio: Damping ratio of its slowest swing [≥ 0].
        thickness: Collision radius of a chain. Default: a quarter of a bone's length [m, > 0].
        gravity: Gravity on chains (on: chains hang down; off: chains only trail).
        friction: Friction coefficient [≥ 0].
        collide: Collide with the body.
        world: Surfaces that chains collide with: a file (JSON, glTF, MJCF, USD) or a list.
        window: How far back each frame looks [s, > 0] (auto: until a swing has almost died out).

    Returns:
        HangResult: The motion whose chains hang, and how far they went.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> camel = poise.characters.camel()
        >>> standing = poise.Clip(camel, [camel.rest_pose()] * 30, 30)
        >>> hung = poise.hang(standing, "Tail*", bend=0.05)
        >>> print(hung)
    """
    return cast("HangResult", call(Hang, **locals()))


def wear(
    clip: Clip | Result,
    mesh: str | Surface | Clip = "hat",
    *,
    to: str | None = None,
    young: Pascals | None = None,
    poisson: float = 0.3,
    density: Density = 100.0,
    ratio: Ratio | None = None,
    bend: Length | None = None,
    thickness: Length | None = None,
    pins: Sequence[int] | None = None,
    line: Sequence[Place] | None = None,
    friction: Ratio = 0.3,
    collide: bool = True,
    world: str | dict[str, Any] | World | None = None,
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
    """Attach something soft to a bone: a hat, a cape or a ponytail that sways with the motion.

    Args:
        mesh: What to wear: a bundled hat, cape, skirt, ponytail or strand, a file (GLB, OBJ), or a clip's
            skin. Closed meshes are solid; open ones are cloth (hat: a floppy wizard's hat, solid; cape: from
            the shoulders to the hollows of the knees; skirt: a bell to the knees; ponytail: a strand at the
            back of the head; strand: along a line of your own).
        to: Bone or role to attach it to. Default: head, chest or hips, depending on the thing.
        young: Young's modulus; softer sways more. Default: 20 kPa; for the hat, set by its size [Pa, ≥ 1, ≤
            1e+09].
        poisson: Poisson's ratio [≥ 0, < 0.5].
        density: Density [kg/m³, ≥ 1, ≤ 100000].
        ratio: Damping ratio of its slowest mode. Default: 0.06; for cloth and strands 0.3 (air) [≥ 0].
        bend: Bending length of cloth and strands: silk 0.01, wool 0.03, denim 0.05, leather 0.08 [m, > 0].
        thickness: Distance that cloth keeps from itself; radius of a strand. Default: set by the mesh [m, >
            0].
        pins: Cloth vertices held by the bone. Default: those within the grip, or the top edge [≥ 0].
        line: Points of a strand in the bone's axes, from its root. The first segment is held [m].
        friction: Friction coefficient of cloth [≥ 0].
        collide: Collide with the body.
        world: Surfaces that cloth collides with: a file (JSON, glTF, MJCF, USD) or a list.
        offset: Position of its origin on the bone. Default: the hat is fitted [m].
        rotation: Rotation, as a quaternion w, x, y, z.
        scale: Scale factor [≥ 0.001, ≤ 1000].
        frame: Axes of the position (bone: the bone's; world: the world's, where the character stands at
            rest).
        grip: Vertices within this distance of the bone are held. Default: those inside it [m, > 0].
        cells: Approximate number of elements [≥ 8, ≤ 5000].
        modes: Number of vibration modes [≥ 1].
        gravity: Gravity on the worn thing (on: it sags under its weight; off: it is weightless; compensated:
            it keeps its modelled shape at rest).
        colour: Colour: linear red, green, blue [≥ 0, ≤ 1].
        window: How far back each frame looks [s, > 0] (auto: until a jolt has almost died out; adaptive: as
            each frame needs).
        large: Exact for large deformations, but slower.
        constraints: Targets for points on it or on its wearer.
        width: How long corrections last [s, > 0].
        joints: Joints or limbs that may change. Default: all.

    Returns:
        WearResult: The motion, and what it wears: ``worn`` was put on last, ``attached`` are all.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> hatted = poise.wear(poise.clips.get("walk"))
        >>> hatted.save("hat.glb")
    """
    return cast("WearResult", call(Wear, **locals()))


def ground(
    clip: Clip | Result,
    most_force: Factor = 5.0,
    stretch_flights: bool = False,
    *,
    floor: Metres | None = None,
    world: str | dict[str, Any] | World | None = None,
    filter: Hertz | Literal["auto", "off"] = "auto",
    key_spacing: Duration = 0.05,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> GroundResult:
    """Give a motion weight on the ground: the smallest change after which contact forces can carry it.

    Args:
        most_force: Largest total vertical force, in body weights [> 0].
        stretch_flights: Let flights that fall too fast or too slowly last as long as they must: the clip gets
            more or fewer frames.
        floor: Floor height, if the world is one level floor. Default: detected from the motion [m].
        world: The surfaces of the world: a file (JSON, glTF, MJCF, USD) or a list. Nothing is added to them.
        filter: Cut-off frequency of the low-pass filter for capture noise, where frames change [Hz, > 0]
            (auto: 10 Hz for clips that jitter; off: no filter).
        key_spacing: Time between keys of the change [s, > 0].

    Returns:
        GroundResult: A motion that its contacts carry, or the one that was given and why it cannot be.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> carried = poise.ground(poise.clips.get("walk"))
        >>> print(carried.report)
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
    """Check whether a motion is physically plausible: contacts, flights, sliding, pops, joints, torques.

    Args:
        floor: Floor height, if the world is one level floor. Default: detected from the motion [m].
        world: The surfaces of the world: a file (JSON, glTF, MJCF, USD) or a list. Nothing is added to them.
        confirm: Assumptions to confirm: the names of questions in the report, or all.
        filter: Cut-off frequency of the low-pass filter for capture noise [Hz, > 0] (off: no filter).
        metrics: Also report metrics used in papers (foot skating ratio, Penetrate, Float, Skate, FS, jitter,
            PFC) with their parameters.

    Returns:
        CheckResult: The motion as it was, and the report on it; met if nothing in it is impossible.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> verdict = poise.check(poise.clips.get("jump"))
        >>> print(verdict.report)
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
    """Repair a motion: wrong speed, pops, limbs, feet that sink, float or slide, flights, spins.

    Args:
        may: Repairs that are allowed. Default: all (time: playback speed, of the clip or of one flight; pops:
            frames that jump, rebuilt from their neighbours; limits: limbs in impossible places: an elbow bent
            backwards, an arm inside the trunk; body: position of a whole body that sinks, floats, drifts or
            spins; feet: feet and hands that sink, hover or slide; flight: path of the body in the air; spin:
            rotation of the body in the air).
        floor: Floor height, if the world is one level floor. Default: detected from the motion [m].
        world: The surfaces of the world: a file (JSON, glTF, MJCF, USD) or a list. Nothing is added to them.
        confirm: Assumptions to confirm: the names of questions in the report, or all.
        filter: Cut-off frequency of the low-pass filter for capture noise [Hz, > 0] (off: no filter).
        metrics: Also report metrics used in papers (foot skating ratio, Penetrate, Float, Skate, FS, jitter,
            PFC) with their parameters.

    Returns:
        FixResult: A repaired clip; met if nothing that was to be repaired is left.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> fixed = poise.fix(poise.clips.get("jump"), floor=0.0)
        >>> print(fixed.report)
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
    """Keep part of a motion. A loop can be cut anywhere, over several cycles too.

    Args:
        start: Start time. Default: the start [s].
        end: End time. Default: the end [s].
        frames: First and last frame to keep, instead of times.
        fit: Accept an end time after the motion's end.

    Returns:
        Result: A motion and what there is to say of it.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> part = poise.trim(poise.clips.get("walk"), start=0.5, end=1.0).clip
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
    """Change the frame rate of a motion.

    Args:
        fps: Frames per second [fps, > 0].
        interpolation: Interpolation between frames (cubic: a smooth curve; linear: straight from one frame to
            the next; step: hold the previous frame).
        keep: What a loop keeps if its period is not a whole number of new frames (rate: the requested frame
            rate; period: its exact period).
        cover: Add a last frame for an end that falls between frames.

    Returns:
        Result: A motion and what there is to say of it.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> at_24 = poise.resample(poise.clips.get("walk"), 24).clip
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
    """Swap left and right, including the direction of travel.

    Args:
        plane: Normal of the mirror plane (y: from left to right; x: from front to back).
        asymmetry: Tolerated asymmetry of the rest pose, relative to the character's reach [≥ 0].

    Returns:
        Result: A motion and what there is to say of it.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> mirrored = poise.mirror(poise.clips.get("punch")).clip
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
    """Repeat a loop several times. The result travels on and is no longer a loop.

    Args:
        cycles: Number of repetitions [≥ 1].
        closing: Add the first frame once more at the end.

    Returns:
        Result: A motion and what there is to say of it.

    Raises:
        InputError: An option is out of range, or does not fit the clip; the message names it.
        CancelledError: ``cancel`` returned True.

    Examples:
        >>> walks = poise.repeat(poise.clips.get("walk"), 4).clip
    """
    return cast("Result", call(Repeat, **locals()))
