import * as THREE from "three";
import { describe, expect, it } from "vitest";
import type { Surface } from "../src/layer.ts";
import { alongAxis, reachAlong, touching } from "../src/pose/touch.ts";
import type { Place } from "../src/stage/handle.ts";

const FLOOR: Surface = { name: "floor", shape: { kind: "ground" } };
const BOX: Surface = { name: "box", shape: { kind: "box", half: [0.3, 0.3, 0.2] }, place: [1, 0, 0.2] };
const nothing = () => 0;
const near = (a: readonly number[] | undefined, b: readonly number[]) => {
  expect(a).toBeDefined();
  b.forEach((v, k) => {
    expect(a![k]).toBeCloseTo(v, 9);
  });
};

describe("what is pulled rests", () => {
  it("on the floor and on a box, nearest first, and nowhere where nothing is near", () => {
    const at = (place: Place) => touching(place, [FLOOR, BOX], 0, 0.05, nothing);
    near(at([0, 0, 0.03])!.place, [0, 0, 0]);
    expect(at([0, 0, 0.03])!.on).toBe("floor");
    near(at([1.1, 0.1, 0.37])!.place, [1.1, 0.1, 0.4]);
    near(at([0.72, 0, 0.1])!.place, [0.7, 0, 0.1]); // its side is nearer than its top
    expect(at([0, 0, 0.2])).toBeUndefined();
    expect(at([1, 0, 0.6])).toBeUndefined();
  });

  it("on a slope, along its normal; on what is turned and moves", () => {
    const slope: Surface = { name: "slope", shape: { kind: "ground", slope: [1, 0] } };
    near(touching([0, 0, 0.02], [slope], 0, 0.05, nothing)!.place, [0.01, 0, 0.01]);
    const turned: Surface = { ...BOX, turn: [0, 0, Math.PI / 4] };
    near(touching([1, 0, 0.41], [turned], 0, 0.05, nothing)!.place, [1, 0, 0.4]);
    const moving: Surface = {
      ...BOX,
      place: [0, 0, 0.2],
      track: [
        { time: 0, place: [0, 0, 0] },
        { time: 1, place: [2, 0, 0] },
      ],
    };
    near(touching([1.01, 0, 0.39], [moving], 0.5, 0.05, nothing)!.place, [1.01, 0, 0.4]);
    expect(touching([1.01, 0, 0.39], [moving], 0, 0.05, nothing)).toBeUndefined();
  });

  it("round balls, bars and posts, and on each step of stairs", () => {
    const on = (shape: Surface["shape"], place: Place) =>
      touching(place, [{ name: "it", shape }], 0, 0.05, nothing)?.place;
    near(on({ kind: "ball", radius: 0.2 }, [0.22, 0, 0]), [0.2, 0, 0]);
    near(on({ kind: "bar", length: 1, radius: 0.02 }, [0.3, 0.03, 0]), [0.3, 0.02, 0]);
    near(on({ kind: "cylinder", radius: 0.3, height: 1 }, [0.33, 0, 0.2]), [0.3, 0, 0.2]);
    near(on({ kind: "cylinder", radius: 0.3, height: 1 }, [0.1, 0, 0.52]), [0.1, 0, 0.5]);
    near(on({ kind: "stairs", steps: 3, rise: 0.2, run: 0.3, width: 1 }, [0.45, 0, 0.42]), [0.45, 0, 0.4]);
  });

  it("with its own flesh between: the lowest vertex touches, however the body is turned", () => {
    const sole = [0, 0, -0.08, 0.1, 0, -0.05]; // about the joint, as an ankle has it
    const level = reachAlong(sole, [0, 0, 0], new THREE.Quaternion());
    near(touching([0, 0, 0.1], [FLOOR], 0, 0.05, level)!.place, [0, 0, 0.08]);
    const pitched = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), Math.PI / 2);
    // Turned down by a right angle, the second vertex is a decimetre below the joint.
    near(touching([0, 0, 0.12], [FLOOR], 0, 0.05, reachAlong(sole, [0, 0, 0], pitched))!.place, [0, 0, 0.1]);
    // A point of the sole itself needs no room.
    near(
      touching([0, 0, 0.02], [FLOOR], 0, 0.05, reachAlong(sole, [0, 0, -0.08], new THREE.Quaternion()))!
        .place,
      [0, 0, 0],
    );
  });

  it("along the axis of a drag only", () => {
    expect(alongAxis([0, 0, 0.1], [0, 0, 0], "z")).toBe(true);
    expect(alongAxis([0, 0, 0.1], [0, 0, 0], "x")).toBe(false);
    expect(alongAxis([0, 0, 0.1], [0.1, 0, 0], "")).toBe(true);
  });
});
