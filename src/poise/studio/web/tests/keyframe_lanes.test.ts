import { expect, test } from "vitest";
import { byTime, inOrder } from "../src/time/keyframe_lanes.ts";

test("keys are in the order of time, in whatever order they were made; muted ones do not act", () => {
  const keys = [{ time: 2 }, { time: -1 }, { time: 0.5, muted: true }, { time: 0.25 }, { time: 7 }];
  expect(byTime(keys)).toEqual([1, 3, 2, 0, 4]);
  expect(inOrder(keys)).toEqual([1, 3, 0, 4]);
  expect(byTime([])).toEqual([]);
});
