"""What a file claims is held against what it is, before any memory is asked for or any loop begun."""

from __future__ import annotations

import json
import struct
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from hostile import POINTS, described, ending, glb, modest, npy, triangle, unzipped, zipped

import poise
from poise import project as projects
from poise.errors import FileFormatError, InputError
from poise.formats.gltf.container import Document
from poise.methods.perform.script.beats import Beats
from poise.motion.frame_times import exact_rate
from poise.reading import Budget

HUGE = [
    "1e999999999",
    "1e-999999999",
    "1e308",
    1e-300,
    10**400,
    Fraction(10**5000),
    Fraction(1, 10**5000),
    Fraction(10**5000 + 1, 10**4000),
    "9" * 5000,
    "1/" + "9" * 4000,
    "0",
    "-1",
    "nan",
    "x",
    True,
]


def move(seconds: float, keys: int = 2) -> tuple[dict, bytes]:
    """A document whose node moves from 0 to ``seconds``, and its bytes."""
    times = struct.pack(f"<{keys}f", *np.linspace(0, 1, keys) ** 2 * seconds)
    data = POINTS + times + bytes(12 * keys)
    content = triangle(
        bufferViews=[
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": len(times)},
            {"buffer": 0, "byteOffset": 36 + len(times), "byteLength": 12 * keys},
        ],
        accessors=[
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": keys, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5126, "count": keys, "type": "VEC3"},
        ],
        animations=[
            {
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                "samplers": [{"input": 1, "output": 2}],
            }
        ],
        buffers=[{"byteLength": len(data)}],
    )
    return content, data


@pytest.mark.parametrize(
    "rate", HUGE, ids=lambda r: "a fraction" if isinstance(r, Fraction) else repr(r)[:24]
)
def test_rates_are_bounded(rate):
    with ending():
        if rate is True:
            assert exact_rate(rate) == 1
            return
        with pytest.raises(InputError, match="frame rate must be a positive number from 1e-06 to 1e\\+09"):
            exact_rate(rate)


def test_rates_are_bounded_in_every_format(tmp_path, monkeypatch):
    clip = poise.clips.get("walk")
    npz = described(
        clip.save(tmp_path / "x.npz").read_bytes(), lambda d: d["clip"].update(rate="1e999999999")
    )
    (tmp_path / "x.npz").write_bytes(npz)
    still = triangle(asset={"version": "2.0", "extras": {"rate": "1e999999999"}})
    (tmp_path / "still.glb").write_bytes(glb(still))
    content, data = move(1.0)
    content["animations"][0]["extras"] = {"poise": {"rate": "1e999999999"}}
    (tmp_path / "moving.glb").write_bytes(glb(content, data))
    for name in ("x.npz", "still.glb", "moving.glb"):
        with ending(), pytest.raises(FileFormatError, match=f"{name}: a frame rate must be"):
            poise.load(tmp_path / name)
    with pytest.raises(InputError, match="a frame rate"):
        poise.load(tmp_path / "still.glb", fps="1e999999999")


def test_a_rate_beyond_bounds_beside_mjcf_keys_is_as_if_nothing_had_been_said(tmp_path):
    pytest.importorskip("mujoco")
    facts = json.dumps({"rate": "1e999999999"}).replace('"', "&quot;")
    (tmp_path / "x.xml").write_text(
        f'<mujoco><custom><text name="poise" data="{facts}"/></custom><worldbody><body><freejoint/>'
        '<geom size="0.1"/></body></worldbody></mujoco>'
    )
    with ending():
        assert poise.load(tmp_path / "x.xml").rate == 1


def test_rates_on_the_command_line(tmp_path, capsys):
    from poise.cli import main

    with ending(), pytest.raises(SystemExit) as ended:
        main(["resample", "walk", "-o", str(tmp_path / "x.bvh"), "--fps", "1e999999999"])
    assert ended.value.code == 2
    assert "1e999999999 is not a finite number" in capsys.readouterr().err


@pytest.mark.parametrize("base", ["zeros", "sparse"])
@pytest.mark.parametrize("count", [1 << 22, 1 << 27, 1 << 40])
def test_an_accessor_without_data_stands_for_few_numbers(base, count, tmp_path):
    accessor = {"componentType": 5126, "count": count, "type": "VEC3"}
    if base == "sparse":
        spot = {"bufferView": 0, "componentType": 5123}
        accessor["sparse"] = {"count": 1, "indices": spot, "values": {"bufferView": 0}}
    path = tmp_path / "x.glb"
    path.write_bytes(glb(triangle(accessors=[accessor])))
    with (
        modest(),
        pytest.raises(FileFormatError, match=r"accessor 0 .*numbers are announced, but a file of \d+ bytes"),
    ):
        poise.load(path)


