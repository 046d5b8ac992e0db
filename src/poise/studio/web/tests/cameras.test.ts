// @vitest-environment happy-dom
// Cameras of the stage: from where plans are seen, without perspective, and one that goes along.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { expect, test } from "vitest";
import type { FigurePacket, JointFact } from "../src/messages.ts";
import { facing, middle, wayOf } from "../src/stage/cameras.tsx";
import { balls, opposite, orbited } from "../src/stage/gizmo.tsx";
import { Lens } from "../src/stage/lens.ts";
import { Poses } from "../src/stage/poses.ts";

/** A root and two thighs; the root goes along a way, the left thigh is to its left. */
function walker(frames: number, way: (frame: number) => [number, number], left: [number, number]): Poses {
  const values = new Float32Array(frames * 3 * 7);
  for (let f = 0; f < frames; f++) {
    const [x, y] = way(f);
    for (let body = 0; body < 3; body++) {
      const side = body === 1 ? 0.1 : body === 2 ? -0.1 : 0;
      values.set([x + side * left[0], y + side * left[1], 0.9, 0, 0, 0, 1], 7 * (3 * f + body));
    }
  }
  return new Poses(values, frames, 3);
}
const figure = {
  joints: [
    { limb: "", side: "" },
    { limb: "thigh", side: "left" },
    { limb: "thigh", side: "right" },
  ] as JointFact[],
} as FigurePacket;

test("the front is where the motion goes or, in place, where the figure looks", () => {
  // It looks along y: its left is at -x.
  const still = walker(10, () => [0, 0], [-1, 0]);
  expect(facing(still, figure, 1.7)).toBeCloseTo(Math.PI / 2, 6);
  const goes = walker(10, (f) => [-0.4 * f, 0.02 * f], [-1, 0]);
  expect(Math.cos(facing(goes, figure, 1.7))).toBeCloseTo(-1, 6); // nearly along -x: along it
  const aslant = walker(10, (f) => [0.4 * f, 0.4 * f], [-1, 0]);
  expect(facing(aslant, figure, 1.7)).toBeCloseTo(Math.PI / 4, 6);
});

test("who goes to the right of the picture is seen from the right side and from above", () => {
  for (const heading of [0, 1, -2.5]) {
    const ahead = new THREE.Vector3(Math.cos(heading), Math.sin(heading), 0);
    for (const view of ["right", "top"] as const) {
      const camera = new THREE.PerspectiveCamera();
      camera.up.set(0, 0, 1);
      camera.position.copy(wayOf(view, heading));
      camera.lookAt(0, 0, 0);
      const right = new THREE.Vector3(1, 0, 0).applyQuaternion(camera.quaternion);
      expect(right.dot(ahead), `${view} at ${heading}`).toBeCloseTo(1, 4);
    }
    expect(wayOf("front", heading).dot(ahead)).toBeCloseTo(1, 6);
    expect(wayOf("back", heading).dot(ahead)).toBeCloseTo(-1, 6);
    expect(wayOf("left", heading).dot(wayOf("right", heading))).toBeCloseTo(-1, 6);
  }
});

function seen(): { camera: THREE.PerspectiveCamera; controls: OrbitControls; lens: Lens } {
  const camera = new THREE.PerspectiveCamera(35, 1.6, 0.01, 500);
  camera.up.set(0, 0, 1);
  camera.position.set(2, -3, 1.5);
  const controls = new OrbitControls(camera, document.createElement("canvas"));
  controls.target.set(0.3, 0.2, 0.9);
  controls.update();
  return { camera, controls, lens: new Lens(camera, controls) };
}

test("a plan has no perspective, and what is looked at stays as large", () => {
  const { camera, controls, lens } = seen();
  const size = (depth: number) => {
    camera.updateMatrixWorld();
    const way = lens.way();
    const up = new THREE.Vector3(0, 1, 0).applyQuaternion(camera.quaternion);
    const at = controls.target.clone().addScaledVector(way, depth);
    return at.clone().add(up).project(camera).distanceTo(at.project(camera));
  };
  const before = { size: size(0), position: camera.position.clone() };
  expect(size(1) / before.size).toBeGreaterThan(1.2); // nearer is larger
  lens.look(new THREE.Vector3(0, -1, 0));
  lens.depth(1);
  expect(lens.flat && lens.level).toBe(true);
  expect(size(0)).toBeCloseTo(before.size, 2);
  expect(size(2) / size(-2)).toBeCloseTo(1, 1);
  expect(size(2) / size(-2)).toBeLessThan(1.02);
  lens.look(new THREE.Vector3(0, 0, 1));
  expect(lens.level).toBe(false);
  lens.look(undefined);
  expect(camera.position.distanceTo(before.position)).toBeLessThan(1e-6);
  expect(camera.fov).toBe(35);
});

test("turning the view leaves a plan, going along and coming closer do not", () => {
  const { camera, controls, lens } = seen();
  let left = 0;
  lens.left = () => left++;
  lens.look(new THREE.Vector3(0, -1, 0));
  lens.shift(new THREE.Vector3(3, 1, 0));
  expect(controls.target.distanceTo(new THREE.Vector3(3.3, 1.2, 0.9))).toBeLessThan(1e-9);
  camera.position.sub(controls.target).multiplyScalar(0.5).add(controls.target);
  controls.update();
  expect([left, lens.flat]).toEqual([0, true]);
  const away = camera.position
    .clone()
    .sub(controls.target)
    .applyAxisAngle(new THREE.Vector3(0, 0, 1), 0.1);
  camera.position.copy(controls.target).add(away);
  controls.update();
  expect([left, lens.flat, camera.fov]).toEqual([1, false, 35]);
});

test("going along has no sway and no jerk, not even at the ends", () => {
  const poses = walker(120, (f) => [0.02 * f, 0.03 * Math.sin((2 * Math.PI * f) / 30)], [0, 1]);
  for (const frame of [0, 7, 30.5, 60, 112, 119]) {
    const [x, y] = middle(poses, frame, 60).toArray();
    expect(x).toBeCloseTo(0.02 * frame, 5);
    expect(Math.abs(y!)).toBeLessThan(0.012);
  }
});

test("the axes of the world: the nearest end in front, each where it is seen; two sides of each", () => {
  const ends = balls([
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 0],
  ]); // seen from +x
  expect(ends.map((b) => b.view).at(-1)).toBe("+x");
  expect(ends[0]!.view).toBe("-x");
  const of = (view: string) => ends.find((b) => b.view === view)!;
  expect([Math.sign(of("+y").x), Math.sign(of("+z").y), of("+x").x]).toEqual([1, -1, 0]);
  for (const { view } of ends) {
    const way = wayOf(view, 0.3);
    expect(
      way.dot(new THREE.Vector3().setComponent("xyz".indexOf(view[1]!), view[0] === "+" ? 1 : -1)),
    ).toBeCloseTo(1, 6);
    expect(opposite(opposite(view))).toBe(view);
  }
});

test("a camera is turned by keys about what it looks at, as far away as before, never over the pole", () => {
  const camera = new THREE.PerspectiveCamera();
  const target = new THREE.Vector3(1, 2, 1);
  camera.position.set(4, 2, 1);
  const right = orbited(camera, target, Math.PI / 2, 0);
  expect(right.distanceTo(new THREE.Vector3(1, 5, 1))).toBeLessThan(1e-9);
  const up = orbited(camera, target, 0, 3);
  expect(up.distanceTo(new THREE.Vector3(1, 2, 4))).toBeLessThan(0.01);
  expect(orbited(camera, target, 0, -3, 0.5 * Math.PI).z).toBeCloseTo(1, 6);
});
