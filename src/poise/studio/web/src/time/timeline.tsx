// The time line: lane names on the left, a canvas on the right.
// Wheel zooms, shift-wheel pans, Alt-drag copies.

import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Stretch } from "./cache_bar.ts";
import { dragged, type Edits, Gesture, type View } from "./gesture.ts";
import { heightOf, hit, type Lane, RULER } from "./lane.ts";
import { type Colours, paint } from "./paint.ts";
import type { Player } from "./player.ts";
import { panned, toFrame, toPixel, type Window, whole, zoomed } from "./window.ts";

export interface TimelineProps {
  player: Player;
  lanes: ReadonlySignal<Lane[]>;
  solved: ReadonlySignal<readonly Stretch[]>;
  selected: { value: Set<string> };
  edits: Edits;
  /** The lane where keys are inserted. */
  current: { value: Lane | undefined };
  folded: ReadonlySignal<Set<string>>;
  /** Light or dark: the canvas takes its colours from the page. */
  theme: ReadonlySignal<string>;
  /** The frames that are in sight. */
  window: Signal<Window>;
  onMute: (lane: Lane) => void;
  onFold: (layer: string) => void;
  onLayer: (layer: string) => void;
}

export function Timeline({
  player,
  lanes,
  solved,
  selected,
  edits,
  current,
  folded,
  theme,
  window,
  onMute,
  onFold,
  onLayer,
}: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = useMemo(() => {
    const gesture = new Gesture(player, edits);
    return { gesture, scroll: signal(0), again: signal(0), size: signal<[number, number]>([0, 0]) };
  }, [player]);
  const { gesture, scroll, again, size } = state;

  useEffect(() => {
    const element = canvas.current!;
    const g = element.getContext("2d")!;
    let queued = false;
    const draw = () => {
      queued = false;
      const [width, height] = size.peek();
      const ratio = devicePixelRatio;
      if (element.width !== Math.round(width * ratio) || element.height !== Math.round(height * ratio)) {
        element.width = Math.round(width * ratio);
        element.height = Math.round(height * ratio);
      }
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(g, {
        lanes: dragged(lanes.peek(), gesture),
        window: window.peek(),
        width,
        height,
        scroll: scroll.peek(),
        frame: player.frame.peek(),
        frames: player.frames.peek(),
        fps: player.fps.peek(),
        range: player.range.peek(),
        selected: gesture.selected,
        ...(current.value ? { current: current.value.id } : {}),
        solved: solved.peek(),
        ...(gesture.box ? { box: gesture.box } : {}),
        colours: colours(element),
      });
    };
    const stop = effect(() => {
      void [
        lanes.value,
        window.value,
        scroll.value,
        player.frame.value,
        player.frames.value,
        player.range.value,
        solved.value,
        again.value,
        size.value,
        current.value,
        theme.value,
      ];
      if (!queued) {
        queued = true;
        requestAnimationFrame(draw);
      }
    });
    const watch = new ResizeObserver(() => {
      size.value = [element.clientWidth, element.clientHeight];
    });
    watch.observe(element);
    return () => {
      stop();
      watch.disconnect();
    };
  }, [player]);

  // A longer or shorter clip is shown whole.
  useEffect(
    () =>
      effect(() => {
        window.value = whole(player.frames.value);
      }),
    [player],
  );
  // Fewer lanes, or lower ones, do not leave the rest out of sight.
  useEffect(
    () =>
      effect(() => {
        const content = lanes.value.reduce((sum, l) => sum + heightOf(l), 0);
        const most = Math.max(0, content - (size.value[1] - RULER));
        if (size.value[1] && scroll.peek() > most) scroll.value = most;
      }),
    [lanes],
  );
  useEffect(
    () =>
      effect(() => {
        if (gesture.selected === selected.value) return;
        gesture.selected = selected.value;
        again.value++;
      }),
    [player],
  );

  const view = (): View => ({
    lanes: lanes.peek(),
    window: window.peek(),
    width: size.peek()[0],
    scroll: scroll.peek(),
  });
  const told = () => {
    if (selected.value !== gesture.selected) selected.value = gesture.selected;
    if (gesture.lane && current.value?.id !== gesture.lane.id) choose(gesture.lane);
    again.value++;
  };
  const choose = (lane: Lane) => {
    gesture.lane = current.value = lane;
    if (lane.layer) onLayer(lane.layer);
  };
  const down = (e: PointerEvent) => {
    if (e.button !== 0) return;
    canvas.current!.focus({ preventScroll: true });
    canvas.current!.setPointerCapture(e.pointerId);
    gesture.down(view(), e.offsetX, e.offsetY, { shift: e.shiftKey, alt: e.altKey });
    told();
  };
  const move = (e: PointerEvent) => {
    if (e.buttons & 4) {
      window.value = panned(
        window.value,
        (-e.movementX * (window.value.last - window.value.first)) / size.value[0],
        player.frames.value,
      );
      return;
    }
    if (gesture.active) {
      gesture.move(view(), e.offsetX, e.offsetY);
      told();
    } else {
      canvas.current!.style.cursor = cursor(view(), e.offsetX, e.offsetY);
      canvas.current!.title = titleAt(view(), e.offsetX, e.offsetY);
    }
  };
  const up = () => {
    gesture.up(view());
    told();
  };
  const wheel = (e: WheelEvent) => {
    e.preventDefault();
    const frames = player.frames.value;
    if (e.ctrlKey || !e.shiftKey) {
      const about = toFrame(window.value, size.value[0], e.offsetX);
      window.value = zoomed(window.value, Math.exp(0.0015 * e.deltaY), about, frames);
    } else roll(e.deltaY || e.deltaX);
  };
  const roll = (by: number) => {
    const content = lanes.value.reduce((sum, l) => sum + heightOf(l), 0);
    const most = Math.max(0, content - (size.value[1] - RULER));
    scroll.value = Math.min(Math.max(scroll.value + by, 0), most);
  };
  useEffect(() => {
    const element = canvas.current!;
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [player]);

  return (
    <div class="timeline" data-part="timeline">
      <div class="lane-names" style={{ marginTop: `${RULER}px` }} onWheel={(e) => roll(e.deltaY)}>
        <div style={{ marginTop: `${-scroll.value}px` }}>
          {lanes.value.map((lane) => (
            <div
              key={lane.id}
              class={laneClass(lane, current.value)}
              style={{ height: `${heightOf(lane)}px` }}
              title={lane.label}
              data-lane={lane.id}
            >
              {lane.folds ? (
                <button
                  class="small fold"
                  aria-expanded={!folded.value.has(foldOf(lane))}
                  aria-label={`tracks of ${lane.label}`}
                  onClick={() => onFold(foldOf(lane))}
                >
                  {folded.value.has(foldOf(lane)) ? "▸" : "▾"}
                </button>
              ) : (
                <span class="swatch" style={{ background: lane.colour }} />
              )}
              <button class="lane-label" onClick={() => choose(lane)}>
                {lane.label}
              </button>
              {lane.mutes && (
                <button
                  class="small"
                  aria-pressed={!!lane.muted}
                  aria-label={`mute ${lane.label}`}
                  title={lane.muted ? "unmute" : "mute"}
                  onClick={() => onMute(lane)}
                >
                  M
                </button>
              )}
            </div>
          ))}
        </div>
      </div>
      <canvas
        ref={canvas}
        tabIndex={0}
        aria-label="time line: press I to insert a key in the selected lane, Delete to delete keys"
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => {
          gesture.cancel();
          told();
        }}
        onKeyDown={(e) => {
          if (e.key !== "Escape" || !gesture.active) return;
          e.stopPropagation();
          gesture.cancel();
          told();
        }}
        onDblClick={(e) => {
          if (inRuler(e.offsetY)) window.value = whole(player.frames.value);
          else gesture.double(view(), e.offsetX, e.offsetY);
          told();
        }}
      />
    </div>
  );
}

