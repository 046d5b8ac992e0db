// What the time line shows: lanes of keys and segments.
// Plain data, made from the document, drawn by paint.ts.

export type KeyShape = "diamond" | "square" | "ring" | "target" | "plant" | "bolt";

export interface Key {
  id: string;
  frame: number;
  shape: KeyShape;
  muted?: boolean;
  /** Keys that cannot be dragged, as a beat found in a recording. */
  fixed?: boolean;
  title?: string;
  /** A number that the key is drawn at and can be dragged to, in the unit of its lane,
   * and the field it stands in. */
  value?: number;
  field?: string;
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
  /** Its own colour; else its lane's. */
  colour?: string;
  /** Whether it is only assumed. */
  dashed?: boolean;
}

/** Values to draw over a lane, evenly spaced over `span` frames, in the unit of the lane. */
export interface Curve {
  values: Float32Array;
  span: [number, number];
  colour?: string;
  dashed?: boolean;
  /** Filled down to the bottom, or about the middle as a wave form. */
  fill?: "below" | "about";
}

export interface Lane {
  id: string;
  label: string;
  colour: string;
  keys: Key[];
  segments: Segment[];
  /** The layer it shows, and the list of that layer that new keys go into; "" where none can be put in. */
  layer: string;
  list: string;
  /** 1 for a track of a layer, under the layer's own lane. */
  depth?: 0 | 1;
  /** What is muted by its button: a field of the layer. */
  mutes?: string;
  folds?: boolean;
  /** What is folded by its button; left out: its layer's lanes. */
  foldsAs?: string;
  curves?: Curve[];
  /** Bottom and top of its curves and values. */
  range?: [number, number];
  unit?: string;
  muted?: boolean;
  tall?: boolean;
}

/** An empty lane. */
export const lane = (
  id: string,
  layer: string,
  label: string,
  colour: string,
  more: Partial<Lane> = {},
): Lane => ({ id, layer, label, colour, list: "", keys: [], segments: [], ...more });

/** The lane of a layer itself. */
export const headLane = (
  layer: { name: string; muted?: boolean },
  colour: string,
  more: Partial<Lane> = {},
): Lane =>
  lane(layer.name, layer.name, layer.name, colour, { mutes: "muted", muted: layer.muted ?? false, ...more });

export const LANE = 24; // [px]
export const TALL = 64;
export const RULER = 34; // loop range above, frames below

export const heightOf = (lane: Lane): number => (lane.tall ? TALL : LANE);

/** How far from the top of its lane a value is drawn [px]. */
export function rowOf(lane: Lane, value: number): number {
  const [low, high] = lane.range ?? [0, 1];
  const inset = lane.tall ? 8 : 4;
  const share = Math.min(Math.max((value - low) / (high - low || 1), -0.1), 1.1);
  return heightOf(lane) - inset - share * (heightOf(lane) - 2 * inset);
}

/** How much a value changes by a way upwards [px]. */
export function rise(lane: Lane, pixels: number): number {
  const [low, high] = lane.range ?? [0, 1];
  return (pixels * (high - low)) / (heightOf(lane) - (lane.tall ? 16 : 8));
}

export interface Hit {
  lane: Lane;
  key?: Key;
  segment?: Segment;
  edge?: "first" | "last";
}

/** What lies under a pixel. Keys win over segments, later keys over earlier ones. */
export function hit(
  lanes: readonly Lane[],
  x: number,
  y: number,
  pixel: (frame: number) => number,
  scroll = 0,
): Hit | undefined {
  let top = RULER - scroll;
  for (const lane of lanes) {
    const tall = heightOf(lane);
    if (y >= Math.max(top, RULER) && y < top + tall) {
      const near = (k: Key) =>
        Math.abs(pixel(k.frame) - x) <= 7 &&
        (!lane.tall || k.value === undefined || Math.abs(top + rowOf(lane, k.value) - y) <= 9);
      const key = lane.keys.findLast(near);
      if (key) return { lane, key };
      const under = lane.segments.filter((s) => x >= pixel(s.first) - 4 && x <= pixel(s.last) + 4);
      // Where two overlap, the ends of either can be had, else the later one.
      const segment =
        under.find((s) => Math.min(Math.abs(x - pixel(s.first)), Math.abs(x - pixel(s.last))) <= 4) ??
        under.at(-1);
      if (!segment) return { lane };
      const edge =
        Math.abs(x - pixel(segment.first)) <= 4
          ? "first"
          : Math.abs(x - pixel(segment.last)) <= 4
            ? "last"
            : undefined;
      return edge ? { lane, segment, edge } : { lane, segment };
    }
    top += tall;
  }
  return undefined;
}

/** Where the Fix button of a segment is drawn [px]; undefined where it has none, or no room for it. */
export function fixButton(segment: Segment, pixel: (frame: number) => number): [number, number] | undefined {
  const [left, right] = [pixel(segment.first), pixel(segment.last)];
  return segment.fixable && right - left > 60 ? [right - 36, right - 5] : undefined;
}

/** Keys inside a box of frames and pixels. */
export function boxed(
  lanes: readonly Lane[],
  frames: [number, number],
  rows: [number, number],
  scroll = 0,
): Key[] {
  const found: Key[] = [];
  let top = RULER - scroll;
  for (const lane of lanes) {
    const tall = heightOf(lane);
    if (top + tall > rows[0] && top < rows[1])
      found.push(...lane.keys.filter((k) => k.frame >= frames[0] && k.frame <= frames[1]));
    top += tall;
  }
  return found;
}

/** The nearest key before or after a frame, over all lanes. */
export function neighbour(lanes: readonly Lane[], frame: number, direction: 1 | -1): number | undefined {
  const all = lanes
    .flatMap((l) => l.keys.map((k) => k.frame))
    .filter((f) => (direction > 0 ? f > frame + 1e-6 : f < frame - 1e-6));
  return all.length ? (direction > 0 ? Math.min(...all) : Math.max(...all)) : undefined;
}
