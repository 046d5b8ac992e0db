// What is drawn over the figure: centre of mass with its path and shadow, inertia, momentum, support, forces,
// trails.
import * as THREE from "three";
import type { Shown } from "../shell/actions.ts";
import type { Physics } from "../store.ts";
import { Arrow } from "./arrow.ts";
import type { Poses } from "./poses.ts";
import { Trail } from "./trail.ts";

/** What arrows are drawn in. */
export const COLOURS = { momentum: "#3d9a5d", spin: "#a14fc0", push: "#d6336c" };

export class Overlays {
  readonly group = new THREE.Group();
  private readonly centre = ball("#f2b01e");
  private readonly shadow = disc("#f2b01e");
  private readonly drop = thin("#d9980a");
  private readonly centrePath = new Trail("#c98a00", "#f0c040", 2);
  private readonly bodyPath = new Trail();
  private readonly ellipsoid = new THREE.Group();
  private readonly linear = new Arrow(COLOURS.momentum);
  private readonly angular = new Arrow(COLOURS.spin);
  private readonly support = new THREE.Mesh(
    new THREE.BufferGeometry(),
    new THREE.MeshBasicMaterial({
      color: "#3d9a5d",
      transparent: true,
      opacity: 0.22,
      side: THREE.DoubleSide,
      depthWrite: false,
    }),
  );
  private readonly border = new THREE.LineLoop(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ color: "#2c8a4c" }),
  );

  constructor() {
    this.ellipsoid.matrixAutoUpdate = false;
    // Three rings and a veil say as much as a net of lines, and hide less.
    const veil = new THREE.Mesh(
      new THREE.SphereGeometry(1, 32, 20),
      new THREE.MeshBasicMaterial({ color: "#f2b01e", transparent: true, opacity: 0.1, depthWrite: false }),
    );
    this.ellipsoid.add(veil, ...[0, 1, 2].map((k) => ring(k)));
    this.group.add(
      this.centre,
      this.shadow,
      this.drop,
      this.centrePath.group,
      this.bodyPath.group,
      this.ellipsoid,
      this.linear.group,
      this.angular.group,
      this.support,
      this.border,
    );
  }

  paths(physics: Physics | undefined, result: Poses | undefined, body: number): void {
    if (physics) this.centrePath.set(physics.com);
    if (result && body >= 0) this.bodyPath.set(result.path(body));
  }

  /** Marks keep their size on the screen; `perPixel` is metres per pixel at a place. */
  sized(perPixel: (place: THREE.Vector3) => number): void {
    this.centre.scale.setScalar(5.5 * perPixel(this.centre.position));
    const fine = perPixel(this.shadow.position);
    this.shadow.scale.setScalar(9 * fine);
    for (const part of [this.linear, this.angular])
      if (part.group.visible) part.sized(perPixel(part.group.position));
    // Above the floor by what the eye does not see but the depth buffer does.
    for (const part of [this.shadow, this.support, this.border]) part.position.z = fine;
  }

  at(
    frame: number,
    physics: Physics | undefined,
    result: Poses | undefined,
    shown: Shown,
    body: number,
  ): void {
    const near = Math.round(frame);
    const some = physics !== undefined && 3 * near + 2 < physics.com.length;
    for (const part of [this.centre, this.shadow, this.drop]) part.visible = some && shown.com;
    this.centrePath.group.visible = some && shown.com && shown.trails;
    this.ellipsoid.visible = some && shown.inertia;
    for (const part of [this.linear, this.angular]) part.group.visible = false;
    this.bodyPath.group.visible = shown.trails && body >= 0 && result !== undefined;
    if (this.bodyPath.group.visible) this.bodyPath.at(frame);
    this.support.visible = this.border.visible = false;
    if (physics && some) {
      const com = new THREE.Vector3().fromArray(physics.com, 3 * near);
      this.centre.position.copy(com);
      this.shadow.position.set(com.x, com.y, 0);
      this.drop.geometry.setFromPoints([com, new THREE.Vector3(com.x, com.y, 0)]);
      if (this.centrePath.group.visible) this.centrePath.at(frame);
      if (shown.inertia) this.inertia(physics, near, com);
      if (shown.momentum) this.momentum(physics, near, com);
      if (shown.support) this.polygon(physics.header.support[near] ?? []);
    }
  }

  /** The ellipsoid of equal mass: half-axes √(5/2m (tr J − 2 J_i)). */
  private inertia(physics: Physics, frame: number, com: THREE.Vector3): void {
    const J = physics.inertia.subarray(9 * frame, 9 * frame + 9);
    const { values, vectors } = symmetric(J);
    const trace = values[0]! + values[1]! + values[2]!;
    const axes = values.map((v) => Math.sqrt(Math.max(1e-6, (2.5 / physics.header.mass) * (trace - 2 * v))));
    const [a, b, c] = vectors.map((v, i) => new THREE.Vector3(...v).multiplyScalar(axes[i]!)) as [
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
    ];
    this.ellipsoid.matrix.makeBasis(a, b, c).setPosition(com);
    this.ellipsoid.matrixWorldNeedsUpdate = true;
  }

  private momentum(physics: Physics, frame: number, com: THREE.Vector3): void {
    // [m/s]
    const p = new THREE.Vector3().fromArray(physics.momentum, 3 * frame).divideScalar(physics.header.mass);
    const L = new THREE.Vector3().fromArray(physics.spin, 3 * frame).divideScalar(0.2 * physics.header.mass);
    this.linear.set(com, p.multiplyScalar(0.25));
    this.angular.set(com, L.multiplyScalar(0.25));
  }

  private polygon(corners: readonly (readonly number[])[]): void {
    this.support.visible = this.border.visible = corners.length >= 3;
    if (!this.support.visible) return;
    const shape = new THREE.Shape(corners.map(([x, y]) => new THREE.Vector2(x, y)));
    this.support.geometry.dispose();
    this.support.geometry = new THREE.ShapeGeometry(shape);
    this.border.geometry.dispose();
    this.border.geometry = new THREE.BufferGeometry().setFromPoints(shape.getPoints());
  }
}

