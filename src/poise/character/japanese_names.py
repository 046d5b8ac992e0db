"""Japanese names of bones, as models of MikuMikuDance have them, in the words that other rigs use."""

from __future__ import annotations

import re
import unicodedata

_WORDS = {
    "全ての親": "root", "センター": "root", "グルーブ": "root", "腰": "root",
    "下半身": "pelvis", "上半身": "torso", "首": "neck", "頭": "head", "髪": "hair",
    "目": "eye", "眉": "brow", "口": "mouth", "顎": "jaw", "あご": "jaw", "舌": "tongue",
    "肩": "clavicle", "腕捩": "arm twist", "手捩": "arm twist", "腕": "upper arm",
    "ひじ": "elbow", "肘": "elbow",
    "手首": "wrist", "足首": "ankle", "つま先": "toe", "足先": "toe", "ひざ": "knee", "膝": "knee",
    "足": "upper leg", "親指": "thumb", "人指": "index", "人差指": "index", "人差し指": "index",
    "中指": "middle", "薬指": "ring", "小指": "pinky", "指": "finger", "左": "left", "右": "right",
    "先": "end",
}  # fmt: skip
_LONGEST_FIRST = re.compile("|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)))
_AUXILIARY = re.compile(r"(?<=肩)[PC]\b|(?<=[足ざ膝首])D\b|EX\b|IK")
"""Bones that only hand something on: shoulders' parents and counterparts, legs that follow legs, handles."""


def in_english(name: str) -> str:
    """The name with its Japanese words replaced; others come back as they are."""
    if name.isascii() or not _LONGEST_FIRST.search(name):
        return name
    plain = _AUXILIARY.sub(" control ", unicodedata.normalize("NFKC", name))
    return _LONGEST_FIRST.sub(lambda found: f" {_WORDS[found.group()]} ", plain)
