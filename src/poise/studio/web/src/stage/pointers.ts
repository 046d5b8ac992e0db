// What the pointer and a few keys do on the stage: hovering says what a press would do, a press on a handle
// or a body drags it, anything else is the camera's. G grabs what is selected or picked until the next click;
// while something is dragged X, Y and Z lock an axis, and Ctrl makes it go by round steps.
import { together } from "../pose/posing.ts";
import { typing } from "../shell/keys.ts";
import type { Store } from "../store.ts";
import type { Drag } from "./drag.ts";
import type { Axis, Handle } from "./handle.ts";
import type { Labels } from "./labels.ts";
import { localRoot } from "./local_root.ts";
import type { Stage } from "./stage.ts";

export interface Reach {
  /** What would be grabbed at a pixel, within reach of a mouse or a finger. */
  grab: (
    x: number,
    y: number,
    finger: boolean,
    turning: boolean,
  ) => { handle?: Handle | undefined; body: number } | undefined;
  /** The handle of what was selected or picked last, to be grabbed by a key. */
  selected: () => Handle | undefined;
  hover: (found: { handle?: Handle | undefined; body: number } | undefined) => void;
}

const CURSORS: Partial<Record<Handle["kind"], string>> = {
  plant: "move",
  apex: "ns-resize",
  ring: "ew-resize",
  surface: "move",
  size: "nwse-resize",
  spin: "alias",
  body: "pointer",
  move: "move",
};
const EMPTY = "drag: orbit · right-drag: pan · wheel: zoom";
const HELD = "X Y Z: along an axis · Ctrl: snap · Esc: cancel";
const TURNED = "X Y Z: about an axis · Ctrl: by 15° · Esc: cancel";
const ROLLED = "R: freely, and back · Ctrl: by 15° · Esc: cancel";

