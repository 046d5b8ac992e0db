"""One page of curves about a clip: what moves, what carries it, what was found."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.character.human_strength import PEAK, joint_limits
from poise.gravity import EARTH
from poise.plausibility.finding import SERIOUS
from poise.plausibility.skate import sliding_velocity
from poise.plot_page import ACCENT, COLOURS, FAINT, INK, OTHERS, QUESTION, SIDES, blank_page, write_page
from poise.world import Box

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.plausibility.physics import Physics
    from poise.plausibility.report import PlausibilityReport

AXES = ("#c8402b", "#3d8b5a", "#2b62c8")
PRESSING = 0.4
"""Centres of pressure are drawn from this share of the weight on."""
SHAPE = 1.6
"""Width over height of the view from above."""
WIDE = 90
"""Verdicts of more letters are set smaller, in lines."""
ASKED = 4
"""Questions that fit on it …"""
LISTED = 9
"""Findings that fit on the page."""


def plot(report: PlausibilityReport, path: str | Path) -> Path:
    """Draw the page and write it: PNG, PDF or SVG, by the extension."""
    path, figure = blank_page(path, 15, 10)
    grid = figure.add_gridspec(
        1, 2, width_ratios=(1.55, 1), left=0.06, right=0.98, top=0.92, bottom=0.06, wspace=0.15
    )
    curves(figure, grid[0], report)
    side = grid[1].subgridspec(3, 1, height_ratios=(2.0, 1.35, 1.15), hspace=0.32)
    _map(figure.add_subplot(side[0]), report)
    _torques(figure.add_subplot(side[1]), report)
    _words(figure.add_subplot(side[2]), report)
    colour = INK if report.plausible else ACCENT
    verdict, size = (
        (report.verdict, 15.0) if len(report.verdict) < WIDE else ("\n".join(wrap(report.verdict, 130)), 11.0)
    )
    figure.text(0.06, 0.967, verdict, fontsize=size, color=colour, weight="bold", va="center")
    figure.text(0.98, 0.965, f"score {report.score:.2f}", fontsize=13, color=colour, ha="right", va="center")
    return write_page(figure, path, dpi=110)


def curves(figure: Any, cell: Any, report: PlausibilityReport) -> list[Any]:
    """Draw the curves of a report over time, in a cell of a figure's grid; the axes."""
    grid = cell.subgridspec(5, 1, height_ratios=(2.2, 1.6, 1.6, 1.6, 0.5), hspace=0.16)
    rows = [figure.add_subplot(grid[k]) for k in range(5)]
    for draw, ax in zip((_height, _load, _spin, _slide, _score), rows):
        _shade(ax, report, phases=ax is not rows[-1])
        draw(ax, report)
        ax.set_xlim(0, max(report.physics.clip.duration, report.physics.clip.dt))
        ax.label_outer()
    rows[-1].set_xlabel("time [s]")
    return rows


def _shade(ax: Any, report: PlausibilityReport, *, phases: bool) -> None:
    """The phases behind a curve."""
    dt, last = report.physics.clip.dt, report.physics.clip.duration
    for phase in report.phases if phases else ():
        a, b = (phase.start - 0.5) * dt, (phase.end + 0.5) * dt
        # A loop's last phase goes on at its start.
        spans = [(a, b)] if not report.physics.clip.loop else [(a, b), (a - last, b - last)]
        for start, end in spans:
            ax.axvspan(start, end, color=COLOURS[phase.kind], lw=0, zorder=0)
        if phase.kind == "support":
            ax.axvline(a, color="white", lw=0.8, zorder=0.5)
    ax.tick_params(labelsize=9, colors=INK)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _none(ax: Any, text: str) -> None:
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=FAINT, fontsize=10)


def _title(ax: Any, text: str) -> None:
    ax.set_title(text, loc="left", fontsize=10, color=INK, pad=3)


def _height(ax: Any, report: PlausibilityReport) -> None:
    physics = report.physics
    take, times = physics.take, physics.clip.times
    _title(ax, "centre of mass above the floor [m]")
    if physics.forces is None:
        _none(ax, "no mass, so no centre of mass")
        return
    com = take.raw.com[take.own]
    ax.plot(times, com[:, 2] - physics.footing.level(com), color=INK, lw=1.6)
    for phase in report.flights:
        if (fit := phase.parabola) is None:
            continue
        n = fit.end - fit.start + 1
        t = take.dt * np.arange(n, dtype=np.float64)
        base = physics.footing.level(take.raw.com[fit.start + take.lead : fit.end + take.lead + 1])
        ax.plot(t + fit.start * take.dt, fit.height(t) - base, color=ACCENT, lw=2.2, ls=(0, (3, 1.2)))
        middle = n // 2
        label = (
            f"g {fit.gravity:.1f}"
            if len(report.flights) > 3
            else f"g = {fit.gravity:.1f} ± {fit.uncertainty:.1f}"
        )
        place = ((fit.start + middle) * take.dt, float(fit.height(t[middle : middle + 1])[0] - base[middle]))
        if place[0] <= physics.clip.duration:
            style = {"ha": "center", "va": "bottom", "fontsize": 8.5, "color": ACCENT}
            ax.annotate(label, place, (0, 5), textcoords="offset points", **style)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.14 * (high - low))
    handles = [_patch(COLOURS[k]) for k in ("support", "flight", "unexplained")]
    names = ["carried", "flight (dashed: fitted parabola)", "held by something unseen"]
    ax.legend(
        handles, names, loc="upper right", fontsize=8, ncols=3, frameon=False, bbox_to_anchor=(1.0, 1.13)
    )


