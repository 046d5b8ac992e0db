"""Kill writers at random instants, again and again, and see that nothing is lost and nothing half written.

    python tests/kills.py --kills 1000 --seed 0        (also: make kills)

Every kind of file is written over and over by a forked process, old and new in turn, until it is killed
(SIGKILL). The file must then be one of the two, to the bit; what the killed one left beside it must be gone
after the next writing. Projects with journals are `tests/project/killing.py`'s; batches are killed whole,
process group and all, and must go on from where they were, to the same results.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "project"))

from saved_things import BY_OTHERS, WRITERS, clip

RECIPE = {"output": ".bvh", "steps": [{"do": "trim", "end": 0.4}, {"do": "resample", "fps": 15}]}
BATCH = "import sys; from poise.cli import main; main(sys.argv[1:])"
CLIPS = 12
TRIES = 40
MIDST = 0.7
"""So many of the kills come as soon as something is seen to be begun, the rest at any time."""


def writers() -> dict[str, object]:
    """Those that can be tried here."""
    found = dict(WRITERS)
    for name, write in BY_OTHERS.items():
        module = "imageio_ffmpeg" if name.endswith(".mp4") else "pxr"
        try:
            __import__(module)
        except ImportError:
            continue
        found[name] = write
    return found


class Target:
    """A kind of file, in a folder of its own, with its two contents."""

    def __init__(self, folder: Path, name: str, write) -> None:
        self.folder, self.name, self.write = folder / name.replace(".", " "), name, write
        self.folder.mkdir()
        self.path = self.folder / name
        self.contents, took = [], []
        for kind in ("new", "old"):
            began = time.perf_counter()
            write(self.path, kind)
            took.append(time.perf_counter() - began)
            self.contents.append(self.path.read_bytes())
        self.seconds = max(took)
        self.names = set(os.listdir(self.folder))

    def round(self, rng: random.Random) -> dict[str, int]:
        """One kill."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            try:
                os.close(reading)
                while True:
                    for kind in ("new", "old"):
                        self.write(self.path, kind)
                        os.write(writing, b".")
            finally:
                os._exit(3)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            until = time.perf_counter() + (60.0 if rng.random() < MIDST else rng.uniform(0, 3 * self.seconds))
            while time.perf_counter() < until and not set(os.listdir(self.folder)) - self.names:
                pass
            time.sleep(rng.uniform(0.0, 0.002))
            os.killpg(child, signal.SIGKILL) if _is_group(child) else os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            written = len(pipe.read())
        assert os.WIFSIGNALED(status), f"{self.name}: the writer ended by itself, with {status}"
        found = self.path.read_bytes()
        if found not in self.contents:
            raise SystemExit(f"{self.name}: {len(found)} bytes that are neither the old file nor the new one")
        left = int(bool(set(os.listdir(self.folder)) - self.names))
        for _ in range(TRIES):  # an ffmpeg that outlived the writer may yet fill what it was told to
            self.write(self.path, "old")
            remains = {n for n in os.listdir(self.folder) if not n.endswith(".lock")} - self.names
            if not remains or not self.name.endswith(".mp4"):
                break
        if remains:
            raise SystemExit(f"{self.name}: {sorted(remains)} is still there after the next writing")
        return {"kills": 1, "files written": written, "in the midst": left}


def _is_group(process: int) -> bool:
    """Whether it has come to be a group of its own."""
    try:
        return os.getpgid(process) == process
    except ProcessLookupError:
        return False


