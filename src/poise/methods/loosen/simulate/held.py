"""What holds a body beside its springs: keyed joints, amplitudes, limits, passive forces, planted parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_FIXED
from poise.contacts.differentiated_clip import Mask
from poise.dynamics.window_arrays import NO_ANCHORS, NO_PATHS, NO_PLACES
from poise.methods.loosen.simulate.amplitude import amplitude_curve, blend_rows, keyed_bodies, product_of
from poise.methods.loosen.simulate.anchors import Anchor, AnchorTables, anchor_tables
from poise.methods.loosen.simulate.gains import Gains
from poise.methods.loosen.simulate.moved_limbs import Limbs
from poise.methods.loosen.simulate.plants import Plant, giving_way, planted, plants_of
from poise.methods.loosen.simulate.reference import Reference
from poise.methods.loosen.simulate.stops import NO_STOPS, Passive, Stops, passive_of, stops_of
from poise.motion import Clip
from poise.operations.loosen import Loosen, Simulation


class Held:
    """Of one clip and what is asked of it; a bare ``Simulation`` has keyed joints alone."""

    def __init__(
        self,
        clip: Clip,
        tension: Any,
        asked: Simulation,
        animation: Reference,
        plants: tuple[Plant, ...] | None = None,
        holds: tuple[Anchor, ...] = (),
    ) -> None:
        self.clip, self.animation = clip, animation
        character = clip.character
        driven = asked.root == "driven"
        self.prescribed = self._prescribed(keyed_bodies(character, tension), driven=driven)
        """Links that the animation moves (L,)."""
        self.plants: tuple[Plant, ...] = ()
        """Parts that stay where they touch."""
        self.anchors: tuple[Anchor, ...] = ()
        self.stops: Stops = NO_STOPS
        self.passive: Passive | None = None
        self.to_reference = asked.dampers == "reference"
        period = clip.duration if clip.loop else None
        shown = asked.shown if isinstance(asked, Loosen) else 1.0
        curves = [amplitude_curve(character, shown, tension, period)]
        if isinstance(asked, Loosen):
            if asked.contacts:
                found = plants_of(clip) if plants is None else plants
                self.plants = giving_way(character, found, holds)
                kept = planted(character, self.plants, driven=driven)
                self.anchors = kept.anchors
                curves.append(kept.shown(character))
            if asked.joint_limits:
                self.stops = stops_of(character)
            if asked.passive:
                self.passive = passive_of(character)
        # Dampers to rest would let driven hips lag behind planted feet, by a hand's width in a run.
        self._root_along = driven and bool(self.anchors) and not self.to_reference
        self.anchors = (*self.anchors, *holds)
        self.shares = product_of([curve for curve in curves if curve is not None])
        """How much each degree of freedom shows at times [s], (T, nv); None: all of it."""
        self._known: tuple[bytes, AnchorTables] | None = None
        self._shown: tuple[bytes, Array] | None = None

    def _prescribed(self, keyed: list[int], *, driven: bool) -> Any:
        character, tree = self.clip.character, self.clip.character.tree
        dofs = np.zeros(character.nv, dtype=bool)
        for body in keyed:
            dofs[character.dofs(body)] = body > 0 or not driven
        out = np.array([not driven and i < tree.root_links for i in range(len(tree.parent))])
        moves = np.array(tree.kind) != LINK_FIXED
        out[moves] |= dofs[np.array(tree.v_start)[moves]]
        return out

    def holding(self, gains: Gains, feed: Array, times: Any) -> tuple[Array, Array, Array]:
        """Stiffness, damping and feed at times [s], or one row for all, with what is added to the springs."""
        stiffness, damping = gains
        character = self.clip.character
        if not self._root_along and self.passive is None:
            return stiffness, damping, feed
        q, v = self._animated(times)
        if self._root_along:
            root = character.dofs(0)
            more = np.zeros_like(v)
            more[:, root] = damping[:, root] * v[:, root]
            feed = feed + more
        if self.passive is not None:
            k, d = self.passive
            stiffness, damping = stiffness + k, damping + d
            feed = feed + k * character.manifold.minus(character.rest_pose(), q)
            feed = feed - d * v if self.to_reference else feed
        return stiffness, damping, feed

    def anchor_tables(self, limbs: Limbs, times: Any) -> AnchorTables:
        """Of the anchors on some limbs; trials ask for the same times again and again."""
        if not self.anchors:
            return AnchorTables(NO_ANCHORS, NO_PATHS, NO_PLACES, limbs.tree, 0)
        unique, place = np.unique(np.asarray(times, dtype=np.float64), return_inverse=True)
        key = unique.tobytes() + limbs.links.tobytes()
        if self._known is None or self._known[0] != key:
            found = anchor_tables(self.clip.character, self.anchors, limbs, unique, *self._animated(unique))
            self._known = key, found
        known = self._known[1]
        return known._replace(rows=np.ascontiguousarray(known.rows[place])) if len(known.links) else known

    def show(self, limbs: Limbs, q: Array, table_q: Array, times: Any, rows: IntArray) -> None:
        """Let states q (…, nq of the limbs) at rows of a table show no more than they are to, in place."""
        if self.shares is None:
            return
        at = rows.ravel()
        when = np.asarray(times)[at]
        key = when.tobytes() + limbs.v.tobytes()
        known = self._shown
        if known is None or known[0] != key:  # trials ask for the same times again and again
            known = self._shown = key, np.ascontiguousarray(self.shares(when).take(limbs.v, axis=1))
        blend_rows(limbs.tree, np.ascontiguousarray(table_q[at]), known[1], q.reshape(len(at), -1))

    def hidden(self, times: Any) -> Mask | None:
        """Degrees of freedom that show none of the simulation at times [s], (T, nv); None: there are none."""
        return None if self.shares is None else np.asarray(self.shares(np.asarray(times)) == 0.0)

    def _animated(self, times: Any) -> tuple[Array, Array]:
        """The animation itself at times [s], without a correction."""
        return self.animation.table(np.asarray(times, dtype=np.float64))
