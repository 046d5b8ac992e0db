// Keys of a face: a weight goes into the key that is there, or a new one, in order of time.
import { describe, expect, it } from "vitest";
import { withWeight } from "../src/pose/face.tsx";
import { CARDS } from "./cards.ts";

describe("keys of a face", () => {
  it("take weights at their time, and stay in order", () => {
    const one = withWeight([], 0.5, "smile", 0.8);
    expect(one).toEqual([{ time: 0.5, weights: { smile: 0.8 } }]);
    const two = withWeight(one, 0.25, "blink", 1);
    expect(two.map((k) => k.time)).toEqual([0.25, 0.5]);
    expect(withWeight(two, 0.5, "blink", 0.3)[1]).toEqual({ time: 0.5, weights: { smile: 0.8, blink: 0.3 } });
    expect(withWeight(two, 0.5, "smile", 0.1)[1]).toEqual({ time: 0.5, weights: { smile: 0.1 } });
  });

  it("have an operation to go to", () => {
    expect(CARDS.some((c) => c.layer && c.options.some((o) => o.editor === "morphs"))).toBe(true);
  });
});
