"""A lattice of equal cubes around a closed surface: the coarse elements a fine mesh is embedded in.

Elements are quadratic (20 nodes): linear cubes, one across a thin part, bend far too stiffly. Cubes need not
fit the surface, because integrals are taken over the *inside* of the surface only (the finite cell method),
by moment fitting: with ℓ_q the Lagrange polynomials of a cell's Gauss points,

    ∫_inside f dV ≈ Σ_q φ_q w_q f(x_q),     φ_q w_q = ∫_inside ℓ_q dV

is exact for all products of derivatives of shape functions: a rod thinner than a cube has the mass and the
bending stiffness of the rod, not of the cube. In cells that are cut such φ are partly negative, which does
not go with large strains of what is not there; the non-negative φ with nearly the same moments take their
place, low moments first (volume, centre, second moments). The outside is ``VOID`` times as stiff, to keep
nodes that touch nothing in place, and weighs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics.elastic.surface import Surface
from poise.errors import InputError, MissingDependencyError

GAUSS = 5
"""Points per axis and cell: exact for the fourth degree in each coordinate, as stiffness and mass have it."""
COLUMNS = 24
"""Columns per axis and cell along which the inside is measured (exactly, along each)."""
VOID = 1e-5
"""Stiffness of the outside as a part of the inside's."""
MOST = 20_000
"""No lattice has more cells than this."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Cells of edge ``size`` whose lowest corners are origin + size · cells."""

    origin: Array  # (3,)
    size: float
    """Edge of a cell [m]."""
    cells: IntArray  # (C, 3)
    moments: Array
    """∫_inside ℓ_q dV by the weights of Gauss points, (C, Q)."""
    nodes: Array
    """Places of the nodes [m], (n, 3)."""
    element_nodes: IntArray  # (C, 20)
    weights: Array
    """Gauss weights [m³], (Q,)."""
    values: Array
    """Shape functions at the Gauss points, (Q, 20)."""
    gradients: Array
    """Their derivatives by place [1/m], (Q, 20, 3)."""
    element: Any
    """scikit-fem's element."""

    @cached_property
    def fill(self) -> Array:
        """φ ≥ 0: how much each Gauss point counts, (C, Q)."""
        at = np.polynomial.legendre.leggauss(GAUSS)[0]
        return _non_negative(self.moments, 0.5 * (at + 1), self.weights / self.size**3)

    @property
    def volume(self) -> float:
        """Of what is inside [m³]."""
        return float((self.fill * self.weights).sum())

    @property
    def places(self) -> Array:
        """Where the Gauss points are [m], (C, Q, 3)."""
        return np.einsum("qa,cai->cqi", self.values, self.nodes[self.element_nodes])

    def gram(self, density: Array) -> Any:
        """∫_inside density N_a N_b dV, sparse (n, n); the density at Gauss points (C, Q), or one for all."""
        from scipy.sparse import coo_matrix

        pairs = np.einsum("qa,qb->qab", self.values, self.values).reshape(len(self.weights), -1)
        blocks = (density * self.fill * self.weights) @ pairs  # (C, 400)
        at = self.element_nodes
        rows, columns = np.repeat(at, 20, axis=1).ravel(), np.tile(at, (1, 20)).ravel()
        return coo_matrix((blocks.ravel(), (rows, columns)), shape=(len(self.nodes),) * 2).tocsr()

    def embed(self, points: Array) -> tuple[IntArray, Array]:
        """For each point the cell it lies in (or nearest to) and the weights of its nodes, (P,), (P, 20).

        A point is moved by the weighted mean of its nodes' displacements.
        """
        from scipy.spatial import cKDTree

        place = (points - self.origin) / self.size
        middle = self.cells + 0.5
        number = {tuple(c): k for k, c in enumerate(self.cells.tolist())}
        own = np.array([number.get(tuple(c), -1) for c in np.floor(place).astype(int).tolist()])
        astray = own < 0
        if astray.any():
            own[astray] = cKDTree(middle).query(place[astray])[1]
        return own.astype(np.int64), shape_functions(self.element, place - self.cells[own])[0]


