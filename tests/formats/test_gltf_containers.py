"""How glTF stores numbers and files: accessors, side files, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from gltf_made import about_x, chain, load
from gltf_oracle import Maker

from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.formats import gltf
from poise.formats.gltf import container
from poise.formats.gltf.original import KeptDocument, original_of
from poise.reading import read_bytes


def document(maker: Maker, tmp_path):
    from poise.formats.gltf.container import read_document

    return read_document(maker.write(tmp_path / "made.gltf"))


@pytest.mark.parametrize(
    ("component", "raw", "wanted"),
    [
        (5120, [-128, -127, 0, 127], [-1, -1, 0, 1]),
        (5121, [0, 51, 255, 102], [0, 0.2, 1, 0.4]),
        (5122, [-32768, 0, 32767, -32767], [-1, 0, 1, -1]),
        (5123, [0, 65535, 13107, 0], [0, 1, 0.2, 0]),
    ],
)
def test_normalised_integers(tmp_path, component, raw, wanted):
    from poise.formats.gltf.accessor import read_floats, read_integers

    maker = Maker()
    plain, normal = (
        maker.accessor(raw, "SCALAR", component),
        maker.accessor(raw, "SCALAR", component, normalized=True),
    )
    doc = document(maker, tmp_path)
    assert np.allclose(read_floats(doc, normal, "test", "SCALAR"), wanted, atol=1e-12)
    assert np.array_equal(read_floats(doc, plain, "test", "SCALAR"), raw)
    assert np.array_equal(read_integers(doc, plain, "test", "SCALAR"), raw)


def test_strides_offsets_sparse_and_padded_matrices(tmp_path):
    from poise.formats.gltf.accessor import read_floats

    maker = Maker()
    mixed = np.arange(40, dtype="<f4").reshape(5, 8)
    view = maker.view(mixed.tobytes(), byteStride=32)
    accessors = maker.content["accessors"]
    accessors.append(
        {"bufferView": view, "byteOffset": 12, "componentType": 5126, "count": 5, "type": "VEC3"}
    )
    where = maker.view(np.array([1, 4], dtype="<u2").tobytes())
    what = maker.view(np.array([[9, 9, 9], [8, 8, 8]], dtype="<f4").tobytes())
    sparse = {
        "count": 2,
        "indices": {"bufferView": where, "componentType": 5123},
        "values": {"bufferView": what},
    }
    accessors.append({**accessors[0], "sparse": sparse})
    accessors.append({"componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse})
    columns = np.array([[1, 2, 3, 0], [4, 5, 6, 0], [7, 8, 9, 0]], dtype="u1")
    accessors.append(
        {"bufferView": maker.view(columns.tobytes()), "componentType": 5121, "count": 1, "type": "MAT3"}
    )
    doc = document(maker, tmp_path)
    assert np.array_equal(read_floats(doc, 0, "test", "VEC3"), mixed[:, 3:6])
    changed = mixed[:, 3:6].copy()
    changed[[1, 4]] = [[9, 9, 9], [8, 8, 8]]
    assert np.array_equal(read_floats(doc, 1, "test", "VEC3"), changed)
    alone = np.zeros((5, 3))
    alone[[1, 4]] = [[9, 9, 9], [8, 8, 8]]
    assert np.array_equal(read_floats(doc, 2, "test", "VEC3"), alone)
    assert np.array_equal(read_floats(doc, 3, "test", "MAT3")[0], [[1, 4, 7], [2, 5, 8], [3, 6, 9]])


def animated() -> Maker:
    maker = chain({}, {"translation": [0, 1, 0]})
    times = np.arange(4) / 30
    maker.animate("a", (1, "rotation", times, about_x([0, 0.1, 0.2, 0.3]), "LINEAR"))
    return maker


def test_side_files_beside_the_document_only(tmp_path):
    maker = animated()
    folder = tmp_path / "here"
    (folder / "sub dir").mkdir(parents=True)
    (folder / "sub dir" / "data.bin").write_bytes(maker.blob)
    (tmp_path / "outside.bin").write_bytes(maker.blob)
    content = maker.json()

    def read(uri):
        content["buffers"] = [{"byteLength": len(maker.blob), "uri": uri}]
        (folder / "made.gltf").write_text(json.dumps(content))
        return gltf.load(folder / "made.gltf", mass=False)

    assert read("sub%20dir/data.bin").frames == 4
    for uri in (
        "../outside.bin",
        "sub%20dir/../../outside.bin",
        str(tmp_path / "outside.bin"),
        "http://example.org/data.bin",
        "https://example.org/data.bin",
        "file:///etc/passwd",
        "missing.bin",
        "data:application/octet-stream;base64,@@@",
        "data:text/plain,hello",
        "sub%20dir",
    ):
        with pytest.raises(FileFormatError, match=r"made\.gltf"):
            read(uri)
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    with pytest.raises(FileFormatError, match="outside"):
        read("link.bin")


def test_a_file_that_is_named_often_is_read_and_counted_once(tmp_path, monkeypatch):
    maker = animated()
    (tmp_path / "data.bin").write_bytes(maker.blob)
    content = maker.json()
    content["buffers"] = [{"byteLength": len(maker.blob), "uri": "data.bin"}]
    content["images"] = [{"uri": uri} for uri in ("data.bin", "./data.bin", "data%2Ebin") * 10]
    path = tmp_path / "made.gltf"
    path.write_text(json.dumps(content))
    opened: list[str] = []

    def read(file, **options):
        opened.append(Path(file).name)
        return read_bytes(file, **options)

    monkeypatch.setattr(container, "read_bytes", read)
    document = container.read_document(path)
    original = original_of(document, {})
    assert opened == ["made.gltf", "data.bin"]
    assert document.budget.size == path.stat().st_size + len(maker.blob)
    assert set(original.beside) == {"data.bin", "./data.bin", "data%2Ebin"}
    assert KeptDocument(path, original).budget.size == document.budget.size


def test_a_missing_image_costs_only_the_image(tmp_path):
    maker = chain({"mesh": 0})
    maker.content["images"] = [{"uri": "nowhere.png"}]
    maker.content["textures"] = [{"source": 0}]
    maker.content["materials"] = [
        {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "baseColorFactor": [1, 0, 0, 1]}}
    ]
    position = maker.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "VEC3")
    maker.content["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}, "material": 0}]}]
    clip = load(maker, tmp_path)
    assert any("nowhere.png" in n for n in clip.source.notes)
    assert np.allclose(clip.character.skin.extras["colours"], [[1, 0, 0, 1]])
    import io

    from PIL import Image

    data = clip.character.skin.extras["gltf"].images[0].data
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_bad_options_are_refused(tmp_path):
    with pytest.raises(InputError, match="scale"):
        load(animated(), tmp_path, scale=0.0)
    with pytest.raises(InputError, match="frame rate"):
        load(animated(), tmp_path, fps=-1)
    with pytest.raises(UnknownNameError, match="skin"):
        load(animated(), tmp_path, skin="none")
