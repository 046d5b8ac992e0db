"""A hat that swings on: the head turns and stops, the hat does not.

Every picture is the end of a window of its own; together they are the swing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character.presets import humanoid
from poise.methods.loosen.wear.attachment import Attachment, attach
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.sway import sway
from poise.motion import Clip, MeshClip
from poise.operations.wear import Wear

TURN, BEGIN, TAKES = np.radians(75), 0.3, 0.22
RATE, SECONDS = 60, 2.6


@dataclass(frozen=True, eq=False)
class Vibration:
    """A turn of the head and the hat on it, by both models."""

    clip: Clip
    hat: Attachment
    quick: MeshClip
    large: MeshClip

    def tip(self, mesh: MeshClip) -> Array:
        """Sideways displacement of the tip from where it rests, in the head's frame [m], (F,)."""
        place = np.array(self.hat.point("tip").place)
        v = int(np.argmin(np.linalg.norm(self.hat.surface.points - place, axis=1)))
        from poise.kinematics import Kinematics

        kin = Kinematics(self.clip.character, self.clip.q)
        head = self.clip.character.index("Head")
        local = np.einsum("fji,fj->fi", kin.rotations[:, head], mesh.vertices[:, v] - kin.positions[:, head])
        return np.asarray(local[:, 1] - self.hat.vertices.rest[1, v])


def scene(young: float = 1.0e4) -> Vibration:
    """The head turns by 75 degrees in 0.22 s."""
    character = humanoid()
    times = np.arange(round(RATE * SECONDS) + 1) / RATE
    s = np.clip((times - BEGIN) / TAKES, 0.0, 1.0)
    angle = TURN * s**3 * (10 - 15 * s + 6 * s * s) - 0.5 * TURN
    q = np.tile(character.rest_pose(), (len(times), 1))
    slot = character.dofs("Head")
    turned = np.zeros((len(times), character.nv))
    turned[:, slot] = angle[:, None] * np.array([0.0, 0.0, 1.0])
    clip = Clip(character, character.manifold.plus(q, turned), RATE, name="head turn")
    worn = attach(character, hat(), Wear(offset=ON_HEAD, young=young, ratio=0.05), "hat")
    return Vibration(clip, worn, sway(clip, worn), sway(clip, worn, large=True))


def extremes(x: Array) -> list[int]:
    """Frames at which a swing turns round after the head has stopped."""
    stop = int((BEGIN + TAKES) * RATE)
    return [k for k in range(stop, len(x) - 1) if (x[k] - x[k - 1]) * (x[k + 1] - x[k]) <= 0]


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 6: the swing in one picture; and the way of the tip over time."""
    from poise.pictures import Camera, Floor, Material, Scene, render, save_png
    from poise.pictures.marks import add_trail
    from poise.pictures.mesh import from_triangles
    from poise.pictures.performance import Performance
    from stage import STILL

    found = scene()
    turns = extremes(found.tip(found.large))[:4]
    stop = int((BEGIN + TAKES) * RATE)
    points = found.large.vertices[stop : turns[-1]].reshape(-1, 3)
    points = np.concatenate([points, points + [0.0, 0.0, -0.22]])
    # From where the head looks: the swing is across.
    camera = Camera.framing(
        points, azimuth=np.degrees(0.5 * TURN), elevation=10.0, size=(900, 900), margin=0.05
    )
    actor = Performance(found.clip, detail=STILL.detail, ground=False, meshes=[found.large])
    picture = Scene(floor=Floor(tile=0.5))
    actor.put(picture.solid, len(found.clip) - 1)
    for k, frame in enumerate(turns):
        ghost = picture.layer(opacity=0.85 - 0.13 * k, tint="#6f9be8", tint_amount=0.4, shadow=0.0)
        # Farther along the same rays: a ghost looks as it would, behind the hat instead of in it.
        behind = camera.eye + (1.2 + 0.1 * k) * (found.large.vertices[frame] - camera.eye)
        shape = from_triangles(behind, found.large.faces, closed=True)
        ghost.add(shape, Material("#7a4fb0", roughness=0.7))
    place = np.array(found.hat.point("tip").place)
    v = int(np.argmin(np.linalg.norm(found.hat.surface.points - place, axis=1)))
    add_trail(picture.layer(shadow=0.0), found.large.vertices[stop : turns[-1] + 1, v], "trail2", width=0.007)
    path = folder / "kd_hat_vibration.png"
    save_png(render(picture, camera, quality=STILL, threads=1), path)
    return [path]


if __name__ == "__main__":
    found = scene()
    print(found.hat)
    for name, mesh in (("quick", found.quick), ("large", found.large)):
        x = found.tip(mesh)
        print(
            f"{name}: turns round at", *(f"{k / RATE:.2f} s: {100 * x[k]:+.1f} cm;" for k in extremes(x)[:6])
        )
    print(*draw(Path("out")), sep="\n")