def test_an_accessor_over_bytes_that_are_not_there(tmp_path):
    (tmp_path / "x.glb").write_bytes(
        glb(triangle(accessors=[{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}]))
    )
    with pytest.raises(FileFormatError, match="needs 48 bytes of bufferView 0, which has 36"):
        poise.load(tmp_path / "x.glb")


def test_the_same_bytes_many_times_over(tmp_path):
    """Ten thousand morph targets, none with data of its own, over a few thousand vertices."""
    count = 3000
    primitive = {"attributes": {"POSITION": 0}, "targets": [{}] * 10_000}
    content = triangle(
        meshes=[{"primitives": [primitive]}],
        accessors=[{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}],
        bufferViews=[{"buffer": 0, "byteLength": 12 * count}],
        buffers=[{"byteLength": 12 * count}],
    )
    (tmp_path / "x.glb").write_bytes(glb(content, bytes(12 * count)))
    with (
        modest(200),
        pytest.raises(FileFormatError, match=r"morph target \d+ of primitive 0 .*numbers are announced"),
    ):
        poise.load(tmp_path / "x.glb")


def test_few_keys_stand_for_minutes_but_not_for_weeks(tmp_path):
    path = tmp_path / "x.glb"
    path.write_bytes(glb(*move(120.0, keys=4)))
    assert poise.load(path).frames == 2881
    path.write_bytes(glb(*move(150_000.0, keys=4)))
    with modest(), pytest.raises(FileFormatError, match=r"too many frames: .*a file of this size"):
        poise.load(path)


def test_lists_of_a_document_are_looked_through_once(tmp_path):
    class Counted(list):
        seen = 0

        def __iter__(self):
            Counted.seen += 1
            return super().__iter__()

    document = Document(tmp_path / "x.gltf", {"accessors": Counted([{}] * 5)}, None)
    for k in range(5):
        document.item("accessors", k, "a test")
    assert Counted.seen == 1


def test_a_budget_says_what_was_claimed_and_what_is_there(tmp_path):
    budget = Budget(tmp_path / "x.glb", 10, free=100, per_byte=2)
    budget.spend(120, "a mesh")
    with pytest.raises(
        FileFormatError, match=r"x\.glb: a mesh: 1 numbers are announced.* 10 bytes may stand for 0 more"
    ):
        budget.spend(1, "a mesh")
    budget.grow(3)
    budget.spend(6, "another")


COPIES = '<replicate count="100">'
MODELS = {
    "user data": '<size nuser_body="2000000000"/>',
    "copies": '<worldbody><replicate count="100000000"><body><geom size="1"/></body></replicate></worldbody>',
    "copies of copies": "<worldbody>" + COPIES * 6 + "<site/>" + "</replicate>" * 6 + "</worldbody>",
    "a grid": '<worldbody><body><composite type="cable" count="100000000 1 1" size="1"/></body></worldbody>',
    "a height field": '<asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>',
    "numbers": '<custom><numeric name="n" size="2000000000"/></custom>',
}  # fmt: skip


