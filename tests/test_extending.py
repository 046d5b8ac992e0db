"""What another package adds works wherever Poise's own does: docs/extending.md, done from outside.

The package stands in examples/extension. It is made known as an installer would, by a folder of metadata on
the path of new processes; this one must not know it, for its tests cover every handle and basis there is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "examples/extension"
PAGE = ROOT / "docs/extending.md"
HELD = 'poise.constraints.constrain(Middle("LeftHand", "RightHand"), {place}, {time}, name="middle")'


def install(folder: Path, points: dict[str, dict[str, str]], name: str = "garden") -> None:
    """Metadata of a package, as an installer writes it."""
    place = folder / f"{name}-1.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in each.items()) for group, each in points.items()
    ]
    (place / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder where the package is installed."""
    folder = tmp_path_factory.mktemp("site")
    declared = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))
    install(folder, declared["project"]["entry-points"])
    return folder


@pytest.fixture
def python(site, tmp_path):
    """Run a program in a process that knows the package; what it prints."""

    def run(code: str, *more: Path, status: int = 0) -> str:
        path = os.pathsep.join(map(str, (*more, site, PACKAGE, *sys.path)))
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_an_operation_is_a_function_a_layer_a_step_and_a_verb(python, tmp_path):
    python("""
import numpy as np, poise
from poise.batch.recipe import recipe_from
from poise.operations.registry import operation
from poise.operations.running import call, do
from poise.cli import main

wave, Exaggerate = poise.clips.get("wave"), operation("exaggerate")
large = call(Exaggerate, wave, factor=1.25)
assert not np.array_equal(large.clip.q, wave.q)
np.testing.assert_allclose(large.clip.q[0], wave.q[0])
again = call(Exaggerate, large, factor=0.8)
np.testing.assert_allclose(again.clip.q, wave.q, atol=1e-9)

project = poise.Project().add_clip("wave", "wave").add("load", "wave", clip="wave")
project.add("exaggerate", "large", factor=1.25)
np.testing.assert_array_equal(project.clip().q, large.clip.q)
project.save("large.poise")
opened = poise.project.open("large.poise")
assert opened.document.layer("large").factor == 1.25
np.testing.assert_array_equal(opened.clip().q, large.clip.q)

step, = recipe_from({"steps": [{"do": "exaggerate", "factor": 1.25}]}).steps
np.testing.assert_array_equal(do(step, wave).clip.q, large.clip.q)

try:
    main(["exaggerate", "wave", "-o", "large.npz", "--factor", "1.25"])
except SystemExit as ended:
    assert not ended.code
np.testing.assert_array_equal(poise.load("large.npz").q, large.clip.q)
""")
    assert (tmp_path / "large.npz").exists()
    shown = python("from poise.cli import main; main(['exaggerate', '--help'])")
    assert "How many times as far. Default: 1.5." in " ".join(shown.replace("│", " ").split())
    refused = "from poise.cli import main; main(['exaggerate', 'wave', '-o', 'x.npz', '--factor', '-1'])"
    assert "--factor: expected a number > 0.0, not -1" in python(refused, status=2)


def test_a_batch_does_a_step_of_another_package(python):
    """In processes of their own, which know it by the same path."""
    python("""
import poise, numpy as np
from pathlib import Path
from poise import batch
if __name__ == "__main__":
    Path("clips").mkdir()
    poise.clips.get("wave").save("clips/wave.npz")
    recipe = {"output": ".npz", "steps": [{"do": "exaggerate", "factor": 1.25}]}
    summary = batch.run(recipe, "clips", "out", workers=1)
    assert [o.state for o in summary.outcomes] == ["done"], summary
    assert not np.array_equal(poise.load("out/wave.npz").q, poise.clips.get("wave").q)
""")


def test_a_handle_is_met_by_adapt_hit_pose_and_key(python):
    python(f"""
import numpy as np, poise
from poise.handles import handle_from_dict, kinds
assert "middle" in kinds()
Middle = type(handle_from_dict({{"kind": "middle", "a": "LeftHand", "b": "RightHand"}}))
punch = poise.clips.get("punch")

def where(clip, time):
    kin = poise.kinematics.Kinematics(clip.character, clip.at(time))
    return Middle("LeftHand", "RightHand").value(kin)[0]

place = where(punch, 0.5) + [0.05, 0.03, 0.05]
held = {HELD.format(place="place", time="0.5")}
for result in (poise.adapt(punch, [held]), poise.hit(punch, [held], "tense", 0.2)):
    assert result.met, result
    assert np.linalg.norm(where(result.clip, 0.5) - place) < 1e-3

posed = poise.pose(punch, [held], at=0.5)
assert posed.met, posed
assert np.linalg.norm(where(posed.clip, 0.0) - place) < 1e-8

hands = {{"kind": "middle", "a": "LeftHand", "b": "RightHand"}}
still = [{{"time": t, "joints": {{}}}} for t in (0.0, 1.0)]
pin = {{"handle": hands, "at": [0.0, 1.0], "to": [0.3, 0.0, 1.2], "name": "middle"}}
keyed = poise.key({{"character": "humanoid", "poses": still, "pins": [pin]}}, fps=10)
assert keyed.met, keyed.report
for time in (0.0, 0.5, 1.0):
    assert np.linalg.norm(where(keyed.clip, time) - [0.3, 0.0, 1.2]) < 1e-4
""")


