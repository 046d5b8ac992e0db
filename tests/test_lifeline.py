"""Whoever is killed takes with it all that it started, whatever these were at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
SOON = 30.0
"""On the busiest machine nobody is left after so long [s]."""

BUSY = """
import os, sys, time
from pathlib import Path

def busy(*given):
    # At work for as long as it takes, deaf to its pipe; the empty file says that it has begun.
    Path(sys.argv[-1] if not given else given[0], str(os.getpid())).touch()
    time.sleep(600)
"""
PROGRAMS = {
    "a batch": """
from poise.batch.local import performed
if __name__ == "__main__":
    list(performed(busy, [(sys.argv[1],)] * 2, 2))
""",
    "a batch whose starter was copied": """
from poise.batch.local import performed
if __name__ == "__main__":
    jobs = performed(busy, [(sys.argv[1],)] * 2, 2)
    import threading
    threading.Thread(target=next, args=(jobs,), daemon=True).start()
    while len(os.listdir(sys.argv[1])) < 2:
        time.sleep(0.02)
    if os.fork() == 0:  # holds every pipe open, and is not ours to end
        Path(sys.argv[1], f"copy {os.getpid()}").touch()
        time.sleep(600)
    time.sleep(600)
""",
    "a job of a cluster's worker": """
from poise.batch.cluster import apart
if __name__ == "__main__":
    apart(600.0, exec, BUSY + f"busy({sys.argv[1]!r})")
""",
    "a process of the studio": """
from poise.studio.server.solver import Process
def main(pipe, stop, pulse):
    busy(pipe.recv_bytes().decode())
if __name__ == "__main__":
    Process.launched(main).pipe.send_bytes(sys.argv[1].encode())
    time.sleep(600)
""",
    "a process that compiles": """
import json, runpy, subprocess
from poise.kernels.roster import Roster, roster
if len(sys.argv) > 2:
    Roster.dispatcher = lambda held, entry: busy(sys.argv[1])
    runpy.run_module("poise.kernels.warming", run_name="__main__")
else:
    command = [sys.executable, __file__, sys.argv[1], "compiles"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
    child.stdin.write(json.dumps(roster().entries[0].key) + "\\n")
    child.stdin.flush()
    time.sleep(600)
""",
}
TESTS = Path(__file__).parent
PROGRAMS["a scheduler and a worker of a test"] = f"""
sys.path.insert(0, {str(TESTS / "batch")!r})
from crew import Crew
if __name__ == "__main__":
    crew = Crew(Path(__file__).parent, 1)
    for process in (crew.scheduler, crew.workers[0]):
        Path(sys.argv[1], str(process.pid)).touch()
    time.sleep(600)
"""
PROGRAMS["a studio of a test"] = f"""
sys.path.insert(0, {str(TESTS / "studio")!r})
from running import Studio, children
if __name__ == "__main__":
    studio = Studio(Path(__file__).parent)
    for pid in (studio.process.pid, studio.worker):
        Path(sys.argv[1], str(pid)).touch()
    time.sleep(600)
"""
COUNT = {
    "a scheduler and a worker of a test": 2,
    "a studio of a test": 2,
    "a batch": 2,
    "a batch whose starter was copied": 3,
}


def alive(pid: int) -> bool:
    """Whether a process is there, and no mere entry of a dead one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def within(seconds: float, condition) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_starter_that_is_killed_leaves_nobody(name, tmp_path):
    for library, case in {"distributed": "scheduler", "websockets": "studio"}.items():
        if case in name:
            pytest.importorskip(library)
    program, at_work = tmp_path / "program.py", tmp_path / "at work"
    at_work.mkdir()
    program.write_text(f"BUSY = {BUSY!r}\n{BUSY}{PROGRAMS[name]}")
    starter = subprocess.Popen([sys.executable, str(program), str(at_work)], start_new_session=True)
    try:
        assert within(10 * SOON, lambda: len(list(at_work.iterdir())) == COUNT.get(name, 1))
        workers = [int(p.name) for p in at_work.iterdir() if p.name.isdigit()]
        assert all(alive(pid) for pid in workers)
        starter.kill()
        starter.wait()
        assert within(SOON, lambda: not any(alive(pid) for pid in workers))
    finally:
        starter.kill()
        starter.wait()
        for pid in [int(p.name.removeprefix("copy ")) for p in at_work.iterdir()]:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