@pytest.mark.parametrize("what", MODELS)
def test_counts_in_mjcf(what, tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "x.xml"
    path.write_text(f"<mujoco>{MODELS[what]}<worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    with modest(), pytest.raises(FileFormatError, match=r"x\.xml: .*numbers are announced"):
        poise.load(path)


def test_keys_in_mjcf_are_counted(tmp_path):
    """Not taken from what the file says their number is; and each holds a whole configuration."""
    pytest.importorskip("mujoco")
    path = tmp_path / "x.xml"
    body = '<worldbody><body><freejoint/><geom size="1"/></body></worldbody>'
    path.write_text(f'<mujoco><size nkey="100000000"/>{body}<keyframe><key time="1"/></keyframe></mujoco>')
    with modest():
        assert poise.load(path).frames == 1
    joints = '<joint axis="1 0 0"/>' * 2000
    bodies = f'<worldbody><body>{joints}<geom size="1"/></body></worldbody>'
    path.write_text(f"<mujoco>{bodies}<keyframe>{'<key/>' * 2000}</keyframe></mujoco>")
    with pytest.raises(FileFormatError, match="2,000 keys of 2,001 joints"):
        poise.load(path)


@pytest.mark.parametrize(
    "part", ["<site/>", '<body><geom size="1"/></body>', '<body><freejoint/><geom size="1"/></body>']
)
def test_copies_in_mjcf_are_few(part, tmp_path):
    """MuJoCo takes minutes over tens of thousands of them."""
    pytest.importorskip("mujoco")
    path = tmp_path / "x.xml"
    path.write_text(f'<mujoco><worldbody><replicate count="6000">{part}</replicate></worldbody></mujoco>')
    with ending(), pytest.raises(FileFormatError, match=r"at most 2,500 are read|numbers are announced"):
        poise.load(path)


def test_modest_counts_in_mjcf_are_read(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "x.xml"
    path.write_text(
        '<mujoco><size nkey="2" memory="200G"/><worldbody><body><freejoint/><geom size="1"/>'
        '<replicate count="20" offset="0 0 1"><site pos="0 0 0"/></replicate></body></worldbody></mujoco>'
    )
    assert len(poise.load(path).character.bodies[0].points) == 20


def test_an_archive_that_unpacks_to_gigabytes(tmp_path):
    clip = poise.clips.get("walk").save(tmp_path / "x.npz").read_bytes()
    bomb = zipped({**unzipped(clip), "skin_x.npy": npy(np.zeros(1 << 24))})
    assert len(bomb) < 200_000
    (tmp_path / "x.npz").write_bytes(bomb)
    with modest(), pytest.raises(FileFormatError, match=r"unpacks to [\d,]+ bytes; [\d,]+ bytes may hold"):
        poise.load(tmp_path / "x.npz")
    (tmp_path / "x.poise").write_bytes(zipped({"project.json": b" " * (1 << 28)}))
    with modest(), pytest.raises(FileFormatError, match="unpacks to 268,435,456 bytes"):
        projects.open(tmp_path / "x.poise")


def test_an_archive_that_lies_about_its_size(tmp_path):
    """Its directory promises a hundred bytes, its packed bytes hold 100 MB."""
    honest = zipped({"project.json": b" " * 100_000_000})
    lying = honest.replace(struct.pack("<I", 100_000_000), struct.pack("<I", 100))
    (tmp_path / "x.poise").write_bytes(lying)
    with modest(), pytest.raises(FileFormatError, match="damaged or incomplete archive"):
        projects.open(tmp_path / "x.poise")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_refused(method, tmp_path):
    (tmp_path / "x.poise").write_bytes(zipped({"project.json": b"{}"}, method))
    with pytest.raises(FileFormatError, match="uses a compression that Poise does not read: use deflate"):
        projects.open(tmp_path / "x.poise")


@pytest.mark.parametrize("shape", ["(134217728, 100)", "(-1, 3)", "(1, 2, 3, 4, 5)", "(" + "9" * 40 + ",)"])
def test_the_header_of_an_array_is_held_against_its_bytes(shape, tmp_path):
    members = unzipped(poise.clips.get("walk").save(tmp_path / "x.npz").read_bytes())
    whole = members["q.npy"]
    size = struct.unpack_from("<H", whole, 8)[0]
    header = (
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(size - 1).encode() + b"\n"
    )
    members["q.npy"] = whole[:10] + header + whole[10 + size :]
    (tmp_path / "x.npz").write_bytes(zipped(members))
    with modest(), pytest.raises(FileFormatError, match=r"q\.npy (claims|does not begin)"):
        poise.load(tmp_path / "x.npz")


def midi(events: bytes, division: int = 96) -> bytes:
    """A file of one track."""
    return (
        b"MThd"
        + struct.pack(">IHHH", 6, 0, 1, division & 0xFFFF)
        + b"MTrk"
        + struct.pack(">I", len(events))
        + events
    )


END = b"\x00\xff\x2f\x00"
NOTE = b"\x90\x3c\x40"


def test_tempo_zero_and_long_silences_in_midi(tmp_path):
    pytest.importorskip("mido")
    path = tmp_path / "x.mid"
    path.write_bytes(midi(b"\x00\xff\x51\x03\x00\x00\x00" + b"\x60" + NOTE + END))
    with ending(), pytest.raises(FileFormatError, match="a tempo of 0"):
        Beats.from_midi(path)
    path.write_bytes(midi(b"\xff\xff\xff\x7f" + NOTE + b"\xff\xff\xff\x7f" + NOTE + END, division=1))
    with ending(), pytest.raises(FileFormatError, match="quarter notes over"):
        Beats.from_midi(path)
    path.write_bytes(midi(b"\x00" + NOTE + b"\x83\x00" + NOTE + END))
    assert len(Beats.from_midi(path)) == 5