class Batch:
    """A local batch whose process group is killed, again and again, until it is done."""

    def __init__(self, folder: Path) -> None:
        self.clips, self.out, self.recipe = folder / "clips", folder / "results", folder / "recipe.json"
        self.clips.mkdir()
        self.recipe.write_text(json.dumps(RECIPE))
        for k in range(CLIPS):
            clip("old").save(self.clips / f"{k}.bvh")
        began = time.perf_counter()
        self._start().wait()
        self.seconds = time.perf_counter() - began
        self.expected = self._results()
        assert len(self.expected) == CLIPS
        shutil.rmtree(self.out)
        self.done = 0

    def _start(self) -> subprocess.Popen[bytes]:
        places = [str(self.recipe), str(self.clips), "-o", str(self.out)]
        return subprocess.Popen(
            [sys.executable, "-c", BATCH, "batch", *places, "--workers", "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _results(self) -> dict[str, str]:
        seen = [p for p in self.out.glob("*.bvh") if not p.name.startswith(".")]
        return {p.name: sha256(p.read_bytes()).hexdigest() for p in seen}

    def _ledger(self) -> set[str]:
        ledger = self.out / "batch.jsonl"
        lines = ledger.read_bytes().split(b"\n")[:-1] if ledger.exists() else []
        found = set()
        for line in lines:
            try:
                found.add(json.loads(line)["clip"])
            except ValueError:
                continue
        return found

    def round(self, rng: random.Random) -> dict[str, int]:
        """One kill, or one end: then everything must be there, and it begins anew."""
        before = self._ledger()
        process = self._start()
        try:
            process.wait(rng.uniform(0.3, 1.0) * self.seconds)
            ended = True
        except subprocess.TimeoutExpired:
            ended = False
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        found, after = self._results(), self._ledger()
        for name, digest in found.items():
            if digest != self.expected[name]:
                raise SystemExit(f"batch: {name} is not what it should be")
        if not before <= after:
            raise SystemExit(f"batch: {sorted(before - after)} had been done and is forgotten")
        if not {Path(name).with_suffix(".bvh").name for name in after} <= set(found):
            raise SystemExit("batch: written down as done, and not there")
        if ended:
            if process.returncode or found != self.expected:
                raise SystemExit(f"batch: ended with {process.returncode}, {len(found)} of {CLIPS} clips")
            hidden = [p.name for p in self.out.iterdir() if p.name.startswith(".")]
            if hidden:
                raise SystemExit(f"batch: {hidden} left behind")
            self.done += 1
            shutil.rmtree(self.out)
        midst = not ended and bool(after)
        return {"kills": int(not ended), "in the midst": int(midst), "batches done": int(ended)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=-1, help="of these, in batches (default: one in twenty)")
    parser.add_argument("--journals", type=int, default=-1, help="of these, in edits (default: one in four)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    batches = options.kills // 20 if options.batch < 0 else options.batch
    journals = options.kills // 4 if options.journals < 0 else options.journals
    with tempfile.TemporaryDirectory() as folder:
        targets = [Target(Path(folder), name, write) for name, write in writers().items()]
        counts: dict[str, Counter[str]] = {}
        for k in range(max(options.kills - batches - journals, 0)):
            target = targets[k % len(targets)]
            counts.setdefault(target.name, Counter()).update(target.round(rng))
            if k % 50 == 49:
                print(f"{k + 1} kills so far, nothing lost", file=sys.stderr, flush=True)
        if batches:
            batch, count = Batch(Path(folder)), Counter[str]()
            while count["kills"] < batches:
                count.update(batch.round(rng))
            counts["batch"] = count
    for name, count in counts.items():
        print(f"{name:16} " + ", ".join(f"{value} {what}" for what, value in count.items()), flush=True)
    if journals:
        told = subprocess.run(
            [sys.executable, str(Path(__file__).parent / "project" / "killing.py"), "--kills", str(journals),
             "--seed", str(options.seed)],
            capture_output=True, text=True,
        )  # fmt: skip
        if told.returncode:
            raise SystemExit(f"edits: {told.stderr}")
        print(f"{'edits':16} {told.stdout.strip()}")
    killed = sum(count["kills"] for count in counts.values()) + journals
    midst = sum(count["in the midst"] for count in counts.values())
    print(f"{killed} kills, {midst} of them while a file or batch was half done: nothing lost, no half file")


if __name__ == "__main__":
    main()
