import { describe, expect, it } from "vitest";
import { Poses } from "../src/stage/poses.ts";

const half = Math.SQRT1_2;
// One body: at the origin upright, then 2 m along x and turned a quarter about z,
// its quaternion written the long way.
const quarter = new Poses(new Float32Array([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, -half, -half]), 2, 1);

describe("poses", () => {
  it("mixes positions and takes the short way round", () => {
    const out = quarter.sample(0.5, new Float32Array(7));
    expect(out[0]).toBeCloseTo(1);
    expect(out[5]).toBeCloseTo(Math.sin(Math.PI / 8));
    expect(out[6]).toBeCloseTo(Math.cos(Math.PI / 8));
  });

  it("gives frames exactly and stays within the clip", () => {
    expect([...quarter.sample(1, new Float32Array(7))]).toEqual([...quarter.values.subarray(7)]);
    expect([...quarter.sample(9, new Float32Array(7))]).toEqual([...quarter.values.subarray(7)]);
  });

  it("exchanges frames without touching the old poses", () => {
    const next = quarter.replaced(1, new Float32Array([3, 0, 0, 0, 0, 0, 1]));
    expect([...next.path(0)]).toEqual([0, 0, 0, 3, 0, 0]);
    expect([...quarter.path(0)]).toEqual([0, 0, 0, 2, 0, 0]);
  });

  it("mixes weights of morph targets, and exchanges them with their frames", () => {
    const face = new Poses(new Float32Array(21), 3, 1, Float32Array.from([0, 1, 0.5, 0, 1, 0.25]));
    expect([...face.morphs(0.5)]).toEqual([0.25, 0.5]);
    expect([...face.morphs(9)]).toEqual([1, 0.25]);
    expect([...face.replaced(1, new Float32Array(7), Float32Array.from([0.75, 1])).morphs(1)]).toEqual([
      0.75, 1,
    ]);
    expect([...quarter.morphs(0.5)]).toEqual([]);
    expect(() => new Poses(new Float32Array(21), 3, 1, new Float32Array(4))).toThrow(/weights/);
  });

  it("refuses numbers that are not whole poses", () => {
    expect(() => new Poses(new Float32Array(13), 2, 1)).toThrow(/not 2 poses/);
  });
});
