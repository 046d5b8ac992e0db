// The kinematic pose as wire: a line per bone with dots at the joints,
// drawn over everything so that it reads.
import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { BodyShape } from "./body_shapes.ts";
import { BEHIND, behind, type Looks } from "./figure.ts";
import { STRIDE } from "./poses.ts";
import { sign } from "./signs.ts";

export class BoneLines {
  readonly group = new THREE.Group();
  private readonly lines: LineSegments2;
  private readonly dots: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private readonly ends: Float32Array;
  private readonly joints: THREE.BufferAttribute;
  private readonly leaves: number[];

  constructor(
    private readonly looks: Looks,
    private readonly shapes: readonly BodyShape[],
    colour: string,
    style: "wire" | "ghost" = "wire",
  ) {
    this.group.name = "bones";
    const parents = new Set(looks.bodies.map((b) => b.parent));
    this.leaves = looks.bodies.map((_, i) => i).filter((i) => !parents.has(i) && shapes[i]!.some);
    const bones = looks.bodies.filter((b) => b.parent >= 0).length + this.leaves.length;
    this.ends = new Float32Array(6 * bones);
    this.joints = new THREE.BufferAttribute(new Float32Array(3 * looks.bodies.length), 3);
    this.lines = new LineSegments2(
      new LineSegmentsGeometry(),
      new LineMaterial({
        color: colour,
        linewidth: style === "wire" ? 1.8 : 1.4,
        transparent: true,
        opacity: 0.75,
        depthTest: false,
      }),
    );
    this.lines.geometry.setPositions(this.ends);
    const points = new THREE.BufferGeometry().setAttribute("position", this.joints);
    this.dots = new THREE.Points(
      points,
      new THREE.PointsMaterial({
        color: colour,
        size: style === "wire" ? 7 : 5,
        map: sign("dot", "#ffffff"),
        sizeAttenuation: false,
        transparent: true,
        depthTest: false,
      }),
    );
    for (const part of [this.lines, this.dots]) {
      part.frustumCulled = false;
      part.renderOrder = style === "wire" ? 2 : BEHIND;
      if (style === "ghost") behind(part.material as THREE.Material);
      this.group.add(part);
    }
  }

  pose(places: Float32Array): void {
    const { bodies } = this.looks;
    let k = 0;
    const turn = new THREE.Quaternion();
    const at = new THREE.Vector3();
    bodies.forEach((body, i) => {
      this.joints.setXYZ(i, places[i * STRIDE]!, places[i * STRIDE + 1]!, places[i * STRIDE + 2]!);
      if (body.parent < 0) return;
      this.ends.set(places.subarray(body.parent * STRIDE, body.parent * STRIDE + 3), k);
      this.ends.set(places.subarray(i * STRIDE, i * STRIDE + 3), k + 3);
      k += 6;
    });
    for (const i of this.leaves) {
      this.ends.set(places.subarray(i * STRIDE, i * STRIDE + 3), k);
      at.copy(this.shapes[i]!.tip).applyQuaternion(turn.fromArray(places, i * STRIDE + 3));
      this.ends.set(
        [places[i * STRIDE]! + at.x, places[i * STRIDE + 1]! + at.y, places[i * STRIDE + 2]! + at.z],
        k + 3,
      );
      k += 6;
    }
    this.joints.needsUpdate = true;
    const start = this.lines.geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute;
    (start.data.array as Float32Array).set(this.ends);
    start.data.needsUpdate = true;
  }

  tint(colour: string, strength: number): void {
    for (const { material } of [this.lines, this.dots]) {
      material.color.set(colour);
      material.opacity = 0.9 * strength;
    }
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.dots.geometry.dispose();
    this.dots.material.dispose();
  }
}
