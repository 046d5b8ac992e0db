// Boxes around what moves.
import * as THREE from "three";
import type { BodyShape } from "./body_shapes.ts";
import { type Poses, STRIDE } from "./poses.ts";

/** Frames looked at where all are meant: a path has no corners that these would miss by much. */
const LOOKS = 240;

/** Everything that bodies, with their shapes, pass through, or where they are at one frame. */
export function bounds(poses: Poses, shapes: readonly BodyShape[], frame?: number): THREE.Box3 {
  const box = new THREE.Box3();
  const step = Math.max(1, Math.ceil(poses.frames / LOOKS));
  const [first, last] = frame === undefined ? [0, poses.frames - 1] : [frame, frame];
  for (let f = first; f <= last; f += step)
    for (let body = 0; body < poses.bodies; body++) reached(box, poses, f, body, shapes[body]);
  const flesh = 0.02 * Math.max(...box.getSize(new THREE.Vector3()).toArray());
  return box.expandByScalar(flesh || 0.15); // a single body without a shape has no extent of its own
}

const place = new THREE.Vector3();
const turn = new THREE.Matrix4();
const quaternion = new THREE.Quaternion();
const half = new THREE.Vector3();

/** A body's box, turned as the body is: half sides Σ_j |R_ij| h_j. */
function reached(
  box: THREE.Box3,
  poses: Poses,
  frame: number,
  body: number,
  shape: BodyShape | undefined,
): void {
  const k = (frame * poses.bodies + body) * STRIDE;
  place.fromArray(poses.values, k);
  box.expandByPoint(place);
  if (!shape?.some) return;
  turn.makeRotationFromQuaternion(quaternion.fromArray(poses.values, k + 3));
  place.add(half.copy(shape.centre).applyMatrix4(turn));
  const e = turn.elements;
  const side = (i: number) =>
    Math.abs(e[i]!) * shape.half.x + Math.abs(e[4 + i]!) * shape.half.y + Math.abs(e[8 + i]!) * shape.half.z;
  half.set(side(0), side(1), side(2));
  box.expandByPoint(place.add(half)).expandByPoint(place.addScaledVector(half, -2));
}

/** A body at a frame, and what is within reach of it [m]. */
export function around(poses: Poses, body: number, frame: number, reach = 0.35): THREE.Box3 {
  const k = (Math.round(frame) * poses.bodies + body) * STRIDE;
  return new THREE.Box3().expandByPoint(new THREE.Vector3().fromArray(poses.values, k)).expandByScalar(reach);
}
