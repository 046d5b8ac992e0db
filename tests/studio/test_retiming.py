"""Keyframes as data, retimed: the same as retiming the document that they describe."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.methods.key.path.path import Path
from poise.methods.key.sheet.keyframes import Keyframes
from poise.studio.server.retiming import fixed

HOP: dict[str, Any] = {
    "version": 1,
    "character": "humanoid",
    "poses": [{"time": 0.0, "joints": {}}, {"time": 0.8, "joints": {"LeftLeg": "40 deg"}, "ease": "hold"}],
    "pins": [
        {"point": "LeftFoot", "at": [0.1, 0.9], "fade": 0.1},
        {
            "handle": {"kind": "point_position", "point": "Head"},
            "targets": [{"time": 0.3, "value": None}],
            "gains": [{"time": 0.3, "value": 0}, {"time": 1.4, "value": 1, "muted": True}],
        },
    ],
    "path": {
        "keys": [
            {"time": 0.5, "position": [0, 0, 1], "template": {"kind": "projectile_3", "height": 1.4}},
            {"time": 1.5, "position": [0.6, 0, 0.9]},
            {"time": 2.0, "position": [0.6, 0, 0.95]},
        ]
    },
    "inertia": {"keys": [{"time": 0.8, "value": 0.4}]},
    "spins": [{"start": 0.6, "end": 1.4, "turns": 1}],
}


def test_data_are_retimed_as_the_document_is() -> None:
    path = Path.from_dict({"version": 1, **HOP["path"]})
    assert any(hint.fixable for hint in path.hints)
    found, wanted = Keyframes.from_dict(fixed(HOP, path)), Keyframes.from_dict(HOP).fixed()

    def times(tracks: Keyframes) -> list[float]:
        assert tracks.path is not None
        assert tracks.inertia is not None
        found = [key.time for key in tracks.path.keys]
        for track in (tracks.pose_track, tracks.inertia.values, tracks.pins[1].targets, tracks.pins[1].gains):
            found += [key.time for key in track.keys]
        return found + [t for spin in tracks.spins for t in (spin.start, spin.end)]

    np.testing.assert_allclose(times(found), times(wanted), atol=1e-8)
    assert not any(hint.fixable for hint in found.path.hints)  # type: ignore[union-attr]
    assert fixed(HOP, path)["poses"][1]["ease"] == "hold"
