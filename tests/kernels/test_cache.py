"""Kernels are kept where that can be, read back only whole and from folders of our own, and always work."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from poise.kernels.shipped import joined
from small_disk import fill, needs_mounting, small_disk

NORM = """@kernel()
def norm(v):
    total = 0.0
    for x in v:
        total += squared(x)
    return total
"""
PROGRAM = (
    """
import sys
import numpy as np
from poise.compilation import compilations, kernel

@kernel(inline=True)
def squared(x):
    return x * x

"""
    + NORM
    + """
%s
if __name__ == "__main__":
    print(norm(np.array([3.0, 4.0])), compilations())
"""
)


@pytest.fixture
def program(tmp_path):
    """A script with a small kernel, and how to run it."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM % "")
    (tmp_path / "tmp").mkdir()

    def start(**environment) -> subprocess.Popen:
        own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "tmp")}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "POISE_"))}
        return subprocess.Popen(
            [sys.executable, str(script)],
            env={**clean, **own, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def answer(process: subprocess.Popen) -> tuple[float, int, str]:
    """What was computed, how many kernels were compiled for it, and what was said."""
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    value, compiled = out.split()
    return float(value), int(compiled), said


def kept(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file())


def test_the_second_run_compiles_nothing(program, tmp_path):
    assert answer(program()) == (25.0, 1, "")
    assert answer(program()) == (25.0, 0, "")
    assert [p.suffix for p in kept(tmp_path / "cache")] == [".kernel"]
    assert not kept(tmp_path / "tmp")


PAIR_AB = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: float\n    b: float"
PAIR_BA = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    b: float\n    a: float"
CONSTANTS = {
    "a number": ("FACTOR = 2.0", "FACTOR = 3.0", "FACTOR * x", "from constants import FACTOR"),
    "a number of a helper's": ("FACTOR = 2.0", "FACTOR = 3.0", "scaled(x)", "from helpers import scaled"),
    "a table": (
        "import numpy as np\nTABLE = np.array([1.0, 2.0])",
        "import numpy as np\nTABLE = np.array([1.0, 3.0])",
        "TABLE[1] * x",
        "from constants import TABLE",
    ),
    "a layout made": (
        PAIR_AB,
        PAIR_BA,
        "x * (Pair(2.0, 3.0).a)",
        "from constants import Pair",
    ),
    "a layout given": (
        PAIR_AB + "\nPAIR = Pair(2.0, 3.0)",
        PAIR_BA + "\nPAIR = Pair(2.0, 3.0)",
        "x * pair.a",
        "from constants import PAIR",
    ),
}


@pytest.mark.parametrize("what", CONSTANTS)
def test_constants_of_other_files_are_never_stale(tmp_path, what):
    """A kernel whose own source stays as it is, and another that it takes a constant or a layout from."""
    before, after, expression, imported = CONSTANTS[what]
    given = ", PAIR" if "given" in what else ""
    (tmp_path / "constants.py").write_text(before)
    (tmp_path / "helpers.py").write_text(
        "from poise.compilation import kernel\n"
        + ("from constants import FACTOR\n" if "helper" in what else "FACTOR = 0.0\n")
        + "@kernel(inline=True)\ndef scaled(x):\n    return FACTOR * x\n"
    )
    script = tmp_path / "program.py"
    script.write_text(
        f"from poise.compilation import compilations, kernel\n{imported}\n"
        f"@kernel()\ndef result(x{given.lower()}):\n    return {expression}\n"
        f"print(result(1.0{given}), compilations())\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": ""}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def run() -> list[str]:
        done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run() == ["2.0", "1"]
    assert run() == ["2.0", "0"]
    (tmp_path / "constants.py").write_text(after)
    assert run() == ["3.0", "1"]
    (tmp_path / "constants.py").write_text(before)
    assert run() == ["2.0", "0"]


LINKED = (
    """
import os
import numpy as np
from poise.compilation import compilations, kernel

@kernel()
def squared(x):
    return x * x

"""
    + NORM
    + """
first = squared(3.0)
print(first + norm(np.array([3.0, 4.0])) if os.environ.get("BOTH") else first, compilations())
"""
)


def test_a_kernel_from_the_cache_can_become_part_of_another(program, tmp_path):
    """Its bitcode is read when that happens, not before."""
    (tmp_path / "program.py").write_text(LINKED)
    assert answer(program()) == (9.0, 1, "")
    assert answer(program(BOTH="1")) == (34.0, 1, ""), "one is read, the other compiled with it inside"
    assert answer(program(BOTH="1")) == (34.0, 0, "")


def test_a_damaged_file_is_dropped_and_made_anew(program, tmp_path):
    answer(program())
    (file,) = kept(tmp_path / "cache")
    whole = file.read_bytes()
    middle = len(whole) // 2
    for damaged in (
        b"",
        whole[:middle],
        whole[:-1],
        whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        os.urandom(4096),
    ):
        file.write_bytes(damaged)
        assert answer(program()) == (25.0, 1, "")
        assert len(file.read_bytes()) > len(whole) // 2
    assert answer(program()) == (25.0, 0, "")


def test_a_sound_file_that_cannot_be_read_back_is_made_anew(program, tmp_path):
    from hashlib import sha256

    from poise.kernels.cache import MAGIC

    answer(program())
    (file,) = kept(tmp_path / "cache")
    body = joined(pickle.dumps(("something", "else")), b"")
    file.write_bytes(MAGIC + sha256(body).digest() + body)
    value, compiled, said = answer(program(POISE_VERBOSE="1"))
    assert (value, compiled) == (25.0, 1)
    assert "is dropped: ValueError" in said
    assert answer(program()) == (25.0, 0, "")


def test_without_a_cache_folder_the_temporary_one_serves(program, tmp_path):
    (tmp_path / "cache").write_text("a file, where a folder should be")
    value, compiled, said = answer(program())
    assert (value, compiled) == (25.0, 1)
    assert said.count("\n") == 1
    assert said.startswith("poise: compiled kernels cannot be kept (")
    assert "Not a directory); they are kept in " in said
    assert answer(program()) == (25.0, 0, "")
    (folder,) = (tmp_path / "tmp").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary folders are shared on other systems only")
@pytest.mark.parametrize("shared", ["others may write", "a link", "another's"])
def test_what_others_may_have_put_there_is_not_run(program, tmp_path, shared):
    """A file that would be run when read; in a folder of our own it is, so the test can fail."""
    (tmp_path / "cache").write_text("a file, where a folder should be")
    answer(program())
    (folder,) = (tmp_path / "tmp").iterdir()
    (file,) = kept(folder)
    from hashlib import sha256

    from poise.kernels.cache import MAGIC

    trap = joined(pickle.dumps(_Trap(str(tmp_path / "sprung"))), b"")
    file.write_bytes(MAGIC + sha256(trap).digest() + trap)
    if shared == "others may write":
        folder.chmod(0o777)
    elif shared == "a link":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    elif os.getuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        pytest.skip("only root can give a folder away")
    value, compiled, said = answer(program())
    assert (value, compiled) == (25.0, 1)
    assert not (tmp_path / "sprung").exists()
    assert said.count("\n") == 1
    assert "this run compiles them for itself" in said
    folder.unlink() if shared == "a link" else folder.chmod(0o700)
    if shared == "a link":
        (tmp_path / "elsewhere").rename(folder)
    elif shared == "another's":
        os.chown(folder, os.getuid(), os.getgid())
    answer(program())
    assert (tmp_path / "sprung").exists(), "the trap is none: this test would never fail"


class _Trap:
    """Makes a file when it is read back."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def __reduce__(self):
        return open, (self.marker, "w")


def test_processes_that_compile_at_once_do_not_disturb_each_other(program, tmp_path):
    for result in [answer(each) for each in [program() for _ in range(4)]]:
        assert result[0] == 25.0
        assert result[2] == ""
    assert [p.suffix for p in kept(tmp_path / "cache")] == [".kernel"]
    assert answer(program()) == (25.0, 0, "")


def test_a_folder_removed_while_in_use_costs_a_compilation_and_no_more(tmp_path):
    code = PROGRAM % (
        "from poise.kernels.cache import folders\n"
        "import shutil\n"
        "norm(np.array([1.0]))\n"
        "shutil.rmtree(folders()[0].path)\n"
        "norm(np.array([1.0, 2.0], dtype=np.float32))\n"
        "shutil.rmtree(folders()[0].base)\n"
        "norm(np.array([[1, 2]])[0, ::2])\n"
    )
    script = tmp_path / "program.py"
    script.write_text(code)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": ""}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["25.0", "3"]
    assert done.stderr == ""
    assert len(kept(tmp_path / "cache")) == 1, "what was compiled after the removal"


def test_only_the_folders_longest_unused_go(tmp_path, monkeypatch):
    from poise.kernels.cache import KEEP, Folder

    for number in range(5):
        old = tmp_path / f"{number:016x}"
        old.mkdir()
        os.utime(old, (1000 + number, 1000 + number))
    (tmp_path / "not ours").mkdir()
    folder = Folder(tmp_path, private=False)
    folder.write("a.kernel", b"body")
    assert folder.read("a.kernel") == b"body"
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {folder.path.name, "not ours", *(f"{n:016x}" for n in (3, 4))}
    assert len(left) == KEEP + 1


def test_a_damaged_file_is_gone_once_it_was_looked_at(tmp_path):
    """Not only written over: whoever cannot write here would read it again and again."""
    from poise.kernels.cache import MAGIC, Folder

    folder = Folder(tmp_path, private=False)
    for name, damage in {"torn": lambda d: d[:-1], "flipped": lambda d: d[:-1] + bytes([d[-1] ^ 1])}.items():
        folder.write(f"{name}.kernel", b"body")
        file = folder.path / f"{name}.kernel"
        assert file.read_bytes().startswith(MAGIC)
        file.write_bytes(damage(file.read_bytes()))
        assert folder.read(file.name) is None
        assert not file.exists()
        folder.drop(file.name)  # somebody else was quicker: no matter


@needs_mounting
@pytest.mark.parametrize("which", ["cache", "both"])
def test_a_full_disk_is_said_once_and_costs_only_time(program, tmp_path, which):
    with small_disk(tmp_path / "small", 256) as disk:
        fill(disk)
        places = {"XDG_CACHE_HOME": str(disk)} | ({"TMPDIR": str(disk)} if which == "both" else {})
        value, compiled, said = answer(program(**places))
        assert (value, compiled) == (25.0, 1)
        assert said.count("\n") == 1
        assert "No space left on device" in said
        assert ("this run compiles them" if which == "both" else "they are kept in") in said
        again = answer(program(**places))
        assert again[:2] == (25.0, 1 if which == "both" else 0)
        assert not list(disk.rglob("*.kernel")), "no half file"


@needs_mounting
def test_a_read_only_home_and_install_work(program, tmp_path):
    """As in a container: nothing of Poise's own can be written."""
    import poise

    home = tmp_path / "home"
    home.mkdir()
    package = Path(poise.__file__).parent
    shutil.copytree(tmp_path / "tmp", tmp_path / "empty")
    mounts = "".join(
        f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} && "
        for folder in (home, package)
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_", "POISE_"))}
    environment |= {"HOME": str(home), "TMPDIR": str(tmp_path / "tmp")}
    for expected in ("25.0 1", "25.0 0"):
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{mounts}{sys.executable} {tmp_path / 'program.py'}"],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == expected


SHAPES = {
    "linking": (
        "from numba.core import codegen\n"
        "before = codegen.JITCodeLibrary._finalize_final_module\n"
        "codegen.JITCodeLibrary._finalize_final_module = lambda self, more=None: before(self)\n",
        "links kernels in a way unknown to Poise",
    ),
    "caching": (
        "from numba.core import compiler\ndel compiler.CompileResult._reduce\n",
        "keeps kernels in a way unknown to Poise",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_another_numba_is_worked_with_as_it_is(tmp_path, shape):
    before, expected = SHAPES[shape]
    script = tmp_path / "program.py"
    script.write_text(before + PROGRAM % "")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "POISE_VERBOSE": "1"}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "25.0"
    assert done.stderr.count(expected) == 1
