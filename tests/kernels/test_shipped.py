"""Kernels that come with the package are used on any path, by any user, and never instead of right ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import poise
from poise.kernels import cpu_level
from poise.kernels.shipped import MAGIC, ShippedFolder, archive_of, joined, packed, parted

KERNELS = {"a.kernel": joined(b"machine code" * 50, b"bitcode" * 90), "b.kernel": joined(b"x", b"")}


@pytest.fixture
def archive(tmp_path) -> Path:
    path = tmp_path / "level.kernels"
    path.write_bytes(packed(KERNELS, "sources"))
    return path


def test_what_is_packed_is_found(archive):
    folder = ShippedFolder(archive, "sources")
    for name, body in KERNELS.items():
        code, bitcode = parted(body)
        assert folder.holds(name)
        assert folder.read(name) == joined(code, b"")
        assert folder.bitcode(name) == bitcode
    assert folder.read("c.kernel") is None
    with pytest.raises(PermissionError):
        folder.write("c.kernel", b"")


def test_an_archive_of_other_sources_holds_nothing(archive):
    folder = ShippedFolder(archive, "other sources")
    assert not folder.holds("a.kernel")
    assert folder.read("a.kernel") is None


def test_damage_costs_a_kernel_and_no_more(archive):
    whole = archive.read_bytes()
    for place in range(0, len(whole), 7):
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        for name, body in KERNELS.items():
            assert ShippedFolder(archive, "sources").read(name) in (None, joined(parted(body)[0], b""))
    for length in range(0, len(whole), 11):
        archive.write_bytes(whole[:length])
        for name, body in KERNELS.items():
            assert ShippedFolder(archive, "sources").read(name) in (None, joined(parted(body)[0], b""))
    archive.write_bytes(MAGIC + (2**60).to_bytes(8, "little"))
    assert not ShippedFolder(archive, "sources").holds("a.kernel")


PROGRAM = """
import sys
from poise.compilation import compilations
from poise.character.presets import humanoid
from poise.kinematics import Kinematics
body = humanoid()
height = float(Kinematics(body, body.rest_pose()).com[0, 2])
print(height.hex(), compilations(), poise.__file__ if (poise := sys.modules["poise"]) else "")
"""


@pytest.fixture(scope="module")
def install(tmp_path_factory) -> Path:
    """A copy of the package on a path of its own that carries a few kernels, and that nobody can write to."""
    from poise.kernels.cache import own_folders, sources
    from poise.kernels.roster import roster
    from poise.kernels.stock import file_name
    from poise.kernels.warming import compile_entry

    level = cpu_level.chosen()
    if level is None:
        pytest.skip("nothing is shipped for this kind of processor")
    held = roster()
    entries = [each for each in held.entries if each.kernel.startswith("poise.kinematics.")]
    for entry in entries:
        compile_entry(held, entry)
    names = [file_name(held, entry) for entry in entries]
    kernels = {name: body for name in names if (body := own_folders()[0].read(name)) is not None}
    place = tmp_path_factory.mktemp("other") / "site-packages"
    ignored = shutil.ignore_patterns("web", "static", "__pycache__")
    shutil.copytree(Path(poise.__file__).parent, place / "poise", ignore=ignored)
    path = archive_of(level.name, place / "poise" / "kernels" / "shipped")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(packed(kernels, sources()))
    for each in (place, *place.parents):  # somebody else has to get there
        if each.stat().st_uid == os.getuid() and each != each.parent:
            each.chmod(each.stat().st_mode | 0o055)
    for each in place.rglob("*"):
        os.utime(each, (1, 1))
        each.chmod(0o555 if each.is_dir() else 0o444)
    return place


def _open_to_all(path: str | Path) -> bool:
    """Whether other users can get there."""
    place = Path(path).resolve()
    return all(each.stat().st_mode & 0o001 for each in (place, *place.parents))


def run(install: Path, home: Path, **environment: str) -> tuple[str, int, str]:
    """What comes out, how many kernels were compiled, and complaints."""
    home.mkdir(exist_ok=True)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_", "POISE_CPU", "HOME"))}
    clean |= {"HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": str(install), **environment}
    clean["PYTHONDONTWRITEBYTECODE"] = "1"
    home.chmod(0o555)  # nor can the home be written
    others = os.getuid() == 0 and all(map(_open_to_all, (sys.executable, sys.prefix, sys.base_prefix, home)))
    user = {"user": 65534, "group": 65534, "extra_groups": []} if others else {}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=clean, capture_output=True, text=True, cwd=home, **user
    )
    assert done.returncode == 0, done.stderr
    value, compiled, file = done.stdout.split()
    assert file.startswith(str(install))
    return value, int(compiled), done.stderr


def test_nothing_is_compiled_elsewhere_by_somebody_else_where_nothing_can_be_written(install, tmp_path):
    from poise.character.presets import humanoid
    from poise.kinematics import Kinematics

    body = humanoid()
    here = float(Kinematics(body, body.rest_pose()).com[0, 2]).hex()
    assert run(install, tmp_path / "home") == (here, 0, "")


def test_a_change_that_no_kernel_sees_compiles_nothing(install, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(install, copy)
    source = copy / "poise" / "kinematics" / "forward.py"
    source.chmod(0o644)
    source.write_text(f"# Another word.\n\n{source.read_text()}\n\ndef other():\n    return 1\n")
    (tmp_path / "copy").chmod(0o755)
    assert run(copy, tmp_path / "home")[1] == 0


@pytest.mark.parametrize("reason", ["another numba", "another level", "changed code", "changed intrinsics"])
def test_what_does_not_fit_is_compiled(install, tmp_path, reason):
    copy = tmp_path / "copy"
    shutil.copytree(install, copy)
    (copy / "poise" / "kernels" / "shipped").chmod(0o755)
    (archive,) = (copy / "poise" / "kernels" / "shipped").iterdir()
    environment = {}
    if reason == "another numba":
        archive.rename(archive.with_name(archive.name.replace("-numba-", "-numba-9.")))
    elif reason == "another level":
        environment["POISE_CPU_LEVEL"] = "native"
    elif reason == "changed code":
        source = copy / "poise" / "kinematics" / "forward.py"
        source.chmod(0o644)
        text = source.read_text()
        source.write_text(text.replace("turn = (1.0,", "turn = (1.0 + 1e-15,"))
        assert source.read_text() != text
    else:
        source = copy / "poise" / "dynamics" / "lanes.py"
        source.chmod(0o644)
        source.write_text(source.read_text() + "\n")
    (tmp_path / "copy").chmod(0o755)
    value, compiled, _ = run(copy, tmp_path / "home", **environment)
    assert 0.5 < float.fromhex(value) < 1.5
    assert compiled > 0