def lattice_around(surface: Surface, size: float) -> Lattice:
    """The cells of edge ``size`` [m] that hold any of a surface or of its inside."""
    skfem = _library()
    low = surface.points.min(axis=0)
    extent = surface.points.max(axis=0) - low
    count = np.maximum(np.ceil(extent / size - 1e-6).astype(int), 1)
    if float(np.prod(count.astype(float))) > 50 * MOST:
        raise InputError(
            f"cells of {size:g} m are too small for {surface.name!r} ({extent.max():.3g} m large)"
        )
    origin = low - 0.5 * (count * size - extent)
    at, gauss = np.polynomial.legendre.leggauss(GAUSS)
    at, gauss = 0.5 * (at + 1), 0.5 * gauss
    fill = _filled(surface, origin, size, count, at, gauss)  # (nx, ny, nz, Q)
    touched = np.zeros(tuple(count), dtype=bool)
    inside = np.clip(((surface.points - origin) / size).astype(int), 0, count - 1)
    touched[tuple(inside.T)] = True
    cells = np.argwhere(touched | (np.abs(fill).max(axis=-1) > 0))
    if len(cells) > MOST:
        raise InputError(
            f"{len(cells)} cells of {size:g} m around {surface.name!r}; {MOST} is the most: larger cells"
        )
    element = skfem.ElementHexS2()
    mesh = _mesh(skfem, cells, origin, size)
    x = np.stack(np.meshgrid(at, at, at, indexing="ij"), axis=-1).reshape(-1, 3)
    w = np.einsum("i,j,k->ijk", gauss, gauss, gauss).ravel()
    basis = skfem.CellBasis(mesh, element, quadrature=(x.T, w))
    values, gradients = shape_functions(element, x)  # all cells are alike: those of one serve all
    return Lattice(
        origin,
        size,
        cells,
        fill[tuple(cells.T)],
        np.ascontiguousarray(basis.doflocs.T),
        np.ascontiguousarray(basis.element_dofs.T).astype(np.int64),
        w * size**3,
        values,
        np.ascontiguousarray(gradients / size),
        element,
    )


def _library() -> Any:
    try:
        import skfem
    except ImportError:
        raise MissingDependencyError("scikit-fem", "a soft body", 'pip install "poise[soft]"') from None
    return skfem


def shape_functions(element: Any, at: Array) -> tuple[Array, Array]:
    """Shape functions (P, 20) and their derivatives (P, 20, 3) at places in a cell, 0 … 1, (P, 3)."""
    # scikit-fem counts a cube's local coordinates from its last corner.
    found = [element.lbasis(1.0 - at.T, i) for i in range(20)]
    values = np.stack([np.broadcast_to(v, (len(at),)) for v, _ in found], axis=1)
    return values, -np.stack([np.broadcast_to(g, (3, len(at))).T for _, g in found], axis=1)


def _mesh(skfem: Any, cells: IntArray, origin: Array, size: float) -> Any:
    """scikit-fem's mesh of the cells, corners in its order, every cell the same way round."""
    corner = skfem.MeshHex().p.T[skfem.MeshHex().t[:, 0]].round().astype(int)  # (8, 3)
    keys = cells[:, None, :] + corner[None]  # (C, 8, 3)
    places, which = np.unique(keys.reshape(-1, 3), axis=0, return_inverse=True)
    t = which.reshape(len(cells), 8).T
    corners = np.ascontiguousarray((origin + size * places).T)
    return skfem.MeshHex(corners, np.ascontiguousarray(t), sort_t=False)


