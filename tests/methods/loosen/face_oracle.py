"""Shape matching by fine steps, nothing linearised: the truth that loosened faces are measured by.

Vertices are mass points on springs to their animated places Y(t). At every step each soft cluster finds its
own rotation and place (Gauss–Newton on rotations, about the current animated shape, which is the rest
shape), and the goals g = Σ_c w_c (R_c (Y − Y_c) + t_c) pull as well. Dampers act on what springs act on.
"""

from __future__ import annotations

import numpy as np

from poise.manifold import so3


def simulate(clusters, at, flesh, start: float, end: float, step: float = 1e-3) -> np.ndarray:
    """Vertices at ``end`` of a run that begins on the animation; ``at(t)`` gives (Y, head's rotation)."""
    weights, mass = clusters.weights.toarray(), clusters.mass
    count = len(weights)
    slow, fast = flesh.omegas
    stiff = fast**2 - slow**2
    turns, places = np.tile(np.eye(3), (count, 1, 1)), None

    def moves(shape: np.ndarray, turns: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Displacements of all vertices per shift and turn of each cluster, (3N, 6C)."""
        out = np.zeros((*shape.shape, count, 6))
        for c in range(count):
            arm = (shape - centres[c]) @ turns[c].T
            for i in range(3):
                out[:, i, c, i] = weights[c]
                out[:, :, c, 3 + i] = weights[c][:, None] * np.cross(np.eye(3)[i], arm)
        return out.reshape(3 * len(shape), 6 * count)

    def fitted(x, shape, turns, places, rounds):
        centres = (weights * mass) @ shape / (weights @ mass)[:, None]
        places = centres.copy() if places is None else places
        root = np.sqrt(np.repeat(mass, 3))
        for _ in range(rounds):
            goal = sum(
                weights[c][:, None] * ((shape - centres[c]) @ turns[c].T + places[c]) for c in range(count)
            )
            a = moves(shape, turns, centres)
            change = np.linalg.lstsq(root[:, None] * a, root * (x - goal).ravel(), rcond=1e-9)[0].reshape(
                -1, 6
            )
            places = places + change[:, :3]
            turns = np.stack([so3.to_matrix(so3.exp(change[c, 3:])) @ turns[c] for c in range(count)])
        goal = sum(
            weights[c][:, None] * ((shape - centres[c]) @ turns[c].T + places[c]) for c in range(count)
        )
        return goal, turns, places, a

    shape, _ = at(start)
    x = shape.copy()
    v = (at(start + 1e-6)[0] - at(start - 1e-6)[0]) / 2e-6
    steps = int(round((end - start) / step))
    h = (end - start) / steps
    root = np.sqrt(np.repeat(mass, 3))
    for k in range(steps):
        # Half a step of drift, the forces in the middle, half a step of drift: second order.
        x = x + 0.5 * h * v
        t = start + (k + 0.5) * h
        shape, _ = at(t)
        along = (at(t + 1e-6)[0] - at(t - 1e-6)[0]) / 2e-6
        if k == 0:
            places = None
        goal, turns, places, a = fitted(x, shape, turns, places, 1 if k else 3)

        def rigid(field, a=a):
            u = np.linalg.lstsq(root[:, None] * a, root * field.ravel(), rcond=1e-9)[0]
            return (a @ u).reshape(-1, 3)

        pull = slow**2 * (shape - x) + stiff * (goal - x)
        # Dampers by the implicit midpoint rule: exact enough at this step for any damping.
        rate = v + 0.5 * h * pull - along
        part = rigid(rate)
        c_slow, c_fast = 2 * flesh.damping * slow, 2 * flesh.damping * fast
        rate = part / (1 + 0.5 * h * c_slow) + (rate - part) / (1 + 0.5 * h * c_fast)
        middle = rate + along
        v = 2 * middle - v
        x = x + 0.5 * h * v
    return x
