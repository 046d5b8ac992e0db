# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of the shown frame while a slider or an empty is dragged: a state machine, polled by a timer.

A frame of Poise looks at the animation and at nothing that was shown before: what is seen is what is baked.
It is shown by an action of one key on a track of its own, which goes when the preview ends.
"""

import numpy as np

from . import blender, program, reading, writing
from .client import PoiseProblem
from .job import Job
from .work import Wish, _number, introducing, operation, refuse

PREVIEW = blender.PREFIX + "preview"
"""The name of the track that shows it."""


class Live:
    """A preview that has been started: poll it, end it."""

    def __init__(self, wish):
        self.wish, self.strip, self.answers = wish, None, 0
        self.exact = False
        self._number = self._sent = self._shown = self._asked = None
        self._quick = False
        self._reading = None
        self._job = Job(self._begin())

    def _begin(self):
        wish = self.wish
        refuse(wish)
        self._plan = blender.plan_for(wish.arm)
        self._rate = _number(blender.frame_rate(blender.bpy.context.scene))
        self._reading = yield from reading.reading(wish.arm, self._plan, wish.frames(), 0.0, 0.5)
        self._link = program.link(wish.settings.get("program", ""))
        yield from introducing(
            self._link, wish, self._reading, f"{wish.arm.name} (live)", f"{wish.arm.name} (figure)",
            wish.settings.get("loop", False),
        )  # fmt: skip

    @property
    def ready(self):
        """Whether the motion has been read and sent."""
        return self._job.state == "done"

    @property
    def words(self):
        """What it is at."""
        return self._job.words if not self.ready else "Live: drag a slider or a target; Esc ends"

    def poll(self, wish, frame):
        """Ask for the shown frame where anything differs from what is shown; whether a new pose was shown."""
        if not self.ready:
            if self._job.poll() == "failed":
                raise self._job.problem
            return False
        shown = self._hear()
        self.wish = wish
        inside = wish.settings["first"] <= frame <= wish.settings["last"]
        if self._number is not None and not self._quick and inside and self._changed(wish, frame):
            self._link.cancel(self._number)  # the last word on what is no longer wanted
            self._number = None
        if self._number is None and inside:
            self._ask(wish, frame)
        return shown

    def _signature(self, wish, frame):
        asked, arrays, more = operation(wish, self._plan, self._rate, self._reading)
        now = repr((asked, frame, sorted((k, v.tobytes()) for k, v in arrays.items())))
        return now, asked, arrays, more

    def _changed(self, wish, frame):
        return self._signature(wish, frame)[0] != self._asked

    def _ask(self, wish, frame):
        now, asked, arrays, more = self._signature(wish, frame)
        again = now == self._shown
        if again and (self.exact or self._sent == now):
            return
        head = {
            "ask": "glimpse", "clip": f"{wish.arm.name} (live)", "operation": asked,
            "frames": [frame - wish.settings["first"]], "quick": not again, **more,
        }  # fmt: skip
        self._number, self._frame, self._asked, self._quick = (
            self._link.send(head, arrays),
            frame,
            now,
            not again,
        )
        self._sent = now if again else None

    def _hear(self):
        if self._number is None:
            return False
        for said, data in self._link.poll():
            if said.get("id") != self._number:
                continue
            if "error" in said:
                self._number = None
                self._shown, self.exact = self._asked, True  # the same again would fail again
                raise PoiseProblem(said["error"], said.get("kind", "error"))
            if said.get("done"):
                self._number, self._shown, self.exact = None, self._asked, bool(said["exact"])
                self._show(data)
                self.answers += 1
                return True
        return False

    def _show(self, data):
        """The pose, as an action of one key."""
        read = self._reading
        k = read.frames.index(self._frame)
        one = reading.Reading(read.arm, read.plan, [self._frame])
        one.matrices, one.basis, one.object = (a[k : k + 1] for a in (read.matrices, read.basis, read.object))
        positions, rotations = np.array(data["positions"]), np.array(data["rotations"])
        chosen = self.wish.settings.get("chosen")
        if self.strip is None:
            work = writing.writing(one, positions, rotations, PREVIEW, chosen=chosen, checked=False)
            self.strip, _ = Job(work).finish()
        else:
            Job(writing.rewriting(self.strip, one, positions, rotations, chosen=chosen)).finish()

    def _remove(self):
        if self.strip is not None:
            self.strip.remove()
            self.strip = None

    def end(self):
        """Take the preview away; the scene is as it was."""
        self._job.cancel()
        if self._number is not None and self._link.alive:
            self._link.cancel(self._number)
        self._remove()


__all__ = ["Live", "Wish"]