/** Eigenvalues and vectors of a symmetric 3 × 3 matrix by Jacobi's rotations. */
export function symmetric(m: ArrayLike<number>): { values: number[]; vectors: [number, number, number][] } {
  const a = [0, 1, 2].map((i) => [0, 1, 2].map((j) => m[3 * i + j]!));
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 20; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      if (Math.abs(a[p]![q]!) < 1e-15) continue;
      const angle = 0.5 * Math.atan2(2 * a[p]![q]!, a[q]![q]! - a[p]![p]!);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let k = 0; k < 3; k++)
        [a[k]![p], a[k]![q]] = [c * a[k]![p]! - s * a[k]![q]!, s * a[k]![p]! + c * a[k]![q]!];
      for (let k = 0; k < 3; k++)
        [a[p]![k], a[q]![k]] = [c * a[p]![k]! - s * a[q]![k]!, s * a[p]![k]! + c * a[q]![k]!];
      for (let k = 0; k < 3; k++)
        [v[k]![p], v[k]![q]] = [c * v[k]![p]! - s * v[k]![q]!, s * v[k]![p]! + c * v[k]![q]!];
    }
  }
  return {
    values: [0, 1, 2].map((i) => a[i]![i]!),
    vectors: [0, 1, 2].map((i) => [v[0]![i]!, v[1]![i]!, v[2]![i]!] as [number, number, number]),
  };
}

/** Of radius 1: the view gives it its size on the screen. */
function ball(color: string): THREE.Mesh {
  const made = new THREE.Mesh(
    new THREE.SphereGeometry(1, 20, 14),
    new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95 }),
  );
  made.renderOrder = 4;
  return made;
}

function disc(color: string): THREE.Mesh {
  return new THREE.Mesh(
    new THREE.RingGeometry(0.7, 1, 28),
    new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthWrite: false }),
  );
}

function thin(color: string): THREE.Line {
  const made = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.6 }),
  );
  made.frustumCulled = false;
  return made;
}

/** A unit circle about an axis. */
function ring(axis: number): THREE.LineLoop {
  const points = Array.from({ length: 64 }, (_, k) => {
    const angle = (2 * Math.PI * k) / 64;
    const round = [Math.cos(angle), Math.sin(angle)];
    round.splice(axis, 0, 0);
    return new THREE.Vector3(...(round as [number, number, number]));
  });
  return new THREE.LineLoop(
    new THREE.BufferGeometry().setFromPoints(points),
    new THREE.LineBasicMaterial({ color: "#c98a00", transparent: true, opacity: 0.8, depthTest: false }),
  );
}
