// Edges between parts of the screen: dragged, or moved by arrow keys; a double click puts one back.
import { effect } from "@preact/signals";
import { remembered } from "./remembered.ts";

const START = { left: 210, right: 300, bottom: 0 };
type Edge = keyof typeof START;
/** How large parts are [px]; 0: a third of the screen. */
export const sizes = remembered("sizes", START);
const STEP = 16;
const LEAST: Record<Edge, number> = { left: 150, right: 200, bottom: 150 };
const NAMES: Record<Edge, string> = {
  left: "width of the outliner",
  right: "width of the inspector",
  bottom: "height of the time line",
};

/** What the style sheet lays the screen out by. */
export function layingOut(): () => void {
  return effect(() => {
    const { left, right, bottom } = sizes.value;
    const style = document.documentElement.style;
    style.setProperty("--left", `${left}px`);
    style.setProperty("--right", `${right}px`);
    if (bottom) style.setProperty("--bottom", `${bottom}px`);
    else style.removeProperty("--bottom");
  });
}

/** No part may leave too little of the stage. */
function bounded(edge: Edge, size: number): number {
  const room = edge === "bottom" ? innerHeight - 260 : innerWidth / 2 - 60;
  return Math.round(Math.min(Math.max(size, LEAST[edge]), Math.max(room, LEAST[edge])));
}

const set = (edge: Edge, size: number): void => {
  sizes.value = { ...sizes.value, [edge]: size };
};

export function Splitter({ edge }: { edge: Edge }) {
  const size = () => sizes.value[edge] || Math.round(innerHeight / 3);
  const grow = edge === "left" ? 1 : -1;
  const down = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    const from = edge === "bottom" ? event.clientY : event.clientX;
    const start = size();
    bar.setPointerCapture(event.pointerId);
    bar.onpointermove = (e) =>
      set(edge, bounded(edge, start + grow * ((edge === "bottom" ? e.clientY : e.clientX) - from)));
    bar.onpointerup = bar.onpointercancel = () => {
      bar.onpointermove = bar.onpointerup = bar.onpointercancel = null;
    };
  };
  const key = (event: KeyboardEvent) => {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(edge, bounded(edge, size() + grow * way * STEP));
  };
  return (
    <hr
      class={`splitter ${edge}`}
      aria-orientation={edge === "bottom" ? "horizontal" : "vertical"}
      aria-label={NAMES[edge]}
      aria-valuenow={size()}
      tabIndex={0}
      onPointerDown={down}
      onKeyDown={key}
      onDblClick={() => set(edge, START[edge])}
    />
  );
}
