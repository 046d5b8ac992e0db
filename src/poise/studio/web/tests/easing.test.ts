import { describe, expect, it } from "vitest";
import { EASINGS, sampled, through } from "../src/time/easing.ts";

const key = (time: number, value: number, ease = "spline") => ({ time, value, ease });
/** The slope at a time, from both sides. */
const slope = (f: (t: number) => number, t: number, h = 1e-5) => [
  (f(t) - f(t - h)) / h,
  (f(t + h) - f(t)) / h,
];

describe("curves between keys", () => {
  it("are the closed forms that their names stand for", () => {
    const forms: Record<string, (s: number) => number> = {
      linear: (s) => s,
      smooth: (s) => s * s * (3 - 2 * s),
      "ease-in": (s) => s * s,
      "ease-out": (s) => s * (2 - s),
      hold: (s) => (s < 1 ? 0 : 1),
    };
    for (const [ease, form] of Object.entries(forms)) {
      const f = through([key(1, 2, ease), key(3.5, -1, ease)]);
      for (const s of [0, 0.1, 0.35, 0.8, 1]) expect(f(1 + 2.5 * s)).toBeCloseTo(2 - 3 * form(s), 12);
    }
    expect(EASINGS).toEqual(["spline", ...["smooth", "linear", "ease-in", "ease-out", "hold"]]);
  });

  it("go through a key with the weighted harmonic mean of the rates beside it", () => {
    // Lengths 1 and 3, rates 2 and 4: weights 2·3 + 1 = 7 and 3 + 2·1 = 5, so 12 / (7/2 + 5/4).
    const f = through([key(0, 0), key(1, 2), key(4, 14)]);
    for (const side of slope(f, 1)) expect(side).toBeCloseTo(12 / (7 / 2 + 5 / 4), 3);
    // An extreme.
    for (const side of slope(through([key(0, 0), key(1, 2), key(4, 0)]), 1)) expect(side).toBeCloseTo(0, 3);
  });

  it("take the slope of a neighbour that has its own, at most three times their mean rate", () => {
    const gentle = through([key(0, 0, "linear"), key(1, 1), key(2, 2), key(3, 2)]);
    expect(slope(gentle, 1)[1]).toBeCloseTo(1, 3);
    const steep = through([key(0, 0, "linear"), key(1, 10), key(2, 11), key(3, 11)]);
    expect(slope(steep, 1)[1]).toBeCloseTo(3, 3);
    const back = through([key(0, 0), key(1, 1, "linear"), key(2, -9)]);
    expect(slope(back, 1)[0]).toBeCloseTo(0, 3); // not against its own way
  });

  it("hold their ends, in whatever order the keys are", () => {
    const f = through([key(2, 5), key(1, 3)]);
    expect([f(-9), f(1), f(2), f(9)]).toEqual([3, 3, 5, 5]);
    expect(through([])(1)).toBe(0);
    expect([...sampled((t) => 2 * t, 1, 3, 5)]).toEqual([2, 3, 4, 5, 6]);
  });
});
