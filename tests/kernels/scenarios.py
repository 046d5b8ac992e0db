"""What together uses every verb, with every choice that takes another kernel, and every step of the studio.

Commands are run where files that they name are made first. A verb with a new choice gets a line here;
what it asks for is then recorded (``record.py``) and compiled by ``poise warm``.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from poise.kernels.compile_log import LOG
from poise.operations.registry import operations

WRITTEN = ("info", "convert", "render", "bake", "batch")
"""Verbs that no declaration makes, and whose examples end by themselves."""

MAKE = """
import json, os, sys
from pathlib import Path
from example_files import MAKERS
for folder, words in json.loads(sys.argv[1]).items():
    os.chdir(folder)
    for word in words:
        MAKERS[word](Path(word))
"""

CHOICES = (
    "info walk",
    "convert walk -o a.npz",
    "mirror walk -o a.glb",
    "render punch -o a.png --size 160x90",
    "render punch -o b.png --kind sheet",
    "render walk -o a.gif --size 160x90 --fps 5",
    "render face.glb -o c.png --size 160x90",
    "render hat.glb -o d.png --size 160x90",
    "loosen punch -o a.bvh --gravity off",
    "loosen punch -o b.bvh --gravity compensated --root driven --dampers reference",
    "loosen punch -o c.bvh --window adaptive",
    "loosen punch -o d.bvh --window 0.2 --root driven",
    'loosen punch -o e.bvh --world "box wall half=0.1,1,1 place=0.8,0,1"',
    "loosen face.glb -o a.glb",
    "loosen face.glb -o b.glb --tension '*=2.5,eye*=12' --ratio 0.3 --firmness 3",
    "hit punch -o a.bvh --at 'RightHandCentre@0.85=0.9,0,1.35' --method paper",
    "hit punch -o b.bvh --at 'RightHandCentre@0.85=0.9,0,1.35~0,0,0' --at pose@0.4 --root driven",
    "hit walk -o c.bvh --at 'RightHandCentre@0.5=0.9,-0.2,1.35' --at 'LeftHandCentre@0.5=0.9,0.2,1.35'",
    "hit punch -o e.bvh --at 'RightHandCentre@0.7-0.9=0.7,-0.1,1.3'",
    "hit face.glb -o d.glb --at pose@0.32 --at mouth*@0.8~0",
    "wear punch -o a.glb --large",
    "wear punch -o b.glb --gravity off --window 0.3",
    "wear punch -o c.glb --at 'RightHandCentre@0.85=0.9,0,1.35'",
    "wear walk -o d.glb --mesh cape",
    "wear walk -o e.glb --mesh ponytail",
    "pose punch -o a.glb --at 0.5 --gyration 0.4 --com 0.03,0,-0.08 --pin LeftFoot",
    "pose punch -o b.glb --at 0.5 --constraints 'RightHandCentre@0.5=0.5,-0.2,1.3'",
    "key punch -o a.bvh --keyframes '{\"pins\": []}'",
    'retouch punch -o a.bvh --held \'[{"point": "LeftFoot", "at": [0.3, 0.5], "turn": true}]\'',
    "adapt jump -o a.bvh --reach 'right hand@0.5=0.6,-0.2,1.4' --exact --floor 0",
    "adapt jump -o b.bvh --reach 'right hand@0.5=0.6,-0.2,1.4' --objective mass --basis cubic --no-plants",
    "adapt jump -o c.bvh --reach 'right hand@0.5=0.6,-0.2,1.4' --objective joints --basis linear",
    "adapt walk -o d.bvh --look 2,1,1.5@0.5-1.0",
    "fix jump -o a.bvh",
    "fix walk.bvh -o b.bvh",
    "fix skating.bvh -o c.bvh --floor 0",
    "loosen walk.bvh -o f.bvh --grounded",
    "check run",
    "check walk.bvh --filter off",
    "plan 'lamp jump' -o a.npz --springs stiff",
    "plan somersault -o b.npz",
    "plan 'four punches' -o c.npz",
    "plan 'side jump' -o d.npz --together",
    "plan walk -o e.npz --character humanoid",
    "plan jump -o f.npz --character humanoid --no-grounded",
    "perform conducting -o a.bvh --control composite",
    "perform conducting -o b.bvh --control local --gravity off",
    "perform conducting -o c.bvh --control manual --style snappy",
    "perform ymca -o d.bvh --root free --duration 1",
    "perform wave -o e.bvh --disturb 'throw Head@0.5=1,0,0' --recovery 0.3",
    "perform wave -o f.bvh --disturb 'push RightHandCentre@0.5-0.7=30,0,0' --root free",
    "perform wave -o g.bvh --disturb 'load RightHand@0.5=2'",
    "resample walk -o a.bvh --fps 24 --interpolation linear",
    "mirror walk -o a.bvh --plane x",
    "demo -o demo",
    "bench --seconds 0.1",
)


def commands() -> list[str]:
    """Examples of all verbs, and the choices above."""
    examples = [each for operation in operations().values() if operation.VERB for each in operation.EXAMPLES]
    for name in WRITTEN:
        module = __import__(f"poise.cli.{name}", fromlist=["EXAMPLES"])
        examples += module.EXAMPLES
    return [*examples, *CHOICES]


def by_verb() -> dict[str, list[str]]:
    """All scenarios, in parcels for a process each: what one verb has loaded, another would not ask for."""
    found: dict[str, list[str]] = {}
    for each in commands():
        found.setdefault(each.partition(" ")[0], []).append(each)
    return {**found, "studio": ["studio"]}


def run(command: str) -> tuple[int, str]:
    """A command in the current folder and this process: its status, and what it said."""
    from poise.cli import main

    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        try:
            main(shlex.split(command))
        except SystemExit as ended:
            return int(ended.code or 0), said.getvalue()
    return 0, said.getvalue()


def prepare(folders: dict[str, str]) -> None:
    """Files that commands read, each in its folder; made by another process, so that nothing is recorded."""
    from example_files import MAKERS

    wanted = {}
    for folder, command in folders.items():
        words = shlex.split(command)
        target = words[words.index("-o") + 1] if "-o" in words else ""
        named = (word.removeprefix("@") for word in words)
        wanted[folder] = [name for name in named if name != target and name in MAKERS]
    environment = {name: value for name, value in os.environ.items() if name != LOG}
    subprocess.run([sys.executable, "-c", MAKE, json.dumps(wanted)], env=environment, check=True)


def work_in_studio() -> None:
    """A project is opened, seen, dragged, asked about and solved, as the solver's process does it."""
    from poise.kernels import compile_log
    from poise.operations.frozen_data import encoded
    from poise.project.drunken_boxer import drunken_boxer
    from poise.studio.server.stage_data import StageData

    compile_log.work_on("studio")
    project, stage = drunken_boxer(), StageData()
    stage.move(Path.cwd(), dict(project.assets.blobs), [])
    aim = project.document.layer("aim")
    steps = (
        ({}, {"glance": True}),
        ({"hit": {"tension": {"*": "loose"}}}, {"live": True}),
        ({"hit": {"tension": {"*": "relaxed"}}}, {"live": True}),
        ({}, {}),
        ({"aim": {"constraints": _moved(aim.constraints)}}, {"live": True}),
        ({"aim": {"constraints": _moved(_moved(aim.constraints))}}, {"live": True}),
        ({}, {}),
    )
    for revision, (changes, way) in enumerate(steps):
        for layer, fields in changes.items():
            project.set(layer, gesture="drag", **fields)
        stage.solve(
            encoded(project.document),
            revision,
            live=bool(way.get("live")),
            glance=bool(way.get("glance")),
            progress=lambda what, part: None,
            cancel=lambda: False,
        )
    list(stage.weighed())
    list(stage.everything())
    for question, about in {
        "physics": {},
        "plants": {"layer": "aim"},
        "check": {},
        "window": {"layer": "hit"},
    }.items():
        stage.answer(question, about, encoded(project.document), lambda what, part: None, lambda: False)


def _moved(constraints: Any) -> list[Any]:
    """The same, with a fist a centimetre higher."""
    from poise.operations.frozen_data import thaw

    found = thaw(constraints)
    for each in found:
        if each.get("name") == "fist on target":
            each["target"]["value"] = [x + 0.01 * (k == 2) for k, x in enumerate(each["target"]["value"])]
    return found


def main() -> int:
    """Scenarios, given as arguments, each in a folder of its own: the worst status, and 2 is the worst."""
    root = Path(sys.argv[1])
    folders = {str(root / f"{number}"): command for number, command in enumerate(sys.argv[2:])}
    for folder in folders:
        Path(folder).mkdir()
    prepare(folders)
    worst = 0
    for folder, command in folders.items():
        os.chdir(folder)
        if command == "studio":
            work_in_studio()
            continue
        status, said = run(command)
        if status:
            print(f"{command}: {status}\n{said}")
        worst = 2 if 2 in (status, worst) else max(status, worst)
    return worst


if __name__ == "__main__":
    try:
        ended = main()
    except Exception:
        traceback.print_exc()
        ended = 2  # a 1 would be a verdict
    sys.exit(ended)
