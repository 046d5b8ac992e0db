// The ring that faces the camera: it turns by as much as is seen, about the way one looks.
import * as THREE from "three";
import { expect, test } from "vitest";
import { viewRing } from "../src/pose/view_ring.ts";
import type { Place } from "../src/stage/handle.ts";

test("a ring that faces the camera turns about the way one looks, by the angle it is dragged", () => {
  const centre: Place = [0.3, -0.2, 1.1];
  let last = new THREE.Quaternion();
  const ring = viewRing("Arm", "turn", centre, 0.25, (turn) => {
    last = new THREE.Quaternion(...turn);
  });
  expect(ring.ring!.axis).toBeUndefined(); // it faces whoever looks
  for (const way of [new THREE.Vector3(1, 0, 0), new THREE.Vector3(-0.4, 0.7, 0.2).normalize()]) {
    const held = ring.facing!(way.toArray() as Place);
    expect(held.id).toBe(ring.id);
    const out = new THREE.Vector3(...held.place).sub(new THREE.Vector3(...centre));
    expect(out.length()).toBeCloseTo(0.25, 9);
    expect(out.dot(way)).toBeCloseTo(0, 9);
    for (const angle of [0.4, -2.1]) {
      const to = out
        .clone()
        .applyAxisAngle(way, angle)
        .add(new THREE.Vector3(...centre));
      held.follow!(to.toArray() as Place);
      const wanted = new THREE.Quaternion().setFromAxisAngle(way, angle);
      expect(Math.abs(last.dot(wanted))).toBeCloseTo(1, 9);
    }
  }
});
