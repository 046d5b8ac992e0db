// What physics has to say of a pose and of the flight it belongs to, without asking anybody: where the centre
// of mass is over what carries it, the arc that it has to follow in the air, and whether it goes on turning.
import type { Triple } from "./skeleton.ts";

export const GRAVITY = 9.81; // [m/s²]
/** A flight whose centre of mass falls by so much more or less than it should is told of. */
const LIGHT = 0.1;
/** A centre of mass so far off its arc is told of [m]. */
export const OFF = 0.03;
/** Angular momentum that changes by more in the air is told of (share of what it is). */
export const TURNING = 0.15;
/** A body that hardly turns has no momentum to keep: of its size at so much [rad/s]. */
const SLOW = 0.5;

export interface Flight {
  first: number;
  last: number;
  seconds: number;
  /** Where the centre of mass would be at every frame from `first` to `last`, by gravity alone. */
  arc: Triple[];
  /** The highest that it gets over the floor [m]. */
  apex: number;
  /** How far the motion is off that arc at most [m], and at which frame. */
  off: number;
  worst: number;
  /** With which acceleration the motion falls [m/s²]; undefined where it is too short to say. */
  gravity: number | undefined;
  fine: boolean;
}

/** Corners of the convex hull of points in the plane, against the clock. */
export function hull(points: readonly (readonly number[])[]): number[][] {
  const sorted = [...points].map((p) => [p[0]!, p[1]!]).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
  const half = (all: number[][]) => {
    const out: number[][] = [];
    for (const p of all) {
      while (out.length > 1 && cross(out.at(-2)!, out.at(-1)!, p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  if (sorted.length < 3) return sorted;
  return [...half(sorted), ...half(sorted.reverse())];
}

const cross = (o: number[], a: number[], b: number[]): number =>
  (a[0]! - o[0]!) * (b[1]! - o[1]!) - (a[1]! - o[1]!) * (b[0]! - o[0]!);

/** The flight that a frame is in or next to, of stretches in frames; what is posed there is part of it. */
export function flightNear(
  flights: readonly (readonly [number, number])[],
  frame: number,
  reach: number,
): readonly [number, number] | undefined {
  const away = ([a, b]: readonly [number, number]) => Math.max(a - frame, frame - b, 0);
  const near = flights.filter((f) => f[1] > f[0] && away(f) <= reach);
  return near.sort((a, b) => away(a) - away(b))[0];
}

/** The arc of a flight: through where the centre of mass leaves and lands, with gravity alone between. */
export function flightOf(
  com: ArrayLike<number>,
  first: number,
  last: number,
  fps: number,
): Flight | undefined {
  const at = (k: number): Triple => [com[3 * k]!, com[3 * k + 1]!, com[3 * k + 2]!];
  const frames = com.length / 3;
  const [a, b] = [Math.max(first - 1, 0), Math.min(last + 1, frames - 1)];
  const seconds = (b - a) / fps;
  if (b - a < 2) return undefined;
  const [p, q] = [at(a), at(b)];
  const rise = (q[2] - p[2]) / seconds + 0.5 * GRAVITY * seconds;
  const arc: Triple[] = [];
  let [off, worst] = [0, a];
  for (let k = a; k <= b; k++) {
    const t = (k - a) / fps;
    const place: Triple = [
      p[0] + ((q[0] - p[0]) * t) / seconds,
      p[1] + ((q[1] - p[1]) * t) / seconds,
      p[2] + rise * t - 0.5 * GRAVITY * t * t,
    ];
    arc.push(place);
    const away = Math.hypot(...at(k).map((v, i) => v - place[i]!));
    if (away > off) [off, worst] = [away, k];
  }
  const gravity = falling(com, a, b, fps);
  const apex = p[2] + (rise > 0 ? (rise * rise) / (2 * GRAVITY) : 0);
  const falls = gravity === undefined || Math.abs(gravity - GRAVITY) <= LIGHT * GRAVITY;
  return { first: a, last: b, seconds, arc, apex, off, worst, gravity, fine: falls && off <= OFF };
}

/** The acceleration with which heights fall [m/s²]: of the parabola that fits them best. */
function falling(com: ArrayLike<number>, a: number, b: number, fps: number): number | undefined {
  const count = b - a + 1;
  if (count < 5) return undefined;
  // With τ from −1 to 1, the second Legendre polynomial picks out the curvature.
  let [top, below, mean] = [0, 0, 0];
  for (let k = a; k <= b; k++) mean += com[3 * k + 2]! / count;
  let square = 0;
  for (let k = 0; k < count; k++) square += ((2 * k) / (count - 1) - 1) ** 2 / count;
  for (let k = 0; k < count; k++) {
    const tau = (2 * k) / (count - 1) - 1;
    const shape = tau * tau - square;
    top += shape * (com[3 * (a + k) + 2]! - mean);
    below += shape * shape;
  }
  const half = (b - a) / (2 * fps);
  return (-2 * top) / below / (half * half);
}

/** How much angular momentum changes in a flight, as a share of what it is; undefined where the body hardly
 * turns. `inertia`: nine numbers a frame. */
export function driftOf(
  spin: ArrayLike<number>,
  inertia: ArrayLike<number>,
  first: number,
  last: number,
): { share: number; mean: number } | undefined {
  const count = last - first + 1;
  if (count < 3 || 3 * last + 2 >= spin.length) return undefined;
  const mean: Triple = [0, 0, 0];
  let size = 0;
  for (let k = first; k <= last; k++) {
    for (let i = 0; i < 3; i++) mean[i]! += spin[3 * k + i]! / count;
    size += (inertia[9 * k]! + inertia[9 * k + 4]! + inertia[9 * k + 8]!) / (3 * count);
  }
  let change = 0;
  for (let k = first; k <= last; k++)
    change = Math.max(change, Math.hypot(...mean.map((m, i) => spin[3 * k + i]! - m)));
  const whole = Math.hypot(...mean);
  return { share: change / Math.max(whole, SLOW * size, 1e-9), mean: whole };
}
