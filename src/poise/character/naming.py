"""What a body's name says: its side and which part of a creature it is.

Rigs name bones in many ways (``mixamorig:LeftForeArm``, ``forearm.L``, ``lradius``, ``lowerarm_l``,
``Skeleton_arm_joint_L__4_``, ``right_upper_arm``), but from one small vocabulary. A name is cut
into words at case changes, digits and punctuation, run-together words are cut by the vocabulary
(``lhipjoint`` = l hip joint), and the words are looked up. Some words mean different parts in
different rigs: "shoulder" may be a collar bone or an upper arm, "leg" a thigh or a shin. Those stay
``Part.ARM``, ``Part.LEG`` … here; the tree settles them (see ``labels``).
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from poise.character.japanese_names import in_english


class Part(Enum):
    """A part of a creature; those after ``UNKNOWN`` are ambiguous names, settled by the tree."""

    HIPS = "hips"
    SPINE = "spine"
    NECK = "neck"
    HEAD = "head"
    FACE = "face"
    CLAVICLE = "clavicle"
    UPPER_ARM = "upper_arm"
    FOREARM = "forearm"
    HAND = "hand"
    FINGER = "finger"
    THIGH = "thigh"
    SHIN = "shin"
    FOOT = "foot"
    TOES = "toes"
    TAIL = "tail"
    WING = "wing"
    FORELEG = "foreleg"
    HELPER = "helper"
    """Not flesh: controls, twist bones, ends of chains."""
    UNKNOWN = ""
    ARM = "arm"
    SHOULDER = "shoulder"
    WRIST = "wrist"
    LEG = "leg"
    HIP = "hip"
    """A hip with a side: a thigh, or a helper above it."""


class Reading(NamedTuple):
    """What a name alone tells."""

    side: str
    """"left", "right", or "" where the name does not say."""
    part: Part
    words: tuple[str, ...]

    @property
    def without_side(self) -> tuple[str, ...]:
        """The words but for those that say the side."""
        return tuple(w for w in self.words if w not in _LEFT and w not in _RIGHT)


def _row(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEFT = _row("l left lft lf links linke linker linkes gauche sinistra izquierda izquierdo 左")
_RIGHT = _row("r right rgt rt rechts rechte rechter rechtes droit droite derecha derecho 右")

# The first row with a word in the name decides; so "HandThumb" is a finger and "FootThumb" a toe.
_RULES: tuple[tuple[Part, str], ...] = (
    (Part.HELPER, "connector ik fk pole target ctrl control controller twist roll nub gun prop weapon"
     " mch org vis sec corrective socket attach camera footsteps"),
    (Part.WING, "wing feather"),
    (Part.TAIL, "tail"),
    (Part.TOES, "toe toes toebase ball"),
    (Part.FACE, "eye eyes eyelid lid brow eyebrow jaw chin tongue teeth tooth lip lips mouth ear nose cheek"
     " temporalis risorius levator oculi oris orbicularis beard hair face"),
    (Part.HEAD, "head skull kopf cabeza tête"),
    (Part.NECK, "neck hals nacken cuello cou cervical"),
    (Part.FOOT, "foot ankle heel metatarsal metatarsals fuss paw hoof talus calcn calcaneus"),
    (Part.FINGER, "thumb index middle mid ring pinky pinkie little finger fingers metacarpal carpal knuckle"
     " digit"),
    (Part.WRIST, "wrist"),
    (Part.HAND, "hand palm fist"),
    (Part.CLAVICLE, "clavicle clav collar scapula collarbone"),
    (Part.FOREARM, "forearm radius ulna elbow"),
    (Part.UPPER_ARM, "humerus bicep biceps"),
    (Part.SHOULDER, "shoulder shldr"),
    (Part.ARM, "arm"),
    (Part.THIGH, "thigh femur"),
    (Part.SHIN, "shin calf shank tibia fibula knee crus"),
    (Part.LEG, "leg bein"),
    (Part.HIP, "hip hips buttock pelvis"),
    (Part.SPINE, "spine back abdomen torso chest waist lumbar thorax thoracic rib ribs ribcage trunk belly"
     " stomach body"),
)  # fmt: skip
_PART_OF = {word: (rank, part) for rank, (part, row) in enumerate(_RULES) for word in row.split()}
_UPPER = frozenset(("upper", "up", "upr"))
_LOWER = frozenset(("lower", "low", "lo", "lwr", "fore"))
_FRONT = frozenset(("front", "foreleg", "forelimb"))
_PLAIN = _row("joint bone base root hind rear bend end tip top skeleton mixamorig bip jnt")
_WORDS = frozenset(_PART_OF) | _UPPER | _LOWER | _FRONT | _PLAIN | {"left", "right"}
_LONGEST = max(map(len, _WORDS))


@lru_cache(maxsize=4096)
def read_name(name: str) -> Reading:
    """Side and part as far as the name alone tells."""
    words = _words(name)
    if name.startswith("__"):  # zero-length connectors of some exporters, beside the bone itself
        words = (*words, "connector")
    left, right = bool(_LEFT & set(words)), bool(_RIGHT & set(words))
    side = "left" if left and not right else "right" if right and not left else ""
    return Reading(side, _part(words, side), words)


def _part(words: tuple[str, ...], side: str) -> Part:
    known = [_PART_OF[w] for w in words if w in _PART_OF]
    if not known:
        return Part.HELPER if words and words[-1] == "end" else Part.UNKNOWN
    part = min(known, key=lambda entry: entry[0])[1]
    marks = set(words)
    if "spine" in marks and part is not Part.HELPER:
        return Part.SPINE  # of a Kinect: SpineMid is no finger, SpineShoulder no arm
    if part is Part.ARM:
        return Part.FOREARM if marks & _LOWER else Part.UPPER_ARM if marks & _UPPER else part
    if part is Part.LEG:
        if marks & {"front", "fore"}:
            return Part.FORELEG
        return Part.SHIN if marks & (_LOWER - {"fore"}) else Part.THIGH if marks & _UPPER else part
    if part is Part.HIP and not side:
        return Part.HIPS
    if part is Part.FINGER and marks & {"leg", "foot", "hind"}:
        return Part.TOES
    if part is Part.FOOT and marks & {"thumb", "index", "middle", "ring", "pinky", "finger"}:
        return Part.TOES
    if part in (Part.FOOT, Part.TOES) and marks & {"front", "fore"}:
        return Part.FORELEG
    if part is Part.HEAD and "end" in marks:
        return Part.HELPER
    return part


def _words(name: str) -> tuple[str, ...]:
    """Lower-case words of a name without its namespace."""
    bare = in_english(re.split(r"[:|/]", name)[-1])
    bare = re.sub(r"([a-zäöüé0-9])([A-ZÄÖÜ])", r"\1 \2", bare)  # leftArm → left Arm
    bare = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", bare)  # LThumb → L Thumb
    pieces = re.findall(r"[^\W\d_]+", bare)
    found: list[str] = []
    for piece in pieces:
        found += _cut(piece.lower())
    return tuple(found)


def _cut(piece: str) -> list[str]:
    """A run-together piece as known words, or as it stands where that does not work out."""
    if piece in _WORDS or piece in _LEFT or piece in _RIGHT:
        return [piece]
    for lead in ("", "l", "r", "b"):
        if piece.startswith(lead):
            rest = _cover(piece[len(lead) :])
            if rest:
                return ([lead] if lead else []) + rest
    if piece[-1] in "lr":
        rest = _cover(piece[:-1])
        if rest:
            return [*rest, piece[-1]]
    return [piece]


def _cover(text: str) -> list[str]:
    """Known words that make up ``text`` without a rest, longest first; empty if there are none."""
    if text in _WORDS:
        return [text]
    for length in range(min(len(text) - 1, _LONGEST), 1, -1):
        if text[:length] in _WORDS:
            rest = _cover(text[length:])
            if rest:
                return [text[:length], *rest]
    return []