export function pointers(stage: Stage, drag: Drag, store: Store, labels: Labels, reach: Reach): () => void {
  const { canvas, controls } = stage;
  const mouse = { x: 0, y: 0, inside: false };
  let holder = -1;
  let modal = false;
  let wanted = false;
  /** Ctrl is down since the press that turns a body: it asks for round steps only when pressed anew. */
  let spent = false;

  const look = () => {
    wanted = false;
    if (drag.active || !mouse.inside) return;
    const found = reach.grab(mouse.x, mouse.y, false, false);
    reach.hover(found);
    canvas.style.cursor = found?.handle ? (CURSORS[found.handle.kind] ?? "grab") : "default";
    labels.say(words(store, found));
  };
  const hold = () => {
    canvas.style.cursor = "grabbing";
    const held = drag.handle.value;
    if (!held) return;
    const turns = held.kind === "axis" || held.kind === "turn" || held.kind === "spin";
    const axis = drag.axis.value ? ` ${turns ? "about" : "along"} ${drag.axis.value.toUpperCase()}` : "";
    labels.say(
      `${held.name}${axis}${drag.told && `: ${drag.told}`} · ${held.roll ? ROLLED : turns ? TURNED : HELD}`,
    );
  };
  const round = (event: { ctrlKey: boolean; metaKey: boolean }) => {
    const wanted = event.ctrlKey || event.metaKey;
    if (!wanted) spent = false;
    drag.snap(wanted && !spent);
  };
  const release = () => {
    holder = -1;
    modal = false;
    controls.enabled = true;
    look();
  };

  // With Alt the wheel goes through time, as in other programs; before the controls hear of it.
  const wheel = (event: WheelEvent) => {
    if (!event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    store.player.step(Math.sign(event.deltaY || event.deltaX));
  };

  const down = (event: PointerEvent) => {
    if (modal) {
      event.stopImmediatePropagation();
      if (event.button === 0) drag.up();
      else drag.cancel();
      return release();
    }
    if (holder >= 0) {
      drag.cancel(); // a second finger: never mind
      return release();
    }
    if (event.button !== 0 || event.altKey) return;
    const found = reach.grab(
      event.clientX,
      event.clientY,
      event.pointerType === "touch",
      event.ctrlKey || event.metaKey,
    );
    if (found && event.shiftKey && found.body >= 0) {
      localRoot.value = localRoot.value === found.body ? -1 : found.body;
      event.stopImmediatePropagation();
      return;
    }
    if (!found?.handle || found.handle.kind === "body") together.value = new Set();
    store.body.value = found?.body ?? -1;
    if (!found?.handle) return;
    spent = found.handle.kind === "body" && (event.ctrlKey || event.metaKey);
    drag.down(found.handle, event.clientX, event.clientY);
    holder = event.pointerId;
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    canvas.style.cursor = "grabbing";
  };
  const move = (event: PointerEvent) => {
    Object.assign(mouse, { x: event.clientX, y: event.clientY, inside: true });
    if (modal || (drag.active && event.pointerId === holder)) {
      round(event);
      drag.move(event.clientX, event.clientY);
      hold();
    } else if (!event.buttons && !wanted) {
      wanted = true;
      requestAnimationFrame(look);
    }
  };
  const up = (event: PointerEvent) => {
    if (event.pointerId !== holder) return;
    drag.up();
    release();
  };
  const lost = (event: PointerEvent) => {
    if (event.pointerId !== holder) return;
    drag.cancel();
    release();
  };
  const leave = () => {
    mouse.inside = false;
    if (drag.active) return;
    reach.hover(undefined);
    labels.say("");
  };
  /** Before the key map: while something is dragged keys are about the drag. */
  const key = (event: KeyboardEvent) => {
    const letter = event.key.toLowerCase();
    if (!drag.active) {
      if (
        letter !== "g" ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.shiftKey ||
        typing(event.target) ||
        document.querySelector("[aria-modal=true]")
      )
        return;
      const handle = reach.selected();
      if (!handle)
        return store.note(
          "select a body, or a handle visible at this frame, then press G to grab it",
          "problem",
        );
      if (!mouse.inside)
        return store.note(`move the pointer over the stage, then press G to grab ${handle.name}`, "problem");
      drag.down(handle, mouse.x, mouse.y);
      modal = true;
      controls.enabled = false;
      hold();
      event.stopImmediatePropagation();
      return;
    }
    if (event.key === "Escape") {
      drag.cancel();
      release();
    } else if (modal && event.key === "Enter") {
      drag.up();
      release();
    } else if (letter === "x" || letter === "y" || letter === "z") {
      drag.lock(letter as Axis);
      hold();
    } else if (letter === "r" && drag.freely()) {
      hold();
    } else if (event.key === "Control" || event.key === "Meta") {
      round(event);
      hold();
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  const released = (event: KeyboardEvent) => {
    if (!drag.active || (event.key !== "Control" && event.key !== "Meta")) return;
    round(event);
    hold();
  };

  const signal = new AbortController();
  const how = { signal: signal.signal };
  // Before the camera's own listeners, so that what is grabbed is not also turned around.
  canvas.addEventListener("pointerdown", down, { capture: true, ...how });
  canvas.addEventListener("wheel", wheel, { capture: true, passive: false, ...how });
  canvas.addEventListener("pointermove", move, how);
  canvas.addEventListener("pointerup", up, how);
  canvas.addEventListener("pointercancel", lost, how);
  canvas.addEventListener("pointerleave", leave, how);
  addEventListener("keydown", key, { capture: true, ...how });
  addEventListener("keyup", released, { capture: true, ...how });
  return () => signal.abort();
}

function words(store: Store, found: { handle?: Handle | undefined; body: number } | undefined): string {
  const root = store.figure.value?.bodies[localRoot.value]?.name;
  const local = root ? ` · local root: ${root} (Shift-click it to let go)` : "";
  if (!found?.handle) return EMPTY + local;
  if (found.handle.kind === "body" && found.body >= 0)
    return `${found.handle.does} · Ctrl: turn · Shift-click: local root`;
  return `${found.handle.name}: ${found.handle.does}${local}`;
}
