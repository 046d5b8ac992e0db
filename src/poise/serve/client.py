"""A client of ``poise serve --stdio``: the whole protocol, for any Python with numpy; copy it, or port it.

    poise = subprocess.Popen(["poise", "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client = Client(poise.stdout, poise.stdin)
    head, arrays = client.ask({"ask": "operations"})

It waits for what it asks; ``link.py`` has the same for programs with an event loop.
SPDX-License-Identifier: Apache-2.0
"""

import json
import math
import struct
from typing import Any

import numpy as np

Data = dict[str, Any]
MARK, PREFIX = b"PSE1", struct.Struct("<4sII")


class PoiseProblem(Exception):
    """What Poise has to say about a request, or why there is no Poise; ``kind`` names the sort of it."""

    def __init__(self, words: str, kind: str = "error") -> None:
        super().__init__(words)
        self.kind = kind


def read(source: Any) -> tuple[Data, Data]:
    """The next message of a pipe."""
    prefix = source.read(PREFIX.size)
    if len(prefix) < PREFIX.size or not prefix.startswith(MARK):
        raise EOFError(f"Poise has ended, or this is no Poise: it says {prefix!r}")
    _, length, size = PREFIX.unpack(prefix)
    head, body, at, arrays = json.loads(source.read(length)), source.read(size), 0, {}
    for name, kind, shape in head.pop("arrays"):
        arrays[name] = np.frombuffer(body, f"<{kind}", math.prod(shape), at).reshape(shape)
        at += arrays[name].nbytes
    return head, arrays


class Client:
    """A conversation. Every message of an answer has the ``id`` of its request; ``done`` ends it."""

    def __init__(self, source: Any, sink: Any) -> None:
        self._source, self._sink, self._number = source, sink, 0
        self._kept: list[tuple[Data, Data]] = []  # answers to other requests than one that is waited for
        self.greeting: Data = {}
        self.greeting = self.receive()[0]

    def receive(self) -> tuple[Data, Data]:
        """The next message."""
        return read(self._source)

    def send(self, head: Data, arrays: Data | None = None) -> int:
        """Ask without waiting; the number of the request."""
        self._number += 1
        own = {name: np.asarray(values) for name, values in (arrays or {}).items()}
        made = {k: np.ascontiguousarray(v, "<i8" if v.dtype.kind in "iu" else "<f8") for k, v in own.items()}
        told = [[name, values.dtype.str[1:], values.shape] for name, values in made.items()]
        text = json.dumps({**head, "id": self._number, "arrays": told}).encode()
        self._put(text, b"".join(values.tobytes() for values in made.values()))
        return self._number

    def _put(self, text: bytes, body: bytes) -> None:
        self._sink.write(PREFIX.pack(MARK, len(text), len(body)) + text)
        self._sink.write(body)
        self._sink.flush()

    def ask(self, head: Data, arrays: Data | None = None, progress: Any = None) -> tuple[Data, Data]:
        """Ask and wait for the answer; ``progress`` is told the part that is done."""
        number = self.send(head, arrays)
        while True:
            said, data = self.receive()
            if said.get("id") != number:
                self._kept.append((said, data))
            elif "error" in said:
                raise PoiseProblem(said["error"], said["kind"])
            elif said.get("done"):
                return said, data
            elif progress is not None:
                progress(said.get("progress", 0.0))

    def cancel(self, number: int) -> int:
        """Ask for a request to end; it ends with an error of kind ``CancelledError``."""
        return self.send({"ask": "cancel", "request": number})
