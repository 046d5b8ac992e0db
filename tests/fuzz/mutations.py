"""Changes to files: of bytes, of numbers, of structure with all lengths and checksums made right again.

A mutation takes a file apart, changes something, and puts it together: a GLB whose chunks have their right
lengths gets past the container, a zip archive with right checksums past the unpacking.
"""

from __future__ import annotations

import io
import json
import re
import struct
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.formats.fbx.records import Record, Wide, file_bytes, read_records

NUMBERS = (
    "0", "-0", "1", "-1", "2", "3", "7", "255", "256", "65535", "65536", "2147483647", "2147483648",
    "4294967295", "4294967296", "134217728", "1000000000", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "1e999999999", "1e-999999999", "1e308", "-1e308", "1e-308", "1e300", "1e20",
    "1e-20", "1e999", "-1e999", "1e9", "0.1", "-0.5", "3.4028235e38", "1e39", "5e-324", "NaN", "nan",
    "Infinity", "-Infinity", "inf", "-inf", "0x10", "1_000", "1,5", "1/0", "1/3", "24000/1001", "1e5/1e-5",
    "00", "+1", ".5", "5.", "1e", "1e+", "-", "+", "١", "²",
    "9" * 400, "9" * 5000, "1" + "0" * 30, "0." + "3" * 400,
)  # fmt: skip
WORDS = (
    "", " ", "\0", "é", "\ud7ff", "𝄞", "%s", "../x", "/dev/zero", "..", "null", "true", "com", "humanoid",
    "a" * 300,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**32, 2**53, 2**63, 2**64, 10**30, 10**400, 0.5, -0.0, 1e308,
    -1e308, 1e-308, 1e20, 1e-20, float("nan"), float("inf"), "", "x", "1e999999999", "1/0", "../x", [], {},
    [[]], [None], {"": None}, [0] * 50, [1e300] * 3, [0, 0, 0, 0], [[1, 2], [3]], "humanoid", "inf", "\ud800",
)  # fmt: skip
_TOKEN = re.compile(rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

Mutation = Callable[[bytes, Random], bytes]


def of_bytes(data: bytes, rng: Random) -> bytes:
    """A few bytes changed, put in, taken out, doubled or moved."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(9):
            case 0 | 1 if out:
                out[at % len(out)] = rng.randrange(256)
            case 2 if out:
                out[at % len(out)] ^= 1 << rng.randrange(8)
            case 3:
                out[at:at] = rng.randbytes(rng.choice((1, 1, 2, 4, 64)))
            case 4:
                del out[at : at + rng.choice((1, 1, 2, 4, 16, 256))]
            case 5:
                length = rng.choice((1, 4, 16, 256))
                out[at:at] = out[at : at + length] * _times(rng)
            case 6:
                out[at : at + 4] = struct.pack(
                    rng.choice("<>") + "I", rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 27))
                )
            case 7:
                del out[at:]
            case _:
                start = rng.randrange(len(out) + 1)
                length = rng.choice((4, 16, 64))
                out[at : at + length] = out[start : start + length]
    return bytes(out)


def _times(rng: Random) -> int:
    """How often something is repeated: now and then so often that what is not linear shows."""
    return 2000 if rng.random() < 0.03 else rng.choice((1, 1, 2, 3, 30))


def of_numbers(data: bytes, rng: Random) -> bytes:
    """Some numbers of a text replaced by awkward ones."""
    found = list(_TOKEN.finditer(data))
    if not found:
        return of_bytes(data, rng)
    for token in sorted(
        rng.sample(found, min(len(found), rng.choice((1, 1, 1, 2, 5)))), key=lambda t: -t.start()
    ):
        word = (
            rng.choice(NUMBERS)
            if rng.random() < 0.8
            else str(rng.uniform(-2, 2) * 10 ** rng.randrange(-9, 9))
        )
        data = data[: token.start()] + word.encode() + data[token.end() :]
    return data


def of_lines(data: bytes, rng: Random) -> bytes:
    """Lines doubled, taken out, exchanged, cut, or with their words exchanged."""
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                lines.insert(i, lines[j])
            case 1 if len(lines) > 1:
                del lines[i]
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                lines[i:i] = lines[i : i + rng.choice((1, 5, 20))] * _times(rng)
            case 4:
                words = lines[i].split(b" ")
                rng.shuffle(words)
                lines[i] = b" ".join(words)
            case _:
                words = lines[i].split(b" ")
                words[rng.randrange(len(words))] = rng.choice((*WORDS, *NUMBERS)).encode("utf-8", "replace")
                lines[i] = b" ".join(words)
    return b"\n".join(lines)


def of_data(value: Any, rng: Random) -> Any:
    """Plain data with something in it changed, left out, put in, nested or multiplied."""
    value = deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        places = _places(value)
        if not places:
            return rng.choice(VALUES)
        holder, key = rng.choice(places)
        match rng.randrange(10):
            case 0 | 1:
                holder[key] = deepcopy(rng.choice(VALUES))
            case 2:
                del holder[key]
            case 3 if isinstance(holder, dict):
                holder[rng.choice((*WORDS, key + "s", key.upper()))] = holder.pop(key)
            case 4:
                other, at = rng.choice(places)
                try:
                    holder[key] = deepcopy(other[at])
                except (KeyError, IndexError):
                    continue
            case 5:
                for _ in range(rng.choice((1, 3, 70, 300))):
                    holder[key] = [holder[key]] if rng.random() < 0.5 else {"children": holder[key]}
            case 6 if isinstance(holder, list):
                holder[key:key] = [deepcopy(holder[key]) for _ in range(_times(rng))]
            case 7 if isinstance(holder[key], (int, float)):
                word = rng.choice(NUMBERS)
                try:
                    holder[key] = float(word) if rng.random() < 0.5 else int(float(word))
                except (ValueError, OverflowError):
                    holder[key] = word
            case 8 if isinstance(holder[key], str):
                holder[key] = rng.choice((*WORDS, *NUMBERS))
            case _ if isinstance(holder, dict):
                holder[rng.choice(("name", "extras", "x", *map(str, holder)))] = deepcopy(rng.choice(VALUES))
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    out, stack = [], [value]
    while stack and len(out) < 3000:
        here = stack.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for key in keys:
            out.append((here, key))
            stack.append(here[key])
    return out


def to_json(value: Any) -> bytes:
    """As text, NaN and halves of letters too; very large whole numbers as they stand."""
    try:
        return json.dumps(value).encode("utf-8", "surrogatepass")
    except ValueError:  # a number with more digits than Python writes
        return b"[" + b"9" * 5000 + b"]"
    except RecursionError:
        return b"[" * 2000


def of_json(data: bytes, rng: Random) -> bytes:
    """The same text with another structure."""
    try:
        return to_json(of_data(json.loads(data), rng))
    except (ValueError, RecursionError):
        return of_bytes(data, rng)


def of_glb(data: bytes, rng: Random) -> bytes:
    """A GLB with changed JSON or changed buffer, lengths made right."""
    try:
        size = struct.unpack_from("<I", data, 12)[0]
        text, binary = data[20 : 20 + size], data[28 + size :]
        if rng.random() < 0.75:
            text = (of_json if rng.random() < 0.75 else of_numbers)(text, rng)
        if rng.random() < 0.4:
            binary = of_floats(binary, rng)
    except (struct.error, ValueError):
        return of_bytes(data, rng)
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    parts = (
        struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(binary), 0x004E4942)
        + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def of_fbx(data: bytes, rng: Random) -> bytes:
    """Records of an FBX file changed, left out, multiplied, swapped; all lengths made right."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.fbx"
        path.write_bytes(data)
        try:
            found = read_records(path)
        except PoiseError:
            return of_bytes(data, rng)
    top = list(found.top.inside) or [Record("Objects")]
    for _ in range(rng.choice((1, 1, 2, 5))):
        k = rng.randrange(len(top))
        top[k] = _changed_record(top[k], rng, rng.choice((0, 1, 2, 3)))
    try:
        return file_bytes(top, rng.choice((7400, 7500)))
    except (struct.error, KeyError, OverflowError, UnicodeEncodeError):
        return of_bytes(data, rng)


def _changed_record(record: Record, rng: Random, depth: int) -> Record:
    inside, values = list(record.inside), list(record.values)
    if inside and depth > 0:
        k = rng.randrange(len(inside))
        inside[k] = _changed_record(inside[k], rng, depth - 1)
        return Record(record.name, record.values, tuple(inside))
    match rng.randrange(5):
        case 0 if values:
            values[rng.randrange(len(values))] = rng.choice(
                (0, -1, 2**31 - 1, 1e308, float("nan"), "", "x", b"\0")
            )
        case 1 if values and any(isinstance(v, np.ndarray) for v in values):
            k = next(i for i, v in enumerate(values) if isinstance(v, np.ndarray))
            values[k] = np.frombuffer(of_floats(values[k].tobytes(), rng), values[k].dtype)
            values[k] = values[k][: rng.choice((None, None, 0, 1, -1))]
        case 2 if inside:
            del inside[rng.randrange(len(inside))]
        case 3 if inside:
            inside += [rng.choice(inside)] * _times(rng)
        case _ if values:
            whole = [i for i, v in enumerate(values) if isinstance(v, int) and not isinstance(v, bool)]
            for i in whole[:3]:
                values[i] = Wide(rng.choice((0, 1, 500, 501, 1001, 1002, 1003, values[i])))
    return Record(record.name, tuple(values), tuple(inside))


def of_floats(data: bytes, rng: Random) -> bytes:
    """Four-byte words replaced: by awkward floats and indices."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if len(out) >= 4:
            at = rng.randrange(len(out) // 4) * 4
            word = rng.choice(
                (0.0, 1.0, -1.0, 1e38, -1e38, 1e-40, float("nan"), float("inf"), 1e6, 0.5, 1e20, 3e5)
            )
            out[at : at + 4] = struct.pack("<f", word) if rng.random() < 0.7 else rng.randbytes(4)
    return bytes(out)


def of_zip(data: bytes, rng: Random) -> bytes:
    """An archive with one member changed (arrays in their kind), packed anew with right checksums."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, NotImplementedError, RuntimeError):
        return of_bytes(data, rng)
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(members) or ["x.npy"])
        content = members.pop(name, b"")
        if rng.random() < 0.05:
            continue
        if name.startswith("clips/"):
            content = of_zip(content, rng)
            if rng.random() < 0.8:
                name = f"clips/{sha256(content).hexdigest()}.npz"
        elif name.endswith(".npy"):
            content = of_npy(content, rng)
        else:
            content = (of_json if rng.random() < 0.8 else of_numbers)(content, rng)
        members[name if rng.random() < 0.97 else name + "x"] = content
    if rng.random() < 0.5 and "project.json" in members:
        for name in [n for n in members if n.startswith("clips/")]:
            old = re.findall(rb"[0-9a-f]{64}", members["project.json"])
            for word in old[:1]:
                members["project.json"] = members["project.json"].replace(word, name[6:70].encode())
    out = io.BytesIO()
    with zipfile.ZipFile(
        out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    ) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, archive.compression)
    packed = out.getvalue()
    return of_bytes(packed, rng) if rng.random() < 0.1 else packed


