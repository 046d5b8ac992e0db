// Curves through keys, as Python has them (poise/methods/key/sheet/easing.py), for numbers:
// what is drawn is what acts.

export interface ValueKey {
  time: number;
  value: number;
  ease?: string;
}

/** Slopes at both ends as multiples of the mean rate; a spline takes its neighbours'. */
const SLOPES: Record<string, [number, number] | undefined> = {
  smooth: [0, 0],
  linear: [1, 1],
  "ease-in": [0, 2],
  "ease-out": [2, 0],
  hold: [0, 0],
};
export const EASINGS = ["spline", ...Object.keys(SLOPES)];

/** The value at a time; before the first and after the last key it is theirs. */
export function through(keys: readonly ValueKey[]): (time: number) => number {
  const sorted = [...keys].sort((a, b) => a.time - b.time);
  if (!sorted.length) return () => 0;
  const count = sorted.length - 1;
  const rates: number[] = [];
  const lengths: number[] = [];
  for (let i = 0; i < count; i++) {
    lengths.push(Math.max(sorted[i + 1]!.time - sorted[i]!.time, 1e-9));
    rates.push((sorted[i + 1]!.value - sorted[i]!.value) / lengths[i]!);
  }
  const eases = sorted.map((k) => k.ease ?? "spline");
  const leave = rates.map((r, i) => (SLOPES[eases[i]!]?.[0] ?? 0) * r);
  const arrive = rates.map((r, i) => (SLOPES[eases[i]!]?.[1] ?? 0) * r);
  for (let i = 0; i + 1 < count; i++) {
    const before = SLOPES[eases[i]!] === undefined;
    const after = SLOPES[eases[i + 1]!] === undefined;
    if (before && after)
      arrive[i] = leave[i + 1] = harmonic(rates[i]!, rates[i + 1]!, lengths[i]!, lengths[i + 1]!);
    else if (before) arrive[i] = limited(leave[i + 1]!, rates[i]!);
    else if (after) leave[i + 1] = limited(arrive[i]!, rates[i + 1]!);
  }
  return (time) => {
    if (time <= sorted[0]!.time) return sorted[0]!.value;
    const i = sorted.findLastIndex((k) => k.time <= time);
    if (i >= count) return sorted[count]!.value;
    if (eases[i] === "hold") return sorted[i]!.value;
    const h = lengths[i]!;
    const s = (time - sorted[i]!.time) / h;
    return (
      sorted[i]!.value +
      s * (1 - s) ** 2 * h * leave[i]! +
      s * s * (3 - 2 * s) * h * rates[i]! +
      s * s * (s - 1) * h * arrive[i]!
    );
  };
}

/** The weighted harmonic mean of two rates; zero where they disagree in sign. */
function harmonic(a: number, b: number, h: number, k: number): number {
  if (a * b <= 0) return 0;
  const w = 2 * k + h;
  const v = k + 2 * h;
  return (w + v) / (w / a + v / b);
}

/** At most three times the mean rate, and not against it. */
function limited(slope: number, rate: number): number {
  if (slope * rate <= 0) return 0;
  return Math.sign(rate) * Math.min(Math.abs(slope), 3 * Math.abs(rate));
}

/** Evenly spaced values, for drawing. */
export function sampled(
  value: (time: number) => number,
  first: number,
  last: number,
  count = 200,
): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => value(first + ((last - first) * i) / (count - 1)));
}
