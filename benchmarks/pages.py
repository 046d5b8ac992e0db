"""Measured numbers of the documentation: ``python -m benchmarks.pages [TABLE …]``

Writes tables between ``<!-- figures: NAME -->`` and ``<!-- end of figures -->`` in ``docs`` anew, all or
those that are named, and prints them. Times are processor times on one thread, kernels compiled. Tables of
captures need ``shared/data`` beside the checkout: without it they stay as they are, and that is printed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

import poise
from benchmarks import adapt, faces, papers, plan, retarget
from poise.methods.adapt.plants.detect import detect
from poise.methods.plan.scene import bundled as scenes
from poise.workers import algebra_on_one_thread, on_threads

ROOT = Path(__file__).resolve().parents[1]
MARKED = re.compile(r"(<!-- figures: ([\w ]+) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)


PAIRS = {
    "walk": "bundled walk, smaller twin",
    "captured walk, mujoco humanoid": "captured walk, MuJoCo's humanoid",
    "captured walk, humanoid_CMU": "captured walk, dm_control's CMU humanoid",
    "captured walk": "captured walk, Poise's humanoid",
}
"""What ``benchmarks.retarget`` compares, in words."""


class NoDataError(Exception):
    """There are no captures beside the checkout."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace(" --- ", "---")


def two(number: float) -> str:
    """Two significant digits; rounding errors are none."""
    return "0" if abs(number) < 1e-3 else np.format_float_positional(number, 2, fractional=False, trim="-")


def planned_scenes() -> str:
    """How far scenes go, and how far linear forces are from true ones."""
    rows = []
    for name in scenes.SCENES:
        looks = poise.plan(name, grounded=False).report.details["segments"]
        stances = [look for look in looks if look["greatest_vertical"] > 0]
        ratios = ", ".join(two(look["effort_ratio"]) for look in looks if look["effort_ratio"] > 0)
        rows.append(
            (
                name,
                f"{max(look['most_turn'] for look in looks):.1f}",
                f"{min(look['least_vertical'] for look in stances):.2f}",
                two(max(look["friction"] for look in stances)),
                ratios,
            )
        )
    head = ("scene", "largest turn [rad]", "least vertical force [weights]", "friction needed")
    return table((*head, "E_true/E_lin, segment by segment"), rows)


@algebra_on_one_thread()
def speed_of_plans() -> str:
    """The paper's Table 1 over ours."""
    rows = []
    for what, refined in (("search alone", False), ("refined", True)):
        ratios = [printed / plan.table_row(name, 3, refined=refined) for name, printed in plan.PAPER.items()]
        mean = float(np.exp(np.mean(np.log(ratios))))
        rows.append((what, *(f"{two(ratio)}×" for ratio in (*ratios, mean))))
    return table(("", *plan.PAPER, "geometric mean"), rows)


def loose_faces() -> str:
    """Vertices of faces."""
    rows = []
    with on_threads(1):
        for name, size in faces.SIZES.items():
            whole, scrub = faces.loosening(name, faces.acting(faces.dome(*size)))[0][:2]
            numbers = (whole["value"], whole["ratio"], scrub["value"])
            rows.append((name.removesuffix(" vertices"), *map(two, numbers)))
    return table(("vertices", "whole clip [frames/s]", "× stepping with NumPy", "scrub [ms]"), rows)


def other_characters() -> str:
    """A captured walk on others."""
    clip, rows = captured("walk"), []
    for name, other in adapt.others(clip).items():
        _, seconds, result = adapt.best(lambda other=other: poise.retarget(clip, other), 2)
        off = max(o.error for o in result.report.outcomes if o.name.startswith("plant"))
        rows.append((name, f"{1e3 * off:.1f} mm", two(clip.frames / 60 / seconds)))
    return table((f"walk, {clip.frames} frames, on", "planted points off", "times real time at 60 fps"), rows)


