"""Key-frames as documents: edits, JSON there and back, an error that names the place for everything wrong."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from jumps import hop, somersault, standing

from poise.character.presets import humanoid, lamp, planar_humanoid
from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.handles import BodyOrientation, PointPosition
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.templates import ProjectileIII
from poise.methods.key.pose.values import pose, quantity
from poise.methods.key.sheet.inertia import InertiaTrack
from poise.methods.key.sheet.key import TrackKey
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.pin import NUMBER, Pin, space_of
from poise.methods.key.sheet.track import Track
from poise.motion import Clip


def everything() -> Keyframes:
    """A document with every kind of track, key and option."""
    tracks = somersault(humanoid()).with_inertia({0.7: 0.4, 0.9: 0.35})
    turned = Track(
        space_of(BodyOrientation("Head")),
        (
            TrackKey(0.0, (1.0, 0.0, 0.0, 0.0), "hold"),
            TrackKey(1.0, None, "ease-in", muted=True),
            TrackKey(2.0, None),
        ),
    )
    gains = Track(NUMBER, (TrackKey(0.0, (0.25,), "linear"), TrackKey(1.0, (1.0,))))
    head = Pin(BodyOrientation("Head"), turned, gains, muted=True)
    poses = tracks.pose_track.mute(1).changed(2, ease="smooth")
    return tracks.replaced(pins=(*tracks.pins, head), poses=poses, fade=0.125, path_muted=True)


@pytest.mark.parametrize(
    "tracks", [everything(), hop(planar_humanoid()), Keyframes(lamp(), lamp().rest_pose())]
)
def test_json_there_and_back(tracks, tmp_path):
    text = json.dumps(tracks.to_dict(), allow_nan=False)
    back = Keyframes.from_dict(json.loads(text))
    assert back.to_dict() == tracks.to_dict()
    assert back.character is tracks.character
    assert (back.poses, back.pins, back.inertia, back.spins) == (
        tracks.poses,
        tracks.pins,
        tracks.inertia,
        tracks.spins,
    )
    path = tracks.save(tmp_path / "x.json")
    assert Keyframes.load(path).to_dict() == tracks.to_dict()
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"], "no temporary file stays behind"


def test_a_character_of_its_own_travels_along():
    heavier = humanoid().with_masses([b.mass for b in humanoid().bodies], "given")
    tracks = Keyframes(heavier, heavier.rest_pose())
    back = Keyframes.from_dict(json.loads(json.dumps(tracks.to_dict())))
    assert back.character.names == heavier.names
    assert back.to_dict() == tracks.to_dict()


def test_what_a_person_writes(tmp_path):
    clip = Clip(humanoid(), [standing(humanoid()), standing(humanoid(), flex=0.5)], 10)
    asked = []

    def read(name: str) -> Clip:
        asked.append(name)
        return clip

    data = {
        "version": 1,
        "character": "humanoid",
        "poses": [
            {"time": 0, "joints": {"LeftLeg": "40 deg", "Spine": ["0", "-10°", 0.1]}},
            {"time": 0.5, "clip": "crouch.bvh", "at": 0.1, "joints": {"RightLeg": 1.0}, "ease": "hold"},
        ],
        "pins": [{"point": "LeftToe", "at": [0, 0.4], "to": [0, 0.1, 0], "gain": 0.5, "fade": 0.05}],
        "path": {"keys": [{"time": 0, "position": [0, 0, 1]}]},
        "inertia": {"keys": [{"time": 0, "value": 0.5}]},
    }
    (tmp_path / "t.json").write_text(json.dumps(data))
    (tmp_path / "crouch.bvh").write_text("")
    tracks = Keyframes.load(tmp_path / "t.json", read=read)
    assert asked == [str(tmp_path / "crouch.bvh")], "looked for beside the document"
    first, second = (np.array(key.value) for key in tracks.pose_track.keys)
    body = humanoid()
    assert first[body.coordinates("LeftLeg")] == pytest.approx(np.radians(40))
    assert np.array_equal(first, pose(body, {"LeftLeg": np.radians(40), "Spine": (0, np.radians(-10), 0.1)}))
    assert np.array_equal(second, pose(body, {"RightLeg": 1.0}, base=clip.q[1]))
    pin = tracks.pin_named("LeftToe")
    assert pin.targets.keys[0].value == (0.0, 0.1, 0.0)
    assert pin.gain([0.2])[0] == 0.5
    with pytest.raises(FileFormatError, match=r"poses\[1\].*read=poise.load"):
        Keyframes.load(tmp_path / "t.json")


def broken(change) -> dict:
    data = copy.deepcopy(everything().to_dict())
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(version=9), "version 9"),
        (lambda d: d.update(poise="clip"), "'clip' file, not key-frames"),
        (lambda d: d.update(pose=[]), "no field named 'pose'; did you mean 'poses'"),
        (lambda d: d.pop("character"), "'character' is missing"),
        (lambda d: d.update(character="humanoit"), "character: no preset character named 'humanoit'"),
        (lambda d: d.update(character="x.glb"), "character: 'x.glb' must be read"),
        (lambda d: d.update(character=3), "character: a preset's name"),
        (lambda d: d.update(poses={}), "poses must be a list"),
        (lambda d: d.update(poses=[]), "at least one key"),
        (lambda d: d["poses"][1].pop("time"), r"poses\[1\]: field 'time' is missing"),
        (lambda d: d["poses"][1].update(time="1"), r"poses\[1\]: time must be a number"),
        (lambda d: d["poses"][1].update(time=0.0), "poses: two keys at 0 s"),
        (lambda d: d["poses"][2].update(q=[1, 2]), r"poses\[2\]: the value at .* has 2 numbers, it needs 4"),
        (lambda d: d["poses"][2].update(q="high"), r"poses\[2\]: .*must be numbers"),
        (lambda d: d["poses"][2].update(ease="fast"), r"poses\[2\]: no easing named 'fast'"),
        (lambda d: d["poses"][2].update(muted="no"), r"poses\[2\]: muted must be true or false"),
        (lambda d: d["poses"][2].update(joints={}), r"poses\[2\]: a pose is given by q, or by"),
        (lambda d: d["poses"].append({"time": 5}), r"poses\[7\]: a pose needs q, joints or clip"),
        (
            lambda d: d["poses"].append({"time": 5, "joints": {"Leg": 1}}),
            r"poses\[7\]: no joint named 'Leg'",
        ),
        (
            lambda d: d["poses"].append({"time": 5, "joints": {"Spine": 1}}),
            r"poses\[7\]: joint 'Spine' \(ball\) takes 3 numbers",
        ),
        (
            lambda d: d["poses"].append({"time": 5, "joints": {"LeftLeg": "40 degs"}}),
            r"poses\[7\]: joint 'LeftLeg': a value is a number",
        ),
        (lambda d: d["poses"].append({"time": 5, "joints": [1]}), r"poses\[7\]: joints is written"),
        (lambda d: d["poses"].append(7), r"poses\[7\]: key must be an object"),
        (lambda d: d["pins"][0].pop("handle"), r"pins\[0\]: a pin needs a point or a handle"),
        (
            lambda d: d["pins"][0]["handle"].update(point="Toe"),
            r"pins\[0\]: no joint or point named 'Toe'",
        ),
        (lambda d: d["pins"][0].update(colour=1), r"pins\[0\]: no field named 'colour'"),
        (lambda d: d["pins"][0].update(gain=1), r"pins\[0\]: 'LeftToe': 'gain' belongs to a held pin"),
        (lambda d: d["pins"][0].pop("gains"), r"pins\[0\]: 'LeftToe': gains must be a list"),
        (
            lambda d: d["pins"][0]["gains"][1].update(value=[2.0]),
            r"pins\[0\]: 'LeftToe': pin 'LeftToe': the gain at 0 s must lie between 0 and 1",
        ),
        (lambda d: d["pins"][0]["gains"][1].pop("value"), r"'LeftToe': gains\[1\]: a value is missing"),
        (
            lambda d: d["pins"][0]["targets"][0].update(value=[1, 2]),
            r"'LeftToe': targets\[0\]: the value at 0 s has 2 numbers, it needs 3",
        ),
        (
            lambda d: d["pins"][8]["targets"][0].update(value=[1, 1, 0, 0]),
            r"pins\[8\]: .*targets\[0\]: .*quaternion",
        ),
        (lambda d: d["pins"][1].update(name="LeftToe"), "two pins are named 'LeftToe'"),
        (lambda d: d["path"]["keys"][2].pop("position"), r"path: key 2 of the path: a position is missing"),
        (lambda d: d["inertia"].update(measure="size"), "inertia: no measure of inertia named 'size'"),
        (lambda d: d["inertia"]["keys"][1].update(value=-1), "inertia: .*must be positive"),
        (lambda d: d["spins"][0].pop("end"), r"spins\[0\]: the end of a spin is missing"),
        (lambda d: d["spins"].append({"start": 1.0, "end": 2.0}), "a spin starts at 1 s, before one ends"),
        (lambda d: d.update(fade=-1), "fade must be a time"),
        (lambda d: d.update(fade="long"), "fade must be a number"),
        (lambda d: d.update(name=3), "name must be text"),
    ],
)
def test_every_error_names_its_place(change, message):
    with pytest.raises(InputError, match=message):
        Keyframes.from_dict(broken(change))


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        Keyframes.load(tmp_path / "none.json")
    (tmp_path / "a.json").write_text('{"version": 1,\n "poses": [}')
    with pytest.raises(FileFormatError, match=r"a\.json:2: not JSON"):
        Keyframes.load(tmp_path / "a.json")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="the text is not UTF-8"):
        Keyframes.load(tmp_path / "b.json")
    with pytest.raises(InputError, match="cannot write"):
        everything().save(tmp_path / "no" / "folder.json")


@pytest.mark.parametrize(
    ("text", "value"), [("40 deg", np.radians(40)), ("-10°", np.radians(-10)), (2, 2.0), ("0.5", 0.5)]
)
def test_quantities(text, value):
    assert quantity(text, "x") == pytest.approx(value)


@pytest.mark.parametrize("wrong", ["fast", True, None, float("nan"), "deg", [1]])
def test_what_is_no_quantity(wrong):
    with pytest.raises(InputError, match="a value is a number"):
        quantity(wrong, "x")


# Edits ---------------------------------------------------------------------------------------------


def test_pins_are_edited_by_name():
    tracks = Keyframes(humanoid(), humanoid().rest_pose()).pin("LeftToe", at=(0, 1)).pin("LeftToe", at=(2, 3))
    assert [pin.name for pin in tracks.pins] == ["LeftToe", "LeftToe 2"]
    assert tracks.with_pin("LeftToe 2", muted=True).pin_named("LeftToe 2").muted
    assert tracks.without_pin("LeftToe").pins == tracks.pins[1:]
    with pytest.raises(UnknownNameError, match="LeftToe 2"):
        tracks.pin_named("LeftToe 3")
    with pytest.raises(UnknownNameError, match="LeftToee"):
        tracks.pin("LeftToee")


def test_span_is_that_of_the_keys_that_count():
    rest = humanoid().rest_pose()
    tracks = Keyframes(humanoid(), {1.0: rest, 2.0: rest}).pin("LeftToe", at=(1.2, 4.0))
    assert tracks.span == (1.0, 2.0)
    assert tracks.with_path([PathKey(0.5, (0, 0, 1)), PathKey(3.0, (0, 0, 1))]).span == (0.5, 3.0)
    assert tracks.with_path([PathKey(0.5, (0, 0, 1))]).replaced(path_muted=True).span == (1.0, 2.0)
    assert tracks.with_inertia({5.0: 0.4}).span == (1.0, 5.0)
    assert tracks.with_spin(0.0, 0.5).span == (0.0, 2.0)


def test_fixing_the_path_moves_every_track():
    """A projectile that needs longer than its keys leave: later keys of all tracks are moved with its end."""
    rest = humanoid().rest_pose()
    tracks = (
        Keyframes(humanoid(), {0.0: rest, 0.25: rest, 0.5: rest, 1.0: rest})
        .pin("LeftToe", at=(0.5, 1.0), fade=0.1)
        .with_path(
            [
                PathKey(0.0, (0, 0, 1), None, ProjectileIII(1.5)),
                PathKey(0.5, (1, 0, 1)),
                PathKey(1.0, (1, 0, 1)),
            ]
        )
        .with_inertia({0.0: 0.4, 0.5: 0.45})
        .with_spin(0.0, 0.5, turns=1)
    )
    late = 2 * np.sqrt(2 * 0.5 / 9.81) - 0.5
    fixed = tracks.fixed()
    assert fixed.span == pytest.approx((0.0, 1.0 + late))
    assert [k.time for k in fixed.pose_track.keys] == pytest.approx(
        [0.0, 0.25 + late / 2, 0.5 + late, 1.0 + late]
    )
    assert [k.time for k in fixed.pins[0].gains.keys][1:] == pytest.approx(
        [0.5 + late, 1.0 + late, 1.1 + late]
    )
    assert fixed.inertia.values.keys[1].time == pytest.approx(0.5 + late)
    assert fixed.spins[0].end == pytest.approx(0.5 + late)
    assert not [h for h in fixed.path.hints if h.fixable]
    assert fixed.fixed() is fixed
    assert tracks.replaced(path=None).fixed().path is None


def test_what_a_document_cannot_hold():
    rest = humanoid().rest_pose()
    with pytest.raises(InputError, match="at least one key"):
        Keyframes(humanoid(), Track(humanoid().manifold))
    with pytest.raises(InputError, match="at least one key"):
        Keyframes(
            humanoid(), Track(planar_humanoid().manifold, (TrackKey(0, planar_humanoid().rest_pose()),))
        )
    with pytest.raises(InputError, match="needs a pose"):
        Keyframes(humanoid(), Track(humanoid().manifold, (TrackKey(0, rest), TrackKey(1, None))))
    with pytest.raises(InputError, match="at least one key"):
        InertiaTrack(Track(NUMBER))
    with pytest.raises(InputError, match="numbers, it needs"):
        Keyframes(humanoid(), rest[:-1])


def test_held_where_it_is_means_where_the_carried_pose_has_it():
    """A target left open is found on the pose track after the path has carried it."""
    tracks = hop(humanoid())
    pulled = {p.name: p for p in tracks.evaluation.pulls(np.array([0.1]), 0)}
    pose_track = Kinematics(humanoid(), tracks.pose_track.at([0.0]))
    shift = np.asarray(tracks.path.keys[0].position) - pose_track.com[0]
    wanted = pose_track.point("LeftToe")[0] + shift
    assert np.abs(pulled["LeftToe"].targets[0] - wanted).max() < 1e-15
    assert isinstance(pulled["LeftToe"].handle, PointPosition)
