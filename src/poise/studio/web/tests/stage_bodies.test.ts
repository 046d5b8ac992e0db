import * as THREE from "three";
import { describe, expect, test } from "vitest";
import type { FigurePacket } from "../src/messages.ts";
import { type BodyShape, pickBody } from "../src/stage/body_shapes.ts";
import { bounds } from "../src/stage/bounds.ts";
import { FUTURE, ghostFrames, PAST, tone } from "../src/stage/ghosts.ts";
import { pointNear } from "../src/stage/grasp.ts";
import { included } from "../src/stage/local_root.ts";
import { symmetric } from "../src/stage/overlays.ts";
import { Poses } from "../src/stage/poses.ts";
import { thinned } from "../src/stage/trail.ts";

//        hips(0) ─ spine(1) ─ arm(2) ─ hand(3)
//           └ leg(4) ─ foot(5)
const PARENTS = [-1, 0, 1, 2, 0, 4];
const which = (found: boolean[]) => found.flatMap((f, i) => (f ? [i] : []));

describe("local roots", () => {
  test("below the root: it is the pivot, and what is beyond it moves", () =>
    expect(which(included(PARENTS, 2, 3))).toEqual([2, 3]));
  test("the actual root on the dragged side: the local root itself stays", () =>
    expect(which(included(PARENTS, 2, 5))).toEqual([0, 1, 4, 5]));
  test("the actual root as local root lets one limb move", () =>
    expect(which(included(PARENTS, 0, 5))).toEqual([0, 4, 5]));
});

test("the nearest body along a ray is picked, wherever it is turned", () => {
  const shape = (x: number, radii: [number, number, number]): BodyShape => ({
    centre: new THREE.Vector3(x, 0, 0),
    half: new THREE.Vector3(...radii),
    radii: new THREE.Vector3(...radii),
    tip: new THREE.Vector3(),
    some: true,
  });
  const shapes = [shape(0, [1, 0.2, 0.2]), shape(0, [1, 0.2, 0.2]), { ...shape(0, [9, 9, 9]), some: false }];
  const turn = Math.SQRT1_2; // a quarter about z: the second lies along y
  const places = new Float32Array([0, 5, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, turn, turn, 0, 0, 0, 0, 0, 0, 1]);
  const ray = (x: number) => new THREE.Ray(new THREE.Vector3(x, -10, 0), new THREE.Vector3(0, 1, 0));
  expect(pickBody(shapes, places, ray(0))).toMatchObject({ body: 1 });
  expect(pickBody(shapes, places, ray(0))!.at.y).toBeCloseTo(1, 6);
  expect(pickBody(shapes, places, ray(0.5))).toMatchObject({ body: 0 }); // past the second, which is thin
  expect(pickBody(shapes, places, ray(3))).toBeUndefined();
});

test("a touched body gives its nearest named point, or its joint", () => {
  const figure = {
    bodies: [{ name: "Hand", parent: -1 }],
    places: [{ name: "Palm", body: 0, position: [0.1, 0, 0] }],
  } as unknown as FigurePacket;
  expect(pointNear(figure, 0, [0.09, 0.01, 0])).toBe("Palm");
  expect(pointNear(figure, 0, [0.01, 0, 0])).toBe("Hand");
});

test("ghosts stand at keys nearest first, else around the frame and within the clip", () => {
  expect(ghostFrames(10, 100, [0, 12, 40, 10])).toEqual([12, 0, 40]);
  const around = ghostFrames(3, 100, []);
  expect(around.every((f) => f >= 0 && f < 100)).toBe(true);
  expect(around.some((f) => f > 3)).toBe(true);
});

test("a long path is thinned and keeps its end", () => {
  const path = Float32Array.from({ length: 30 }, (_, k) => k);
  expect([...thinned(path, 4)]).toEqual([0, 1, 2, 12, 13, 14, 24, 25, 26, 27, 28, 29]);
});

test("eigenvectors put a symmetric matrix together again", () => {
  const m = [4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2];
  const { values, vectors } = symmetric(m);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      expect(vectors.reduce((sum, v, k) => sum + values[k]! * v[i]! * v[j]!, 0)).toBeCloseTo(
        m[3 * i + j]!,
        9,
      );
});

test("bounds of one frame and of all", () => {
  const pose = (x: number) => [x, 0, 0, 0, 0, 0, 1, x, 0, 2, 0, 0, 0, 1];
  const poses = new Poses(Float32Array.from([...pose(0), ...pose(5)]), 2, 2);
  expect(bounds(poses, []).max.x).toBeGreaterThan(5);
  expect(bounds(poses, [], 0).max.x).toBeLessThan(1);
});

test("a single body has the bounds of its shape, turned as it is", () => {
  const turn = Math.SQRT1_2; // a quarter about z: what was long in x is long in y
  const poses = new Poses(Float32Array.from([1, 1, 0, 0, 0, turn, turn]), 1, 1);
  const shape: BodyShape = {
    centre: new THREE.Vector3(2, 0, 0),
    half: new THREE.Vector3(2, 0.5, 0.5),
    radii: new THREE.Vector3(),
    tip: new THREE.Vector3(),
    some: true,
  };
  const box = bounds(poses, [shape]);
  expect(box.max.y).toBeCloseTo(5 + 0.02 * 4, 5);
  expect(box.max.x).toBeCloseTo(1.5 + 0.02 * 4, 5);
});

test("ghosts tell before from after by colour, and near from far by strength", () => {
  const frames = [40, 46, 54, 60, 80];
  const tones = frames.map((f) => tone(f, 50, frames));
  expect(tones.map((t) => t.colour)).toEqual([PAST, PAST, FUTURE, FUTURE, FUTURE]);
  expect(tones[1]!.strength).toBe(1); // the nearest
  expect(tones[0]!.strength).toBeCloseTo(tones[3]!.strength, 9); // as far on either side
  expect(tones[4]!.strength).toBeCloseTo(0.3, 9);
  expect(tone(7, 3, [7]).strength).toBe(1);
});
