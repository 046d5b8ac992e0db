// A small read-only plot over frames; a click goes to the frame, the current one is marked.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Player } from "../time/player.ts";

export interface Line {
  label: string;
  values: ArrayLike<number>;
  colour: string;
}

export function Plot({
  title,
  lines,
  unit,
  player,
  low,
  high,
}: {
  title: string;
  lines: Line[];
  unit: string;
  player: Player;
  low?: number;
  high?: number;
}) {
  const home = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = home.current!;
    const style = getComputedStyle(element);
    // Asked for at every drawing: light may become dark.
    const colour = (name: string) => () => style.getPropertyValue(`--${name}`).trim();
    const count = Math.max(...lines.map((l) => l.values.length));
    const axis = {
      stroke: colour("quiet"),
      font: "10px system-ui",
      grid: { stroke: colour("edge"), width: 1 },
      ticks: { show: false },
    };
    const mark = (u: uPlot) => {
      const x = u.valToPos(player.frame.peek(), "x", true);
      u.ctx.save();
      u.ctx.strokeStyle = colour("accent")();
      u.ctx.lineWidth = 1.5 * devicePixelRatio;
      u.ctx.beginPath();
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
      u.ctx.restore();
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: 84,
        legend: { show: false },
        cursor: { x: false, y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false }, y: { range: (_u, a, b) => [low ?? a, high ?? (b > a ? b : a + 1)] } },
        axes: [
          { ...axis, size: 18, space: 60 },
          { ...axis, size: 38, space: 15 },
        ],
        padding: [6, 6, 0, 0],
        series: [{}, ...lines.map((l) => ({ label: l.label, stroke: l.colour, width: 1.3 }))],
        hooks: { draw: [mark] },
      },
      [
        Array.from({ length: count }, (_, i) => i),
        ...lines.map((l) => Array.from(l.values)),
      ] as uPlot.AlignedData,
      element,
    );
    const jump = () => {
      if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) {
        player.playing.value = false;
        player.seek(plot.cursor.idx);
      }
    };
    plot.over.addEventListener("click", jump);
    const stop = effect(() => {
      void player.frame.value;
      plot.redraw(false);
    });
    const watch = new ResizeObserver(
      () => element.clientWidth && plot.setSize({ width: element.clientWidth, height: 84 }),
    );
    watch.observe(element);
    const themes = new MutationObserver(() => plot.redraw(false, true));
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      stop();
      themes.disconnect();
      watch.disconnect();
      plot.destroy();
    };
  }, [lines, player]);
  return (
    <figure class="plot">
      <figcaption>
        {title} <small>[{unit}]</small>
      </figcaption>
      <div ref={home} role="img" aria-label={`${title} over frames; click to go to a frame`} />
    </figure>
  );
}
