// What physics says of a pose and of a flight, against numbers worked out by hand.
import { describe, expect, it } from "vitest";
import { driftOf, flightNear, flightOf, GRAVITY, hull } from "../src/pose/aids.ts";
import { margin } from "../src/pose/skeleton.ts";

const fps = 60;
/** Heights of somebody who stands, flies for half a second by a gravity, and stands. */
function jump(gravity: number, seconds = 0.5): { com: Float32Array; first: number; last: number } {
  const flown = Math.round(seconds * fps);
  const heights = [
    ...Array<number>(10).fill(1),
    ...Array.from({ length: flown - 1 }, (_, k) => {
      const t = (k + 1) / fps;
      return 1 + 0.5 * gravity * seconds * t - 0.5 * gravity * t * t;
    }),
    ...Array<number>(10).fill(1),
  ];
  const com = new Float32Array(heights.flatMap((z, k) => [0.01 * k, 0, z]));
  return { com, first: 10, last: 10 + flown - 2 };
}

describe("a flight", () => {
  it("that falls as things do is fine, its apex by v²/2g", () => {
    const { com, first, last } = jump(GRAVITY);
    const found = flightOf(com, first, last, fps)!;
    expect(found.fine).toBe(true);
    expect(found.seconds).toBeCloseTo(0.5, 6);
    expect(found.gravity).toBeCloseTo(GRAVITY, 2);
    expect(found.off).toBeLessThan(1e-6);
    expect(found.apex).toBeCloseTo(1 + (GRAVITY * 0.5 ** 2) / 8, 5);
    expect(found.arc).toHaveLength(found.last - found.first + 1);
  });

  it("that floats is told of, with how it falls and where it is furthest off", () => {
    const { com, first, last } = jump(0.5 * GRAVITY);
    const found = flightOf(com, first, last, fps)!;
    expect(found.fine).toBe(false);
    expect(found.gravity).toBeCloseTo(0.5 * GRAVITY, 2);
    expect(found.off).toBeCloseTo((0.5 * GRAVITY * 0.5 ** 2) / 8, 3);
    expect(found.worst).toBe(24);
  });

  it("is the one that a frame is in, or next to", () => {
    const flights: [number, number][] = [
      [10, 20],
      [40, 50],
    ];
    expect(flightNear(flights, 15, 5)).toEqual([10, 20]);
    expect(flightNear(flights, 37, 5)).toEqual([40, 50]);
    expect(flightNear(flights, 30, 5)).toBeUndefined();
  });
});

describe("angular momentum in the air", () => {
  const inertia = Float32Array.from({ length: 90 }, (_, k) => ([0, 4, 8].includes(k % 9) ? 10 : 0));
  const spin = (values: (k: number) => number) =>
    Float32Array.from({ length: 30 }, (_, k) => (k % 3 === 1 ? values(Math.floor(k / 3)) : 0));

  it("that stays has no drift", () => {
    const found = driftOf(
      spin(() => 12),
      inertia,
      0,
      9,
    )!;
    expect(found.share).toBeCloseTo(0, 9);
    expect(found.mean).toBeCloseTo(12, 9);
  });

  it("that changes is told of as a share of what it is", () => {
    const found = driftOf(
      spin((k) => (k < 5 ? 9 : 15)),
      inertia,
      0,
      9,
    )!;
    expect(found.mean).toBeCloseTo(12, 5);
    expect(found.share).toBeCloseTo(0.25, 5);
  });

  it("of a body that hardly turns is measured by its size", () => {
    expect(
      driftOf(
        spin((k) => (k % 2 ? 0.1 : -0.1)),
        inertia,
        0,
        9,
      )!.share,
    ).toBeLessThan(0.05);
  });
});

describe("what a pose stands on", () => {
  it("is the hull of its soles, and the margin has a sign", () => {
    const feet = [
      [0, 0.1],
      [0.25, 0.12],
      [0.1, 0.1],
      [0, -0.1],
      [0.25, -0.12],
    ];
    const found = hull(feet);
    expect(found).toHaveLength(4);
    expect(margin([0.1, 0], found)).toBeCloseTo(0.1, 6);
    expect(margin([-0.04, 0], found)).toBeCloseTo(-0.04, 6);
  });
});
