import * as THREE from "three";
import { expect, test } from "vitest";
import type { Packet } from "../src/packet.ts";
import { Figure, Looks, type LooksHeader } from "../src/stage/figure.ts";

/** Three corners on two bodies; the second is bound half a metre up. `shared`:
 * the last corner hangs on both. */
function looks(shared: boolean): Looks {
  const part = <T extends Float32Array | Uint8Array | Uint16Array | Uint32Array>(values: T) => ({
    values,
    shape: [values.length],
  });
  const up = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.5, 0, 0, 0, 1];
  const arrays = {
    position: part(Float32Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])),
    normal: part(Float32Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])),
    colour: part(new Uint8Array(9)),
    joints: part(Uint16Array.from([0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])),
    weights: part(Float32Array.from([1, 0, 0, 0, 1, 0, 0, 0, ...(shared ? [0.5, 0.5] : [1, 0]), 0, 0])),
    bind: part(Float32Array.from([...new THREE.Matrix4().elements, ...up])),
    index: part(Uint32Array.from([0, 1, 2])),
  };
  return new Looks({
    header: {
      name: "two",
      bodies: [
        { name: "a", parent: -1 },
        { name: "b", parent: 0 },
      ],
      morphs: [],
    },
    arrays,
  } as Packet<LooksHeader>);
}

const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 2, 3).normalize(), 0.8);
const places = Float32Array.from([0, 0, 0, 0, 0, 0, 1, 0.3, -0.2, 0.9, turn.x, turn.y, turn.z, turn.w]);

test("vertices that go with one body are put where it is, turned as it is", () => {
  const shape = looks(false);
  const figure = new Figure(shape);
  figure.pose(places);
  expect(figure.mesh).not.toBeInstanceOf(THREE.SkinnedMesh);
  const [position, normal] = ["position", "normal"].map((name) => figure.mesh.geometry.getAttribute(name));
  const at = (of: typeof position, v: number) => new THREE.Vector3().fromBufferAttribute(of!, v);
  expect(at(position, 0).distanceTo(new THREE.Vector3(1, 0, 0))).toBeLessThan(1e-6);
  for (const [v, rest] of [
    [1, new THREE.Vector3(0, 1, 0)],
    [2, new THREE.Vector3(0, 0, 1)],
  ] as const) {
    const there = rest
      .clone()
      .setZ(rest.z - 0.5)
      .applyQuaternion(turn)
      .add(new THREE.Vector3(0.3, -0.2, 0.9));
    expect(at(position, v).distanceTo(there)).toBeLessThan(1e-6);
    expect(at(normal, v).distanceTo(rest.clone().applyQuaternion(turn))).toBeLessThan(1e-6);
  }
  // Others that share its looks stay as they are.
  expect([...shape.geometry.getAttribute("position").array]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
});

test("vertices that hang on two bodies are left to the graphics card", () => {
  const figure = new Figure(looks(true));
  figure.pose(places);
  expect(figure.mesh).toBeInstanceOf(THREE.SkinnedMesh);
  const at = (figure.mesh as THREE.SkinnedMesh).applyBoneTransform(1, new THREE.Vector3(0, 1, 0));
  expect(
    at.distanceTo(new THREE.Vector3(0, 1, -0.5).applyQuaternion(turn).add(new THREE.Vector3(0.3, -0.2, 0.9))),
  ).toBeLessThan(1e-6);
});
