"""What is known about the captures, read off their labels and pictures, never off the detector."""

from __future__ import annotations

WRONG_RATE = ("75_12", "75_13", "87_04", "87_05", "88_05", "141_01", "143_04", "143_01", "88_01")
"""Recorded at 60 frames per second; their headers say 120."""
TORN = ("111_06", "111_12", "111_21", "64_01", "90_21")
"""Knees that jump by 30 cm, feet 13 to 31 cm below the floor: recordings that are wrong."""
SURFACES: dict[str, tuple[tuple[float, ...], float]] = {
    "13_35": ((20, 40, 63), 2),
    "13_36": ((20, 40, 63), 2),
    "114_07": ((13, 31, 44), 2),
    "111_31": ((26,), 2),
    "83_23": ((15,), 2),
    "13_33": ((30, 58, 88), 2),
    "03_01": ((12, 24, 35), 2),
    "114_05": ((45,), 10),
    "143_18": ((39,), 10),
    "82_07": ((), 0),
}
"""Heights of steps and seats above the floor [cm], and how far off they may be."""
RATES: dict[str, tuple[float, int | None]] = {
    "75_12": (2.0, 4),
    "75_13": (2.0, 4),
    "punch": (1.0, None),
    "run": (1.0, None),
}
"""Times too fast, and flights there are at the right pace."""
BELTS = ("07_01", "16_15", "06_04", "02_01")
"""Walks that are made to go in place."""
MANNERS: tuple[tuple[str, str, float, str], ...] = ()
