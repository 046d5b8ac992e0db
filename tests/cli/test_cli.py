"""The command line as a user meets it: outputs, exit codes, one clear line for every mistake."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from command_line import run

from poise import clips, formats


def test_info_as_text_and_json(capsys):
    code, out, _ = run(capsys, "info", "walk")
    assert code == 0
    assert "39 degrees of freedom" in out
    assert "loop" in out
    code, out, _ = run(capsys, "info", "walk", "lamp", "--json", "--bodies")
    walk, lamp = json.loads(out)
    assert walk["frames"] == clips.get("walk").frames
    assert walk["rate"] == "60"
    assert walk["mass_source"] == "anthropometric table"
    assert len(walk["body_list"]) == walk["bodies"]
    assert lamp["frames"] == 1


def test_info_of_a_folder_of_mixed_files_tells_of_all_that_can_be_read(capsys, tmp_path):
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT x")
    (tmp_path / "notes.txt").write_text("hello")
    names = [str(tmp_path / "broken.bvh"), "walk", str(tmp_path / "notes.txt"), "lamp"]
    code, out, err = run(capsys, "info", *names)
    assert code == 2
    assert [line.split()[0] for line in out.splitlines() if line and not line.startswith(" ")] == [
        "walk",
        "lamp",
    ]
    assert [line.split(":")[1].strip() for line in err.splitlines()] == [names[0], names[2]]
    code, out, _ = run(capsys, "info", "--json", *names)
    assert code == 2
    assert ["problem" in each for each in json.loads(out)] == [True, False, True, False]


def test_a_folder_is_no_file_to_write(capsys, tmp_path):
    for more in ([], ["--force"]):
        code, _, err = run(capsys, "convert", "walk", "-o", str(tmp_path), *more)
        assert code == 2
        assert "is a folder" in err


def test_convert_there_and_back(capsys, tmp_path):
    target = tmp_path / "wave.bvh"
    assert run(capsys, "convert", "wave", "-o", str(target))[0] == 0
    wave, back = clips.get("wave"), formats.load(target)
    assert (back.frames, back.rate) == (wave.frames, wave.rate)
    assert run(capsys, "convert", str(target), "-o", str(tmp_path / "wave.glb"))[0] == 0
    assert formats.load(tmp_path / "wave.glb").frames == wave.frames


def test_existing_work_is_not_replaced_unasked(capsys, tmp_path):
    target = tmp_path / "x.npz"
    target.write_text("precious")
    code, _, err = run(capsys, "convert", "wave", "-o", str(target))
    assert code == 2
    assert "--force" in err
    assert target.read_text() == "precious"
    assert run(capsys, "convert", "wave", "-o", str(target), "--force")[0] == 0
    assert np.array_equal(formats.load(target).q, clips.get("wave").q)


def test_render_a_still_and_a_film(capsys, tmp_path):
    from PIL import Image

    still = tmp_path / "walk.png"
    options = ["--size", "320x180", "--count", "3", "--trail", "LeftToe", "--com"]
    assert run(capsys, "render", "walk", "-o", str(still), *options)[0] == 0
    with Image.open(still) as image:
        assert image.size == (320, 180)
        assert len(set(image.convert("L").tobytes())) > 50
    film = tmp_path / "walk.gif"
    assert run(capsys, "render", "walk", "-o", str(film), "--size", "160x90", "--fps", "10")[0] == 0
    with Image.open(film) as image:
        assert image.n_frames == 10  # 1.067 s at ten per second


def test_demo_writes_what_it_says(capsys, tmp_path):
    code, out, _ = run(capsys, "demo", "--output", str(tmp_path))
    assert code == 0
    written = {Path(line) for line in out.splitlines() if line.startswith(str(tmp_path))}
    assert written == set(tmp_path.iterdir())
    assert all(path.stat().st_size > 0 for path in written)
    expected = {"boxer.poise", "drunk.bvh", "boxer.png", "boxer.mp4"}
    expected |= {f"boxer.{kind}{note}" for kind in ("bvh", "glb") for note in ("", ".bake.json")}
    assert {path.name for path in written} == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "wlak"], "did you mean 'walk'"),
        (["info", "nowhere.bvh"], "nowhere.bvh: no such file"),
        (["convert", "walk", "-o", "walk.max"], "no format has the extension '.max'"),
        (["resample", "walk", "-o", "x.bvh", "--fps", "fast"], "fast"),
        (["resample", "walk", "-o", "x.bvh", "--fps", "-5"], "expected a number > 0"),
        (["repeat", "punch", "-o", "x.bvh", "--cycles", "2"], "loop"),
        (["trim", "punch", "-o", "x.bvh", "--from", "1.5", "--to", "0.5"], "0.5"),
        (["render", "walk", "-o", "x.png", "--size", "big"], "WIDTHxHEIGHT"),
        (["render", "walk", "-o", "x.png", "--trail", "LeftTow"], "did you mean"),
        (["render", "walk", "-o", "x.txt"], ".png for stills"),
        (["render", "walk", "-o", "x.png", "--frames", "1,b"], "commas"),
        (["render", "walk", "-o", "x.png", "--frames", "9999"], "9999"),
        (["fly", "walk"], "No such command"),
        (["render", "walk"], "Missing option '--output'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_get_exit_2_and_one_clear_line(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert message in " ".join(err.split())
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir()), "something was written"


def test_debug_shows_the_traceback_and_keeps_the_status(capsys):
    for arguments in (["info", "nowhere.bvh"], ["demo", "-o", "/dev/null/x"]):
        code, _, err = run(capsys, "--debug", *arguments)
        assert code == 2
        assert "Traceback" in err
        assert arguments[-1] in err
    # It was asked for once, not for ever.
    assert "Traceback" not in run(capsys, "info", "nowhere.bvh")[2]


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        (["demo", "-o", "/dev/null/x"], "/dev/null/x"),
        (["render", "walk", "-o", "/dev/null/x.png"], "/dev/null"),
        (["render", "walk", "-o", "/dev/null/x.gif"], "/dev/null"),
        (["convert", "walk", "-o", "/dev/null/x.bvh"], "/dev/null"),
        (["hit", "wave", "-o", "/dev/null/x.bvh", "--at", "@/dev/null/c.json"], "/dev/null/c.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_the_system_refuses_is_one_line_and_exit_2(capsys, arguments, culprit):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert culprit in err
    assert err.startswith("poise: ")
    assert len(err.splitlines()) == 1


def ended(capsys, problem: BaseException) -> tuple[int, str]:
    """Status and message of a verb that ends with this exception."""
    import typer

    from poise.cli.exit_status import explained

    @explained
    def verb() -> None:
        raise problem

    with pytest.raises(typer.Exit) as stop:
        verb()
    return stop.value.exit_code, capsys.readouterr().err


def test_every_end_has_its_status(capsys):
    import typer

    from poise.errors import CancelledError, InputError

    assert ended(capsys, typer.Exit(1)) == (1, "")
    assert ended(capsys, InputError("no such thing")) == (2, "poise: no such thing\n")
    assert ended(capsys, OSError(28, "No space left on device")) == (2, "poise: No space left on device\n")
    assert (
        ended(capsys, PermissionError(13, "Permission denied", "a.bvh"))[1]
        == "poise: a.bvh: Permission denied\n"
    )
    assert ended(capsys, CancelledError("stopped")) == (130, "poise: stopped\n")
    code, said = ended(capsys, KeyboardInterrupt())
    assert code == 130
    assert "stopped" in said
    # A mistake of our own must not look like a missed constraint, which is 1.
    code, said = ended(capsys, KeyError("hips"))
    assert code == 2
    assert "KeyError: 'hips'" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("z", "z"),
        ("0.01", 0.01),
        ("1e-2", 0.01),
        (".5", 0.5),
        ("3", 3),
        ("-2", -2),
        ("0", 0),
        ("true", True),
        ("No", False),
        ("auto", "auto"),
        ("24000/1001", "24000/1001"),
        ("001", "001"),
        ("00.5", "00.5"),
        ("1_0", "1_0"),
        ("nan", "nan"),
        ("'3'", "3"),
        ('"true"', "true"),
        ("x=y", "x=y"),
    ],
)
def test_values_of_reading_options(text, value):
    from poise.cli.inputs import parse_options

    found = parse_options([f" drop-tpose = {text} "])
    assert found == {"drop_tpose": value}
    assert type(found["drop_tpose"]) is type(value)


@pytest.fixture
def wave_file(tmp_path):
    return str(clips.get("wave").save(tmp_path / "wave.bvh"))


def test_reading_options_reach_the_format(capsys, tmp_path, wave_file):
    facts = json.loads(run(capsys, "info", wave_file, "--json")[1])
    other = json.loads(run(capsys, "info", wave_file, "--json", "--read", "up=z", "--read", "scale=0.02")[1])
    assert (other["up"], other["unit_m"]) == ("z", 0.02)
    assert (other["up"], other["unit_m"]) != (facts["up"], facts["unit_m"])
    target = tmp_path / "other.npz"
    assert (
        run(capsys, "convert", wave_file, "-o", str(target), "--read", "scale=0.02", "--read", "mass=no")[0]
        == 0
    )
    assert formats.load(target).character.mass_source == "none"
    assert run(capsys, "convert", wave_file, "-o", str(tmp_path / "b.npz"), "--up", "z")[0] == 2, (
        "one way, not two"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["upp=z"], "no option named 'upp' in reading BVH files; did you mean 'up'"),
        (["up"], "KEY=VALUE"),
        (["=z"], "KEY=VALUE"),
        (["up="], "KEY=VALUE"),
        (["up=z", "up=y"], "up is given twice"),
        (["up=5"], "no up axis named '5'"),
        (["scale=big"], "scale='big'"),
        (["scale=-1"], "-1"),
        (["mass=maybe"], "no method for masses named 'maybe'"),
        (["drop_tpose=perhaps"], "drop_tpose"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("verb", ["info", "convert", "render", "loosen", "hit"])
def test_wrong_reading_options_are_named(capsys, tmp_path, wave_file, verb, options, message):
    made = "x.png" if verb == "render" else "x.npz"
    target = [] if verb == "info" else ["-o", str(tmp_path / made)]
    code, _, err = run(capsys, verb, wave_file, *target, *(w for o in options for w in ("--read", o)))
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1
    assert len(list(tmp_path.iterdir())) == 1, "something was written"


def test_the_guide_lists_the_reading_options_of_every_format():
    page = (Path(__file__).parents[2] / "docs/guide/files.md").read_text().split("## Reading options")[1]
    rows = [line.split("|")[1:3] for line in page.split("##")[0].splitlines() if line.startswith("| `")]
    listed = {(o, f) for names, where in rows for o in re.findall("`(.*?)`", names) for f in where.split(",")}
    listed = {(option, f.strip().split(" ")[0]) for option, f in listed}
    known = {
        (p.name, f.title.split(" ")[0])
        for f in formats.FORMATS
        if f.reads
        for p in signature(import_module(f.module).load).parameters.values()
        if p.kind is p.KEYWORD_ONLY and f.name != "amc"  # same reader as ASF
    }
    known |= {
        ("front", f.title.split(" ")[0]) for f in formats.FORMATS if f.faces and f.reads and f.name != "amc"
    }
    listed = {(option, f) for option, f in listed if option != "within"}  # which is for all
    assert listed == known


@pytest.mark.parametrize("name", ["walk", "lamp"])
def test_reading_options_of_what_is_no_file_are_refused(capsys, name):
    code, _, err = run(capsys, "info", name, "--read", "up=z")
    assert code == 2
    assert f"does not apply to {name}: it is bundled" in err


@pytest.mark.parametrize(
    ("kind", "options", "idle"),
    [
        ("sheet", ["--size", "320x180"], "--size"),
        ("sheet", ["--trail", "Head"], "--trail"),
        ("sheet", ["--com"], "--com"),
        ("sheet", ["--fps", "10"], "--fps"),
        ("strobe", ["--fps", "10"], "--fps"),
        ("video", ["--count", "3"], "--count"),
        ("video", ["--count", "0"], "--count"),
        ("video", ["--frames", "0,1"], "--frames"),
        ("video", ["--com", "--count", "2"], "--count and --com"),
    ],
)
def test_options_that_would_do_nothing_are_refused(capsys, tmp_path, kind, options, idle):
    target = tmp_path / ("x.gif" if kind == "video" else "x.png")
    code, _, err = run(capsys, "render", "walk", "-o", str(target), "--kind", kind, *options)
    assert code == 2
    assert f"{idle} cannot be used with a {kind}" in err
    assert not target.exists()


@pytest.mark.parametrize("kind", ["sheet", "strobe"])
def test_pictures_of_nothing_are_refused(capsys, tmp_path, kind):
    where = ["render", "walk", "-o", str(tmp_path / "x.png"), "--kind", kind]
    for wrong in (["--count", "0"], ["--count", "-2"]):
        code, _, err = run(capsys, *where, *wrong)
        assert code == 2
        assert "at least 1" in err
    code, _, err = run(capsys, *where, "--count", "3", "--frames", "0,1")
    assert code == 2
    assert "not both" in err
    assert not list(tmp_path.iterdir())


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-c", "from poise.cli import main; main()", "info", "walk", "--bodies"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == ""
        assert program.wait() == 141, "as a shell reports a closed pipe; 1 would be a missed constraint"


def test_convert_says_what_the_file_cannot_hold(capsys, tmp_path):
    _, out, _ = run(capsys, "convert", "walk", "-o", str(tmp_path / "walk.bvh"))
    assert "note  BVH has no loops" in out
    _, out, _ = run(capsys, "convert", "walk", "-o", str(tmp_path / "walk.glb"))
    assert len(out.splitlines()) == 1, "nothing is lost"
    _, out, _ = run(capsys, "convert", str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "again.glb"))
    assert "note  unit guessed" in out, "guesses on reading matter to whoever converts"


def test_one_frame_is_one_frame_and_heights_have_one_number(capsys, tmp_path):
    _, out, _ = run(capsys, "info", "lamp")
    assert "1 frame at" in out
    _, out, _ = run(capsys, "convert", "lamp", "-o", str(tmp_path / "lamp.glb"))
    assert "1 frame at 30 fps" in out
    run(capsys, "convert", "wave", "-o", str(tmp_path / "wave.bvh"))
    facts = json.loads(run(capsys, "info", str(tmp_path / "wave.bvh"), "--json")[1])
    character = formats.load(tmp_path / "wave.bvh").character
    at, turns = character.rest_placement()
    heights = [(at[p.body] + turns[p.body] @ p.position)[2] for p in character.points.values()]
    assert facts["height_m"] == pytest.approx(np.ptp(heights), abs=1e-3)
    assert not any(re.search(r"\d m (tall|high)|stature", note) for note in facts["notes"])
