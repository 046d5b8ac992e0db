// @vitest-environment happy-dom
import * as THREE from "three";
import { expect, test } from "vitest";
import type { Handle } from "../src/stage/handle.ts";
import { Marks } from "../src/stage/marks.ts";
import type { Stage } from "../src/stage/stage.ts";

const drawn: string[] = [];
HTMLCanvasElement.prototype.getContext = (() =>
  new Proxy(
    {},
    {
      get: () => () => undefined,
      set: (_, name, value) => {
        /Style$/.test(String(name)) && drawn.push(String(value));
        return true;
      },
    },
  )) as never;

const stage = {
  onDraw: () => () => undefined,
  camera: new THREE.PerspectiveCamera(),
  perPixel: () => 0.001,
  stir: () => {},
  draw: () => {},
} as unknown as Stage;
const handle = (id: string, kind: Handle["kind"], more: Partial<Handle> = {}): Handle =>
  ({
    id,
    kind,
    selects: [id],
    layers: [],
    name: id,
    does: "",
    times: [0.5, 1],
    place: [1, 2, 3],
    over: "view",
    edit: () => ({}) as never,
    ...more,
  }) as Handle;

test("axes have the colours of axes: red, green, blue", () => {
  const marks = new Marks(stage);
  const colours = ["x", "y", "z"].map((axis) => {
    drawn.length = 0;
    marks.show(handle(`hit/constraints/0:axis-${axis}`, "axis", { from: [0, 0, 0] }));
    const group = marks.group.children.at(-1)!;
    const line = group.children.find((c) => c instanceof THREE.Line) as
      | THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>
      | undefined;
    return line ? `#${line.material.color.getHexString()}` : drawn.join();
  });
  expect(colours[0]).toContain("#d5433f");
  expect(colours[1]).toContain("#3a9a4a");
  expect(colours[2]).toContain("#3a6fd0");
});

test("a mark holds from its first time to its last, give or take the slack", () => {
  const marks = new Marks(stage);
  const one = handle("a", "target");
  for (const [time, holds] of [
    [0.4, false],
    [0.49, true],
    [0.7, true],
    [1.01, true],
    [1.1, false],
  ] as const) {
    marks.update([one], time, 0, new Set(), 0.02);
    expect(marks.now(one)).toBe(holds);
  }
});

test("handles that are only for what is chosen come and go with it", () => {
  const marks = new Marks(stage);
  const ring = handle("b", "spin", { chosen: true, ring: { centre: [0, 0, 0], radius: 1, axis: [0, 0, 1] } });
  marks.update([handle("a", "target"), ring], 0.6, 0, new Set(), 0);
  expect(marks.group.children.map((c) => c.name)).toEqual(["a"]);
  marks.update([handle("a", "target"), ring], 0.6, 0, new Set(["b"]), 0);
  expect(marks.group.children.map((c) => c.name)).toEqual(["a", "b"]);
  marks.update([], 0.6, 0, new Set(), 0);
  expect(marks.group.children).toEqual([]);
});
