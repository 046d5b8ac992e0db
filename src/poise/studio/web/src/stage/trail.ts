// The path of a point over time: what lies a little behind and ahead of the current frame in two
// colours with a dot per frame, so that speed can be read, and the whole path faintly.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { sign } from "./signs.ts";

/** Frames shown clearly on each side. */
const NEAR = 60;
/** More points than this would not be told apart, and cost on long clips. */
const MOST = 1500;
/** Of the whole path, which is faint, points that are off its straight pieces by less are left out;
 * of its extent. */
const STRAIGHT = 0.002;
const LONGEST = 24;

export class Trail {
  readonly group = new THREE.Group();
  private readonly past: Line2;
  private readonly future: Line2;
  private readonly whole: Line2;
  private readonly dots: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private path: Float32Array = new Float32Array();

  constructor(
    past: THREE.ColorRepresentation = "#e0662c",
    future: THREE.ColorRepresentation = "#2f9fd0",
    width = 2.5,
  ) {
    this.whole = line(future, 1, 0.3);
    this.past = line(past, width, 0.95);
    this.future = line(future, width, 0.8);
    const spots = new THREE.BufferGeometry().setAttribute(
      "position",
      new THREE.BufferAttribute(new Float32Array(3 * (2 * NEAR + 1)), 3),
    );
    this.dots = new THREE.Points(
      spots,
      new THREE.PointsMaterial({
        color: "#ffffff",
        size: 4,
        map: sign("dot", "#ffffff"),
        sizeAttenuation: false,
        transparent: true,
        opacity: 0.85,
        depthWrite: false,
      }),
    );
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 2;
    this.group.add(this.whole, this.past, this.future, this.dots);
  }

  /** Points (frames × 3). */
  set(path: Float32Array): void {
    this.path = path;
    const count = path.length / 3;
    put(this.whole, straightened(count <= MOST ? path : thinned(path, Math.ceil(count / MOST))));
  }

  at(frame: number): void {
    const count = this.path.length / 3;
    const now = Math.min(Math.max(Math.round(frame), 0), count - 1);
    const first = Math.max(now - NEAR, 0);
    const last = Math.min(now + NEAR, count - 1);
    put(this.past, this.path.subarray(3 * first, 3 * (now + 1)));
    put(this.future, this.path.subarray(3 * now, 3 * (last + 1)));
    const spots = this.dots.geometry.getAttribute("position");
    spots.array.set(this.path.subarray(3 * first, 3 * (last + 1)));
    spots.needsUpdate = true;
    this.dots.geometry.setDrawRange(0, last + 1 - first);
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

/** Only the points that a path needs to look the same:
 * the next piece goes as far as none between is off it. */
export function straightened(path: Float32Array, share = STRAIGHT): Float32Array {
  const count = path.length / 3;
  if (count < 3) return path;
  const box = new THREE.Box3().setFromArray(path);
  const most = share * box.getSize(new THREE.Vector3()).length();
  const at = (k: number) => new THREE.Vector3().fromArray(path, 3 * k);
  const [piece, near] = [new THREE.Line3(), new THREE.Vector3()];
  const fits = (a: number, b: number): boolean => {
    piece.set(at(a), at(b));
    for (let k = a + 1; k < b; k++)
      if (
        piece.closestPointToPoint(near.fromArray(path, 3 * k), true, new THREE.Vector3()).distanceTo(near) >
        most
      )
        return false;
    return true;
  };
  const kept = [0];
  for (let k = 2; k < count; k++) if (k - kept.at(-1)! > LONGEST || !fits(kept.at(-1)!, k)) kept.push(k - 1);
  kept.push(count - 1);
  return Float32Array.from(kept.flatMap((k) => [...path.subarray(3 * k, 3 * k + 3)]));
}

function line(color: THREE.ColorRepresentation, linewidth: number, opacity: number): Line2 {
  const made = new Line2(
    new LineGeometry(),
    new LineMaterial({ color, linewidth, transparent: true, opacity, depthWrite: false }),
  );
  made.frustumCulled = false;
  made.renderOrder = 2;
  return made;
}

/** Into the same buffers while they are long enough: near pieces of a path are others in every picture. */
function put(target: Line2, points: Float32Array): void {
  const count = points.length / 3 - 1;
  target.visible = count >= 1;
  if (!target.visible) return;
  const room = () =>
    target.geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute | undefined;
  if ((room()?.count ?? 0) < count) {
    target.geometry.dispose();
    target.geometry = new LineGeometry();
    target.geometry.setPositions(new Float32Array(3 * (Math.max(count, NEAR) + 1)));
  }
  const { data } = room()!;
  for (let k = 0; k < count; k++) data.array.set(points.subarray(3 * k, 3 * k + 6), 6 * k);
  data.needsUpdate = true;
  target.geometry.instanceCount = count;
}
