// Lanes of the time line, as documents make them.
import type { Key, Lane } from "../src/time/lane.ts";

/** Poses at frames 10 and 40, and more keys. */
export const poseLane = (...more: Key[]): Lane => ({
  id: "pose",
  layer: "tracks",
  list: "poses",
  label: "Pose",
  colour: "#888",
  segments: [],
  keys: [{ id: "a", frame: 10, shape: "diamond" }, { id: "b", frame: 40, shape: "diamond" }, ...more],
});
