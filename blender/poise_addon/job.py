# SPDX-License-Identifier: GPL-3.0-or-later
"""A job: long work in small steps, as a plain state machine. Blender's timer drives it, or a loop.

Work is a generator that yields (part done, words) and returns its result; whatever it must put right when it
is cancelled stands in its own ``finally``.
"""

import time

RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"


class Job:
    """Work that has been started: poll it until it is no longer running."""

    def __init__(self, work):
        self._work = work
        self.state, self.part, self.words = RUNNING, 0.0, ""
        self.result = self.problem = None

    def poll(self, seconds=0.03):
        """Go on for about so long; the state then."""
        end = time.perf_counter() + seconds
        try:
            while self.state == RUNNING:
                self.part, self.words = next(self._work)
                if time.perf_counter() >= end:
                    break
        except StopIteration as finished:
            self.state, self.part, self.result = DONE, 1.0, finished.value
        except Exception as problem:
            self.state, self.problem = FAILED, problem
        return self.state

    def cancel(self):
        """Stop it; what it had begun is put right."""
        if self.state == RUNNING:
            self._work.close()
            self.state = CANCELLED

    def finish(self):
        """Wait for the end, where nothing else is to be done meanwhile."""
        while self.poll(1.0) == RUNNING:
            pass
        if self.state == FAILED:
            raise self.problem
        return self.result


def asking(link, head, arrays, words, first=0.0, last=1.0, problem=RuntimeError):
    """Work that asks Poise and waits, yielding how far it is; cancelled, it tells Poise so."""
    number = link.send(head, arrays)
    part, done = first, False
    try:
        while True:
            heard = link.poll(wait=0.002)
            for said, data in heard:
                if said.get("id") != number:
                    continue
                if "error" in said:
                    done = True
                    raise problem(said["error"], said.get("kind", "error"))
                if said.get("done"):
                    done = True
                    return said, data
                part = first + (last - first) * said.get("progress", 0.0)
            yield part, words
    finally:
        if not done and link.alive:
            link.cancel(number)
