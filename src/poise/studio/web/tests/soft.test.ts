// What is worn: the vertex that the pointer meets, the place of a point that swings, and its target.
import { Raycaster, Vector3 } from "three";
import { expect, test } from "vitest";
import { constraintHandles } from "../src/stage/constraint_handles.ts";
import { nearestVertex, SoftMesh } from "../src/stage/soft_mesh.ts";
import type { Soft } from "../src/store.ts";
import { use } from "./cards.ts";

const rest = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
const soft = (more: Partial<Soft> = {}): Soft => ({
  header: { kind: "soft", name: "hat", body: 0, colour: [1, 0, 0], layer: "hat", number: 0, count: 1 },
  index: new Uint32Array([0, 1, 2]),
  shape: new Float32Array([...rest, ...rest.map((v, i) => (i % 3 === 2 ? v + 0.5 : v))]),
  rest,
  frames: 2,
  ...more,
});

test("a ray meets the vertex that is nearest to where it comes in, as it has swung, on its bone", () => {
  const mesh = new SoftMesh(soft());
  mesh.at(1, new Float32Array([0, 0, 2, 0, 0, 0, 1]));
  const down = (x: number, y: number) => new Raycaster(new Vector3(x, y, 10), new Vector3(0, 0, -1));
  const found = mesh.pick(down(0.7, 0.1))!;
  expect(found.vertex).toBe(1);
  expect(mesh.vertex(1).distanceTo(new Vector3(1, 0, 2.5))).toBeLessThan(1e-6);
  expect(mesh.about(1).rest).toEqual([1, 0, 0]);
  expect(found.away).toBeCloseTo(7.5, 6);
  expect(mesh.pick(down(0.1, 0.7))!.vertex).toBe(2);
  expect(mesh.pick(down(2, 2))).toBeUndefined();
  const cloth = new SoftMesh(soft({ rest: new Float32Array() }));
  cloth.at(0, new Float32Array([0, 0, 0, 0, 0, 0, 1]));
  expect(cloth.pick(down(0.2, 0.2))).toBeUndefined();
});

test("points are known again by where they are as modelled", () => {
  expect(nearestVertex({ rest }, [0.1, 0.9, 0])).toBe(2);
  expect(nearestVertex({ rest: new Float32Array() }, [0, 0, 0])).toBe(-1);
});

test("targets on what is worn have handles, alone and along an axis", () => {
  const entry = (axes: string, value: number | number[]) => ({
    name: "tip",
    handle: { kind: "attachment_point", attachment: "hat", bone: "Head", place: [0, 1, 0], axes },
    target: { value },
    when: { at: 0.5 },
  });
  const around = {
    point: () => undefined,
    centre: () => undefined,
    size: 1,
    whole: 1,
    worn: (name: string, place: number[]) =>
      name === "hat" && place[1] === 1 ? ([4, 5, 6] as [number, number, number]) : undefined,
  };
  const constraints = [entry("xyz", [1, 2, 3]), entry("z", 1.5)];
  const [all, height] = constraintHandles(
    use({ do: "wear", name: "hat", constraints }, "constraints"),
    around,
  );
  expect([all!.kind, all!.place, all!.name]).toEqual(["target", [1, 2, 3], "tip"]);
  expect(height!.place).toEqual([4, 5, 1.5]);
});
