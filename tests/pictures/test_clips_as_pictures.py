"""Strobes, sheets and videos of a short clip."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from poise import clips
from poise.character import Body, Character, Joint, Mass, Shape
from poise.character.presets import humanoid
from poise.errors import CancelledError, InputError, MissingDependencyError, UnknownNameError
from poise.motion import Clip
from poise.pictures import Quality, save_png, sheet, strobe, video
from poise.pictures.arrangement import spread
from poise.pictures.performance import CENTRE_OF_MASS, Performance
from poise.pictures.strobe_picture import _paths, chosen_frames, tile_size
from poise.pictures.video_file import camera_path, frame_times

QUICK = Quality(supersample=1, key_samples=4, sky_samples=4, shadow_texel=4, sky_texel=10, detail=8)
SMALL = (96, 64)


def ball(frames: int = 31, *, speed: float = 0.0, rate: float = 30) -> Clip:
    """A ball that hops on the spot or rolls along x."""
    mass = Mass(1.0, (0, 0, 0), np.eye(3))
    shape = Shape.sphere((0, 0, 0), 0.2)
    body = Body("Ball", None, Joint.free(), shapes=(shape,), points={"Rim": (0.2, 0, 0)}, mass=mass)
    t = np.arange(frames) / rate
    q = np.zeros((frames, 7))
    q[:, 3] = 1
    q[:, 0] = speed * t
    q[:, 2] = 0.2 + 0.5 * np.abs(np.sin(2 * np.pi * t))
    return Clip(Character("ball", [body]), q, rate)


def walking_humanoid() -> Clip:
    character = humanoid()
    q = np.tile(character.rest_pose(), (12, 1))
    q[:, 0] = np.linspace(0, 2, 12)
    return Clip(character, q, 12)


def test_frames_spaced_in_time_and_in_distance() -> None:
    clip = ball(speed=1.0)
    q = np.array(clip.q)
    q[:, 2] = 0.2
    q[:, 0] = np.linspace(0, 1, 31) ** 3  # slow, then fast
    performance = Performance(clip.with_q(q), detail=8)
    assert chosen_frames(performance, frames=None, count=4, spacing="time") == [0, 10, 20, 30]
    by_way = chosen_frames(performance, frames=None, count=5, spacing="distance")
    places = q[by_way, 0]
    np.testing.assert_allclose(np.diff(places), 0.25, atol=0.06)
    assert chosen_frames(performance, frames=[-1, 3], count=9, spacing="time") == [3, 30]
    with pytest.raises(InputError, match="0 … 30"):
        chosen_frames(performance, frames=[31], count=1, spacing="time")
    with pytest.raises(UnknownNameError, match="distance"):
        chosen_frames(performance, frames=None, count=3, spacing="distnce")


def test_motions_on_the_spot_are_spread_and_others_are_not() -> None:
    right = np.array([1.0, 0, 0])
    still, rolling = Performance(ball(), detail=16), Performance(ball(speed=2.0), detail=16)
    assert spread(still, [0, 10, 20], right) == pytest.approx(0.74 * 0.4, rel=0.03)
    assert spread(rolling, [0, 10, 20], right) == 0


def test_trails_pass_through_the_point_on_every_figure() -> None:
    performance = Performance(ball(speed=0.3), detail=8)
    chosen, shifts = [0, 10, 20], np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    (path, _), (centre, look) = _paths(performance, chosen, shifts, ["Rim"], True)
    for frame, shift in zip(chosen, shifts):
        np.testing.assert_allclose(path[frame], performance.point("Rim")[frame] + shift, atol=1e-12)
    np.testing.assert_allclose(centre[20], performance.point(CENTRE_OF_MASS)[20] + shifts[2], atol=1e-12)
    assert look == "centre_of_mass"


def test_a_strobe_shows_more_figures_for_more_frames() -> None:
    def coloured(frames: list[int]) -> int:
        image = strobe(ball(speed=2.0), frames=frames, size=SMALL, style="solid", view="side", quality=QUICK)
        assert image.shape == (64, 96, 3)
        return int(((image.max(axis=2).astype(int) - image.min(axis=2)) > 60).sum())

    # Framing zooms out as figures are added: compare the share of one ball's area.
    assert coloured([0, 15, 30]) > 0.5 * 3 * coloured([0, 30]) / 2


def test_ghosts_that_stand_in_another_figures_place_are_left_out() -> None:
    still = ball().with_q(np.repeat(ball().q[:1], 31, axis=0))
    look = {"offset": 0.0, "size": SMALL, "quality": QUICK}
    alone = strobe(still, count=1, **look)
    assert (strobe(still, count=5, **look) == alone).all()
    assert (strobe(still, frames=[0, 30], **look) != alone).any(), "whoever names frames gets them"


@pytest.mark.parametrize("view", ["three-quarter", "front", "top", "planar", "auto"])
def test_every_view_renders_with_everything_on(view: str) -> None:
    image = strobe(
        ball(), count=3, hero=1, view=view, trails={"Rim": "trail3"}, centre_of_mass=True,
        targets=[(0.1, 0, 0.5)], size=SMALL, quality=QUICK,
    )  # fmt: skip
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50


def test_strobes_are_the_same_bits_for_any_number_of_threads() -> None:
    pictures = [
        strobe(walking_humanoid(), count=3, trails=["LeftHand"], size=SMALL, quality=QUICK, threads=n)
        for n in (1, 2, 4)
    ]
    assert pictures[0].tobytes() == pictures[1].tobytes() == pictures[2].tobytes()


def test_trails_go_by_role_too() -> None:
    shown = Performance(clips.get("wave"), detail=4)
    assert np.array_equal(shown.point("right hand"), shown.point("RightHandCentre"))


def test_mistakes_in_a_strobe_are_explained() -> None:
    with pytest.raises(UnknownNameError, match="Rim"):
        strobe(ball(), trails=["Rimm"], size=SMALL, quality=QUICK)
    with pytest.raises(UnknownNameError, match="ghosts"):
        strobe(ball(), style="ghost", size=SMALL, quality=QUICK)
    with pytest.raises(InputError, match="hero 5"):
        strobe(ball(), hero=5, count=2, size=SMALL, quality=QUICK)


def test_a_file_whose_ground_is_elsewhere_is_put_on_the_floor() -> None:
    clip = ball()
    q = np.array(clip.q)
    q[:, 2] -= 7
    assert Performance(clip, detail=16).offset[2] == 0
    assert Performance(clip.with_q(q), detail=16).offset[2] == pytest.approx(7, abs=0.01)


@pytest.mark.parametrize("stature", [0.02, 1.75, 30.0])
def test_tiles_are_round_numbers_in_proportion(stature: float) -> None:
    tile = tile_size(stature)
    assert 0.15 < tile / stature < 0.55
    assert round(tile / 10 ** np.floor(np.log10(tile)), 6) in (1, 2, 5)


def test_a_sheet_has_a_cell_for_every_frame_and_view() -> None:
    image = sheet(ball(speed=1.0), count=6, columns=3, cell=(50, 40), views=["side", "front"], quality=QUICK)
    assert image.shape == (2 * 2 * 44 + 4, 3 * 54 + 4, 3)
    # The camera goes along: the ball is in the middle of every cell, whatever the frame.
    for k in range(3):
        cell = image[4:44, 4 + 54 * k : 54 + 54 * k].astype(int)
        orange = cell[..., 0] - cell[..., 2] > 60
        assert np.argwhere(orange)[:, 1].mean() == pytest.approx(25, abs=2)


def test_labels_name_frame_and_time() -> None:
    with_text, without = (
        sheet(ball(), frames=[12], cell=(120, 90), labels=on, quality=QUICK) for on in (True, False)
    )
    changed = np.argwhere((with_text != without).any(axis=2))
    assert len(changed) > 30
    assert changed[:, 0].max() < 40


def test_png_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    image = strobe(ball(), count=1, size=SMALL, quality=QUICK)
    save_png(image, tmp_path / "a.png")
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), image)
    with pytest.raises(InputError, match="uint8"):
        save_png(image.astype(float), tmp_path / "b.png")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no folder"):
        save_png(image, tmp_path / "nowhere" / "b.png")
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


def test_video_times() -> None:
    clip = ball(31)  # one second
    assert len(frame_times(clip, Fraction(30))) == 31
    assert len(frame_times(clip, Fraction(24))) == 25
    assert len(frame_times(clip, Fraction(30000, 1001))) == 30
    assert len(frame_times(clip.replaced(loop=True), Fraction(30))) == 31
    assert len(frame_times(clip, Fraction(10), 0.5)) == 6
    np.testing.assert_allclose(np.diff(frame_times(clip, Fraction(24))), 1 / 24)


def test_mp4_has_the_right_frames_and_duration(tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    told: list[tuple[int, int]] = []
    path = video(
        ball(16), tmp_path / "a.mp4", size=(63, 48), fps=30, quality=QUICK,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert frames == 16
    assert seconds == pytest.approx(16 / 30, abs=0.02)
    assert told == [(k, 16) for k in range(1, 17)]
    reader = ffmpeg.read_frames(str(path))
    facts = next(reader)
    reader.close()
    assert facts["size"] == (64, 48)  # odd widths grow by one
    assert facts["fps"] == pytest.approx(30, abs=0.01)


def test_gif_opens_with_the_right_frames_and_tempo(tmp_path: Path) -> None:
    path = video(ball(16), tmp_path / "a.gif", size=(48, 36), fps=30, quality=QUICK)
    with Image.open(path) as image:
        assert image.size == (48, 36)
        lengths = []
        for k in range(image.n_frames):
            image.seek(k)
            lengths.append(image.info["duration"])
    # Pillow joins equal frames, so count time, not frames: 30 fps exactly, though GIF knows only 0.01 s.
    assert sum(lengths) == pytest.approx(16 / 30 * 1000, abs=10)
    assert len(lengths) >= 14


def test_a_video_can_be_cancelled_and_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise CancelledError("enough")

    for name in ("a.gif", "a.mp4"):
        with pytest.raises(CancelledError):
            video(ball(10), tmp_path / name, size=(48, 36), quality=QUICK, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_without_the_encoder_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingDependencyError, match=r"poise\[video\]"):
        video(ball(3), tmp_path / "a.mp4", quality=QUICK)
    with pytest.raises(UnknownNameError, match=r"\.mp4"):
        video(ball(3), tmp_path / "a.avi", quality=QUICK)


def test_the_camera_follows_a_steady_motion_exactly_and_a_shaking_one_smoothly() -> None:
    rate = Fraction(30)
    steady = Performance(ball(61, speed=1.5), detail=8)
    path = camera_path(steady, rate)
    np.testing.assert_allclose(path[:, 0], 1.5 * np.arange(61) / 30, atol=1e-9)
    np.testing.assert_array_equal(path[:, 2], 0)
    clip = ball(61, speed=1.5)
    q = np.array(clip.q)
    q[:, 0] += 0.05 * (-1.0) ** np.arange(61)
    shaken = camera_path(Performance(clip.with_q(q), detail=8), rate)
    inner = shaken[15:-15, 0]
    assert np.abs(np.diff(inner, 2)).max() < 1e-3 * 0.2  # the shaking itself: 0.2 m per frame²


def test_importing_pictures_is_light() -> None:
    import subprocess

    code = "import sys, poise.pictures; print([m for m in ('numba', 'PIL', 'scipy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_public_names_exist() -> None:
    import poise.pictures as pictures

    assert all(getattr(pictures, name) is not None for name in pictures.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = pictures.nothing
