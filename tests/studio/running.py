"""A studio in a process of its own, and tabs that speak to it through real sockets."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

from poise.studio.packet import unpack

TOKEN = "a-token-for-tests"
START = """
import sys
from pathlib import Path
from poise.lifeline import end_with_parent
end_with_parent()
from poise.studio import page
from poise.studio.server import serve as serving
serving.static = lambda name: ""  # the browser's half need not be built
source = Path(sys.argv[2]) if sys.argv[2] else None
serving.serve(source, workspace=Path(sys.argv[1]), browser=False, token=sys.argv[3],
              say=lambda line: print(line, flush=True))
"""
LONG = 240.0
"""No answer takes so long on the busiest machine [s]."""


class Studio:
    """A running server; ``kill`` takes its power away, ``stop`` is Ctrl+C."""

    def __init__(
        self, workspace: Path, source: Path | str = "", *, wait: bool = True, token: str = TOKEN
    ) -> None:
        """Without a ``token`` it has the workspace's own address, as people start it."""
        self.workspace = workspace
        command = [sys.executable, "-c", START, str(workspace), str(source), token]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(
                signal.SIGINT, signal.SIG_DFL
            ),  # jobs in the background ignore it
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(self.process.communicate(timeout=LONG))
        self.port = int(line.split(":")[3].split("/")[0])
        self.home = f"http://127.0.0.1:{self.port}"
        self.line = line
        self.cookie = f"poise-{self.port}={line.strip().rpartition('token=')[2]}"
        if wait:  # the address is told at once, and who comes early has to wait
            with contextlib.suppress(HTTPError):
                urlopen(self.home, timeout=LONG).close()

    def tab(self, **options: Any) -> TabClient:
        return TabClient(self, **options)

    @property
    def worker(self) -> int:
        """The solver's process."""
        found = [p for p in children(self.process.pid) if "spawn_main" in command_line(p)]
        assert len(found) == 1, found
        return found[0]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self, patience: float = LONG) -> tuple[int, str]:
        """Ctrl+C to everything in its group, as a terminal does; status and what it complained of."""
        os.killpg(self.process.pid, signal.SIGINT)
        _, complaints = self.process.communicate(timeout=patience)
        return self.process.returncode, complaints

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.poll() is None:
            self.stop()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


class TabClient:
    """A tab: says messages, and keeps what it is told."""

    def __init__(self, studio: Studio, *, read: bool = True) -> None:
        self._door = connect(
            f"ws://127.0.0.1:{studio.port}/socket",
            origin=studio.home,  # type: ignore[arg-type]
            additional_headers={"Cookie": studio.cookie},
            max_size=None,
            compression=None,
            max_queue=4096 if read else 1,
            close_timeout=5 if read else 0.1,
        )
        self.socket: ClientConnection = self._door.__enter__()
        self.told: list[dict[str, Any]] = []
        self.heard_at: list[float] = []
        """When each of it was heard, by the clock that does not jump [s]."""
        self.packets: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.number = 0

    def say(self, what: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"say": what, **fields}))

    def hear(self, timeout: float = LONG) -> dict[str, Any] | None:
        """The next message; None for a packet."""
        message = self.socket.recv(timeout=timeout)
        if isinstance(message, bytes):
            self.packets.append(unpack(message))
            return None
        told: dict[str, Any] = json.loads(message)
        self.told.append(told)
        self.heard_at.append(time.monotonic())
        return told

    def until(self, what: str, timeout: float = LONG, **fields: Any) -> dict[str, Any]:
        """The next message of a kind, with fields as given."""
        end = time.monotonic() + timeout
        while True:
            told = self.hear(max(0.01, end - time.monotonic()))
            if told and told["told"] == what and all(told.get(k) == v for k, v in fields.items()):
                return told

    def ask(self, question: str, **about: Any) -> Any:
        """A question and its answer."""
        self.number += 1
        self.say("ask", question=question, about=about, number=self.number)
        while True:
            told = self.hear()
            if told and told["told"] in ("answer", "problem") and told["number"] == self.number:
                assert told["told"] == "answer", told
                return told["value"]

    def do(self, *, live: bool = False, **command: Any) -> None:
        self.number += 1
        self.say("do", command=command, live=live, number=self.number)

    def solved(self, *, live: bool = False) -> dict[str, Any]:
        return self.until("solved", live=live)

    def poses(self, role: str = "result") -> tuple[dict[str, Any], Any]:
        """All frames as the packets so far have them."""
        frames: Any = None
        header: dict[str, Any] = {}
        for told, arrays in self.packets:
            if told["kind"] == "figure":
                frames = None
            if told["kind"] == "poses" and told["role"] == role:
                header = told
                part = arrays["poses"]
                if frames is None or len(frames) != told["total"]:
                    assert told["first"] == 0, "changes of something that was never sent"
                    frames = part.copy()
                    assert len(frames) == told["total"]
                else:
                    frames[told["first"] : told["first"] + len(part)] = part
        return header, frames

    def close(self) -> None:
        self._door.__exit__(None, None, None)

    def __enter__(self) -> TabClient:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry.name))
            except (OSError, ValueError, IndexError):
                continue
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def memory(pid: int) -> int:
    """Resident bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def until_methods_are_read(pid: int, limit: float = 300.0) -> None:
    """The server reads all methods a while after its start, which is no growth: wait for its compiler."""
    ends = time.monotonic() + limit
    while "llvmlite" not in Path(f"/proc/{pid}/maps").read_text():
        assert time.monotonic() < ends, "methods are not read"
        time.sleep(0.2)
    settled = memory(pid)
    for _ in range(100):  # the rest of them follows at once
        time.sleep(0.5)
        settled, before = memory(pid), settled
        if settled == before:
            return
