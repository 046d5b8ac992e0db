// The path of a point over time: what lies a little behind and ahead of the current frame in two colours with a dot per
// frame, so that speed can be read, and the whole path faintly.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { sign } from "./signs.ts";

/** Frames shown clearly on each side. */
const NEAR = 60;
/** More points than this would not be told apart, and cost on long clips. */
const MOST = 1500;

export class Trail {
  readonly group = new THREE.Group();
  private readonly past: Line2;
  private readonly future: Line2;
  private readonly whole: Line2;
  private readonly dots: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private path: Float32Array = new Float32Array();

  constructor(past: THREE.ColorRepresentation = "#e0662c", future: THREE.ColorRepresentation = "#2f9fd0", width = 2.5) {
    this.whole = line(future, 1, 0.3);
    this.past = line(past, width, 0.95);
    this.future = line(future, width, 0.8);
    this.dots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: "#ffffff", size: 4, map: sign("dot", "#ffffff"), sizeAttenuation: false, transparent: true, opacity: 0.85, depthWrite: false }));
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 2;
    this.group.add(this.whole, this.past, this.future, this.dots);
  }

  /** Points (frames × 3). */
  set(path: Float32Array): void {
    this.path = path;
    const count = path.length / 3;
    put(this.whole, count <= MOST ? path : thinned(path, Math.ceil(count / MOST)));
  }

  at(frame: number): void {
    const count = this.path.length / 3;
    const now = Math.min(Math.max(Math.round(frame), 0), count - 1);
    const first = Math.max(now - NEAR, 0);
    const last = Math.min(now + NEAR, count - 1);
    put(this.past, this.path.subarray(3 * first, 3 * (now + 1)));
    put(this.future, this.path.subarray(3 * now, 3 * (last + 1)));
    this.dots.geometry.dispose();
    this.dots.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(this.path.slice(3 * first, 3 * (last + 1)), 3));
  }

  dispose(): void {
    for (const part of [this.past, this.future, this.whole, this.dots]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

export function thinned(path: Float32Array, step: number): Float32Array {
  const kept: number[] = [];
  const count = path.length / 3;
  for (let k = 0; k < count; k += step) kept.push(path[3 * k]!, path[3 * k + 1]!, path[3 * k + 2]!);
  if ((count - 1) % step) kept.push(...path.subarray(3 * (count - 1)));
  return new Float32Array(kept);
}

function line(color: THREE.ColorRepresentation, linewidth: number, opacity: number): Line2 {
  const made = new Line2(new LineGeometry(), new LineMaterial({ color, linewidth, transparent: true, opacity, depthWrite: false }));
  made.frustumCulled = false;
  made.renderOrder = 2;
  return made;
}

function put(target: Line2, points: Float32Array): void {
  target.visible = points.length >= 6;
  if (!target.visible) return;
  target.geometry.dispose();
  target.geometry = new LineGeometry();
  target.geometry.setPositions(points);
}
