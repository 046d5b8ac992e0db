# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion while a slider or an empty is dragged: a state machine, polled by a timer.

The pose of the shown frame follows at once; then all frames do, at most every tenth of a second, and when
nothing moves any more, exactly as they would be baked. A frame of Poise looks at the animation and at nothing
that was shown before: what is seen is what is baked. It is an action on a track of its own, which goes when
the preview ends.
"""

import contextlib
import time
from typing import NamedTuple

import numpy as np

from . import blender, program, reading, writing
from .client import PoiseProblem
from .job import RUNNING, Job
from .work import Wish, _number, introducing, operation, refuse, retimed

PREVIEW = blender.PREFIX + "preview"
"""The name of the track that shows it."""
EVERY = 0.09
"""Seconds between two requests for all frames, on average: three ticks of the timer, so ten times a second
are met. What is due while an answer is written goes out before: Poise works meanwhile."""
PATIENCE = 0.3
"""Seconds after which all frames are asked for, even if no shown one has been answered since."""
REST = 0.25
"""Seconds for which nothing moves before the motion is made exactly as it would be baked."""


class Asked(NamedTuple):
    """A request that is under way: what for (``frame`` None: all), and whether roughly."""

    number: int
    signature: str
    frame: int | None
    quick: bool


class Live:
    """A preview that has been started: poll it, end it."""

    def __init__(self, wish):
        self.wish, self.strip, self.name = wish, None, wish.arm.name
        self.places = {}  # of targets at other frames (``scenery.place_of``)
        self.poses = self.motions = 0
        """How many answers have been shown: of the shown frame, of all frames."""
        self._painting = 0.0  # how long it last took to write all frames [s]
        self._one = self._all = self._job = None
        self._link = None
        self._read()

    @property
    def arm(self):
        """The armature, looked up by its name: an undo puts another in its place."""
        found = blender.bpy.data.objects.get(self.name)
        if found is None:
            raise PoiseProblem(f"{self.name} is gone, and Live with it", "gone")
        return found

    def undone(self):
        """An undo has put other things in place of all that were known; the preview is gone already."""
        for job in (self._job, self._start):
            if job is not None:
                with contextlib.suppress(ReferenceError):
                    job.cancel()
        self.strip = self._job = None
        self._range = None  # so that it begins anew

    def _read(self):
        """Begin, or begin anew: read the motion and send it."""
        self._drop_requests()
        self.hide()
        self._pose = self._motion = self._failed = None
        self._exact, self._asked_all, self._due, self._followed = False, -PATIENCE, 0.0, False
        self._whole = self._single = -1  # numbers of the requests whose answers are shown
        self._last, self._moved = None, 0.0
        self._range = _range_of(self.wish)
        self._start = Job(self._begin())

    def _begin(self):
        wish = self.wish
        refuse(wish)
        self._plan = blender.plan_for(wish.arm)
        self._rate = _number(blender.frame_rate(blender.bpy.context.scene))
        self._reading = self._canvas = yield from reading.reading(
            wish.arm, self._plan, wish.frames(), 0.0, 0.5
        )
        self._link = program.link(wish.settings.get("program", ""))
        yield from introducing(
            self._link, wish, self._reading, f"{wish.arm.name} (live)", f"{wish.arm.name} (figure)",
            wish.settings.get("loop", False),
        )  # fmt: skip

    @property
    def ready(self):
        """Whether the motion has been read and sent."""
        return self._start.state == "done"

    @property
    def words(self):
        """What it is at."""
        return self._start.words if not self.ready else "Live: drag a slider or a target; Esc ends"

    def shows(self, wish, *, exact=True):
        """Whether all frames are shown as they are asked for; exactly: as they would be baked."""
        return (
            self.ready
            and self._job is None
            and self._motion == self._signature(wish)[0]
            and self._exact >= exact
            and self._look == _look_of(wish)
        )

    def poll(self, wish, frame):
        """Hear, show and ask for what differs from what is shown; whether anything new was shown."""
        if self._range is None or (self.ready and _range_of(wish) != self._range):
            self.wish = wish
            self._read()
        if not self.ready:
            if self._start.poll() == "failed":
                raise self._start.problem
            return False
        self.wish = wish
        signature, *told = self._signature(wish)
        if signature != self._last:
            self._last, self._moved = signature, time.perf_counter()
        if self._all is not None and not self._all.quick and self._all.signature != signature:
            self._link.cancel(self._all.number)  # the last word on what is no longer wanted
            self._all = None
        if self._job is not None and self._motion != signature:
            self._job.cancel()
            self._job, self._motion = None, None
        heard = self._hear()
        if self.strip is not None and self._look != _look_of(wish):
            self.hide()
        if signature != self._failed:  # asked before what came is written: Poise works meanwhile
            self._ask(signature, told, frame, heard)
        for about, places, exact in heard:
            if about.frame is None:
                self._show_all(about, places, exact)
            else:
                self._show_one(about, places)
        return self._go_on() or bool(heard)

    def _signature(self, wish):
        asked, arrays, more = operation(wish, self._plan, self._rate, self._reading)
        return (
            repr((asked, more.get("contacts"), sorted((k, v.tobytes()) for k, v in arrays.items()))),
            asked,
            arrays,
            more,
        )

    def _ask(self, signature, told, frame, heard):
        """The shown frame first, all frames when one has been answered, or late; once more, exactly, at rest.

        ``heard`` are answers that are about to be shown.
        """
        pose, motion = self._pose, (self._motion, self._exact)
        for about, _, exact in heard:
            if about.frame is None:
                motion = about.signature, exact
            else:
                pose, self._followed = (about.signature, about.frame), True
        now, (first, last) = time.perf_counter(), self._range[:2]
        alone = first <= frame <= last - self._range[2]  # a loop's last frame is told with all others only
        if alone and motion[0] != signature and pose != (signature, frame):
            if self._one is None:
                self._one = self._send(signature, told, frame, quick=True)
            if not self._followed and now - self._asked_all < PATIENCE:
                return
        if self._all is not None or self._job is not None or motion == (signature, True):
            return
        roughly = motion[0] != signature
        busy = self._painting if any(about.frame is None for about, _, _ in heard) else 0.0
        if now + busy < self._due or (not roughly and now - self._moved < REST):
            return
        self._asked_all, self._followed = now, False
        self._due = (self._due if now - self._due < EVERY else now) + EVERY
        self._all = self._send(signature, told, None, quick=roughly)

    def _send(self, signature, told, frame, *, quick):
        asked, arrays, more = told
        head = {
            "ask": "glimpse", "clip": f"{self.name} (live)", "operation": asked, "quick": quick,
            **more,
        }  # fmt: skip
        if frame is not None:
            head["frames"] = [frame - self._range[0]]
        return Asked(self._link.send(head, arrays), signature, frame, quick)

    def _hear(self):
        """Answers that have come: what was asked, places and turns of the bodies, whether they are exact."""
        heard = []
        for said, data in self._link.poll() if self._one or self._all else ():
            about = next((a for a in (self._one, self._all) if a and a.number == said.get("id")), None)
            if about is None or not ("error" in said or said.get("done")):
                continue
            if about is self._one:
                self._one = None
            else:
                self._all = None
            if "error" in said:
                self._failed = about.signature  # the same again would fail again
                raise PoiseProblem(said["error"], said.get("kind", "error"))
            self._failed = None
            places = np.array(data["positions"]), np.array(data["rotations"])
            heard.append((about, places, bool(said["exact"])))
        return heard

    def _show_one(self, about, places):
        """The pose of one frame, as one key among those of the preview; not over a motion asked for later."""
        self.poses += 1
        if about.number < self._whole:
            return
        if self.strip is None or about.frame not in self._canvas.frames:
            self._paint(self._reading, self._reading.world(), quick=True)
        k = self._canvas.frames.index(about.frame)
        one = self._canvas.one(k)
        Job(writing.rewriting(self.strip, one, *places, chosen=self._look[0], only=k)).finish()
        self._pose, self._newest, self._motion = (about.signature, about.frame), places, None
        self._single = about.number

    def _show_all(self, about, places, exact):
        """The whole motion; a frame that is shown newer, or that is nearer to the bake, stays so."""
        read = self._reading
        if len(places[0]) != len(read.frames):
            read = retimed(read, len(places[0]))
        shown, frame = self._pose or ("", None)
        stale = frame is not None and shown != about.signature and self._single > about.number
        nearer = shown == about.signature and not exact
        if (stale or nearer) and frame in read.frames:
            for own, newer in zip(places, self._newest):
                own[read.frames.index(frame)] = newer[0]
        clock = time.perf_counter()
        self._paint(read, places, quick=not exact or stale)
        self._painting = time.perf_counter() - clock
        self._motion, self._exact, self._whole = None if stale else about.signature, exact, about.number
        self.motions += 1

    def _paint(self, read, places, *, quick):
        """Write all frames; at rest, controls of control rigs are put right in small steps."""
        if self.strip is not None and len(read.frames) != len(self._canvas.frames):
            self.hide()
        settings, self._canvas = self.wish.settings, read
        sweeps = 0 if quick else writing.SWEEPS
        if self.strip is None:
            self._look = _look_of(self.wish)
            chosen, hold, blend = self._look
            work = writing.writing(
                read, *places, PREVIEW, chosen=chosen, hold=hold, blend=blend, checked=False, sweeps=0
            )
            self.strip, _ = Job(work).finish()
            if quick:
                return
        if self._job is not None:  # what it was writing is older
            self._job.cancel()
        chosen = settings.get("chosen")
        self._job = Job(writing.rewriting(self.strip, read, *places, chosen=chosen, sweeps=sweeps))
        self._go_on()

    def _go_on(self):
        """A step of what is being written; whether that was the last."""
        if self._job is None:
            return False
        state = self._job.poll(0.03)
        if state == RUNNING:
            return False
        job, self._job = self._job, None
        if job.problem is not None:
            raise job.problem
        return True

    def hide(self):
        """Take the preview away; the next poll shows it again."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
        if self.strip is not None:
            self.strip.remove()
            self.strip = None
        self._pose = self._motion = None

    def _drop_requests(self):
        for about in (self._one, self._all):
            if about is not None and self._link.alive:
                self._link.cancel(about.number)
        self._one = self._all = None

    def end(self):
        """Take the preview away; the scene is as it was."""
        self._start.cancel()
        self._drop_requests()
        self.hide()


def _range_of(wish):
    """What is read: first and last frame, whether it is a loop."""
    return wish.settings["first"], wish.settings["last"], bool(wish.settings.get("loop", False))


def _look_of(wish):
    """How it lies above the animation: bones, what is beyond its ends, blending."""
    settings = wish.settings
    return settings.get("chosen"), settings.get("hold", True), tuple(settings.get("blend", (0, 0)))


__all__ = ["Live", "Wish"]
