// Boxes around what moves.
import * as THREE from "three";
import { STRIDE, type Poses } from "./poses.ts";

/** Everything that bodies pass through, or where they are at one frame, with some flesh around. */
export function bounds(poses: Poses, frame?: number): THREE.Box3 {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  const size = poses.bodies * STRIDE;
  const [first, last] = frame === undefined ? [0, poses.values.length] : [frame * size, (frame + 1) * size];
  for (let k = first; k < last; k += STRIDE) box.expandByPoint(at.fromArray(poses.values, k));
  const flesh = 0.07 * Math.max(...box.getSize(at).toArray());
  return box.expandByScalar(flesh || 0.15); // a single body has no extent of its own
}

/** A body at a frame, and what is within reach of it [m]. */
export function around(poses: Poses, body: number, frame: number, reach = 0.35): THREE.Box3 {
  const k = (Math.round(frame) * poses.bodies + body) * STRIDE;
  return new THREE.Box3().expandByPoint(new THREE.Vector3().fromArray(poses.values, k)).expandByScalar(reach);
}