def _filled(surface: Surface, origin: Array, size: float, count: IntArray, at: Array, gauss: Array) -> Array:
    """φ of each Gauss point, (nx, ny, nz, Q): along columns exact, across them sampled.

    A column crosses the surface at heights z with signs −n_z; between crossings the winding number tells
    the inside, also where parts overlap.
    """
    nx, ny, nz = (int(n) for n in count)
    step = size / COLUMNS
    # Off the middle by less than anything: columns through vertices and edges would be counted twice.
    shift = np.array([0.4999871, 0.5000193])
    column, height, sign = _crossings(surface, origin[:2] + shift * step, step, (nx * COLUMNS, ny * COLUMNS))
    order = np.lexsort((height, column))
    column, height, sign = column[order], (height[order] - origin[2]) / size, sign[order]
    total = np.cumsum(sign)
    # The winding number above each crossing: counts of this column alone.
    first = np.r_[True, column[1:] != column[:-1]]
    before = np.maximum.accumulate(np.where(first, np.arange(len(column)), 0))
    winding = total - (total[before] - sign[before])
    inner = np.flatnonzero((winding != 0) & ~np.r_[first[1:], True])
    lagrange = [np.poly1d(np.delete(at, k), True) / np.prod(at[k] - np.delete(at, k)) for k in range(GAUSS)]
    out = np.zeros((nx * COLUMNS * ny * COLUMNS, nz, GAUSS))
    for layer in range(nz):
        low, high = (np.clip(height[inner + end] - layer, 0.0, 1.0) for end in (0, 1))
        use = high > low
        for k, polynomial in enumerate(lagrange):
            whole = polynomial.integ()
            np.add.at(out[:, layer, k], column[inner[use]], whole(high[use]) - whole(low[use]))
    edges = np.arange(COLUMNS + 1) / COLUMNS
    share = np.array([np.diff(polynomial.integ()(edges)) for polynomial in lagrange]) / gauss[:, None]
    out = out.reshape(nx, COLUMNS, ny, COLUMNS, nz, GAUSS) / gauss
    filled = np.einsum("pa,qb,xaybzr->xyzpqr", share, share, out, optimize=True)
    filled[np.abs(filled) < 1e-12] = 0.0
    return np.asarray(filled.reshape(nx, ny, nz, -1))


def _non_negative(fill: Array, at: Array, weights: Array) -> Array:
    """φ ≥ 0 with nearly the same moments, (C, Q)."""
    from scipy.optimize import nnls

    legendre = np.array([np.polynomial.Legendre.basis(k)(2 * at - 1) for k in range(GAUSS)])
    moments = np.einsum("ip,jq,kr->ijkpqr", legendre, legendre, legendre).reshape(GAUSS**3, -1)
    degree = np.indices((GAUSS,) * 3).sum(axis=0).ravel()
    moments *= 0.2 ** degree[:, None]  # low ones first
    out = np.array(fill)
    for c in np.flatnonzero((fill < -1e-9).any(axis=1)):
        out[c] = nnls(moments * weights, moments @ (weights * fill[c]))[0]
    return np.ascontiguousarray(np.maximum(out, 0.0))


def _crossings(
    surface: Surface, start: Array, step: float, columns: tuple[int, int]
) -> tuple[IntArray, Array, Array]:
    """Where vertical columns cross triangles: column number, height [m], +1 going in (upwards) or −1."""
    a, b, c = np.moveaxis(surface.points[surface.faces], 1, 0)
    u, v = (b - a)[:, :2], (c - a)[:, :2]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    corners = np.stack([a, b, c])[..., :2]
    first = np.ceil((corners.min(axis=0) - start) / step).astype(int)
    last = np.floor((corners.max(axis=0) - start) / step).astype(int)
    found: list[tuple[IntArray, Array, Array]] = []
    spans = np.maximum(last - first + 1, 0)
    use = np.flatnonzero((np.abs(area) > 1e-14) & (spans > 0).all(axis=1))
    for size in np.unique(spans[use], axis=0):  # triangles with equally many columns around them together
        which = use[(spans[use] == size).all(axis=1)]
        i, j = (x.ravel() for x in np.meshgrid(np.arange(size[0]), np.arange(size[1]), indexing="ij"))
        ix, iy = first[which, 0, None] + i, first[which, 1, None] + j  # (W, S)
        p = np.stack([start[0] + ix * step, start[1] + iy * step], axis=-1) - a[which, None, :2]
        s = (p[..., 0] * v[which, None, 1] - p[..., 1] * v[which, None, 0]) / area[which, None]
        t = (u[which, None, 0] * p[..., 1] - u[which, None, 1] * p[..., 0]) / area[which, None]
        hit = (s >= 0) & (t >= 0) & (s + t <= 1)
        hit &= (ix >= 0) & (ix < columns[0]) & (iy >= 0) & (iy < columns[1])
        z = a[which, None, 2] + s * (b - a)[which, None, 2] + t * (c - a)[which, None, 2]
        way = np.broadcast_to(-np.sign(area[which])[:, None], hit.shape)
        found.append((ix[hit] * columns[1] + iy[hit], z[hit], way[hit]))
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    return tuple(np.concatenate(part) for part in zip(*found))  # type: ignore[return-value]
