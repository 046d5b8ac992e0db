// What the time line shows: lanes of keys and segments. Plain data, made from the document, drawn by paint.ts.

export type KeyShape = "diamond" | "square" | "ring" | "target" | "plant";

export interface Key {
  id: string;
  frame: number;
  shape: KeyShape;
  muted?: boolean;
  /** Keys that cannot be dragged, as a beat found in a recording. */
  fixed?: boolean;
  title?: string;
}

export interface Segment {
  id: string;
  first: number;
  last: number;
  label: string;
  state: "fine" | "wrong" | "plain";
  /** What is wrong, in words. */
  hint?: string;
  /** Whether a Fix can be offered. */
  fixable?: boolean;
  draggable?: boolean;
}

export interface Lane {
  id: string;
  label: string;
  colour: string;
  keys: Key[];
  segments: Segment[];
  /** Values to draw over the lane (a gain, a wave form): evenly spaced over `span` frames, 0 … 1. */
  curve?: { values: Float32Array; span: [number, number] };
  muted?: boolean;
  tall?: boolean;
}

export const LANE = 24; // [px]
export const TALL = 64;
export const RULER = 34; // loop range above, frames below

export const heightOf = (lane: Lane): number => (lane.tall ? TALL : LANE);

export interface Hit {
  lane: Lane;
  key?: Key;
  segment?: Segment;
  edge?: "first" | "last";
}

/** What lies under a pixel. Keys win over segments, later keys over earlier ones. */
export function hit(lanes: readonly Lane[], x: number, y: number, pixel: (frame: number) => number, scroll = 0): Hit | undefined {
  let top = RULER - scroll;
  for (const lane of lanes) {
    const tall = heightOf(lane);
    if (y >= Math.max(top, RULER) && y < top + tall) {
      const key = lane.keys.findLast((k) => Math.abs(pixel(k.frame) - x) <= 7);
      if (key) return { lane, key };
      const segment = lane.segments.find((s) => x >= pixel(s.first) - 4 && x <= pixel(s.last) + 4);
      if (!segment) return { lane };
      const edge = Math.abs(x - pixel(segment.first)) <= 4 ? "first" : Math.abs(x - pixel(segment.last)) <= 4 ? "last" : undefined;
      return edge ? { lane, segment, edge } : { lane, segment };
    }
    top += tall;
  }
  return undefined;
}

/** Keys inside a box of frames and pixels. */
export function boxed(lanes: readonly Lane[], frames: [number, number], rows: [number, number], scroll = 0): Key[] {
  const found: Key[] = [];
  let top = RULER - scroll;
  for (const lane of lanes) {
    const tall = heightOf(lane);
    if (top + tall > rows[0] && top < rows[1]) found.push(...lane.keys.filter((k) => k.frame >= frames[0] && k.frame <= frames[1]));
    top += tall;
  }
  return found;
}

/** The nearest key before or after a frame, over all lanes. */
export function neighbour(lanes: readonly Lane[], frame: number, direction: 1 | -1): number | undefined {
  const all = lanes.flatMap((l) => l.keys.map((k) => k.frame)).filter((f) => (direction > 0 ? f > frame + 1e-6 : f < frame - 1e-6));
  return all.length ? (direction > 0 ? Math.min(...all) : Math.max(...all)) : undefined;
}
