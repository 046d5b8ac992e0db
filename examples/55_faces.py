"""Two living faces: flesh on springs that still smiles on time, and lips that close while cheeks wobble.

The first face smiles and tilts its head. Loose, the smile comes late and the cheeks are left behind by the
tilt; two targets, the whole face at the height of the smile and the mouth at the end of the tilt, bring it
back at those two moments. The second says "mama, baby": loose lips never meet, and check-points taken from
the animation close them each time, while everything else stays loose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.clips import faces as bundled
from poise.clips.faces.sculpture import PARTS, head
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.hit import FaceHitResult, hit
from poise.methods.loosen.face.material import Flesh
from poise.methods.loosen.face.target import Target, checkpoints
from poise.motion import Clip, MeshClip

JELLY = {"*": Flesh(2.6, 0.15, 5.0), "brow*": Flesh(7.0, 0.4)}
"""Cheeks, lips and chin are soft, brows firm."""
SMILE, TILT = 0.72, 1.2
"""When the smile is widest, and when the head has tilted [s]."""
SHUT = (0.40, 0.44, 0.80, 0.84, 1.40, 1.44, 1.76, 1.80)
"""When the lips shall be closed [s]."""
LIPS = "mouthPress"
WINDOW = 1.0


def softness() -> Array:
    """Flesh is what morph targets move, but for the lids: they are as animated, (N,)."""
    soft = Face(bundled.get("smile")).rig.soft
    return np.where(head().part == PARTS.index("lid"), 0.0, soft)


def jelly(name: str) -> Face:
    """A bundled face of jelly."""
    return Face(bundled.get(name), JELLY, WINDOW, soft=softness())


@dataclass(frozen=True, eq=False)
class Acted:
    """A performance as animated, loose, and with its targets met."""

    face: Face
    """Without corrections."""
    targets: list[Target]
    result: FaceHitResult

    @property
    def clip(self) -> Clip:
        """The animation."""
        return self.face.clip

    @cached_property
    def animated(self) -> MeshClip:
        """As animated."""
        return self.loose.with_vertices(self.face.kinematic(self.clip.times))

    @cached_property
    def loose(self) -> MeshClip:
        """Loosened."""
        return self.face.mesh()

    def off(self, mesh: MeshClip, target: Target) -> float:
        """How far vertices of a target's region are from the animation at its time, at most [m]."""
        k, among = round(target.time * self.clip.fps), target.vertices(self.face)
        return float(np.linalg.norm(mesh.vertices[k, among] - self.animated.vertices[k, among], axis=1).max())

    def gap(self, mesh: MeshClip) -> Array:
        """Height of the opening between the lips in the middle of the mouth, per frame [m], (F,)."""
        rest = np.asarray(self.face.rig.skin.vertices)
        upper, lower = lips(rest)
        return np.linalg.norm(mesh.vertices[:, upper] - mesh.vertices[:, lower], axis=2).mean(axis=1)


def lips(rest: Array) -> tuple[Array, Array]:
    """Vertices of both edges of the slit that lie in one place at rest, near the middle."""
    order = np.lexsort(np.round(rest, 7).T)
    same = np.flatnonzero(np.abs(np.diff(rest[order], axis=0)).max(axis=1) < 1e-9)
    first, second = np.sort([order[same], order[same + 1]], axis=0)
    middle = (np.abs(rest[first, 1]) < 0.012) & (rest[first, 0] > 0.05)
    return first[middle], second[middle]


def smiling() -> Acted:
    """The smile and the tilt."""
    face = jelly("smile")
    targets = [
        Target(SMILE, name="the smile"),
        Target(TILT, ["mouth*", "cheek*", "jaw*"], name="the tilted mouth"),
        Target(TILT, ["mouth*", "cheek*", "jaw*"], 0, rate=True, name="the mouth at rest"),
    ]
    return Acted(face, targets, hit(face, targets))


def speaking() -> Acted:
    """Lips that close when they should."""
    face = jelly("speech")
    targets = checkpoints(SHUT, LIPS, name="lips")
    return Acted(face, targets, hit(face, targets))


def draw(folder: Path) -> list[Path]:
    """Both faces at their moments: animated, loose, hit."""
    from panels import Framing, Panel, panels
    from poise.pictures import View

    smile, speech = smiling(), speaking()
    written = []
    for name, acted, moments in (
        ("kd_face_smile", smile, ((SMILE, 0), (TILT, 1))),
        ("kd_face_lips", speech, ((SHUT[3], 3), (SHUT[7], 7))),
    ):
        items = []
        for time, number in moments:
            k = round(time * acted.clip.fps)
            versions = ((acted.animated, "animated"), (acted.loose, "loose"), (acted.result.mesh, "hit"))
            for mesh, title in versions:
                off = 1e3 * acted.off(mesh, acted.targets[number])
                note = "" if title == "animated" else f"{off:.1f} mm off" if off > 0.1 else "met"
                items.append(Panel(mesh, k, title, f"{time:.2f} s {note}"))
        seen = acted.loose.vertices[[round(time * acted.clip.fps) for time, _ in moments]].reshape(-1, 3)
        around = seen[seen[:, 2] > 0.05]
        framing = Framing(View(-12.0, 4.0), (330, 400), around=around, margin=0.03, tile=0.1)
        written.append(panels(items, folder / f"{name}.png", framing))
    return written


if __name__ == "__main__":
    smile, speech = smiling(), speaking()
    for found in (smile, speech):
        for target in found.targets:
            print(f"loose, {target.label}: off by {1e3 * found.off(found.loose, target):.2f} mm")
        print(found.result.report)
    shut = [round(t * speech.clip.fps) for t in SHUT]
    for name, mesh in (("loose", speech.loose), ("hit", speech.result.mesh)):
        print(f"{name}: lips open by {1e3 * speech.gap(mesh)[shut].max():.2f} mm when they should be shut")
    print(*draw(Path("out")), sep="\n")
