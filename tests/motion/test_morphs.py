"""Morph weights stay with the motion: through every operator, between frames, round loops."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_cases import biped

import poise.motion.operators as operators
from poise.character import Character, MorphTarget, Skin
from poise.curves import Linear, TangentCurve
from poise.errors import InputError
from poise.motion import Clip, Sampler, Source, Travel, edit
from poise.motion.operators import (
    blend,
    despike,
    join,
    loop,
    mirror,
    mix,
    place,
    resample,
    reverse,
    smooth,
    speed,
    trim,
    unroll,
    warp,
)

NAMES = ("smileLeft", "jawOpen", "smileRight", "blink_L", "blink_R")
SWAPPED = [2, 1, 0, 4, 3]


def with_face(names: tuple[str, ...] = NAMES) -> Character:
    """The biped with a triangle of a skin on its head and morph targets of it."""
    bare = biped()
    count = len(bare.bodies)
    targets = tuple(MorphTarget(n, [k % 3], [[0.1, 0.0, 0.1 * k]]) for k, n in enumerate(names))
    head = np.full((3, 1), bare.index("head"))
    skin = Skin(np.eye(3), [[0, 1, 2]], head, np.ones((3, 1)), np.tile(np.eye(4), (count, 1, 1)), targets)
    return Character(bare.name, bare.bodies, skin=skin)


FACE = with_face()


def random_clip(seed: int, frames: int, rate, looped: bool, character: Character = FACE) -> Clip:
    rng = np.random.default_rng(seed)
    q = [character.manifold.random(rng)]
    for _ in range(frames - 1):
        q.append(character.manifold.plus(q[-1], 0.1 * rng.normal(size=character.nv)))
    morphs = rng.uniform(size=(frames, len(character.skin.morphs)))
    travel = Travel((1.0, 0.2, 0.0), 0.3) if looped else None
    return Clip(character, q, rate, loop=looped, travel=travel, morphs=morphs)


def weights_at(clip: Clip, times) -> np.ndarray:
    """The weights between frames, by NumPy's own interpolation."""
    t, values = np.asarray(times, dtype=float), clip.morphs
    own = np.arange(clip.frames) / float(clip.rate)
    if clip.loop:
        t, own, values = t % clip.duration, [*own, clip.duration], np.concatenate([values, values[:1]])
    return np.stack([np.interp(t, own, column) for column in values.T], axis=-1)


def fall(s) -> np.ndarray:
    """From 1 to 0 with no slope or curvature at either end."""
    s = np.clip(s, 0, 1)[:, None]
    return 1 - 10 * s**3 + 15 * s**4 - 6 * s**5


def swing(clip: Clip):
    """A warp that lingers and hurries, over the clip's own duration."""
    span = clip.duration or 1.0
    return lambda t: t + 0.1 * span * np.sin(2 * np.pi * t / span) / (2 * np.pi) * 5


def joined(clip: Clip, out: Clip) -> np.ndarray:
    head = weights_at(clip, np.arange(clip.frames + clip.loop) / clip.fps)
    other = reverse(clip)
    count = out.frames - len(head) + 1
    tail = weights_at(other, np.arange(count) / clip.fps)
    single = clip.frames == 1 and not clip.loop
    span = 0.3 if single else min(0.3, (count - 1) / clip.fps)
    k = fall(np.arange(count) / clip.fps / span) if span else np.zeros((count, 1))
    return np.concatenate([head, (k * head[-1] + (1 - k) * tail)[1:]])


def looped(clip: Clip, out: Clip) -> np.ndarray:
    if clip.loop or clip.frames == 1:
        return clip.morphs
    period = (clip.frames - 1) / clip.fps
    span, t = min(0.5, 0.5 * period), np.arange(clip.frames - 1) / clip.fps
    m, a, b = clip.morphs, 0.5 * fall(t / span), 0.5 * fall((period - t) / span)
    return (1 - a - b) * m[:-1] + a * m[-1] + b * m[0]


def in_cycle(clip: Clip, out: Clip) -> float:
    """How much faster the old clock runs than the new one of a loop fitted to whole frames."""
    return clip.duration / out.duration if clip.loop else 1.0


