import { expect, test } from "vitest";
import { constraintHandles, GLANCE, timesOf } from "../src/stage/constraint_handles.ts";
import type { Surroundings } from "../src/stage/handle.ts";
import { use } from "./cards.ts";

const around: Surroundings = { point: () => [1, 2, 3], centre: () => [0, 0, 1], size: 1.7, whole: 2 };
const entry = (more: object = {}) => ({
  name: "hand",
  handle: { kind: "point_position", point: "Hand" },
  target: { value: [4, 5, 6] },
  when: { at: 0.5 },
  ...more,
});
const found = (...constraints: object[]) =>
  constraintHandles(use({ do: "hit", name: "hit", constraints }, "constraints"), around);

test("muted constraints, and plants, which have handles of their own, have none here", () => {
  expect(found(entry({ muted: true }))).toEqual([]);
  expect(found(entry({ intervals: { Heel: { from: 0, to: 1 } } }))).toEqual([]);
  expect(found(entry({ muted: false }), entry({ muted: true }), entry()).map((h) => h.id)).toEqual([
    "hit/constraints/0",
    "hit/constraints/2",
  ]);
});

test("things hold at a time, from one to another, or always", () => {
  expect(timesOf({ at: 0 })).toEqual([0, 0]);
  expect(timesOf({ from: 0, to: 2 })).toEqual([0, 2]);
  expect(timesOf({ always: true })).toEqual([0, Infinity]);
  expect(timesOf(undefined)).toEqual([0, Infinity]);
});

test("a path has a handle for each of its times", () => {
  const handles = found(
    entry({
      target: {
        values: [
          [1, 0, 0],
          [2, 0, 0],
        ],
        times: [0.1, 0.2],
      },
    }),
  );
  expect(handles.map((h) => [h.id, h.times, h.place])).toEqual([
    ["hit/constraints/0:values/0", [0.1, 0.1], [1, 0, 0]],
    ["hit/constraints/0:values/1", [0.2, 0.2], [2, 0, 0]],
  ]);
  expect(handles[1]!.edit([9, 9, 9], "g", "")).toMatchObject({
    path: "constraints/0/target/values/1",
    value: [9, 9, 9],
  });
});

test("numbers that do not fit their axes are left alone", () => {
  expect(
    found(
      entry({ target: { value: [1, 2] } }),
      entry({ target: { value: ["x", 0, 0] } }),
      entry({ handle: { kind: "angle" } }),
    ),
  ).toEqual([]);
  expect(
    found(entry({ handle: { kind: "point_position", point: "Hand", axes: "z" }, target: { value: 7 } }))[0]!
      .place,
  ).toEqual([1, 2, 7]);
});

test("a velocity is drawn as the way of a tenth of a second, along the axes that it tells", () => {
  expect(GLANCE).toBe(0.1);
  const [up] = found(
    entry({
      rate: true,
      handle: { kind: "point_position", point: "Hand", axes: "z" },
      target: { value: [-5] },
    }),
  );
  expect(up!.place).toEqual([1, 2, 2.5]);
  expect(up!.edit([8, 8, 3.2], "g", "")).toMatchObject({ value: [expect.closeTo(2, 9)] });
});
