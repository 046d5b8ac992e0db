import { describe, expect, test } from "vitest";
import type { Place } from "../src/stage/handle.ts";
import { movedBy, roundPlace, roundRadius, roundTurn, stepFor, TURN } from "../src/stage/snapping.ts";

const near = (a: readonly number[], b: readonly number[]) =>
  a.forEach((v, k) => {
    expect(v).toBeCloseTo(b[k]!, 9);
  });

describe("round steps", () => {
  test("are as fine as can be aimed at: a decimetre for the whole figure, millimetres near by", () => {
    expect(stepFor(0.005)).toBe(0.1);
    expect(stepFor(0.00005)).toBe(0.001);
    expect(stepFor(10)).toBe(1);
    for (const perPixel of [0.0001, 0.001, 0.003, 0.02])
      expect(stepFor(perPixel) / perPixel).toBeGreaterThanOrEqual(12);
  });

  test("places are round where they move, and stay as they are where they do not", () => {
    expect(roundPlace([0.149, -0.26, 1.234], 0.1, "xyz")).toEqual([0.1, -0.3, 1.2]);
    expect(roundPlace([0.149, -0.26, 1.234], 0.1, movedBy({ over: "floor" }, ""))).toEqual([
      0.1, -0.3, 1.234,
    ]);
    expect(roundPlace([0.149, -0.26, 1.234], 0.1, movedBy({ over: "height" }, ""))).toEqual([
      0.149, -0.26, 1.2,
    ]);
    expect(roundPlace([0.149, -0.26, 1.234], 0.1, movedBy({ over: "view" }, "y"))).toEqual([
      0.149, -0.3, 1.234,
    ]);
    // An arrow has a round length, wherever it begins.
    near(roundPlace([1.07, 2, 3], 0.1, "xyz", [1.03, 2, 3]), [1.03, 2, 3]);
  });

  test("a ring is never closed", () => {
    near(roundRadius([1.34, 0, 0], [1, 0, 0], 0.1), [1.3, 0, 0]);
    near(roundRadius([1.01, 0, 0], [1, 0, 0], 0.1), [1.1, 0, 0]);
  });

  test("turns go by 15° from where they began, the shortest way or about an axis", () => {
    const centre: Place = [1, 2, 3];
    const at = (degrees: number, z = 0): Place => [
      1 + Math.cos((Math.PI * degrees) / 180),
      2 + Math.sin((Math.PI * degrees) / 180),
      3 + z,
    ];
    near(roundTurn(at(7), at(7 + 40), centre, ""), at(7 + 45));
    near(roundTurn(at(7), at(7 - 97), centre, ""), at(7 - 90));
    near(roundTurn(at(7), at(7 + 3), centre, ""), at(7));
    near(roundTurn(at(7), at(7), centre, ""), at(7));
    // Its height is not the turn's business.
    near(roundTurn(at(0, 0.5), at(32, -0.8), centre, "z"), at(30, 0.5));
    expect(TURN).toBeCloseTo((15 * Math.PI) / 180, 12);
  });
});