def _patch(colour: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor=FAINT, lw=0.5)


def _load(ax: Any, report: PlausibilityReport) -> None:
    physics = report.physics
    total = physics.forces
    paced = total is not None and total.gravity != EARTH
    _title(ax, "vertical force / weight" + (" (as felt at the right speed)" if paced else ""))
    if total is None:
        _none(ax, "no mass")
        return
    own = physics.take.own
    ax.axhline(1, color=FAINT, lw=0.8, ls=":")
    ax.axhline(0, color=FAINT, lw=0.8)
    ax.plot(physics.clip.times, total.load[own], color=INK, lw=1.4)
    ax.set_ylim(
        min(-0.3, max(float(total.load[own].min()), -3)),
        max(2.0, min(float(total.load[own].max()) * 1.05, 8)),
    )


def _spin(ax: Any, report: PlausibilityReport) -> None:
    physics = report.physics
    _title(ax, "angular momentum about the centre of mass [kg·m²/s]")
    if physics.forces is None:
        _none(ax, "no mass")
        return
    spin = physics.forces.momentum[physics.take.own, 3:]
    for k, name in enumerate("xyz"):
        ax.plot(physics.clip.times, spin[:, k], color=AXES[k], lw=1.2, label=name)
    ax.axhline(0, color=FAINT, lw=0.6)
    ax.legend(loc="upper right", fontsize=8, ncols=3, frameon=False, borderpad=0.1)


def _slide(ax: Any, report: PlausibilityReport) -> None:
    physics = report.physics
    take = physics.take
    _title(ax, "speed of what stands, at its stillest point [cm/s]")
    drawn: dict[str, str] = {}
    for contact in report.contacts:
        if contact.part not in physics.footing.feet or not contact.surface:
            continue
        label = "_" if contact.part in drawn else contact.part
        colour = drawn.setdefault(contact.part, SIDES.get(contact.part, OTHERS[len(drawn) % len(OTHERS)]))
        a, b = physics.footing.spans(contact)[1 if take.lead else 0]
        speed = 100 * np.linalg.norm(sliding_velocity(physics, contact, a, b), axis=1)
        times = take.dt * (np.arange(a, b + 1, dtype=np.float64) - take.lead)
        ax.plot(times, speed, color=colour, lw=1.3, label=label)
        if physics.clip.loop:
            ax.plot(times - physics.clip.duration, speed, color=colour, lw=1.3, label="_")
    if not drawn:
        _none(ax, "no foot stands")
        return
    ax.set_ylim(0, max(20.0, min(ax.get_ylim()[1], 120.0)))
    ax.legend(loc="upper right", fontsize=8, ncols=4, frameon=False, borderpad=0.1)


def _score(ax: Any, report: PlausibilityReport) -> None:
    _title(ax, "score")
    times, dt = report.physics.clip.times, report.physics.clip.dt
    colours = [ACCENT if s < SERIOUS else "#e3a23b" if s < 0.85 else "#6fa56f" for s in report.curve]
    ax.bar(times, np.ones_like(times), width=dt, color=colours, alpha=0.3, align="center", lw=0)
    ax.bar(times, report.curve, width=dt, color=colours, align="center", lw=0)
    ax.set_ylim(0, 1.05)
    ax.set_yticks([0, 0.5, 1])


