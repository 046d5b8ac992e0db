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
MANNERS: tuple[tuple[str, str, float, str], ...] = (
    ("walk", "left foot", 0.3, "rolls"),
    ("walk", "right foot", 0.8, "rolls"),
    ("run", "left foot", 0.12, "rolls"),
    ("jump", "left foot", 0.5, "rolls"),  # heels leave a tenth of a second before the toes
    ("jump", "left foot", 2.2, "stands"),
    ("07_01", "left foot", 0.8, "rolls"),
    ("16_15", "right foot", 0.8, "rolls"),
    ("105_03", "right foot", 3.6, "rolls"),
    ("13_35", "left foot", 2.4, "rolls"),
    ("79_10", "left foot", 3.0, "stands"),
    ("49_22", "left foot", 5.0, "stands"),
    ("76_06", "right foot", 1.5, "stands"),
    ("143_18", "left foot", 1.5, "stands"),
    ("21_13", "left foot", 0.5, "stands"),
    ("77_09", "left foot", 2.0, "pivots"),
)
"""Clip, part, a time at which it touches [s], and how: read off heights, speeds and footprints of ankles,
balls and tips of toes, drawn from the files alone."""
