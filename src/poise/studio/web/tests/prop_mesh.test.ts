import * as THREE from "three";
import { expect, test } from "vitest";
import { PropMesh } from "../src/stage/prop_mesh.ts";

const place = (x: number) => [x, 0, 1, 0, 0, 0, 1];

test("a thrown ball is there from its release on and goes straight between frames", () => {
  const ball = new PropMesh({
    header: { kind: "prop", name: "ball", solid: "sphere", size: [0.1, 0, 0], number: 0, count: 1 },
    places: Float32Array.from([...Array<number>(7).fill(NaN), ...place(2), ...place(3)]),
  });
  ball.at(0.4);
  expect(ball.mesh.visible).toBe(false);
  ball.at(1.5);
  expect(ball.mesh.visible).toBe(true);
  expect(ball.mesh.position.toArray()).toEqual([2.5, 0, 1]);
  ball.at(99);
  expect(ball.mesh.position.x).toBe(3);
});

test("solids have the sizes that Poise says, long axis along z", () => {
  const box = (solid: string, size: [number, number, number]) => {
    const made = new PropMesh({
      header: { kind: "prop", name: "", solid, size, number: 0, count: 1 },
      places: Float32Array.from(place(0)),
    });
    made.mesh.geometry.computeBoundingBox();
    return made.mesh.geometry
      .boundingBox!.getSize(new THREE.Vector3())
      .toArray()
      .map((v) => Number(v.toFixed(2)));
  };
  expect(box("sphere", [0.1, 0, 0])).toEqual([0.2, 0.2, 0.2]);
  expect(box("box", [0.1, 0.2, 0.3])).toEqual([0.2, 0.4, 0.6]);
  expect(box("capsule", [0.1, 0.5, 0])).toEqual([0.2, 0.2, 1.2]);
  expect(box("cylinder", [0.1, 0.5, 0])).toEqual([0.2, 0.2, 1]);
  expect(box("ellipsoid", [0.1, 0.2, 0.3])).toEqual([0.2, 0.4, 0.6]);
});
