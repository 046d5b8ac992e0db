// Where a project's cameras stand over time, and which of them is seen: the same as films have it
// (`poise.pictures.shots`); `tests/shots.json` holds both to it. Keys are joined by cubic pieces which rest
// at both ends and never overshoot, in the target, the angles and the distance of the eye seen from it.
import * as THREE from "three";
import type { CameraKey, Cut, FilmCamera } from "../messages.ts";
import { middle } from "./cameras.tsx";
import type { Poses } from "./poses.ts";

/** In place of a camera's name: whichever the cuts say. */
export const CUTS = "cuts";
/** A cut at a frame's own time is seen in that frame [s]. */
const SLACK = 1e-6;

/** Where a camera stands: its eye, what it looks at [m], and its vertical field of view [deg]. */
export interface Stood {
  eye: THREE.Vector3;
  target: THREE.Vector3;
  fov: number;
}

/** Where somebody is over the floor at a time [s]. */
export type Way = (time: number) => THREE.Vector3;

/** The way of a body of a motion; undefined where there is no such body. */
export function wayOfBody(poses: Poses, body: number, fps: number): Way | undefined {
  return body < 0 || body >= poses.bodies ? undefined : (time) => middle(poses, time * fps, fps, body);
}

/** A camera at a time [s]; `way` is that of whom it goes along with. */
export function stood(camera: FilmCamera, time: number, way?: Way): Stood {
  const keys = [...camera.keys].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const at = keys.map((key) => key.time ?? 0);
  const rows = keys.map(numbers);
  for (let k = 1; k < rows.length; k++) {
    const [before, now] = [rows[k - 1]!, rows[k]!];
    now[3] = before[3]! + turn(now[3]! - before[3]!);
  }
  if (way)
    for (const [k, time_] of at.entries()) {
      const there = way(time_);
      rows[k]![0]! -= there.x;
      rows[k]![1]! -= there.y;
    }
  const [x, y, z, azimuth, elevation, distance, fov] = joined(at, rows, time) as Seven;
  const target = new THREE.Vector3(x, y, z);
  if (way) target.add(way(time));
  const level = Math.cos(elevation);
  const out = new THREE.Vector3(level * Math.cos(azimuth), level * Math.sin(azimuth), Math.sin(elevation));
  return { eye: target.clone().addScaledVector(out, Math.exp(distance)), target, fov: Math.exp(fov) };
}

type Seven = [number, number, number, number, number, number, number];

/** The shorter way round [rad]. */
const turn = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** Target, azimuth and elevation of the eye seen from it, logarithms of distance and field of view. */
function numbers({ eye, target, fov = 35 }: CameraKey): Seven {
  const [x, y, z] = eye.map((v, i) => v - target[i]!) as [number, number, number];
  const level = Math.hypot(x, y);
  return [...target, Math.atan2(y, x), Math.atan2(z, level), Math.log(Math.hypot(level, z)), Math.log(fov)];
}

/** Curves through rows of numbers at times, at a time. */
export function joined(at: readonly number[], rows: readonly (readonly number[])[], time: number): number[] {
  const last = at.length - 1;
  if (!last) return [...rows[0]!];
  const t = Math.min(Math.max(time, at[0]!), at[last]!);
  const after = at.findIndex((each) => each > t);
  const k = after < 0 ? last - 1 : after - 1;
  const h = at[k + 1]! - at[k]!;
  const s = (t - at[k]!) / h;
  return rows[k]!.map((from, i) => {
    const to = rows[k + 1]![i]!;
    return (
      (1 + 2 * s) * (1 - s) ** 2 * from +
      s * (1 - s) ** 2 * h * rate(at, rows, k, i) +
      s ** 2 * (3 - 2 * s) * to +
      s ** 2 * (s - 1) * h * rate(at, rows, k + 1, i)
    );
  });
}

/** How fast a number changes at a key: not at all at the first and the last, nor where it turns back. */
function rate(at: readonly number[], rows: readonly (readonly number[])[], k: number, i: number): number {
  if (k === 0 || k === at.length - 1) return 0;
  const [before, after] = [at[k]! - at[k - 1]!, at[k + 1]! - at[k]!];
  const a = (rows[k]![i]! - rows[k - 1]![i]!) / before;
  const b = (rows[k + 1]![i]! - rows[k]![i]!) / after;
  if (a * b <= 0) return 0;
  const [left, right] = [2 * after + before, after + 2 * before];
  return (left + right) / (left / a + right / b);
}

/** The camera that is seen at a time [s]; without cuts the first. */
export function cameraOn(
  cameras: Readonly<Record<string, FilmCamera>>,
  cuts: readonly Cut[],
  time: number,
): string | undefined {
  const listed = [...cuts].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  if (!listed.length) return Object.keys(cameras)[0];
  return (listed.findLast((cut) => (cut.time ?? 0) <= time + SLACK) ?? listed[0]!).camera;
}
