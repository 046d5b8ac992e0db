"""Reading USD, against usd-core's own skinning and against the truth that OpenUSD baked."""

from pathlib import Path

import numpy as np
import pytest
from usd_made import joints_in

from poise import clips, formats
from poise.errors import FileFormatError
from poise.kinematics import Kinematics

pytest.importorskip("pxr", reason="needs usd-core")
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "usd_openusd"
TURNED = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""y up, z ahead → z up, x ahead."""
STAGE = """#usda 1.0
(
    metersPerUnit = {unit}
    upAxis = "{up}"
    timeCodesPerSecond = 30
    startTimeCode = 10
    endTimeCode = 20
)
def SkelRoot "Figure" (prepend apiSchemas = ["SkelBindingAPI"]) {{
    double3 xformOp:translate = (0, 5, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel skel:skeleton = </Figure/Skel>
    def Skeleton "Skel" (prepend apiSchemas = ["SkelBindingAPI"]) {{
        uniform token[] joints = ["Hips", "Hips/mixamorig_Spine", "Hips/mixamorig_Spine/Head"]
        uniform token[] jointNames = ["Hips", "mixamorig:Spine", "Head"]
        uniform matrix4d[] bindTransforms = [{identity}, {identity}, {identity}]
        uniform matrix4d[] restTransforms = [
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 4, 0, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 4, 0, 1))]
        rel skel:animationSource = </Figure/Skel/Nod>
        def SkelAnimation "Nod" {{
            uniform token[] joints = ["Hips/mixamorig_Spine", "Hips"]
            float3[] translations.timeSamples = {{10: [(0, 4, 0), (1, 2, 3)], 20: [(0, 4, 0), (1, 2, 13)]}}
            quatf[] rotations.timeSamples = {{
                10: [(1, 0, 0, 0), (1, 0, 0, 0)], 20: [(0.7071068, 0.7071068, 0, 0), (1, 0, 0, 0)]}}
            half3[] scales = [(1, 1, 1), (1, 1, 1)]
        }}
    }}
}}
"""


def stage(path, unit="1.0", up="Y"):
    one = "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))"
    path.write_text(STAGE.format(unit=unit, up=up, identity=one))
    return path


def positions(clip):
    return dict(zip(clip.character.names, np.swapaxes(Kinematics(clip.character, clip.q).positions, 0, 1)))


@pytest.mark.parametrize(("unit", "up"), [("1.0", "Y"), ("0.01", "Z")])
def test_a_stage_with_another_joint_order_unit_and_axis(tmp_path, unit, up):
    clip = formats.load(stage(tmp_path / "x.usda", unit, up), mass=False, front="kept" if up == "Y" else "-y")
    assert clip.character.names == ("Hips", "mixamorig:Spine", "Head")
    assert (clip.name, float(clip.rate), len(clip.q)) == ("Nod", 30.0, 11)
    s = np.arange(11) / 10
    hips = np.stack([1 + 0 * s, 7 + 0 * s, 3 + 10 * s], axis=1)
    half = np.pi / 4 * s  # slerp from no turn to a quarter about x
    head = hips + [0, 4, 0] + np.stack([0 * s, 4 * np.cos(2 * half), 4 * np.sin(2 * half)], axis=1)
    axes = TURNED if up == "Y" else np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = positions(clip)
    for name, expected in (("Hips", hips), ("Head", head)):
        assert np.abs(found[name] - float(unit) * expected @ axes.T).max() < 2e-6 * float(unit) * 10, name


def test_a_unit_that_nobody_states_is_a_centimetre(tmp_path):
    path = stage(tmp_path / "x.usda")
    path.write_text(path.read_text().replace("    metersPerUnit = 1.0\n", ""))
    assert positions(formats.load(path, mass=False))["Hips"][0][2] == pytest.approx(0.07)
    assert positions(formats.load(path, mass=False, scale=1.0))["Hips"][0][2] == pytest.approx(7.0)


@pytest.mark.parametrize("kind", ["usda", "usdc"])
@pytest.mark.parametrize("name", ["wave", "walk"])
def test_a_bundled_clip_comes_back(tmp_path, name, kind):
    clip = clips.get(name)
    back = formats.load(clip.save(tmp_path / f"x.{kind}"))
    assert (back.name, back.rate, back.loop, back.frames) == (clip.name, clip.rate, clip.loop, clip.frames)
    ours, theirs = positions(clip), positions(back)
    assert max(np.abs(ours[n] - theirs[n]).max() for n in ours) < 2e-6


def test_layers_elsewhere_are_not_opened(tmp_path):
    other = stage(tmp_path / "elsewhere.usda")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "x.usda").write_text("#usda 1.0\n(\n    subLayers = [@../elsewhere.usda@]\n)\n")
    with pytest.raises(FileFormatError, match="outside the folder"):
        formats.load(inner / "x.usda")
    other.rename(inner / "beside.usda")
    (inner / "x.usda").write_text("#usda 1.0\n(\n    subLayers = [@./beside.usda@]\n)\n")
    assert formats.load(inner / "x.usda", mass=False).character.names[0] == "Hips"


def test_instances_stand_where_the_stage_puts_them(tmp_path):
    stage(tmp_path / "figure.usda")
    one = (
        'def Xform "I{0}" (\n    instanceable = true\n    references = @./figure.usda@</Figure>\n)\n{{\n'
        "    double3 xformOp:translate = ({0}0, 0, 0)\n"
        '    uniform token[] xformOpOrder = ["xformOp:translate"]\n}}\n'
    )
    head = "#usda 1.0\n(\n    metersPerUnit = 1\n    timeCodesPerSecond = 30\n)\n"
    (tmp_path / "two.usda").write_text(head + one.format(1) + one.format(2))
    for number in (0, 1):
        clip = formats.load(tmp_path / "two.usda", mass=False, front="kept", skin=number)
        assert positions(clip)["Hips"][0] == pytest.approx([3, 1 + 10 * (number + 1), 2]), number


@pytest.mark.skipif(not DATA.is_dir(), reason="needs shared/data/usd_openusd")
def test_skinning_is_what_openusd_baked():
    from pxr import Usd, UsdGeom

    clip = formats.load(DATA / "lbs.usda", mass=False, scale=1.0, front="kept")
    kinematics = Kinematics(clip.character, clip.q)
    skin = clip.character.skin
    made = np.array(
        [skin.deformed(p, r) for p, r in zip(kinematics.positions, kinematics.rotations)]
    )  # (F, V, 3)
    truth = Usd.Stage.Open(str(DATA / "lbs.baked.usda"))
    source = Usd.Stage.Open(str(DATA / "lbs.usda"))
    up = (
        np.eye(3) if UsdGeom.GetStageUpAxis(source) == "Y" else np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    )
    turned = TURNED @ up
    start, worst, compared = source.GetStartTimeCode(), 0.0, 0
    for frame in range(0, len(clip.q), 7):
        place = UsdGeom.XformCache(start + frame)
        for prim in truth.Traverse():
            if not prim.IsA(UsdGeom.Mesh) or not prim.GetName().startswith(
                ("Mesh", "mesh", "Skinned", "lbs")
            ):
                continue
            points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(start + frame))
            world = np.c_[points, np.ones(len(points))] @ np.array(place.GetLocalToWorldTransform(prim))
            spots = world[:, :3] @ turned.T
            gaps = np.linalg.norm(spots[:, None] - made[frame][None], axis=2).min(axis=1)
            worst, compared = max(worst, float(gaps.max())), compared + len(points)
    assert compared > 100
    assert worst < 1e-5


def test_a_file_at_which_the_library_ends_its_process_is_refused():
    path = Path(__file__).parent / "broken" / "ends_the_library.usdc"
    with pytest.raises(FileFormatError, match="damaged: usd-core cannot read it"):
        formats.load(path)


MOVER = """    double3 xformOp:translate.timeSamples = { 10: (0, 5, 0), 13: (1, 5, 0), 20: (7, 6, 2) }
    float3 xformOp:rotateXYZ.timeSamples = { 10: (0, 0, 0), 20: (0, 120, 0) }
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]
"""


def moved_stage(path, up="Y"):
    """The figure, which its ``SkelRoot`` carries about."""
    text = stage(path, up=up).read_text()
    begin, end = text.index("    double3 xformOp:translate"), text.index("    rel skel:skeleton")
    path.write_text(text[:begin] + MOVER + text[end:])
    return path


@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize("animated", [True, False])
def test_a_figure_that_the_stage_carries_about(tmp_path, up, animated):
    path = moved_stage(tmp_path / "x.usda", up)
    if not animated:
        path.write_text(
            path.read_text().replace("        rel skel:animationSource = </Figure/Skel/Nod>\n", "")
        )
    clip = formats.load(path, mass=False, front="kept")
    assert clip.frames == 11
    assert clip.rate == 30
    turn = TURNED if up == "Y" else np.eye(3)
    there = joints_in(path, "/Figure/Skel", range(10, 21))
    found = positions(clip)
    for k, name in enumerate(("Hips", "mixamorig:Spine", "Head")):
        assert np.abs(found[name] - there[:, k] @ turn.T).max() < 2e-6, name
