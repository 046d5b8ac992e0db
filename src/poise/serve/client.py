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
GREETING = 60.0
"""A Poise that starts greets within this [s], on a slow disk too; what does not is none."""
FAREWELL = 1.0
"""A Poise that has stopped speaking has ended within this [s], or is ended."""


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
        self.greeting: dict[str, Any] = {}
        try:
            self.greeting = self._next(GREETING)[0]
        except (PoiseProblem, queue.Empty):
            code = self.process.poll()
            self.process.kill()
            self.close()
            why = "it does not greet" if code is None else f"status {code}"
            raise PoiseProblem(f"{command[0]} is no Poise that can serve ({why})", "missing") from None
        if self.greeting.get("protocol") != PROTOCOL:
            self.close()
            raise PoiseProblem(f"{command[0]} speaks another protocol: {self.greeting or 'none'}", "missing")

    def _listen(self) -> None:
        """Hear messages until there are no more, however that comes about: whoever waits is told."""
        try:
            while True:
                self._heard.put(self._message())
        except Exception:  # the pipe has ended, within a message too, or what came is none
            pass
        finally:
            self._heard.put(({"gone": True}, {}))

    def _message(self) -> Message:
        mark, length, size = PREFIX.unpack(self._exactly(PREFIX.size))
        if mark != MARK:
            raise ValueError(f"a message begins with {MARK!r}, not with {mark!r}")
        head, body = json.loads(self._exactly(length)), self._exactly(size)
        arrays: dict[str, Any] = {}
        at = 0
        for name, kind, shape in head.pop("arrays"):
            count = int(np.prod(shape, dtype=np.int64))
            arrays[name] = np.frombuffer(body, f"<{kind}", count, at).reshape(shape)
            at += arrays[name].nbytes
        return head, arrays

    def _exactly(self, count: int) -> bytes:
        found: bytes = self._source.read(count)
        if len(found) < count:
            raise EOFError(f"the pipe ends after {len(found)} of {count} bytes")
        return found

    def _next(self, wait: float) -> Message:
        head, arrays = self._heard.get(timeout=wait)
        if head.get("gone"):
            self._heard.put((head, arrays))  # whoever asks again is told again
            self.alive = False
            code = self._ended()
            raise PoiseProblem(f"Poise has ended (status {code}); the next request starts it again", "gone")
        return head, arrays

    def _ended(self) -> int:
        """The status of a Poise that has stopped speaking; one that goes on all the same is ended."""
        try:
            return self.process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def send(self, head: dict[str, Any], arrays: dict[str, Any] | None = None) -> int:
        """Ask without waiting; the number of the request."""
        self._number += 1
        told, pieces = [], []
        for name, values in (arrays or {}).items():
            values = np.ascontiguousarray(values, "<i8" if np.asarray(values).dtype.kind in "iu" else "<f8")
            told.append([name, values.dtype.str[1:], list(values.shape)])
            pieces.append(values)
        text = json.dumps({**head, "id": self._number, "arrays": told}).encode()
        size = sum(values.nbytes for values in pieces)
        for what, found, limit in (("text", len(text), "most_head"), ("arrays", size, "most_body")):
            most = self.greeting.get(limit, found)
            if found > most:
                raise PoiseProblem(
                    f"the request has {found} bytes of {what}; Poise takes at most {most}: "
                    "send fewer frames, bones or vertices at once",
                    "too long",
                )
        data = b"".join([PREFIX.pack(MARK, len(text), size), text, *(v.tobytes() for v in pieces)])
        try:
            self._sink.write(data)
            self._sink.flush()
        except OSError:
            self.alive = False
            raise PoiseProblem("Poise has ended; the next request starts it again", "gone") from None
        return self._number

    def poll(self, wait: float = 0.0) -> list[Message]:
        """All messages that have arrived, as (head, arrays); ``wait`` [s] for the first.

        That Poise has ended is said when everything it had to say was heard.
        """
        found, self._kept = self._kept, []
        try:
            while True:
                found.append(self._next(wait if not found else 0.0))
        except queue.Empty:
            return found
        except PoiseProblem:
            if not found:
                raise
            return found

    def ask(
        self, head: dict[str, Any], arrays: dict[str, Any] | None = None, progress: Any = None
    ) -> Message:
        """Ask and wait for the answer; what is heard of other requests is kept for ``poll``."""
        number = self.send(head, arrays)
        others: list[Message] = []
        heard: list[Message] = []
        try:
            while True:
                heard = self.poll(wait=1.0)
                while heard:
                    said, data = heard.pop(0)
                    if said.get("id") != number:
                        others.append((said, data))
                    elif "error" in said:
                        raise PoiseProblem(said["error"], said["kind"])
                    elif said.get("done"):
                        return said, data
                    elif progress is not None:
                        progress(said.get("progress", 0.0))
        finally:
            self._kept = [*others, *heard, *self._kept]

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
        self.alive = False
        self._ear.join(FAREWELL)
        if not self._ear.is_alive():  # else a child of the program holds the pipe
            self._source.close()
