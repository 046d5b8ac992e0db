// Orientation by dragging: the grabbed direction follows the pointer, by the smallest turn or about one axis.
import * as THREE from "three";
import { type Axis, type Handle, length, minus, type Place, plus } from "./handle.ts";

/** w x y z, as the document has them. */
export type Turn = [number, number, number, number];

export const isTurn = (value: unknown): value is Turn =>
  Array.isArray(value) && value.length === 4 && value.every((v) => typeof v === "number");
const asThree = ([w, x, y, z]: Turn): THREE.Quaternion => new THREE.Quaternion(x, y, z, w).normalize();

/** The orientation after the direction `from` has been dragged to `to`. */
export function turned(start: Turn, from: Place, to: Place, axis: Axis): Turn {
  const [a, b] = [from, to].map((v) => flat(new THREE.Vector3(...v), axis)) as [THREE.Vector3, THREE.Vector3];
  if (a.lengthSq() < 1e-12 || b.lengthSq() < 1e-12) return start;
  const q = new THREE.Quaternion()
    .setFromUnitVectors(a.normalize(), b.normalize())
    .multiply(asThree(start))
    .normalize();
  return [q.w, q.x, q.y, q.z];
}

function flat(v: THREE.Vector3, axis: Axis): THREE.Vector3 {
  return axis ? v.setComponent({ x: 0, y: 1, z: 2 }[axis], 0) : v;
}

/** Three handles at the ends of a body's axes. */
export function axisHandles(
  base: Pick<Handle, "id" | "selects" | "layers" | "name" | "times">,
  centre: Place,
  start: Turn,
  size: number,
  write: (turn: Turn, within: string) => ReturnType<Handle["edit"]>,
): Handle[] {
  const arm = 0.11 * size;
  return (["x", "y", "z"] as const).map((axis, k) => {
    const unit = new THREE.Vector3().setComponent(k, arm).applyQuaternion(asThree(start));
    const way: Place = [unit.x, unit.y, unit.z];
    return {
      ...base,
      id: `${base.id}:${axis}`,
      kind: "axis",
      does: `turn by its ${axis} axis`,
      place: plus(centre, way),
      from: centre,
      over: "view",
      settle: (p) => onSphere(p, centre, arm),
      edit: (p, within, lock) => write(turned(start, way, minus(p, centre), lock), within),
    };
  });
}

export function onSphere(place: Place, centre: Place, radius: number): Place {
  const way = minus(place, centre);
  const far = length(way);
  return far < 1e-9 ? plus(centre, [radius, 0, 0]) : plus(centre, way, radius / far);
}

/** The angle about a unit axis from one direction to another [rad], within half a turn. */
export function angleAbout(axis: Place, from: Place, to: Place): number {
  const [n, a, b] = [axis, from, to].map((v) => new THREE.Vector3(...v)) as [
    THREE.Vector3,
    THREE.Vector3,
    THREE.Vector3,
  ];
  for (const v of [a, b]) v.projectOnPlane(n);
  return Math.atan2(n.dot(new THREE.Vector3().crossVectors(a, b)), a.dot(b));
}
