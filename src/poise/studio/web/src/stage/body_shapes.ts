// What each body is roughly like, found in the mesh once:
// an ellipsoid to point at, and where a body without children ends.
import * as THREE from "three";
import type { Looks } from "./figure.ts";
import { STRIDE } from "./poses.ts";

export interface BodyShape {
  centre: THREE.Vector3; // in the body's frame
  /** Half sides of the box around it. */
  half: THREE.Vector3;
  radii: THREE.Vector3;
  /** The far end, for bodies that nothing hangs on. */
  tip: THREE.Vector3;
  /** Whether any of the mesh is its own. */
  some: boolean;
}

export function bodyShapes(looks: Looks): BodyShape[] {
  const boxes = looks.bodies.map(() => new THREE.Box3());
  eachVertex(looks, (body, at) => boxes[body]!.expandByPoint(at));
  return boxes.map((box) => {
    const some = !box.isEmpty();
    const centre = some ? box.getCenter(new THREE.Vector3()) : new THREE.Vector3();
    const half = some ? box.getSize(new THREE.Vector3()).multiplyScalar(0.5) : new THREE.Vector3();
    // An ellipsoid inside the box would leave ends of limbs out, one around it would swallow neighbours.
    return {
      centre,
      half,
      radii: half.clone().multiplyScalar(1.15),
      tip: centre.clone().multiplyScalar(1.8),
      some,
    };
  });
}

/** The vertices of the mesh that are mostly a body's, in its frame (three numbers each). */
export function verticesOf(looks: Looks, body: number): number[] {
  const found: number[] = [];
  eachVertex(looks, (own, at) => own === body && found.push(at.x, at.y, at.z));
  return found;
}

/** Every vertex with the body that it mostly belongs to, in that body's frame. */
function eachVertex(
  { geometry, inverses }: Looks,
  visit: (body: number, at: THREE.Vector3) => unknown,
): void {
  const position = geometry.getAttribute("position");
  const joints = geometry.getAttribute("skinIndex");
  const weights = geometry.getAttribute("skinWeight");
  const at = new THREE.Vector3();
  for (let v = 0; v < position.count; v++) {
    let best = 0;
    for (let k = 1; k < 4; k++) if (weights.getComponent(v, k) > weights.getComponent(v, best)) best = k;
    const body = joints.getComponent(v, best);
    visit(body, at.fromBufferAttribute(position, v).applyMatrix4(inverses[body]!));
  }
}

/** Which body a ray meets first in a pose (bodies × 7), and where. */
export function pickBody(
  shapes: readonly BodyShape[],
  places: Float32Array,
  ray: THREE.Ray,
): { body: number; at: THREE.Vector3 } | undefined {
  let best: { body: number; at: THREE.Vector3 } | undefined;
  let least = Infinity;
  const frame = new THREE.Matrix4();
  const unit = new THREE.Matrix4();
  const local = new THREE.Ray();
  const sphere = new THREE.Sphere(new THREE.Vector3(), 1);
  const hit = new THREE.Vector3();
  shapes.forEach((shape, body) => {
    if (!shape.some || Math.min(shape.radii.x, shape.radii.y, shape.radii.z) <= 0) return;
    const k = body * STRIDE;
    frame.compose(
      new THREE.Vector3().fromArray(places, k),
      new THREE.Quaternion().fromArray(places, k + 3),
      new THREE.Vector3(1, 1, 1),
    );
    frame
      .multiply(unit.makeTranslation(shape.centre))
      .multiply(unit.makeScale(shape.radii.x, shape.radii.y, shape.radii.z));
    local.copy(ray).applyMatrix4(unit.copy(frame).invert());
    local.direction.normalize();
    if (!local.intersectSphere(sphere, hit)) return;
    hit.applyMatrix4(frame);
    const away = hit.distanceTo(ray.origin);
    if (away < least) [best, least] = [{ body, at: hit.clone() }, away];
  });
  return best;
}
