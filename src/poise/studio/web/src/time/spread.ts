// Scales of what is drawn in the time line.

/** From the least to the greatest number, with some air; never narrower than a few centimetres. */
export function spread(lists: Iterable<number>[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists)
    for (const v of list) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  if (!Number.isFinite(low)) return [0, 1];
  const air = Math.max(0.08 * (high - low), 0.02);
  return [low - air, high + air];
}
