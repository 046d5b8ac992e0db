// The path of a point over time: what lies behind the current frame in one colour, what is to come in another.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export class Trail {
  readonly group = new THREE.Group();
  private readonly past: Line2;
  private readonly future: Line2;
  private path: Float32Array = new Float32Array();

  constructor(past: THREE.ColorRepresentation = "#e0662c", future: THREE.ColorRepresentation = "#2f9fd0", width = 2.5) {
    this.past = line(past, width, 0.95);
    this.future = line(future, width, 0.55);
    this.group.add(this.past, this.future);
  }

  /** Points (frames × 3). */
  set(path: Float32Array): void {
    this.path = path;
  }

  at(frame: number): void {
    const count = this.path.length / 3;
    const now = Math.min(Math.max(Math.round(frame), 0), count - 1);
    put(this.past, this.path.subarray(0, 3 * (now + 1)));
    put(this.future, this.path.subarray(3 * now));
  }

  dispose(): void {
    for (const part of [this.past, this.future]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

function line(color: THREE.ColorRepresentation, linewidth: number, opacity: number): Line2 {
  const made = new Line2(new LineGeometry(), new LineMaterial({ color, linewidth, transparent: true, opacity, depthWrite: false }));
  made.frustumCulled = false;
  return made;
}

function put(target: Line2, points: Float32Array): void {
  target.visible = points.length >= 6;
  if (!target.visible) return;
  target.geometry.dispose();
  target.geometry = new LineGeometry();
  target.geometry.setPositions(points);
}
