"""Contacts against closed forms, windows that remember them, and frames without history."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import poise
from poise.character import Body, Character, Joint, Mass, Shape
from poise.clips import get
from poise.errors import InputError, MissingDependencyError, UnknownNameError
from poise.kinematics import forward
from poise.methods.loosen.contact.events import ContactEvent, Overlap, contacts
from poise.methods.loosen.contact.run import ContactOptions, ContactRun
from poise.methods.loosen.contact.surfaces import bounce_of, damping_ratio
from poise.methods.loosen.contact.windows import lengthened, loosened_among
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip, Travel
from poise.operations.loosen import Loosen, Simulation
from poise.operations.values.tension import Spring
from poise.world import Ball, Box, Surface, Track, World, ground

pytest.importorskip("mujoco")

RADIUS, MASS = 0.05, 2.0
FREE = Spring(stiffness=1e-9, damping=0.0)
RAIL = Joint.slide((1.0, 0.0, 0.0))


def puck() -> Character:
    """A ball that slides along x, on a post."""
    ball = Shape.sphere((0, 0, 0), RADIUS)
    moments = 0.4 * MASS * RADIUS**2 * np.ones(3)
    return Character(
        "puck",
        [
            Body("post", None, Joint.fixed()),
            Body("puck", "post", RAIL, mass=Mass(MASS, (0, 0, 0), moments), shapes=(ball,)),
        ],
    )


def puck_clip(x, fps: float = 60.0, **more) -> Clip:
    return Clip(puck(), np.asarray(x, dtype=float)[:, None], fps, **more)


def arm() -> Character:
    """One rod on a hinge, turning in the x–y plane, 0.6 m long."""
    rod = Shape.capsule((0, 0, 0), (0.6, 0, 0), 0.03)
    return Character(
        "arm",
        [
            Body("post", None, Joint.fixed()),
            Body(
                "rod",
                "post",
                Joint.hinge((0, 0, 1)),
                mass=Mass.of_shapes([rod], mass=1.5),
                shapes=(rod,),
                points={"tip": (0.6, 0, 0)},
            ),
        ],
    )


def box(name: str, centre, half, **more) -> Surface:
    """A box by its centre and half edges."""
    return Surface(name, Box(half), centre, **{"friction": 0.8, **more})


def ball(name: str, centre, radius: float, **more) -> Surface:
    """A ball by its centre and radius."""
    return Surface(name, Ball(radius), centre, **{"friction": 0.8, **more})


def wall(face: float, **more) -> Surface:
    """A wall whose near side is the plane x = face."""
    return box("wall", (face + 0.5, 0, 0), (0.5, 2, 2), **more)


def swing_clip(frames: int = 150) -> Clip:
    """The rod swings to and fro, then towards y, further than the stop allows, and back."""
    t = np.arange(frames) / 60
    idle = 0.3 * np.sin(2 * np.pi * 1.3 * t) - 0.4
    return Clip(arm(), (idle + 1.4 * np.exp(-(((t - 1.4) / 0.12) ** 2)))[:, None], 60.0)


# Above the rod's path: it hits this at an angle of about 0.25 rad.
STOP = box("stop", (0.5, 0.5, 0), (0.2, 0.34, 0.3))
SPRINGY = Spring(3.0, 0.12)


def among(tension: Spring, *surfaces: Surface, **more) -> Loosen:
    """One spring for all joints, and what is in the way."""
    return Loosen(tension={"*": tension}, world=World(surfaces).to_dict(), **more)


def swinging(window: float = 0.25) -> Loosen:
    """A rod that swings against the stop."""
    return among(SPRINGY, STOP, window=window)


def positions(clip: Clip, q) -> np.ndarray:
    return np.asarray(forward(clip.character, q).positions)


# Closed forms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.05, 0.4, 0.9, 1.0, 1.3, 2.5])
def test_bounce_is_that_of_a_spring_and_damper_that_only_push(ratio):
    # ẍ = −2ζẋ − x from x = 0, ẋ = −1 until the push −2ζẋ − x is over (x is negative inside).
    x, v, h = 0.0, -1.0, 1e-5
    while -2 * ratio * v - x > 0:
        middle = v + 0.5 * h * (-2 * ratio * v - x)
        x, v = x + h * middle, v + h * (-2 * ratio * middle - (x + 0.5 * h * v))
    assert bounce_of(ratio) == pytest.approx(v, abs=2e-4)
    assert damping_ratio(bounce_of(ratio)) == pytest.approx(ratio, rel=1e-6)


@pytest.mark.parametrize("bounce", [0.1, 0.3, 0.6])
def test_puck_keeps_the_books_of_momentum(bounce):
    speed, contact = 2.0, ContactOptions(step=0.00025, give=0.004)
    clip = puck_clip(-0.5 + speed * np.arange(61) / 60)
    run = ContactRun(clip, FREE, [wall(0.0, bounce=bounce)], Simulation(gravity="off"), contact)
    q, _ = run.continuous()
    back = -np.diff(q[-20:, 0]).mean() * 60
    assert back == pytest.approx(bounce * speed, rel=0.08)

    (event,) = contacts(clip, among(FREE, wall(0.0, bounce=bounce), gravity="off"), contact=contact)
    hit = (0.5 - RADIUS) / speed
    assert event.start == pytest.approx(hit, abs=2 * contact.step)
    # What the wall gave is exactly what the puck's momentum changed by.
    np.testing.assert_allclose(event.impulse, [-MASS * (speed + back), 0, 0], rtol=1e-6, atol=1e-9)
    assert (event.body, event.surface) == ("puck", "wall")
    np.testing.assert_allclose(event.position, [0, 0, 0], atol=0.5 * event.depth + 1e-9)
    assert event.depth == pytest.approx(speed * contact.give * np.sqrt(bounce), rel=0.05)
    assert event.fades == np.inf
    # Before and after, straight lines.
    t = clip.times
    np.testing.assert_allclose(q[t < hit, 0], (-0.5 + speed * t)[t < hit], atol=1e-6)
    after = t > event.end
    # It leaves when the push ends, 2ζω ẋ + ω² x = 0, a little inside still.
    inside = 2 * damping_ratio(bounce) * back * contact.give
    np.testing.assert_allclose(q[after, 0], -RADIUS + inside - back * (t[after] - event.end), atol=5e-4)


def test_spring_pressed_against_a_wall_pushes_with_its_force():
    stiffness, beyond = 200.0, 0.1
    x = np.clip(-0.3 + 0.5 * np.arange(180) / 60, None, beyond - RADIUS)
    clip = puck_clip(x)
    tension = Spring(stiffness=stiffness, damping=30.0)
    asked = among(tension, wall(0.0), gravity="off")
    one, two = contacts(clip, asked), contacts(clip.with_q(clip.q[:120]), asked)
    assert len(one) == len(two) == 1
    # One second more of the same push.
    push = one[0].impulse[0] - two[0].impulse[0]
    assert push == pytest.approx(-stiffness * beyond * 1.0, rel=2e-3)
    q, _ = ContactRun(clip, tension, [wall(0.0)], Simulation(gravity="off")).continuous()
    assert abs(q[-1, 0] + RADIUS) < 2e-4  # at rest it hardly dents


def test_friction_bounds_the_impulse_along_the_wall():
    t = np.arange(60) / 60
    for friction in (0.0, 0.3):
        floor = ground(-0.06, friction=friction)
        # The rod's plane is level; tip it so that it drives its tip down and along.
        bodies = arm().bodies
        tipped = Character(
            "tipped",
            [b.replaced(rest=(0.9, 0.3, -0.2, 0)) if b.name == "rod" else b for b in bodies],
        )
        clip = Clip(tipped, (-1.5 * t)[:, None], 60.0)
        events = contacts(clip, among(Spring(6.0, 0.7), floor, gravity="off"))
        assert events
        for event in events:
            along = float(np.linalg.norm(event.impulse[:2]))
            assert event.impulse[2] > 0
            assert along <= friction * event.impulse[2] * (1 + 1e-3) + 2e-5 * event.impulse[2]
            if friction:
                assert along > 0.01 * event.impulse[2]


@pytest.mark.parametrize("bounce", [0.1, 0.7])
def test_a_surface_on_a_track_strikes_with_its_own_speed(bounce):
    speed = 1.5
    track = Track([0.0, 1.0], [(-0.6, 0, 0), (-0.6 + speed, 0, 0)])
    ram = ball("ram", (0, 0, 0), 0.1, track=track, bounce=bounce)
    clip = puck_clip(np.zeros(50))
    run = ContactRun(clip, FREE, [ram], Simulation(gravity="off"), ContactOptions(step=0.0005))
    q, touches = run.continuous()
    gained = np.diff(q[-8:, 0]).mean() * 60
    assert gained == pytest.approx((1 + bounce) * speed, rel=0.03)  # the ram does not slow down
    given = sum(t.force[0] for t in touches) * run.h
    assert given == pytest.approx(MASS * gained, rel=1e-6)
    assert touches[0].row * run.h == pytest.approx((0.6 - 0.1 - RADIUS) / speed, abs=2e-3)


# The same springs as the simulator's -----------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": 1},
        {"root": "driven"},
        {"gravity": "compensated", "dampers": "reference"},
        {"gravity": "off", "dampers": "reference", "order": 1},
    ],
    ids=str,
)
def test_without_contact_the_run_is_the_simulator(options):
    whole = get("punch")
    clip = whole.with_q(whole.q[30:70])
    far = ball("moon", (0, 0, 40), 1.0)
    run = ContactRun(clip, "relaxed", [far], Simulation(**options))
    q, touches = run.continuous()
    assert not touches
    same = Simulator(clip, "relaxed", run.options).full()
    assert np.abs(positions(clip, q) - positions(clip, same)).max() < 5e-9
    if run.options.order == 2:  # and at the simulator's own, longer step
        longer = Simulator(clip, "relaxed", Simulation(**options)).full()
        assert np.abs(positions(clip, q) - positions(clip, longer)).max() < 2e-3


def test_tension_that_changes_is_followed():
    whole = get("punch")
    clip = whole.with_q(whole.q[30:70])
    keyed = [(0.0, "tense"), (0.4, "drunk")]
    for order, close in ((1, 5e-9), (2, 1e-4)):
        run = ContactRun(clip, keyed, [ball("moon", (0, 0, 40), 1.0)], Simulation(order=order))
        same = Simulator(clip, keyed, run.options).full()
        assert np.abs(positions(clip, run.continuous()[0]) - positions(clip, same)).max() < close
    puck_in_motion = puck_clip(0.1 * np.sin(np.arange(60) / 6))  # its inertia is a constant to MuJoCo
    far = ball("moon", (0, 0, 40), 1.0)
    run = ContactRun(puck_in_motion, [(0.0, 8.0), (1.0, 0.5)], [far], Simulation(order=1))
    same = Simulator(puck_in_motion, [(0.0, 8.0), (1.0, 0.5)], run.options).full()
    np.testing.assert_allclose(run.continuous()[0], same, atol=1e-10)


def test_windows_without_contact_are_the_simulators_too():
    whole = get("punch")
    clip = whole.with_q(whole.q[30:70])
    run = ContactRun(clip, "relaxed", [ball("moon", (0, 0, 40), 1.0)])
    times, window = [0.2, 0.35123, 0.6], [0.2, 0.1, 0.3]
    q, v = run.states(times, window)
    same_q, same_v = run.simulator.states(times, window)
    np.testing.assert_allclose(q, same_q, atol=1e-8)
    np.testing.assert_allclose(v, same_v, atol=1e-6)


# Windows that remember -------------------------------------------------------------------------


def test_short_window_forgets_the_hit_and_the_lengthened_one_does_not():
    clip, window = swing_clip(), 0.25
    run = ContactRun(clip, SPRINGY, [STOP])
    truth, touches = run.continuous()
    free, _ = run.continuous(touching=False)
    events = contacts(clip, swinging())
    assert touches
    assert {e.surface for e in events} == {"stop"}
    last = max(e.end for e in events)
    frame = int(np.ceil((last + 1.4 * window) * clip.fps))  # the hit is out of its window, not out of mind
    assert abs(truth[frame, 0] - free[frame, 0]) > 0.03

    short = loosened_among(clip, swinging(window), lengthen=False)
    loose = poise.loosen(clip, {"*": SPRINGY}, window).clip
    assert not short.simulated[frame]
    np.testing.assert_array_equal(short.clip.q[frame], loose.q[frame])  # nothing of the hit is left

    long = loosened_among(clip, swinging(0.8))
    q, _ = run.states(clip.times[long.simulated], long.windows[long.simulated])
    assert long.simulated[frame]
    assert np.abs(q - truth[long.simulated]).max() < 2e-3  # [rad]
    assert np.abs(long.clip.q - truth)[long.simulated].max() < 6e-3  # and the simulator's longer step
    np.testing.assert_array_equal(
        long.clip.q[~long.simulated], poise.loosen(clip, {"*": SPRINGY}, 0.8).clip.q[~long.simulated]
    )


def test_error_after_a_hit_falls_with_the_window():
    clip = swing_clip()
    run = ContactRun(clip, SPRINGY, [STOP])
    truth, _ = run.continuous()
    worst = []
    for window in (0.2, 0.4, 0.8):
        result = loosened_among(clip, swinging(window))
        q, _ = run.states(clip.times[result.simulated], result.windows[result.simulated])
        worst.append(np.abs(q - truth[result.simulated]).max())
    assert worst[0] > 2 * worst[1] > 4 * worst[2]


def test_same_bits_in_any_order(rng):
    clip = swing_clip()
    result = loosened_among(clip, swinging(0.3))
    times, windows = clip.times[result.simulated], result.windows[result.simulated]
    run = ContactRun(clip, SPRINGY, [STOP])
    together = run.states(times, windows)
    for k in rng.permutation(len(times))[:12]:
        alone = run.states(times[k], windows[k])  # after whatever the run did before
        fresh = ContactRun(clip, SPRINGY, [STOP]).states([times[k]], [windows[k]])
        for one, two, all_of_them in zip(alone, fresh, together):
            np.testing.assert_array_equal(one[0], all_of_them[k])
            np.testing.assert_array_equal(two[0], all_of_them[k])
    order = rng.permutation(len(times))
    np.testing.assert_array_equal(run.states(times[order], windows[order])[0], together[0][order])
    again = loosened_among(clip, swinging(0.3))
    np.testing.assert_array_equal(again.clip.q, result.clip.q)
    np.testing.assert_array_equal(again.windows, result.windows)


def test_same_bits_with_friction_and_many_joints():
    # The solver starts from the last step's answer: whatever ran before must not be seen in it, not even
    # by a window that begins with the hand in the board.
    clip, board = get("punch"), box("board", (0.835, 0.02, 1.2), (0.1, 0.5, 0.5))
    run = ContactRun(clip, "relaxed", [board])
    fresh = run.states([0.93], [0.03])
    run.states([0.95], [0.15])
    again = run.states([0.93], [0.03])
    free = run.simulator.states([0.93], [0.03])
    assert np.abs(fresh[1] - free[1]).max() > 1.0  # it does hit
    for one, two in zip(fresh, again):
        np.testing.assert_array_equal(one, two)


def test_loop_meets_its_surface_in_every_cycle():
    t = np.arange(48) / 60
    clip = puck_clip(-0.2 + 0.22 * np.cos(2 * np.pi * t / 0.8), loop=True)
    tension = Spring(2.0, 0.3)
    result = loosened_among(clip, among(tension, wall(-0.05), window=0.6, gravity="off"))
    starts = [e.start for e in result.events]
    assert min(starts) < 0 < max(starts)
    run = ContactRun(clip, tension, [wall(-0.05)], Simulation(gravity="off"))
    truth, _ = run.continuous()
    settled = truth[-clip.frames :, 0]
    effect = settled - run.continuous(touching=False)[0][-clip.frames :, 0]
    assert np.abs(effect).max() > 0.02
    assert np.abs(result.clip.q[:, 0] - settled).max() < 4e-3
    seam = abs(result.clip.q[0, 0] - result.clip.q[-1, 0])
    assert seam < 1.5 * np.abs(np.diff(result.clip.q[:, 0])).max()
    moved = clip.replaced(travel=Travel((0.5, 0, 0)))
    assert any("moves on" in n for n in loosened_among(moved, among(tension, wall(-0.05), window=0.6)).notes)


def test_punch_into_a_wall_stops_at_the_wall():
    clip = get("punch")
    reach = positions(clip, Simulator(clip).full())
    hand = clip.character.index("RightHand")
    strike = int(reach[:, hand, 0].argmax())
    x, y, z = reach[strike, hand]
    board = box("board", (x - 0.12 + 0.1, y, z), (0.1, 0.5, 0.5))
    window = 0.4
    result = loosened_among(clip, Loosen(window=window, world=World((board,)).to_dict()))
    loose = poise.loosen(clip, "relaxed", window).clip
    (event,) = result.events
    assert event.body == "RightHand"
    assert event.impulse[0] < 0
    assert event.depth < 0.005
    assert event.start < strike * clip.dt
    # Nothing is changed before the hit, and it is felt after.
    before = clip.times < event.start
    np.testing.assert_array_equal(result.clip.q[before], loose.q[before])
    assert np.linalg.norm(positions(clip, result.clip.q) - positions(clip, loose.q), axis=2).max() > 0.1
    # No frame is deep in the board: ask MuJoCo about the finished clip.
    after = ContactRun(result.clip, "relaxed", [board])
    assert max(_deepest(after, clip, k) for k in np.flatnonzero(result.simulated)) < 0.006
    (entry,) = result.report
    assert (entry.first, entry.before) == (int(np.argmin(before)), window)
    assert entry.after == pytest.approx(clip.times[entry.last] - (event.start - 2 * window))
    assert "board" in str(entry)
    assert "RightHand" in str(entry)
    # A root that moves as told goes through and says so.
    middle = ball("bollard", np.asarray(clip.q[0, :3]), 0.05)
    notes = loosened_among(clip, Loosen(window=window, world=World((middle,)).to_dict())).notes
    assert any("Hips" in n and "bollard" in n and "driven" in n for n in notes)


def _deepest(run: ContactRun, clip: Clip, frame: int) -> float:
    model, data = run._built.model, run._data
    data.qpos[:] = run.clip.q[frame]
    run._built.mujoco.mj_fwdPosition(model, data)
    return max((-float(c.dist) for c in data.contact), default=0.0)


# Lengthening, by hand --------------------------------------------------------------------------


def event(start: float, end: float, fades: float) -> ContactEvent:
    return ContactEvent(start, end, "hand", "wall", np.array([-3.0, 0, 0]), np.zeros(3), 0.001, fades)


def test_windows_reach_back_before_the_event_while_it_is_felt():
    clip = puck_clip(np.zeros(21), fps=10)  # 0 … 2 s
    windows, report = lengthened(np.full(21, 0.2), [event(0.55, 0.75, 1.25)], clip)
    t = clip.times
    want = np.where((t > 0.55) & (t < 1.25), t - (0.55 - 2 * 0.2), 0.2)
    np.testing.assert_allclose(windows, want, atol=1e-12)
    assert [(r.first, r.last) for r in report] == [(6, 12)]
    assert "1.250 s" in str(report[0])
    # By a given decay; at 0.9 s the plain window still begins in the middle of the event.
    windows, report = lengthened(np.full(21, 0.2), [event(0.55, 0.75, 9.0)], clip, decay=0.0, lead=1.0)
    want = np.where((t > 0.55) & (t - 0.2 < 0.75 - 1e-12), t - (0.55 - 0.2), 0.2)
    np.testing.assert_allclose(windows, want, atol=1e-12)
    assert (report[0].first, report[0].last) == (6, 9)
    same, nothing = lengthened(np.full(21, 0.2), [], clip)
    np.testing.assert_array_equal(same, 0.2)
    assert nothing == []


def test_events_chain_and_overlaps_are_avoided():
    clip = puck_clip(np.zeros(21), fps=10)
    two = [event(0.35, 0.5, 0.9), event(0.85, 0.95, 1.5)]
    # The second window would begin at 0.45, inside the first event: it reaches back before that one too.
    windows, report = lengthened(np.full(21, 0.2), two, clip)
    assert windows[12] == pytest.approx(1.2 - (0.35 - 0.4))
    assert report[0].event is two[0]
    inside = [
        Overlap(0.0, 0.1, "puck", "wall", True),
        Overlap(0.4, 0.7, "puck", "wall", True),
        Overlap(0.2, 0.3, "post", "wall", False),
    ]
    windows, _ = lengthened(np.full(21, 0.2), two[1:], clip, overlaps=inside)
    assert windows[12] == pytest.approx(1.2 - 0.3)  # the frame before the overlap; the post feels nothing
    cut, report = lengthened(np.full(21, 0.2), two, clip, longest=0.5)
    assert cut.max() == 0.5
    assert any("cut to the longest" in str(r) for r in report)
    early = [event(-0.2, -0.1, 0.35)]
    windows, _ = lengthened(np.full(21, 0.2), early, clip)
    np.testing.assert_allclose(windows[:5], [0.6, 0.7, 0.8, 0.9, 0.2])


# Mistakes --------------------------------------------------------------------------------------


def test_missing_mujoco_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingDependencyError, match=r"poise\[contact\]"):
        contacts(swing_clip(), swinging())


def test_mistakes_are_named():
    clip = swing_clip()
    with pytest.raises(InputError, match="no surfaces"):
        contacts(clip, among(SPRINGY))
    with pytest.raises(InputError, match="stop"):
        contacts(clip, among(SPRINGY, STOP, STOP))
    with pytest.raises(UnknownNameError, match="tail"):
        contacts(clip, swinging(), contact=ContactOptions(bodies="tail"))
    with pytest.raises(InputError, match="may yield"):
        contacts(clip, swinging(), contact=ContactOptions(bodies="post"))
    with pytest.raises(InputError, match="two steps"):
        ContactOptions(step=0.005)
    with pytest.raises(InputError, match="tolerance"):
        ContactOptions(tolerance=0.0)
    with pytest.raises(InputError, match="windows"):
        lengthened([0.3], [], clip)
    with pytest.raises(InputError, match="positive"):
        lengthened(np.full(clip.frames, -0.3), [], clip)
    with pytest.raises(InputError, match="decay"):
        lengthened(np.full(clip.frames, 0.3), [], clip, decay=-1)
    with pytest.raises(InputError, match="positive"):
        loosened_among(clip, swinging(-0.1))