RULES = {
    "align": None,  # a warp with the times that matching_times finds
    "blend": (lambda c: blend(c, reverse(c), 0.3), lambda c, o: 0.7 * c.morphs + 0.3 * c.morphs[::-1]),
    "despike": (despike, lambda c, o: c.morphs),
    "join": (lambda c: join(c, reverse(c)), joined),
    "loop": (lambda c: loop(c, force=True), looped),
    "matching_times": None,  # times, not a clip
    "mirror": (mirror, lambda c, o: c.morphs[:, SWAPPED]),
    "mirror_pairs": None,  # of characters, not of clips
    "mix": (
        lambda c: mix([c, reverse(c), c], [1, 1, 2]),
        lambda c, o: 0.75 * c.morphs + 0.25 * c.morphs[::-1],
    ),
    "place": (lambda c: place(c, (1, 0, 0), 0.5), lambda c, o: c.morphs),
    "resample": (lambda c: resample(c, 25), lambda c, o: weights_at(c, o.times * in_cycle(c, o))),
    "reverse": (reverse, lambda c, o: c.morphs[::-1]),
    "smooth": (lambda c: smooth(c, sigma=0.05), lambda c, o: c.morphs),
    "speed": (
        lambda c: speed(c, 1.3),
        lambda c, o: weights_at(c, o.times * (in_cycle(c, o) if c.loop else 1.3)),
    ),
    "trim": (
        lambda c: trim(c, 0.3 * c.duration, 0.8 * c.duration),
        lambda c, o: weights_at(c, 0.3 * c.duration + o.times),
    ),
    "unroll": (lambda c: unroll(c, 3), lambda c, o: np.concatenate([c.morphs] * 3 + [c.morphs[:1]])),
    "warp": (lambda c: warp(c, swing(c)), lambda c, o: weights_at(c, swing(c)(o.times))),
}
"""Per operator a call and the weights it shall give, told by the old clip and the new one's frames."""


@pytest.mark.parametrize("name", operators.__all__)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    frames=st.integers(1, 24),
    rate=st.sampled_from([24, 30, Fraction(30000, 1001)]),
    cyclic=st.booleans(),
)
def test_every_operator_keeps_weights_in_time(name, seed, frames, rate, cyclic):
    assert name in RULES, f"say what {name} does to morph weights"
    if RULES[name] is None or (name == "unroll" and not cyclic):
        return
    clip = random_clip(seed, frames, rate, cyclic)
    call, wanted = RULES[name]
    out = call(clip)
    np.testing.assert_allclose(out.morphs, wanted(clip, out), atol=1e-9)
    assert out.morphs.min() >= clip.morphs.min() - 1e-12  # none leaves its range
    assert out.morphs.max() <= clip.morphs.max() + 1e-12
    bare = clip.replaced(character=biped(), morphs=None)
    plain = call(bare)
    assert plain.morphs is None
    np.testing.assert_array_equal(plain.q, out.q)  # the motion does not depend on them
    # What never changes stays to the last bit, whatever the operator does.
    still = call(clip.replaced(morphs=np.full_like(clip.morphs, 0.3)))
    np.testing.assert_array_equal(still.morphs, np.full((out.frames, len(NAMES)), 0.3))


def test_edits_keep_them():
    clip = random_clip(1, 12, 30, False)
    edited = edit.apply(TangentCurve(Linear([0.0, 1.0]), np.full((2, FACE.nv), 0.1)), clip)
    assert np.abs(edited.q - clip.q).max() > 0.01
    np.testing.assert_array_equal(edited.morphs, clip.morphs)


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("method", ["cubic", "linear", "step"])
def test_between_frames(method, cyclic):
    clip = random_clip(3, 9, Fraction(30000, 1001), cyclic)
    sampler = Sampler(clip, method)
    np.testing.assert_array_equal(sampler.morphs(clip.times), clip.morphs)
    assert sampler.morphs(0.1).shape == (len(NAMES),)
    t = np.linspace(-1, 2, 901)
    got = sampler.morphs(t)
    if method == "step":
        frame = np.floor(t * clip.fps + 1e-9).astype(int)
        frame = frame % clip.frames if cyclic else np.clip(frame, 0, clip.frames - 1)
        np.testing.assert_array_equal(got, clip.morphs[frame])
        return
    np.testing.assert_allclose(got, weights_at(clip, t), atol=1e-12)
    np.testing.assert_array_equal(clip.morphs_at(t), Sampler(clip).morphs(t))
    # Continuous everywhere, at frames and at the seam of a loop.
    spots = np.concatenate([clip.times, [clip.duration, 3 * clip.duration]])
    jump = np.abs(sampler.morphs(spots + 1e-7) - sampler.morphs(spots - 1e-7))
    assert jump.max() < 2e-7 * clip.fps * 1.01
    if cyclic:
        np.testing.assert_allclose(sampler.morphs(t + 4 * clip.duration), got, atol=1e-9)
    else:
        np.testing.assert_array_equal(sampler.morphs([-5.0, 99.0]), clip.morphs[[0, -1]])


def test_one_frame():
    for cyclic in (False, True):
        clip = random_clip(2, 1, 30, cyclic)
        np.testing.assert_array_equal(
            clip.morphs_at([-1.0, 0.0, 0.01, 2.0]), np.repeat(clip.morphs, 4, axis=0)
        )


def test_loops_close_and_frames_away_from_the_seam_keep_bits():
    clip = random_clip(8, 61, 30, False)
    cycle = loop(clip, span=0.5, force=True)
    np.testing.assert_array_equal(cycle.morphs[15:46], clip.morphs[15:46])
    mean = 0.5 * (clip.morphs[0] + clip.morphs[-1])
    np.testing.assert_allclose(cycle.morphs[0], mean, atol=1e-14)
    # Unrolled and looped again nothing changes: it is closed already.
    again = loop(unroll(cycle))
    np.testing.assert_array_equal(again.morphs, cycle.morphs)


