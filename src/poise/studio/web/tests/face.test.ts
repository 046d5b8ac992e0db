// Keys of a face: a weight goes into the key that is there, or a new one, in order of time.
// A place that is dragged: the least change of weights that brings it there.
import { BufferAttribute, BufferGeometry, Matrix4, Ray, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { withWeights } from "../src/pose/face.tsx";
import { FacePoints, weightsFor } from "../src/pose/face_drag.ts";
import type { Looks } from "../src/stage/figure.ts";
import { CARDS } from "./cards.ts";

describe("keys of a face", () => {
  it("take weights at their time, and stay in order", () => {
    const one = withWeights([], 0.5, { smile: 0.8 });
    expect(one).toEqual([{ time: 0.5, weights: { smile: 0.8 } }]);
    const two = withWeights(one, 0.25, { blink: 1 });
    expect(two.map((k) => k.time)).toEqual([0.25, 0.5]);
    const both = withWeights(two, 0.5, { blink: 0.3, smile: 0.1 });
    expect(both[1]).toEqual({ time: 0.5, weights: { smile: 0.1, blink: 0.3 } });
    expect(withWeights(two, 0.5, { blink: 0.3 })[1]!.weights).toEqual({ smile: 0.8, blink: 0.3 });
  });

  it("have an operation to go to", () => {
    expect(CARDS.some((c) => c.layer && c.options.some((o) => o.editor === "morphs"))).toBe(true);
  });
});

describe("weights for a place", () => {
  const [x, y, none] = [new Vector3(0.01, 0, 0), new Vector3(0, 0.02, 0), new Vector3()];
  const moved = (moves: Vector3[], before: number[], after: number[]) =>
    moves.reduce((sum, m, k) => sum.addScaledVector(m, after[k]! - before[k]!), new Vector3());

  it("bring it where it is dragged, and leave alone what does not move it", () => {
    const found = weightsFor([x, y, none], [0.1, 0.2, 0.7], new Vector3(0.004, 0.006, 0));
    expect(moved([x, y, none], [0.1, 0.2, 0.7], found).distanceTo(new Vector3(0.004, 0.006, 0))).toBeLessThan(
      1e-4,
    );
    expect(found[2]).toBe(0.7);
  });

  it("share a way among those that go it, the larger mover more", () => {
    const half = new Vector3(0.005, 0, 0);
    const [large, small] = weightsFor([x, half], [0, 0], new Vector3(0.01, 0, 0)) as [number, number];
    expect(large / small).toBeCloseTo(2, 6);
    expect(0.01 * large + 0.005 * small).toBeCloseTo(0.01, 4);
  });

  it("stay from 0 to 1, and the others make up for it", () => {
    const twin = x.clone();
    const found = weightsFor([x, twin, y], [0.8, 0, 0], new Vector3(0.012, 0, 0));
    expect(found[0]).toBe(1);
    expect(found[1]).toBeCloseTo(1, 1);
    expect(Math.max(...found)).toBeLessThanOrEqual(1);
    expect(weightsFor([x], [0.2], new Vector3(-1, 0, 0))).toEqual([0]);
    expect(weightsFor([x], [1.4], new Vector3(0.1, 0, 0))[0]).toBeCloseTo(1.4, 12); // it was beyond already
  });
});

describe("places of a face", () => {
  // Two vertices on one body; only the second is moved by a morph target.
  const geometry = new BufferGeometry();
  const attribute = (values: number[], size: number) => new BufferAttribute(new Float32Array(values), size);
  geometry.setAttribute("position", attribute([0, 0, 0, 1, 0, 0], 3));
  geometry.setAttribute("skinIndex", attribute([0, 0, 0, 0, 0, 0, 0, 0], 4));
  geometry.setAttribute("skinWeight", attribute([1, 0, 0, 0, 1, 0, 0, 0], 4));
  geometry.morphAttributes.position = [attribute([0, 0, 0, 0, 0, 0.5], 3)];
  const face = new FacePoints({
    geometry,
    inverses: [new Matrix4()],
    bodies: [],
    morphs: ["up"],
  } as unknown as Looks);
  // The body stands at (0, 2, 0), turned by 90° about z.
  const half = Math.SQRT1_2;
  const places = new Float32Array([0, 2, 0, 0, 0, half, half]);
  const down = (px: number, py: number) => new Ray(new Vector3(px, py, 10), new Vector3(0, 0, -1));

  it("are found under the pointer as the body and the weights put them", () => {
    const found = face.near(down(0.01, 3), () => 0.05, places, [0.4])!;
    expect(found.at.distanceTo(new Vector3(0, 3, 0.2))).toBeLessThan(1e-6);
    expect(found.moves[0]!.distanceTo(new Vector3(0, 0, 0.5))).toBeLessThan(1e-6);
  });

  it("are only those that some target moves, within reach", () => {
    expect(face.near(down(0, 2), () => 0.05, places, [0])).toBeUndefined();
    expect(face.near(down(0.1, 3), () => 0.05, places, [0])).toBeUndefined();
  });
});
