"""USD stages with habits of other people's, and what usd-core makes of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

IDENTITY = "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))"
FIGURE = """def SkelRoot "NAME" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        rel skel:skeleton = </Room/NAME/Skel>
        def Skeleton "Skel" (
            prepend apiSchemas = ["SkelBindingAPI"]
        )
        {
            uniform token[] joints = ["Hips", "Hips/Spine", "Hips/Spine/Head"]  # from the hips on
            uniform matrix4d[] bindTransforms = [ONE, ONE, ONE]
            uniform matrix4d[] restTransforms = [
                ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.1, 0.9, 0, 1)),
                ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0.4, 0, 1)),
                ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0.3, 0.1, 1))]
            rel skel:animationSource = </Room/FROM>
            ANIMATION
        }
        def Mesh "Body" (
            prepend apiSchemas = ["SkelBindingAPI"]
        )
        {
            point3f[] points = [(0, 0, 0), (1.0, 0, 0), (0, 1, 0)]
            int[] faceVertexCounts = [3]
            int[] faceVertexIndices = [0, 1, 2]
            rel skel:skeleton = </Room/NAME/Skel>
            uniform token[] skel:blendShapes = ["smile"]
            rel skel:blendShapeTargets = </Room/NAME/Body/smile>
            int[] primvars:skel:jointIndices = [0, 1, 2] (
                elementSize = 1
                interpolation = "vertex"
            )
            float[] primvars:skel:jointWeights = [1, 1, 1] (elementSize = 1; interpolation = "vertex")
            def BlendShape "smile"
            {
                uniform vector3f[] offsets = [(0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
            }
        }
    }"""
MOTION = """def SkelAnimation "Nod"
        {
            uniform token[] joints = ["Hips/Spine", "Hips"]  # its own order
            uniform token[] blendShapes = ["smile"]
            float3[] translations.timeSamples = {
                10: [(0, 0.4, 0), (0.1, 0.9, 0)],
                20: [(0, 0.4, 0), (0.1, 0.90000, 1.5)],
            }
            quatf[] rotations.timeSamples = {10: [(1, 0, 0, 0), (1, 0, 0, 0)],
                # a nod
                20: [(0.9689124, 0.247404, 0, 0), (1, 0, 0, 0)]}
            half3[] scales = [(1, 1, 1), (1, 1, 1)]
            float[] blendShapeWeights.timeSamples = {10: [0], 20: [1]}
        }"""
HEAD = """#usda 1.0
(
    "a stage of somebody's, with a \\"quoted\\" word"
    metersPerUnit = 1
    upAxis = "Y"
    timeCodesPerSecond = 30
    startTimeCode = 10
    endTimeCode = 20
    defaultPrim = "Room"
    customLayerData = {
        string maker = "somebody { else"
    }
)

# a room with a figure in it
def Xform "Room" (
    variants = {string look = "red"}
    prepend variantSets = "look"
)
{
    string note = "braces } in a text; # no comment"
    asset icon = @./icon (1).png@
"""
REST = """
    def Cube "Table" {
        double size = 2.50
    }
    def Camera "Eye"
    {
        float focalLength = 35.000
        double3 xformOp:translate.timeSamples = { 10: (0, 1, 5), 20: (0, 1, 6), }
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    variantSet "look" = {
        "red" {
            over "Table" {
                color3f[] primvars:displayColor = [(1, 0, 0)]
            }
        }
        "blue" {
            over "Table" {
                color3f[] primvars:displayColor = [(0, 0, 1)]
            }
        }
    }
}
"""


def _figure(name: str, source: str, motion: str) -> str:
    own = FIGURE.replace("NAME", name).replace("FROM", source).replace("ANIMATION", motion)
    return "    " + own.replace("ONE", IDENTITY)


ROOM = HEAD + _figure("Figure", "Figure/Skel/Nod", MOTION) + REST
BOTH = HEAD + "    " + MOTION + "\n" + _figure("A", "Nod", "") + "\n" + _figure("B", "Nod", "") + REST
BIG = (
    ROOM.replace("0.9, 0", "90, 0")
    .replace("0.90000", "90")
    .replace("0.4, 0", "40, 0")
    .replace("0.3, 0.1", "30, 10")
)


def write(path: Path, text: str) -> Path:
    """A stage as a file of that kind: text as it is, else as usd-core packs it."""
    from pxr import Sdf

    if path.suffix == ".usda":
        path.write_text(text)
    else:
        layer = Sdf.Layer.CreateAnonymous(".usda")
        assert layer.ImportFromString(text)
        assert layer.Export(str(path))
    return path


def joints_in(path: Path, skeleton: str, times: range) -> np.ndarray:
    """Places of all joints (F, n, 3) of a skeleton in the stage, by usd-core."""
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(str(path))
    query = UsdSkel.Cache().GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath(skeleton)))
    found = []
    for time in times:
        place = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(stage.GetPrimAtPath(skeleton)))
        found.append((np.array(query.ComputeJointSkelTransforms(time)) @ place)[:, 3, :3])
    return np.array(found)


def flattened(path: Path, without: str = "") -> str:
    """The composed scene in one text, as usd-core writes it, but for one prim."""
    from pxr import Usd

    layer = Usd.Stage.Open(str(path)).Flatten(addSourceFileComment=False)
    if without:
        spec = layer.GetPrimAtPath(without)
        del spec.nameParent.nameChildren[spec.name]
    return str(layer.ExportToString())
