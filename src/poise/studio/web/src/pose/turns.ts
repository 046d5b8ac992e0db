// Rotations as people read and write them: rotation vectors in degrees.
import * as THREE from "three";

const DEGREE = 180 / Math.PI;

/** A rotation vector [°] of a quaternion w x y z, and back. */
export function rotation([w = 1, x = 0, y = 0, z = 0]: number[]): number[] {
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, Math.abs(w)) * Math.sign(w || 1);
  return [x, y, z].map((v) => (sine < 1e-12 ? 0 : (DEGREE * angle * v) / sine));
}
export function quaternion(degrees: number[]): number[] {
  const turn = new THREE.Vector3(...(degrees as [number, number, number])).divideScalar(DEGREE);
  const angle = turn.length();
  const q = new THREE.Quaternion().setFromAxisAngle(
    angle ? turn.divideScalar(angle) : new THREE.Vector3(1, 0, 0),
    angle,
  );
  return [q.w, q.x, q.y, q.z];
}
