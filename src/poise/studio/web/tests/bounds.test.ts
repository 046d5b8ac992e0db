import * as THREE from "three";
import { expect, test } from "vitest";
import type { BodyShape } from "../src/stage/body_shapes.ts";
import { around, bounds } from "../src/stage/bounds.ts";
import { Poses } from "../src/stage/poses.ts";

const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 2, -0.5).normalize(), 0.9);
const half = new THREE.Vector3(0.1, 0.25, 0.4);
const centre = new THREE.Vector3(0.05, -0.1, 0.2);
const shape = { some: true, centre, half } as unknown as BodyShape;
/** One body in two frames: turned at (1, 2, 3), upright at the origin. */
const poses = new Poses(
  Float32Array.from([1, 2, 3, turn.x, turn.y, turn.z, turn.w, 0, 0, 0, 0, 0, 0, 1]),
  2,
  1,
);
const close = (a: THREE.Vector3, b: THREE.Vector3) => expect(a.distanceTo(b)).toBeLessThan(1e-5);

/** All eight corners of the body's box, and its origin, put where it is. */
function corners(place: THREE.Vector3, by: THREE.Quaternion): THREE.Box3 {
  const box = new THREE.Box3().expandByPoint(place);
  for (const x of [-1, 1])
    for (const y of [-1, 1])
      for (const z of [-1, 1])
        box.expandByPoint(
          new THREE.Vector3(x, y, z).multiply(half).add(centre).applyQuaternion(by).add(place),
        );
  return box;
}

/** A little more, for what bodies without shapes of their own have around them. */
const fleshed = (box: THREE.Box3) =>
  box.expandByScalar(0.02 * Math.max(...box.getSize(new THREE.Vector3()).toArray()));

test("a body's box is as large as its corners reach, however it is turned", () => {
  const found = bounds(poses, [shape], 0);
  const wanted = fleshed(corners(new THREE.Vector3(1, 2, 3), turn));
  close(found.min, wanted.min);
  close(found.max, wanted.max);
});

test("a whole clip reaches as far as all of its frames", () => {
  const both = fleshed(
    corners(new THREE.Vector3(1, 2, 3), turn).union(corners(new THREE.Vector3(), new THREE.Quaternion())),
  );
  const found = bounds(poses, [shape]);
  close(found.min, both.min);
  close(found.max, both.max);
});

test("what is around a body is within reach of it", () => {
  const box = around(poses, 0, 0.2, 0.5);
  close(box.min, new THREE.Vector3(0.5, 1.5, 2.5));
  close(box.max, new THREE.Vector3(1.5, 2.5, 3.5));
});
