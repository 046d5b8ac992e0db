import { describe, expect, it } from "vitest";
import { straightened } from "../src/stage/trail.ts";

const path = (count: number, at: (k: number) => [number, number, number]) =>
  Float32Array.from(Array.from({ length: count }, (_, k) => at(k)).flat());

describe("a faint path", () => {
  it("needs few points where it is straight", () => {
    const found = straightened(path(101, (k) => [k, 0, 0]));
    expect(found.length / 3).toBeLessThan(10);
    expect([...found.subarray(0, 3), ...found.subarray(-3)]).toEqual([0, 0, 0, 100, 0, 0]);
  });

  it("keeps its bends: no point is off it by more than was allowed", () => {
    const circle = path(200, (k) => [Math.cos(0.05 * k), Math.sin(0.05 * k), 0.01 * k]);
    const found = straightened(circle, 0.002);
    expect(found.length).toBeLessThan(0.6 * circle.length);
    const most = 0.002 * Math.hypot(2, 2, 2);
    for (let k = 0; k < 200; k++) {
      let least = Infinity;
      for (let s = 0; s + 5 < found.length; s += 3) {
        const [a, b, p] = [
          found.subarray(s, s + 3),
          found.subarray(s + 3, s + 6),
          circle.subarray(3 * k, 3 * k + 3),
        ];
        const [u, w] = [[0, 1, 2].map((i) => b[i]! - a[i]!), [0, 1, 2].map((i) => p[i]! - a[i]!)];
        const t = Math.min(
          Math.max(u.reduce((sum, v, i) => sum + v * w[i]!, 0) / u.reduce((sum, v) => sum + v * v, 0), 0),
          1,
        );
        least = Math.min(least, Math.hypot(...w.map((v, i) => v - t * u[i]!)));
      }
      expect(least).toBeLessThan(most);
    }
  });

  it("of two points or none is left alone", () => {
    expect(straightened(new Float32Array(6)).length).toBe(6);
    expect(straightened(new Float32Array()).length).toBe(0);
  });
});