def of_npy(data: bytes, rng: Random) -> bytes:
    """One array: another shape or kind, more or fewer values, or a changed text where it holds one."""
    end = data.find(b"\n") + 1
    header, body = data[:end], data[end:]
    if body[:1] == b"{" and rng.random() < 0.9:
        body = (of_json if rng.random() < 0.7 else of_numbers)(body, rng)
        return _npy(f"'|u1', 'fortran_order': False, 'shape': ({len(body)},), ".encode(), body)
    match rng.randrange(5):
        case 0:
            shape = b"%d, %d" % (rng.choice((0, 1, 3, 2**27, 2**40)), rng.choice((0, 1, 7, 2**30)))
            return _npy(re.sub(rb"(?<='shape': \().*?\)", shape + b")", _fields(header)), body)
        case 1:
            kind = rng.choice(
                (
                    b"<f4",
                    b"<f8",
                    b"<i8",
                    b"|O",
                    b"<U9",
                    b"|S1",
                    b"<c16",
                    b">f8",
                    b"|b1",
                    b"<f16",
                    b"|V8",
                    b"<M8",
                )
            )
            return _npy(re.sub(rb"^'.*?'", b"'" + kind + b"'", _fields(header)), body)
        case 2 if len(body) >= 8:
            out = bytearray(body)
            at = rng.randrange(len(out) // 8) * 8
            out[at : at + 8] = struct.pack(
                "<d", float(rng.choice((0, 1, -1, 1e308, 1e-308, "nan", "inf", 1e20, 5)))
            )
            return header + bytes(out)
        case 3:
            return of_bytes(data, rng)
        case _:
            return header + of_bytes(body, rng)


def _fields(header: bytes) -> bytes:
    """What follows ``{'descr':`` in a header, up to the brace."""
    return header.partition(b"'descr': ")[2].rpartition(b"}")[0]


def _npy(fields: bytes, body: bytes) -> bytes:
    text = b"{'descr': " + fields.strip() + b" }"
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def of_xml(data: bytes, rng: Random) -> bytes:
    """Elements doubled, taken out, moved or nested; attributes changed, left out, put in."""
    try:
        tree = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return of_bytes(data, rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        elements = list(tree.iter())
        element, other = rng.choice(elements), rng.choice(elements)
        match rng.randrange(8):
            case 0 if len(element):
                part = rng.choice(list(element))
                for _ in range(_times(rng)):
                    element.insert(rng.randrange(len(element) + 1), deepcopy(part))
            case 1 if len(element):
                element.remove(rng.choice(list(element)))
            case 2:
                element.append(
                    deepcopy(other) if len(elements) < 60 else ElementTree.Element(other.tag, other.attrib)
                )
            case 3:
                element.tag = rng.choice(
                    (other.tag, "body", "joint", "replicate", "frame", "composite", "include", "key")
                )
            case 4 if element.attrib:
                element.attrib.pop(rng.choice(list(element.attrib)))
            case 5:
                names = (
                    "count",
                    "nkey",
                    "size",
                    "file",
                    "name",
                    "class",
                    "type",
                    "pos",
                    "range",
                    "nuser_body",
                    "offset",
                )
                element.set(rng.choice(names), rng.choice((*NUMBERS, *WORDS[3:], other.tag)))
            case 6:
                for _ in range(rng.choice((1, 10, 250))):
                    inner = ElementTree.SubElement(element, "body", {})
                    ElementTree.SubElement(inner, "geom", {"size": "0.1"})
                    element = inner
            case _ if element.attrib:
                name = rng.choice(list(element.attrib))
                element.set(name, of_numbers(element.attrib[name].encode(), rng).decode("utf-8", "replace"))
    try:
        return ElementTree.tostring(tree)
    except (RecursionError, ValueError, TypeError):
        return of_bytes(data, rng)


def of_journal(data: bytes, rng: Random) -> bytes:
    """Events of a journal changed, with right checksums."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    text = lines[i].partition(b" ")[2]
    text = (of_json if rng.random() < 0.8 else of_numbers)(text, rng) if text else b'{"undo":1}'
    text = text.replace(b"\n", b" ")
    lines[i] = b"%08x %s" % (zlib.crc32(text), text)
    if rng.random() < 0.3:
        lines.insert(rng.randrange(1, len(lines) + 1), rng.choice(lines))
    return b"\n".join(lines)


def of_midi(data: bytes, rng: Random) -> bytes:
    """A track of random events, with its length right."""
    track = b""
    for _ in range(rng.randrange(1, 12)):
        track += rng.choice((b"\0", b"\x40", b"\x83\x60", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff\x7f"))
        kind = rng.choice(
            (0x51, 0x58, 0x59, 0x54, 0x01, 0x03, 0x2F, 0x00, 0x20, 0x21, 0x7F, rng.randrange(256))
        )
        body = rng.choice((b"", b"\0\0\0", b"\x07\xa1\x20", b"\x09\x02", rng.randbytes(rng.randrange(9))))
        note = bytes(
            (rng.choice((0x90, 0x80, 0xC0, 0xF0, 0xF8, 0xB0)), rng.randrange(256), rng.randrange(256))
        )
        track += bytes((0xFF, kind, len(body))) + body if rng.random() < 0.6 else note
    track += b"\0\xff\x2f\0" if rng.random() < 0.8 else b""
    division = rng.choice((0, 1, 96, 480, 0x7FFF, 0xE728, 0x8000, rng.randrange(65536)))
    tracks = rng.choice((1, 1, 2, 0, 65535))
    chunks = b"MTrk" + struct.pack(">I", len(track)) + track
    return (
        b"MThd"
        + struct.pack(">IHHH", 6, rng.choice((0, 1, 2, 9)), tracks, division)
        + chunks * min(tracks, 3)
    )


def of_wav(data: bytes, rng: Random) -> bytes:
    """Another header over some samples, with lengths right or not."""
    samples = rng.randbytes(rng.choice((0, 1, 7, 200, 4000)))
    width = rng.choice((8, 16, 24, 32, 12, 0, 64))
    channels, rate = rng.choice((1, 2, 0, 6, 65535)), rng.choice((22050, 44100, 0, 1, 2**31, 2**32 - 1, 8000))
    kind = rng.choice((1, 1, 1, 3, 0xFFFE, 0))
    form = struct.pack("<HHIIHH", kind, channels, rate, 0, channels * width // 8 & 0xFFFF, width)
    said = rng.choice((len(samples), len(samples), len(samples) + 1, 0, 2**31 - 1, 2**32 - 1))
    body = b"WAVEfmt " + struct.pack("<I", rng.choice((16, 16, 16, 18, 2))) + form
    body += b"data" + struct.pack("<I", said) + samples
    return b"RIFF" + struct.pack("<I", rng.choice((len(body), len(body), 0, 2**32 - 1))) + body


def of_frames(data: bytes, rng: Random) -> bytes:
    """Messages of a host, of which one has another head, or other numbers in its body; lengths are right."""
    pieces, at = [], 0
    while at + 12 <= len(data):
        head, body = struct.unpack_from("<II", data, at + 4)
        pieces.append([data[at + 12 : at + 12 + head], data[at + 12 + head : at + 12 + head + body]])
        at += 12 + head + body
    if not pieces:
        return of_bytes(data, rng)
    chosen = rng.choice(pieces)
    if rng.random() < 0.7 or not chosen[1]:
        chosen[0] = of_json(chosen[0], rng)
    else:
        at = 8 * rng.randrange(max(len(chosen[1]) // 8, 1))
        odd = rng.choice((0.0, -1.0, 1e300, float("nan"), float("inf"), 1e-300, 5.0))
        chosen[1] = chosen[1][:at] + struct.pack("<d", odd) + chosen[1][at + 8 :]
    return b"".join(b"PSE1" + struct.pack("<II", len(h), len(b)) + h + b for h, b in pieces)
