// Boxes around what moves.
import * as THREE from "three";
import { STRIDE, type Poses } from "./poses.ts";

/** Everything that bodies pass through, with some flesh around. */
export function bounds(poses: Poses): THREE.Box3 {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  for (let k = 0; k < poses.values.length; k += STRIDE) box.expandByPoint(at.fromArray(poses.values, k));
  return box.expandByScalar(0.12);
}

/** A body at a frame, and what is near it. */
export function around(poses: Poses, body: number, frame: number): THREE.Box3 {
  const k = (Math.round(frame) * poses.bodies + body) * STRIDE;
  return new THREE.Box3().expandByPoint(new THREE.Vector3().fromArray(poses.values, k)).expandByScalar(0.35);
}