def test_joining_hard_cuts():
    a, b = random_clip(1, 5, 30, False), random_clip(2, 7, 30, False)
    np.testing.assert_array_equal(join(a, b, 0).morphs, np.concatenate([a.morphs, b.morphs[1:]]))


def test_weights_of_whole_share_keep_bits():
    a, b = random_clip(1, 6, 30, True), random_clip(2, 6, 30, True)
    a = a.replaced(morphs=1e5 * a.morphs)  # so that a + (b − a) is not b
    w = np.array([0, 0, 0.5, 1, 1, 0])
    for other in (b, b.replaced(travel=Travel((2.0, 0, 0), -0.1))):
        got = blend(a, other, w).morphs
        np.testing.assert_array_equal(got[[0, 1, 5]], a.morphs[[0, 1, 5]])
        np.testing.assert_array_equal(got[[3, 4]], b.morphs[[3, 4]])
        np.testing.assert_array_equal(blend(a, other, 1.0).morphs, b.morphs)
        np.testing.assert_array_equal(mix([a, other], [0, 1]).morphs, b.morphs)


def test_skins_that_differ_meet_by_the_names_of_their_targets():
    a = random_clip(1, 5, 30, False)
    b = random_clip(2, 5, 30, False, with_face(("jawOpen", "frown", "smileLeft")))
    got = blend(a, b, 1.0)
    assert got.morph_names == NAMES
    np.testing.assert_array_equal(got.morphs[:, :2], b.morphs[:, [2, 0]])
    np.testing.assert_array_equal(got.morphs[:, 2:], 0.0)
    np.testing.assert_array_equal(join(b, a, 0).morphs[5:, 0], a.morphs[1:, 1])
    bare = b.replaced(character=biped(), morphs=None)
    assert blend(bare, a, 0.5).morphs is None
    np.testing.assert_allclose(blend(a, bare, 0.25).morphs, 0.75 * a.morphs, atol=1e-15)


def test_left_for_right():
    from poise.motion.operators.symmetry import mirrored_names

    names = ("eyeLookInLeft", "eyeLookInRight", "jawLeft", "jawRight", "L_brow", "R_brow", "lips", "Left")
    np.testing.assert_array_equal(mirrored_names(names), [1, 0, 3, 2, 5, 4, 6, 7])
    assert len(mirrored_names(())) == 0


def test_unsound_weights_are_refused():
    q = np.tile(FACE.rest_pose(), (3, 1))
    assert Clip(biped(), q, 30).morphs is None
    assert Clip(biped(), q, 30, morphs=np.zeros((3, 0))).morphs is None
    clip = Clip(FACE, q, 30)
    np.testing.assert_array_equal(clip.morphs, np.zeros((3, 5)))  # at rest
    assert not clip.morphs.flags.writeable
    with pytest.raises(InputError, match="'biped' has no morph targets"):
        Clip(biped(), q, 30, morphs=np.zeros((3, 5)))
    for shape in ((3, 4), (2, 5), (5, 3)):
        with pytest.raises(InputError, match=r"shape \(3, 5\).*smileLeft, jawOpen"):
            Clip(FACE, q, 30, morphs=np.zeros(shape))
    for bad in (np.zeros(5), "wide", [[0.0], [0.0, 1.0]]):
        with pytest.raises(InputError, match="morphs"):
            Clip(FACE, q, 30, morphs=bad)
    with pytest.raises(InputError, match="finite"):
        Clip(FACE, q, 30, morphs=np.full((3, 5), np.nan))


def test_other_frames_need_other_weights_unless_they_never_change():
    clip = random_clip(1, 8, 30, False)
    np.testing.assert_array_equal(clip.with_q(clip.q[::-1]).morphs, clip.morphs)
    with pytest.raises(InputError, match="animated morph weights at 8 frames: give the morphs of the 4"):
        clip.with_q(clip.q[::2])
    assert clip.replaced(q=clip.q[::2], morphs=clip.morphs[::2]).frames == 4
    still = clip.replaced(morphs=np.full((8, 5), 0.25))
    np.testing.assert_array_equal(still.with_q(clip.q[:3]).morphs, np.full((3, 5), 0.25))


class Ticket:
    """A payload with something for every frame."""

    def without_frames(self):
        return "stub", ("torn",)


def test_sources_lose_what_belongs_to_the_old_frames():
    clip = random_clip(1, 8, 30, False).replaced(source=Source("a", "b", payload=Ticket(), notes=("old",)))
    closed = loop(clip, force=True)
    assert (closed.source.payload, closed.source.notes[:2]) == ("stub", ("old", "torn"))
    for out in (trim(clip, frames=(0, 3)), reverse(clip), warp(clip, lambda t: t), mirror(clip)):
        assert (out.source.payload, out.source.notes) == ("stub", ("old", "torn"))
    for out in (place(clip, (1, 0, 0)), smooth(clip, sigma=0.1), clip.with_q(clip.q), clip.with_note("x")):
        assert isinstance(out.source.payload, Ticket)
