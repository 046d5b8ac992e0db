"""What the gallery says of synthesised motions."""

from __future__ import annotations

from scenes import example


def test_the_somersault_meets_its_keys_and_tucks():
    module = example("30_synthesis")
    result = module.scene("somersault")
    assert result.report.met, result.report
    assert module.tuck(result) < 0.6
    prepare = result.report.details["segments"][0]
    assert prepare["least_vertical"] > 0  # the ground only pushes


def test_warped_modes_hardly_stretch_a_bone():
    module = example("31_modes")
    found = module.footing()
    for mode in range(6):
        linear, warped = module.stretch(found, mode)
        assert linear > 0.3
        assert warped < 1e-3
