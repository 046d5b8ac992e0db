"""The option ``mass`` of every reader that guesses masses, and figures of impossible size."""

from __future__ import annotations

import numpy as np
import pytest
from bvh_cases import person

from poise import clips, formats
from poise.character.masses import with_guessed_masses
from poise.dynamics import forward_dynamics
from poise.errors import InputError, UnknownNameError
from poise.formats.weighing import Weighing, figure_size, likelier_scale


@pytest.fixture(params=["bvh", "glb"])
def file(request, tmp_path):
    clip = clips.get("wave")
    bare = clip.character.with_bodies(
        [b.replaced(mass=type(b.mass)()) for b in clip.character.bodies], mass_source="none"
    )
    return clip.replaced(character=bare).save(tmp_path / f"wave.{request.param}")


def test_the_four_kinds(file):
    assert formats.load(file).character.mass_source == "anthropometric table"
    assert formats.load(file, mass=False).character.total_mass == 0
    for said in (60, 60.0, np.float32(60), np.int64(60)):
        sixty = formats.load(file, mass=said).character
        assert sixty.total_mass == pytest.approx(60, rel=1e-12)
    # The total changes nothing in how it is shared out.
    guessed = formats.load(file).character
    shares = [[b.mass.mass / c.total_mass for b in c.bodies] for c in (guessed, sixty)]
    np.testing.assert_allclose(*shares, rtol=1e-9, atol=1e-12)
    table, capsules = (formats.load(file, mass=m).character for m in ("table", "capsules"))
    assert (table.mass_source, capsules.mass_source) == ("anthropometric table", "capsules")
    assert table.total_mass != capsules.total_mass


@pytest.mark.parametrize("wrong", ["tabel", "", None, [60], (1, 2), 0, -5, float("nan"), float("inf"), {}])
def test_anything_else_is_refused(file, wrong):
    with pytest.raises(InputError):
        formats.load(file, mass=wrong)


def test_what_was_asked_for_and_cannot_be_done_is_refused(tmp_path):
    (tmp_path / "x.bvh").write_text(person())
    with pytest.raises(InputError, match="skin"):
        formats.load(tmp_path / "x.bvh", mass="skin")
    with pytest.raises(UnknownNameError, match="did you mean 'table'"):
        formats.load(tmp_path / "x.bvh", mass="tables")
    lamp = clips.get("wave").replaced(source=None)
    with pytest.raises(InputError, match="anthropometric table"):
        Weighing.of("table")(lamp.character.with_bodies(lamp.character.bodies[:1]))


@pytest.mark.parametrize("unit", [1.0, 100.0, 1000.0, 0.001])
def test_a_figure_in_the_wrong_unit_weighs_what_it_does_in_the_right_one(unit):
    """Masses of the twin, inertias that fit the size it has: the same motion, relative to its size."""
    character = clips.get("wave").character
    plain = with_guessed_masses(character, method="capsules")
    large = Weighing.of("capsules")(
        character.with_bodies(
            [
                b.replaced(
                    offset=unit * np.asarray(b.offset),
                    points={n: unit * np.asarray(p) for n, p in b.points.items()},
                    shapes=(),
                )
                for b in character.bodies
            ]
        )
    )
    assert likelier_scale(large) == pytest.approx(1 / unit)
    assert figure_size(large) == pytest.approx(unit * figure_size(character))
    assert large.total_mass == pytest.approx(plain.total_mass, rel=1e-9)
    for a, b in zip(large.bodies, plain.bodies):
        np.testing.assert_allclose(a.mass.centre, unit * np.asarray(b.mass.centre), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            a.mass.inertia, unit**2 * np.asarray(b.mass.inertia), rtol=1e-9, atol=1e-15
        )
    # Falling, with gravity in the same unit: angular accelerations do not know about units.
    rng = np.random.default_rng(5)
    q, v = plain.manifold.random(rng)[None], rng.normal(size=(1, plain.nv))
    long = q.copy()
    long[:, :3] *= unit
    fast = v.copy()
    fast[:, :3] *= unit
    turns, still = slice(3, None), np.zeros_like(v)
    here = forward_dynamics(plain, q, v, still, armature=still[0])
    there = forward_dynamics(large, long, fast, still, armature=still[0], gravity=(0, 0, -9.81 * unit))
    np.testing.assert_allclose(there[:, turns], here[:, turns], rtol=1e-6, atol=1e-6)


def test_the_giant_fox(shared_data):
    giant = formats.load(shared_data / "khronos_gltf/Fox.glb")
    fox = formats.load(shared_data / "khronos_gltf/Fox.glb", scale=0.01)
    assert giant.character.total_mass == pytest.approx(fox.character.total_mass, rel=1e-9)
    assert any("scale=0.01" in n for n in giant.source.notes)
    assert any("times its size" in n for n in giant.character.notes)
    assert not any("scale=" in n for n in fox.source.notes)
    assert formats.load(shared_data / "khronos_gltf/Fox.glb", mass=7).character.total_mass == pytest.approx(7)


def test_acclaim_files_take_the_same_option(shared_data):
    motion = shared_data / "cmu_asfamc/02_01.amc"
    assert formats.load(motion, mass=60).character.total_mass == pytest.approx(60)
    assert formats.load(motion, mass="capsules").character.mass_source == "capsules"
    with pytest.raises(UnknownNameError, match="method for masses"):
        formats.load(motion, mass="heavy")
