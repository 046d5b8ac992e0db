"""A client of ``poise serve --stdio`` for any Python with numpy; it knows nothing else of Poise.

    link = Link(["poise", "serve", "--stdio"])
    head, arrays = link.ask({"ask": "operations"})

``send`` and ``poll`` do the same without waiting, for programs with an event loop of their own.
SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import json
import queue
import struct
import subprocess
import threading
from typing import Any

import numpy as np

Message = tuple[dict[str, Any], dict[str, Any]]

MARK, PREFIX = b"PSE1", struct.Struct("<4sII")
PROTOCOL = 1
"""The version of the conversation that this client knows."""


class PoiseProblem(Exception):
    """What Poise has to say about a request, or why there is no Poise; ``kind`` names the sort of it."""

    def __init__(self, words: str, kind: str = "error") -> None:
        super().__init__(words)
        self.kind = kind


class Link:
    """A running Poise. Every message of its answers has the ``id`` of its request; ``done`` ends one."""

    def __init__(self, command: list[str], log: Any = subprocess.DEVNULL, **options: Any) -> None:
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, **options
            )
        except OSError as problem:
            raise PoiseProblem(
                f"{command[0]} cannot be started: {problem.strerror or problem}", "missing"
            ) from None
        self._sink: Any = self.process.stdin
        self._source: Any = self.process.stdout
        self._heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._kept: list[Message] = []
        self._number = 0
        self.alive = True
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()
        self.greeting = self._next(None)[0]
        if self.greeting.get("protocol") != PROTOCOL:
            self.close()
            raise PoiseProblem(f"{command[0]} speaks another protocol: {self.greeting or 'none'}", "missing")

    def _listen(self) -> None:
        stream: Any = self._source
        while len(prefix := stream.read(PREFIX.size)) == PREFIX.size and prefix[:4] == MARK:
            _, length, size = PREFIX.unpack(prefix)
            head, body, arrays, at = json.loads(stream.read(length)), stream.read(size), {}, 0
            for name, kind, shape in head.pop("arrays"):
                count = int(np.prod(shape, dtype=np.int64))
                arrays[name] = np.frombuffer(body, f"<{kind}", count, at).reshape(shape)
                at += arrays[name].nbytes
            self._heard.put((head, arrays))
        self._heard.put(({"gone": True}, {}))

    def _next(self, wait: float | None) -> Message:
        head, arrays = self._heard.get(timeout=wait)
        if head.get("gone"):
            self.alive = False
            code = self.process.wait()
            raise PoiseProblem(f"Poise has ended (status {code}); the next request starts it again", "gone")
        return head, arrays

    def send(self, head: dict[str, Any], arrays: dict[str, Any] | None = None) -> int:
        """Ask without waiting; the number of the request."""
        self._number += 1
        told, pieces = [], []
        for name, values in (arrays or {}).items():
            values = np.ascontiguousarray(values, "<i8" if np.asarray(values).dtype.kind in "iu" else "<f8")
            told.append([name, values.dtype.str[1:], list(values.shape)])
            pieces.append(values.tobytes())
        text = json.dumps({**head, "id": self._number, "arrays": told}).encode()
        try:
            self._sink.write(b"".join([PREFIX.pack(MARK, len(text), sum(map(len, pieces))), text, *pieces]))
            self._sink.flush()
        except OSError:
            self.alive = False
            raise PoiseProblem("Poise has ended; the next request starts it again", "gone") from None
        return self._number

    def poll(self, wait: float = 0.0) -> list[Message]:
        """All messages that have arrived, as (head, arrays); ``wait`` [s] for the first."""
        found, self._kept = self._kept, []
        try:
            while True:
                found.append(self._next(wait if not found else 0.0))
        except queue.Empty:
            return found

    def ask(
        self, head: dict[str, Any], arrays: dict[str, Any] | None = None, progress: Any = None
    ) -> Message:
        """Ask and wait for the answer; what is heard of other requests is kept for ``poll``."""
        number, others = self.send(head, arrays), []
        while True:
            for said, data in self.poll(wait=1.0):
                if said.get("id") != number:
                    others.append((said, data))
                elif "error" in said:
                    self._kept = others
                    raise PoiseProblem(said["error"], said["kind"])
                elif said.get("done"):
                    self._kept = others
                    return said, data
                elif progress is not None:
                    progress(said.get("progress", 0.0))

    def cancel(self, number: int) -> int:
        """Ask for a request to end; it ends with an error of kind ``CancelledError``."""
        return self.send({"ask": "cancel", "request": number})

    def close(self) -> None:
        """Let Poise end."""
        with contextlib.suppress(OSError):
            self._sink.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._ear.join()
        self._source.close()
        self.alive = False
