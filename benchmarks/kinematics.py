"""Batched kinematics against loops in Pinocchio and MuJoCo: the work of ``poise.speed.kinematics``.

python -m benchmarks.kinematics
"""

from __future__ import annotations

from typing import Any

from poise.kinematics import Kinematics
from poise.speed.interleaved import interleaved
from poise.speed.kinematics import KinematicsWork


def run(frames: int = 1000, rounds: int = 15) -> list[dict[str, Any]]:
    """Metrics: key, value, unit, direction, peer, ratio (peer's time over ours)."""
    work = KinematicsWork(frames)
    duels = {"pinocchio": work.pinocchio(), "mujoco": work.mujoco()}
    for duel in duels.values():
        duel.agree()

    def pose_by_pose() -> None:
        kin = Kinematics(work.character, work.q[0], work.v[0])
        kin.point_jacobians(work.points)
        _ = kin.com_jacobian, kin.momentum

    theirs = {name: duel.theirs for name, duel in duels.items()}
    took = interleaved({"poise": work.ours, **theirs, "one pose": pose_by_pose}, rounds)
    rows: list[dict[str, Any]] = [
        {
            "key": f"kinematics/{frames} frames, against {peer}",
            "value": 1e3 * took["poise"],
            "unit": "ms",
            "direction": "lower",
            "peer": f"{peer} loop",
            "ratio": took[peer] / took["poise"],
        }
        for peer in duels
    ]
    rows.append(
        {
            "key": "kinematics/one pose through Python",
            "value": 1e6 * took["one pose"],
            "unit": "µs",
            "direction": "lower",
            "peer": "pinocchio, one frame",
            "ratio": took["pinocchio"] / frames / took["one pose"],
        }
    )
    return rows


if __name__ == "__main__":
    for row in run():
        print(f"{row['key']:36s} {row['value']:9.2f} {row['unit']:3s} {row['ratio']:6.1f} × {row['peer']}")