def _map(ax: Any, report: PlausibilityReport) -> None:
    """From above: soles of every support, the centre of mass and the centre of pressure."""
    physics = report.physics
    take, total = physics.take, physics.forces
    down = physics.footing.places[take.own][physics.footing.touching[take.own]]
    near = np.concatenate([take.raw.positions[take.own, 0, :2], down[:, :2]])
    # The way goes across the page, whichever way it goes in the world.
    turned = np.ptp(near[:, 1]) > np.ptp(near[:, 0])
    page = np.array([[0.0, -1.0], [1.0, 0.0]]) if turned else np.eye(2)
    way = "y to the right" if turned else "x to the right"
    ax.set_title(f"from above [m], {way}", loc="left", fontsize=10, color=INK, pad=3)
    marked = False
    for phase in report.phases:
        if phase.kind != "support":
            continue
        polygon = physics.polygon((phase.start + phase.end) // 2 + take.lead)
        if polygon is not None:
            style = {"facecolor": COLOURS["support"], "edgecolor": FAINT, "lw": 0.7, "alpha": 0.75}
            ax.fill(*(polygon @ page).T, label="_" if marked else "support polygon", **style)
            marked = True
    if total is not None:
        own = take.own
        ax.plot(*(total.com[own, :2] @ page).T, color=INK, lw=1.4, label="centre of mass")
        pressed = (total.load > PRESSING) & physics.footing.touching.any(axis=1)
        spots = total.pressure[own][pressed[own]] @ page
        ax.plot(*spots.T, color=ACCENT, lw=0, marker=".", ms=2.5, label="centre of pressure")
    _surfaces(ax, physics, page)
    near = near @ page
    middle, half = 0.5 * (near.max(axis=0) + near.min(axis=0)), 0.5 * np.ptp(near, axis=0) + 0.25
    reach = max(float(half[0]), SHAPE * float(half[1]))
    ax.set_xlim(middle[0] - reach, middle[0] + reach)
    ax.set_ylim(middle[1] - reach / SHAPE, middle[1] + reach / SHAPE)
    ax.set_aspect("equal")
    ax.tick_params(labelsize=9, colors=INK)
    if marked or total is not None:
        ax.legend(loc="best", fontsize=8, framealpha=0.85, edgecolor="none")


def _surfaces(ax: Any, physics: Physics, page: Array) -> None:
    """Boxes from above; dashed where they are only assumed."""
    for surface in physics.world.surfaces:
        if isinstance(surface.shape, Box):
            (x, y, _), (a, b, _) = surface.place, surface.shape.half
            turn = surface.turn[2]
            spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            corners = np.array([[-a, -b], [a, -b], [a, b], [-a, b]]) @ spin.T + [x, y]
            asked = surface.source == "found"
            style = {
                "facecolor": "none",
                "edgecolor": QUESTION if asked else INK,
                "lw": 1.1,
                "ls": "--" if asked else "-",
            }
            ax.fill(*(corners @ page).T, zorder=4, **style)
            ax.annotate(
                surface.name,
                (corners @ page)[0],
                fontsize=8,
                zorder=5,
                weight="bold",
                color=style["edgecolor"],
            )


def _torques(ax: Any, report: PlausibilityReport) -> None:
    """Peak torque of every kind of joint over what people can do."""
    physics = report.physics
    ax.set_title(
        "largest joint torques / what a strong person can", loc="left", fontsize=10, color=INK, pad=3
    )
    limits = joint_limits(physics.clip.character)
    if physics.torques is None or not limits or physics.forces is None:
        _none(ax, "not judged")
        ax.set_axis_off()
        return
    pace = physics.forces.gravity / EARTH
    own = physics.take.own
    peaks: dict[str, float] = {}
    for i, (kind, limit) in limits.items():
        torque = physics.torques.magnitude[own, i]
        known = torque[np.isfinite(torque)]
        if len(known):
            # The very largest frames are noise: what 1 % of them exceed.
            peaks[kind] = max(peaks.get(kind, 0.0), float(np.quantile(known, 0.99)) / limit / pace)
    kinds = [kind for kind in PEAK if kind in peaks]
    values = [peaks[kind] for kind in kinds]
    ax.barh(kinds, values, color=[ACCENT if v > 1.3 else "#7f93a8" for v in values], height=0.65)
    ax.axvline(1, color=INK, lw=1, ls=":")
    ax.set_xlim(0, max(1.25, min(max(values, default=1.0) * 1.15, 6)))
    for y, value in enumerate(values):
        ax.text(min(value, 5.5) + 0.02, y, f"{value:.2f}", va="center", fontsize=8, color=INK)
    ax.invert_yaxis()
    ax.tick_params(labelsize=9, colors=INK)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _words(ax: Any, report: PlausibilityReport) -> None:
    """The worst findings, in words."""
    ax.set_axis_off()
    ax.set_title("findings", loc="left", fontsize=10, color=INK, pad=3)
    lines: list[tuple[str, str]] = []
    for question in report.questions[:ASKED]:
        text = f"{question.start * report.physics.clip.dt:.2f} s  if {question.words}"
        lines += [(line, QUESTION) for line in wrap(text, 84, subsequent_indent="      ")]
    said: set[tuple[str, str]] = set()
    for finding in report.findings:
        if (finding.kind, finding.where) in said:
            continue
        said.add((finding.kind, finding.where))
        text = f"{finding.start * report.physics.clip.dt:.2f} s  {finding.words}"
        colour = ACCENT if finding.serious else INK
        wrapped = wrap(text, 84, subsequent_indent="      ")
        if len(lines) + len(wrapped) > LISTED:
            lines.append(("…", INK))
            break
        lines += [(line, colour) for line in wrapped]
    if not (report.findings or report.questions):
        lines.append(("none", INK))
    lines.append((f"floor {report.floor}", FAINT))
    for k, (line, colour) in enumerate(lines):
        ax.text(0.0, 0.97 - 0.094 * k, line, transform=ax.transAxes, fontsize=8.5, color=colour, va="top")
