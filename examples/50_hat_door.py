"""A tall hat through a low door: the hat has no muscles, so the walker ducks for it.

The hat sways on the walker's head and strikes the lintel. Constraints keep the parts of it that would strike
a margin below; the skeleton's motion is what changes, and the hat keeps swaying.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise import clips
from poise.arrays import Array
from poise.constraints import Constraint, constrain
from poise.methods.loosen.wear.attachment import Attachment, attach
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.hit import AttachedResult, hit_attached
from poise.methods.loosen.wear.sway import sway
from poise.motion import Clip, MeshClip
from poise.motion.operators import unroll
from poise.operations.wear import Wear

DOOR = 2.05
"""Where the door is on the way [m]."""
LINTEL = 1.90
"""Height of the opening [m]."""
DEPTH = 0.07
"""Half the depth of the frame [m]."""
MARGIN = 0.03
"""What the hat is to miss it by [m]."""
AHEAD = 0.15
"""How far before and behind the frame the hat is kept low [m]: a walker who ducks may lean back as much."""
WIDTH = 0.8
"""Of the corrections [s]."""


@dataclass(frozen=True, eq=False)
class Door:
    """The walk, its hat before and after, and the result."""

    clip: Clip
    hat: Attachment
    before: MeshClip
    result: AttachedResult

    @property
    def after(self) -> MeshClip:
        """The hat on the corrected walk."""
        return self.result.mesh()


def below(mesh: MeshClip) -> Array:
    """Room between the highest vertex inside the door frame and the lintel, by frame [m]; inf outside."""
    x, z = mesh.vertices[..., 0], mesh.vertices[..., 2]
    return LINTEL - np.where(np.abs(x - DOOR) < DEPTH, z, -np.inf).max(axis=1)


def striking(clip: Clip, worn: Attachment, mesh: MeshClip, most: int = 3) -> list[Constraint]:
    """Constraints on a few vertices that come highest in the door: below the lintel while they are near."""
    x, z = mesh.vertices[..., 0], mesh.vertices[..., 2]
    near = np.abs(x - DOOR) < DEPTH + AHEAD
    height = np.where(near, z, -np.inf).max(axis=0)  # of each vertex on its way through
    out: list[Constraint] = []
    chosen: list[int] = []
    for v in np.argsort(-height):
        apart = [np.linalg.norm(worn.surface.points[v] - worn.surface.points[u]) for u in chosen]
        if apart and min(apart) < 0.05:
            continue
        chosen.append(int(v))
        frames = np.flatnonzero(near[:, v])
        when = (float(clip.times[frames[0]]), float(clip.times[frames[-1]]))
        handle = worn.point(worn.surface.points[v], axes="z")
        # Vertices beside those chosen come a little higher: 8 mm are kept in hand.
        out.append(
            constrain(handle, LINTEL - MARGIN - 0.008, when, lower=-np.inf, upper=0.0, name=f"vertex {v}")
        )
        if len(chosen) == most:
            break
    return out


def scene() -> Door:
    """Walk through the door."""
    clip = unroll(clips.get("walk"), 4)
    worn = attach(clip, hat(), Wear(offset=ON_HEAD, young=1.6e4), "hat")
    before = sway(clip, worn)
    result = hit_attached(clip, striking(clip, worn, before), [worn], Wear(width=WIDTH))
    return Door(clip, worn, before, result)


def draw(folder: Path) -> list[Path]:
    """The moment in the door, as animated and as corrected, and the way through."""
    from poise.pictures import Camera, Floor, Mesh, Scene, render, save_png
    from poise.pictures.contact_sheet import labelled
    from poise.pictures.mesh import box, join
    from poise.pictures.performance import Performance
    from stage import STILL

    found = scene()
    post = 0.045

    def beam(half: tuple[float, float, float], at: tuple[float, float, float]) -> Mesh:
        return box(half).placed(at)

    frame = join(
        [
            beam((DEPTH, 0.55, post), (DOOR, 0.0, LINTEL + post)),
            beam((DEPTH, post, 0.5 * LINTEL + post), (DOOR, 0.55 + post, 0.5 * LINTEL + post)),
            beam((DEPTH, post, 0.5 * LINTEL + post), (DOOR, -0.55 - post, 0.5 * LINTEL + post)),
        ]
    )
    worst = int(np.argmin(below(found.before)))
    cells = []
    for title, clip, mesh in (
        ("as animated", found.clip, found.before),
        ("corrected", found.result.clip, found.after),
    ):
        room = float(below(mesh).min())
        said = f"strikes by {-100 * room:.1f} cm" if room < 0 else f"misses by {100 * room:.1f} cm"
        actor = Performance(clip, detail=STILL.detail, ground=False, meshes=[mesh])
        picture = Scene(floor=Floor(tile=0.5))
        actor.put(picture.solid, worst)
        for step in (-34, 30):
            ghost = picture.layer(opacity=0.4, tint="#8cb8f2", tint_amount=0.9, shadow=0.3)
            actor.put(ghost, worst + step)
        picture.solid.add(frame, "wood")
        around = np.array(
            [[DOOR + dx, dy, z] for dx in (-0.75, 0.75) for dy in (-0.5, 0.5) for z in (0.0, 2.1)]
        )
        camera = Camera.framing(around, azimuth=-62.0, elevation=7.0, size=(760, 860), margin=0.03)
        cells.append(labelled(render(picture, camera, quality=STILL, threads=1), title, said))
    path = folder / "kd_hat_door.png"
    save_png(np.concatenate(cells, axis=1), path)
    return [path]


if __name__ == "__main__":
    found = scene()
    print(found.hat)
    print(f"before: {100 * below(found.before).min():.1f} cm of room")
    print(found.result.report)
    print(f"after: {100 * below(found.after).min():.1f} cm of room")
    print(*draw(Path("out")), sep="\n")