def square() -> str:
    """The paper's Fig. 6."""
    sys.path.insert(0, str(ROOT / "examples"))
    drawn, rows = import_module("42_adapt_square").scene(), []
    for name in drawn.ways:
        way, _, keys = name.removesuffix(" keys").partition(", ")
        words = {"each frame": "inverse kinematics, frame by frame", "map": "displacement map"}
        words |= {"solved": "solved over the clip", "finished": "… and finished by a finer displacement"}
        best = f"{1e3 * drawn.best(int(keys)):.1f}" if keys else "–"
        numbers = (f"{1e3 * drawn.error(name):.1f}", f"{drawn.jerk(name):.2f}", best)
        rows.append((words[way], keys or "–", *numbers))
    return table(("way", "keys", "path off [mm]", "jerk [m/s³]", "any cubic [mm]"), rows)


def standing_feet() -> str:
    """What it costs captures that their feet stand."""
    rows = []
    for name in adapt.CAPTURES:
        clip = captured(name)
        plants = detect(clip)
        usual, exact = (poise.adapt(clip, plants, floor=True, exact=e, plants=False) for e in (False, True))
        told, dear = usual.report.details["manner"], exact.report.details["manner"]
        was, slide = told["slide"]
        knees, jerk, knees_exact, jerk_exact = (
            f"× {d[part][1] / d[part][0]:.2f}" for d in (told, dear) for part in ("knees", "jerk")
        )
        off = f"{1e3 * adapt.misses(exact)['max']:.2f} mm"
        rows.append(
            (name, str(len(plants)), f"{100 * was:.1f} → {100 * slide:.1f}", knees, jerk,
             f"{off}, {knees_exact}, {jerk_exact}")
        )  # fmt: skip
    head = ("capture", "plants", "slide [cm/s]", "knees, 99 %", "jerk")
    return table((*head, "exact: farthest off, knees, jerk"), rows)


def beside_mink() -> str:
    """Retargeting beside mink, on the same pairs."""
    if not retarget.SHARED.is_dir():
        raise NoDataError
    rows = []
    for name, clip, target in retarget.pairs():
        result = poise.retarget(clip, target)
        both = (result.clip, retarget.by_mink(clip, target))
        slides = [100 * retarget.slide(result.plants, each) for each in both]
        off = [retarget.directions_off(clip, each) for each in both]
        name = PAIRS[name]
        rows.append((name, "slide", *(f"{two(s)} cm/s" for s in slides)))
        rows.append((name, "bones off, median", *(f"{two(np.median(o))}°" for o in off)))
        rows.append((name, "bones off, 98th percentile", *(f"{two(np.percentile(o, 98))}°" for o in off)))
    return table(("motion and target", "measure", "Poise", "mink"), rows)


def captured(name: str) -> poise.Clip:
    """A capture of ``benchmarks.adapt``."""
    if not adapt.DATA.exists():
        raise NoDataError
    return adapt.capture(name)


TABLES: dict[str, Callable[[], str]] = {
    "papers": papers.table,
    "scenes": planned_scenes,
    "speed of plans": speed_of_plans,
    "faces": loose_faces,
    "others": other_characters,
    "square": square,
    "captures": standing_feet,
    "mink": beside_mink,
}
"""By the names in the marks of pages."""


def written(page: Path, chosen: Sequence[str]) -> None:
    """A page with its tables made anew."""

    def fresh(mark: re.Match[str]) -> str:
        begin, name, before, end = mark.groups()
        if chosen and name not in chosen:
            return mark.group()
        try:
            found = TABLES[name]()
        except NoDataError:
            print(f"{page.name}, {name}: not measured: there is no shared/data beside the checkout")
            found = before
        print(f"{page.name}, {name}\n{found}", flush=True)
        return f"{begin}{found}{end}"

    text = page.read_text(encoding="utf-8")
    if MARKED.search(text):
        page.write_text(MARKED.sub(fresh, text), encoding="utf-8")


def main() -> None:
    """Every page."""
    chosen = sys.argv[1:]
    unknown = set(chosen) - set(TABLES)
    if unknown:
        sys.exit(f"no table named {', '.join(unknown)} (available: {', '.join(TABLES)})")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        written(page, chosen)


if __name__ == "__main__":
    main()
