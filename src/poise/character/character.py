"""A character: a frozen, depth-first tree of bodies and everything derived from it once."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.character.body import Body, Mass
from poise.character.joint import JointKind, as_array
from poise.character.placement import BodyPlaces, placed
from poise.character.skin import Skin
from poise.character.tree import Tree, build_tree
from poise.errors import InputError, UnknownNameError
from poise.manifold import ProductManifold


class Point(NamedTuple):
    """A place on a body: the body's index and the position in its frame [m]."""

    body: int
    position: Array


class Character:
    """Description of a character, apart from any pose. Immutable.

    ``bodies`` may come in any order with parents named; they are stored depth first (children in
    the order given), which is also the order of q and v.

    Examples:
        >>> character = poise.characters.humanoid()
        >>> print(character.nv, round(character.total_mass, 1))
    """

    def __init__(
        self,
        name: str,
        bodies: Iterable[Body],
        *,
        skin: Skin | None = None,
        mass_source: str = "given",
        notes: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.bodies: tuple[Body, ...] = _depth_first(name, tuple(bodies))
        self.skin = skin
        self.mass_source = mass_source if any(b.mass.mass > 0 for b in self.bodies) else "none"
        """Where masses come from: "given", "anthropometric table", "capsules", "skin volume", "none"."""
        self.notes = tuple(notes)
        """What was guessed while reading or building, in words."""
        self.names: tuple[str, ...] = tuple(b.name for b in self.bodies)
        self._index = {n: i for i, n in enumerate(self.names)}
        parents = [-1 if b.parent is None else self._index[b.parent] for b in self.bodies]
        self.parents: IntArray = frozen(parents, dtype=np.int64)
        self.manifold = ProductManifold([size for b in self.bodies for size in b.joint.kind.blocks])
        nq, nv = [b.joint.nq for b in self.bodies], [b.joint.nv for b in self.bodies]
        self._q_start = np.concatenate([[0], np.cumsum(nq)])
        self._v_start = np.concatenate([[0], np.cumsum(nv)])
        _refuse_doubled_points(name, self.bodies)
        if skin is not None and len(skin.inverse_bind) != len(self.bodies):
            raise InputError(
                f"the skin is bound to {len(skin.inverse_bind)} bodies, {name!r} has {len(self.bodies)}"
            )

    def __repr__(self) -> str:
        return f"Character({self.name!r}, {len(self.bodies)} bodies, {self.nv} degrees of freedom)"

    def __reduce__(self) -> Any:
        return _rebuilt, (self.name, self.bodies, self.skin, self.mass_source, self.notes)

    # Sizes and names -------------------------------------------------------------------------

    @property
    def nq(self) -> int:
        """Numbers in a configuration."""
        return self.manifold.nq

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.manifold.nv

    def index(self, name: str) -> int:
        """Index of the body called ``name``."""
        try:
            return self._index[name]
        except (KeyError, TypeError):  # TypeError: what was given cannot be a key at all
            raise UnknownNameError("joint", name, self.names, where=self.name) from None

    def _number(self, body: int | str) -> int:
        """Index of a body given by name or number; numbers do not count from the end."""
        if isinstance(body, str):
            return self.index(body)
        if isinstance(body, (int, np.integer)) and 0 <= body < len(self.bodies):
            return int(body)
        raise InputError(f"{self.name!r} has bodies 0 to {len(self.bodies) - 1}, not {body!r}")

    def coordinates(self, body: int | str) -> slice:
        """Where the body's joint lies in q."""
        i = self._number(body)
        return slice(int(self._q_start[i]), int(self._q_start[i + 1]))

    def dofs(self, body: int | str) -> slice:
        """Where the body's joint lies in v."""
        i = self._number(body)
        return slice(int(self._v_start[i]), int(self._v_start[i + 1]))

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """A readable name for each degree of freedom, (nv,)."""
        return tuple(b.name + label for b in self.bodies for label in b.joint.kind.dof_labels)

    @cached_property
    def dof_body(self) -> IntArray:
        """The body whose joint owns each degree of freedom, (nv,)."""
        counts = [b.joint.nv for b in self.bodies]
        return frozen(np.repeat(np.arange(len(self.bodies)), counts), dtype=np.int64)

    def select(self, pattern: str) -> list[int]:
        """Bodies whose name, limb or ``side limb`` matches a pattern with ``*`` and ``?``.

        ``"*"`` is all; ``"left arm"`` is a labelled limb; ``"Left*"`` goes by name. Matching ignores
        case. A name that itself holds ``*``, ``?`` or ``[`` is found as it is written. Nothing matched is
        an error that lists what there is.
        """
        if not isinstance(pattern, str):
            raise UnknownNameError("joint or limb", pattern, self.names, where=self.name)
        wanted = pattern.lower()
        if any(sign in wanted for sign in "*?["):
            named = [i for i, name in enumerate(self.names) if name.lower() == wanted]
            if named:
                return named
        found = [
            i
            for i, b in enumerate(self.bodies)
            if any(
                fnmatch.fnmatchcase(text, wanted)
                for text in (b.name.lower(), b.limb, f"{b.side} {b.limb}", b.side)
                if text
            )
        ]
        if not found:
            limbs = sorted({f"{b.side} {b.limb}" for b in self.bodies if b.limb})
            raise UnknownNameError("joint or limb", pattern, [*self.names, *limbs], where=self.name)
        return found

    def subtree(self, body: int | str) -> list[int]:
        """The body and all that hangs from it."""
        first = self._number(body)
        return list(range(first, int(self.subtree_ends[first])))

    @cached_property
    def subtree_ends(self) -> IntArray:
        """One past the last body that hangs from each: depth first, a subtree is a run of bodies, (n,)."""
        ends = np.arange(1, len(self.bodies) + 1)
        for i in range(len(self.bodies) - 1, 0, -1):
            up = int(self.parents[i])
            ends[up] = max(ends[up], ends[i])
        return np.asarray(frozen(ends, dtype=np.int64))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The bodies that hang directly from each."""
        found: list[list[int]] = [[] for _ in self.bodies]
        for i, up in enumerate(self.parents.tolist()):
            if up >= 0:
                found[up].append(i)
        return tuple(map(tuple, found))

    @cached_property
    def points(self) -> Mapping[str, Point]:
        """Named points: the origin of every body by its name, and each body's own points."""
        found: dict[str, Point] = {n: Point(i, frozen(np.zeros(3))) for i, n in enumerate(self.names)}
        for i, body in enumerate(self.bodies):
            for name, position in body.points.items():
                found[name] = Point(i, np.asarray(position))
        return MappingProxyType(found)

    def point(self, name: str) -> Point:
        """The point called ``name``: a body's origin or a named point on a body."""
        try:
            return self.points[name]
        except (KeyError, TypeError):
            raise UnknownNameError("joint or point", name, self.points, where=self.name) from None

    # Arrays ----------------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Tree:
        """What compiled kernels read."""
        return build_tree(self.bodies, self.parents)

    @cached_property
    def total_mass(self) -> float:
        """[kg]"""
        return float(sum(b.mass.mass for b in self.bodies))

    def _per_dof(self, field: str) -> Array:
        return np.asarray(frozen(np.concatenate([as_array(getattr(b.joint, field)) for b in self.bodies])))

    @cached_property
    def lower(self) -> Array:
        """Lower limits of exponential coordinates, (nv,)."""
        return self._per_dof("lower")

    @cached_property
    def upper(self) -> Array:
        """Upper limits of exponential coordinates, (nv,)."""
        return self._per_dof("upper")

    @cached_property
    def stiffness(self) -> Array:
        """Passive joint stiffness, (nv,)."""
        return self._per_dof("stiffness")

    @cached_property
    def damping(self) -> Array:
        """Passive joint damping, (nv,)."""
        return self._per_dof("damping")

    @cached_property
    def speed(self) -> Array:
        """The fastest that motors turn, (nv,); infinite where nothing is said."""
        return self._per_dof("speed")

    @cached_property
    def effort(self) -> Array:
        """The most that motors give, (nv,); infinite where nothing is said."""
        return self._per_dof("effort")

    def rest_pose(self) -> Array:
        """The neutral configuration with free and planar roots at their rest place, (nq,)."""
        q = self.manifold.neutral()
        for i, body in enumerate(self.bodies):
            span = self.coordinates(i)
            if body.joint.kind is JointKind.FREE:
                q[span] = np.concatenate([body.offset, body.rest])
            elif body.joint.kind is JointKind.PLANAR:
                q[span][:2] = np.asarray(body.offset)[[0, 2]]
        return q

    def require_mass(self, what: str) -> float:
        """Total mass [kg]; an error where there is none, because ``what`` is then undefined."""
        if not self.total_mass > 0.0:
            raise InputError(
                f"{what} of {self.name!r} is undefined: no body has mass "
                "(give masses with Character.with_masses, or by an anthropometric table)"
            )
        return self.total_mass

    def placement(self, q: ArrayLike) -> BodyPlaces:
        """Where all bodies are in poses q (F, nq), by numpy alone; ``Kinematics`` is many times faster."""
        return placed(self.tree, checked(q, "q", (None, self.nq)))

    def rest_placement(self) -> BodyPlaces:
        """World positions (n, 3) and rotations (n, 3, 3) of all bodies in the rest pose, worked out once."""
        return self._rest_placement

    @cached_property
    def _rest_placement(self) -> BodyPlaces:
        found = self.placement(self.rest_pose()[None])
        return BodyPlaces(found.positions[0], found.rotations[0])

    # Variations ------------------------------------------------------------------------------

    def with_bodies(self, bodies: Iterable[Body], **changes: object) -> Character:
        """The same character with other bodies (same names keep the skin valid)."""
        keep: dict[str, object] = {
            "name": self.name,
            "skin": self.skin,
            "mass_source": self.mass_source,
            "notes": self.notes,
        }
        keep.update(changes)
        return Character(bodies=bodies, **keep)  # type: ignore[arg-type]

    def with_masses(self, masses: Sequence[Mass], source: str, notes: Sequence[str] = ()) -> Character:
        """The same bodies with other masses, noting where they come from."""
        bodies = [b.replaced(mass=m) for b, m in zip(self.bodies, masses, strict=True)]
        return self.with_bodies(bodies, mass_source=source, notes=(*self.notes, *notes))


def _rebuilt(name: str, bodies: Any, skin: Any, mass_source: str, notes: Any) -> Character:
    return Character(name, bodies, skin=skin, mass_source=mass_source, notes=notes)


def _refuse_doubled_points(name: str, bodies: tuple[Body, ...]) -> None:
    """Body origins and points share one set of names: each name must mean one place."""
    taken = {body.name: "the origin of a body" for body in bodies}
    for body in bodies:
        for point in body.points:
            if point in taken:
                both = f"one is on {body.name!r}, the other is {taken[point]}"
                raise InputError(f"{name!r} has two points named {point!r}: {both}")
            taken[point] = f"on {body.name!r}"


def _depth_first(name: str, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """Bodies with every parent before its children, children in the order given; one root."""
    if not bodies:
        raise InputError(f"character {name!r} has no bodies")
    known: dict[str, Body] = {}
    children: dict[str | None, list[Body]] = {}
    for body in bodies:
        if body.name in known:
            raise InputError(f"character {name!r} has two bodies named {body.name!r}")
        known[body.name] = body
        children.setdefault(body.parent, []).append(body)
    for body in bodies:
        if body.parent is not None and body.parent not in known:
            raise UnknownNameError("parent body", body.parent, known, where=f"{name} (of {body.name!r})")
    roots = children.get(None, [])
    if len(roots) != 1:
        listed = ", ".join(repr(b.name) for b in roots) or "none"
        raise InputError(f"character {name!r} must have exactly one root, it has: {listed}")
    ordered: list[Body] = []
    stack = [roots[0]]
    while stack:
        body = stack.pop()
        ordered.append(body)
        stack.extend(reversed(children.get(body.name, [])))
    if len(ordered) != len(bodies):
        lost = sorted(set(known) - {b.name for b in ordered})
        raise InputError(f"character {name!r}: {', '.join(lost)} are each other's ancestors")
    return tuple(ordered)
