"""Run the verbs, and some of the tests, as in a strict container (also: make container).

    python tests/container.py [--tests]

The whole file system is read-only (home and install with it), there is no cache, and every disk of temporary
files is full; only the working folder can be written to. Nothing may fail for that, no traceback or warning
may be seen, and nothing may be left beside what was asked for. Needs root, for its mounts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = Path("/mnt")
SETUP = """
set -e
mount --make-rprivate /
mount -t tmpfs -o size=512m tmpfs /mnt
mount -o bind,remount,ro /
for folder in /tmp /var/tmp; do
  mount -t tmpfs -o size=8k tmpfs $folder
  head -c 100000 /dev/zero > $folder/filling 2>/dev/null || true
done
for folder in $(awk '$3 ~ /ext4|xfs|btrfs|overlay/ && $2 != "/" {print $2}' /proc/mounts); do
  mount -o bind,remount,ro $folder 2>/dev/null || true
done
"""
POISE = [sys.executable, "-B", "-c", "from poise.cli import main; main()"]
SCENE = "lamp jump"
VERBS: dict[str, list[str]] = {
    "info": ["info", "walk", "--bodies"],
    "convert to BVH": ["convert", "walk", "-o", "walk.bvh"],
    "convert to GLB": ["convert", "walk.bvh", "-o", "walk.glb"],
    "convert to NPZ": ["convert", "walk.glb", "-o", "walk.npz"],
    "convert to MJCF": ["convert", "walk", "-o", "walk.xml"],
    "convert to USD": ["convert", "walk", "-o", "walk.usdc"],
    "check": ["check", "walk", "--plot", "check.png"],
    "loosen": ["loosen", "walk", "-o", "loose.bvh", "--window", "0.2"],
    "a hat": ["wear", "walk", "-o", "hat.glb"],
    "hit": [
        "hit",
        "punch",
        "-o",
        "hit.bvh",
        "--at",
        "RightHandCentre@0.85=0.6,0.1,1.4",
        "--tension",
        "loose",
    ],
    "fix": ["fix", "walk.bvh", "-o", "fixed.bvh"],
    "pose": ["pose", "walk", "-o", "pose.bvh", "--at", "0.2", "--pin", "RightHand=0.4,-0.2,1.2"],
    "perform": ["perform", "conducting", "-o", "beat.bvh", "--beats", "120"],
    "perform to a recording": ["perform", "conducting", "-o", "beats.bvh", "--beats", "tune.wav"],
    "plan": ["plan", SCENE, "-o", "plan.bvh"],
    "a picture": ["render", "walk", "-o", "walk.png"],
    "a film": ["render", "walk", "-o", "walk.mp4", "--size", "96x64"],
    "a GIF": ["render", "walk", "-o", "walk.gif", "--size", "96x64"],
    "a page": ["render", "walk", "-o", "walk.html"],
    "bake": ["bake", "boxer.poise", "-o", "baked.bvh"],
    "batch": ["batch", "recipe.json", "clips", "-o", "out", "--workers", "2"],
}
TESTS = [
    "test_replacing_files.py", "project/test_saving.py", "project/test_bake.py", "formats/test_registry.py",
    "formats/test_native.py", "formats/test_usd.py", "formats/test_gltf_write.py", "cli/test_terminal.py",
    "studio/test_session.py", "studio/test_serving.py", "pictures/test_clips_as_pictures.py",
]  # fmt: skip


def prepare() -> None:
    """What the verbs need."""
    import numpy as np

    import poise
    from poise.methods.perform.script import sound
    from poise.project import Project

    # Twenty clicks, two a second: more beats than the piece has keys.
    clicks = 0.01 * np.random.default_rng(0).normal(size=(20, sound.RATE // 2))
    clicks[:, :400] += np.exp(-np.arange(400) / 80) * np.sin(np.arange(400) / 4)
    sound.write("tune.wav", clicks.ravel())
    Path("clips").mkdir()
    for name in ("walk", "punch"):
        poise.clips.get(name).save(f"clips/{name}.bvh")
    steps = [{"do": "trim", "start": 0.0, "end": 0.4}, {"do": "check"}]
    Path("recipe.json").write_text(json.dumps({"output": ".glb", "steps": steps}))
    project = Project()
    project.add_clip("punch", "punch").add("load", "take", clip="punch").add("loosen", "loose")
    project.save("boxer.poise")


def told(line: str) -> bool:
    """Whether a line is one that a verb says on its way: where kernels are, what a file does not keep."""
    return line.startswith("poise: ") or not line.strip()


def run_verbs(only: list[str]) -> int:
    failures = 0
    for name, arguments in VERBS.items():
        if only and name not in only:
            continue
        before, began = set(os.listdir()), time.perf_counter()
        done = subprocess.run([*POISE, *arguments], capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if not told(line)]
        wanted = {part.split(".")[0] for part in arguments if "." in part}
        strange = {n for n in set(os.listdir()) - before if n.split(".")[0] not in wanted | {"out"}}
        fine = done.returncode in (0, 1) and not lines and not strange
        failures += not fine
        seconds = time.perf_counter() - began
        print(
            f"{'ok' if fine else 'FAILED':7} {name:22} status {done.returncode}, {seconds:.0f} s", flush=True
        )
        for line in [*done.stderr.splitlines()[-5:], *sorted(strange)] if not fine else ():
            print(f"        {line}")
    return failures


def run_studio() -> int:
    """The address is printed, the page is served, Ctrl+C ends it."""
    process = subprocess.Popen(
        [*POISE, "studio", "--no-browser", "boxer.poise"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(address) as page:
        fine = page.status == 200 and b"<html" in page.read().lower()
    process.send_signal(signal.SIGINT)
    status = process.wait()
    print(f"{'ok' if fine and status in (0, 130) else 'FAILED':7} {'studio':22} status {status}", flush=True)
    return int(not fine or status not in (0, 130))


def inside(options: argparse.Namespace) -> int:
    for folder in (Path.home(), HERE, Path(sys.prefix), Path("/tmp")):
        try:
            (folder / "probe").write_bytes(b"x" * 100_000)
        except OSError:
            continue
        raise SystemExit(f"{folder} can be written to: this is no container")
    os.chdir(WORK)
    if options.tests:
        settings = ["-c", str(HERE.parent / "pyproject.toml"), "--rootdir", str(HERE.parent)]
        settings += ["-q", "-p", "no:cacheprovider", "--basetemp", str(WORK / "pytest")]
        tests = [str(HERE / test) for test in options.only or TESTS]
        return subprocess.run([sys.executable, "-B", "-m", "pytest", *settings, *tests]).returncode
    prepare()
    failures = run_verbs(options.only)
    if not options.only or "studio" in options.only:
        failures += run_studio()
    print(f"{failures} of them failed" if failures else "everything works in a container")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", action="store_true", help="tests instead of verbs")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("only", nargs="*", help="these verbs, or tests, only")
    options = parser.parse_args()
    if options.inside:
        return min(inside(options), 1)
    if os.geteuid() or not shutil.which("unshare"):
        print("SKIPPED: mounts of its own need root and unshare")
        return 0
    own = ("XDG_", "NUMBA_", "TMP", "POISE_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE.parent / "src"), str(HERE)])
    again = [sys.executable, "-B", str(HERE / "container.py"), "--inside", *sys.argv[1:]]
    script = f"{SETUP}\nexec {' '.join(map(repr, again))}"
    return subprocess.run(["unshare", "-m", "sh", "-c", script], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
