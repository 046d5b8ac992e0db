"""The client for programs with an event loop: it starts Poise, listens beside the loop, notices its end.

    link = Link(["poise", "serve", "--stdio"])
    number = link.send({"ask": "operations"})
    ...
    for head, arrays in link.poll():  # at every tick

It needs ``client.py`` and nothing else of Poise: copy both, and change where it is imported from.
SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
from typing import Any

from poise.serve.client import Client, Data, PoiseProblem, read

Message = tuple[Data, Data]
PROTOCOL = 1
"""The version of the conversation that this client knows."""
GREETING = 60.0
"""A Poise that starts greets within this [s], on a slow disk too; what does not is none."""
FAREWELL = 1.0
"""A Poise that has stopped speaking has ended within this [s], or is ended."""


class Link(Client):
    """A running Poise, heard by a thread of its own."""

    def __init__(self, command: list[str], log: Any = subprocess.DEVNULL, **options: Any) -> None:
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, **options
            )
        except OSError as problem:
            raise PoiseProblem(
                f"{command[0]} cannot be started: {problem.strerror or problem}", "missing"
            ) from None
        self._heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.alive = True
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()
        try:
            super().__init__(self.process.stdout, self.process.stdin)
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
                self._heard.put(read(self.process.stdout))
        except Exception:  # the pipe has ended, within a message too, or what came is none
            pass
        finally:
            self._heard.put(({"gone": True}, {}))

    def receive(self, wait: float | None = None) -> Message:
        """The next message; ``queue.Empty`` where none comes within ``wait`` [s]."""
        head, arrays = self._heard.get(timeout=wait if self.greeting else GREETING)
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

    def _put(self, text: bytes, body: bytes) -> None:
        for what, limit, found in (("text", "most_head", len(text)), ("arrays", "most_body", len(body))):
            most = self.greeting.get(limit, found)
            if found > most:
                raise PoiseProblem(
                    f"the request has {found} bytes of {what}; Poise takes at most {most}: "
                    "send fewer frames, bones or vertices at once",
                    "too long",
                )
        try:
            super()._put(text, body)
        except OSError:
            self.alive = False
            raise PoiseProblem("Poise has ended; the next request starts it again", "gone") from None

    def poll(self, wait: float = 0.0) -> list[Message]:
        """All messages that have arrived, as (head, arrays); ``wait`` [s] for the first.

        That Poise has ended is said when everything it had to say was heard.
        """
        found, self._kept = self._kept, []
        try:
            while True:
                found.append(self.receive(wait if not found else 0.0))
        except queue.Empty:
            return found
        except PoiseProblem:
            if not found:
                raise
            return found

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