def test_a_handle_in_a_file_is_known_by_its_kind(python):
    """In a project that is opened by a process which never imported the package itself."""
    python(f"""
import poise
from garden.middle import Middle
project = poise.Project().add_clip("punch", "punch").add("load", "punch", clip="punch")
project.add("adapt", "held", constraints=[{HELD.format(place="(0.35, 0.0, 1.45)", time="0.5")}])
project.save("held.poise")
""")
    python("""
import sys, poise
project = poise.project.open("held.poise")
made = project.made()
assert made.met, made.report
assert "middle" in [outcome.name for outcome in made.report.outcomes]
""")


def test_a_basis_makes_edits_and_comes_back_from_files(python):
    python("""
import json, numpy as np, poise
from poise.curves import Basis, Interpolation, TangentCurve, basis_kinds
from poise.motion import edit
assert "cosine" in basis_kinds()
made = Basis.from_dict({"kind": "cosine", "centres": [0.5, 0.85], "widths": [0.6, 0.8]})
assert Basis.from_dict(json.loads(json.dumps(made.to_dict()))) == made
t, h = np.linspace(0.25, 1.2, 41), 1e-6
for k in range(2):
    slope = (made.values(t + h, k) - made.values(t - h, k)) / (2 * h)
    np.testing.assert_allclose(made.values(t, k + 1), slope, atol=1e-3 * np.abs(slope).max())
clip = poise.clips.get("punch")
lift = np.zeros((made.size, clip.character.nv))
lift[1, clip.character.dofs("Hips").start + 2] = 0.03
higher = edit.apply(TangentCurve(made, lift), clip)
frame = round(0.85 * clip.fps)
assert abs(higher.q[frame, 2] - clip.q[frame, 2] - 0.03) < 1e-9
""")


def test_a_format_is_read_and_written_everywhere(python, tmp_path):
    python("""
import numpy as np, poise
from poise.cli import main
wave = poise.clips.get("wave")
poise.loosen(wave, "tense", 0.2).save("loose.rows")
wave.save("wave.rows")
again = poise.load("wave.rows")
np.testing.assert_array_equal(again.q, wave.q)
assert again.rate == wave.rate
assert ".rows" in poise.formats.extensions(writing=True)
project = poise.Project().add_clip("w", "wave.rows").add("load", "wave", clip="w")
np.testing.assert_array_equal(project.clip().q, wave.q)
try:
    main(["trim", "wave.rows", "-o", "part.rows", "--from", "0.1", "--to", "0.5"])
except SystemExit as ended:
    assert not ended.code
assert poise.load("part.rows").frames < wave.frames
""")
    (tmp_path / "broken.rows").write_text("garden rows,humanoid,30\nnonsense")
    words = python("from poise.cli import main; main(['info', 'broken.rows'])", status=2)
    assert "broken.rows" in words


def test_a_preset_character_is_a_clip_and_can_perform(python):
    python("""
import poise
from poise.clips.named import clip_named
assert "reed" in poise.characters.names()
reed = poise.characters.get("reed")
assert clip_named("reed").character is reed

from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.timed_pose import TimedPose
bent = JointPose.from_degrees(reed, {"Upper": (20, 0, 0)}, name="Bent")
result = poise.perform(script=[TimedPose(bent, 0.3)], character="reed", duration=0.4)
assert result.met, result
assert result.clip.character is reed

from poise.cli import main
try:
    main(["info", "reed"])
except SystemExit as ended:
    assert not ended.code
""")


def test_a_tension_gets_a_name(monkeypatch):
    import numpy as np

    import poise
    from poise.operations.values.tension import TENSIONS

    wave = poise.clips.get("wave")
    monkeypatch.setitem(TENSIONS, "sleepy", poise.Spring(3.0, 0.4))
    found = poise.loosen(wave, {"right arm": "sleepy"}, 0.2)
    same = poise.loosen(wave, {"right arm": poise.Spring(3.0, 0.4)}, 0.2)
    np.testing.assert_array_equal(found.clip.q, same.clip.q)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (
            {"weed": "no_such_module:Weed"},
            "the package weed offers 'weed' to poise.operations, but no_such_module",
        ),
        ({"weed": "garden.reed:reed"}, "no operation of its own"),
        ({"exaggerate": "garden.exaggerate:Exaggerate"}, "two packages offer 'exaggerate'"),
    ],
)
def test_a_package_that_breaks_is_named(python, tmp_path, points, words):
    install(tmp_path / "weeds", {"poise.operations": points}, "weed")
    code = "from poise.errors import InputError\ntry: import poise.project\nexcept InputError as p: print(p)"
    assert words in python(code, tmp_path / "weeds")


def test_what_the_page_shows_is_what_is_tested():
    """Blocks that begin with a file's name are that file, or a part of it."""
    blocks = re.findall(r"```(?:py|toml)\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert {name for name, _ in blocks} >= {"garden/exaggerate.py", "garden/middle.py", "pyproject.toml"}
    for name, block in blocks:
        assert block.strip() in (PACKAGE / name).read_text(encoding="utf-8"), name


def test_files_that_the_page_names_exist():
    for name in set(re.findall(r"`((?:src|tests|docs|examples)/[\w./]+)`", PAGE.read_text(encoding="utf-8"))):
        there = ROOT / name
        assert (there.parent if there.stem == "NAME" else there).exists(), name