const foldOf = (lane: Lane): string => lane.foldsAs ?? lane.layer;

const laneClass = (lane: Lane, current: Lane | undefined): string =>
  `lane-name ${lane.depth ? "inner" : ""} ${current?.id === lane.id ? "chosen" : ""}`;

/** Among the numbers of frames, below the range that is played. */
const inRuler = (y: number): boolean => y >= 12 && y < RULER;

/** What lies under the pointer, in words. */
function titleAt(view: View, x: number, y: number): string {
  if (y < 12) return "drag: set the range to play; double-click: play all";
  if (y < RULER) return "drag: scrub; double-click: show all";
  const found = hit(view.lanes, x, y, (f) => toPixel(view.window, view.width, f), view.scroll);
  if (found?.key) return `${found.key.title || found.lane.label}${found.key.muted ? " (muted)" : ""}`;
  if (found?.segment) return `${found.segment.label}${found.segment.hint ? `: ${found.segment.hint}` : ""}`;
  return "";
}

function cursor(view: View, x: number, y: number): string {
  if (y < 12) return "col-resize";
  if (y < RULER) return "ew-resize";
  const found = hit(view.lanes, x, y, (f) => toPixel(view.window, view.width, f), view.scroll);
  if (found?.key) return found.key.fixed ? "default" : "grab";
  if (found?.edge && found.segment?.draggable) return "col-resize";
  return found?.segment ? "pointer" : "default";
}

function colours(element: Element): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read("ink"),
    quiet: read("quiet"),
    panel: read("panel"),
    edge: read("edge"),
    accent: read("accent"),
    onAccent: read("on-accent") || "#ffffff",
    fine: read("fine"),
    wrong: read("wrong"),
  };
}
