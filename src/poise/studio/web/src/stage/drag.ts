// Dragging on the stage: a handle follows the pointer in a plane that faces the camera (or along an axis), the
// document is edited live, the release refines, Escape takes everything back.
import * as THREE from "three";
import { gesture, hit, pointAt, put, reach } from "../commands.ts";
import type { Store } from "../store.ts";
import { handlesOf, type Handle, type Marks } from "./handles.ts";
import { STRIDE } from "./poses.ts";
import type { Stage } from "./stage.ts";

export type Axis = "" | "x" | "y" | "z";
const AXES = { x: new THREE.Vector3(1, 0, 0), y: new THREE.Vector3(0, 1, 0), z: new THREE.Vector3(0, 0, 1) };

export class Drag {
  private handle: Handle | undefined;
  private within = "";
  private plane = new THREE.Plane();
  private start = new THREE.Vector3();
  private from = new THREE.Vector3();
  private body: { index: number; at: THREE.Vector3; x: number; y: number } | undefined;
  private wanted: THREE.Vector3 | undefined;
  axis: Axis = "";

  constructor(
    private readonly store: Store,
    private readonly stage: Stage,
    private readonly marks: Marks,
    private readonly pick: (x: number, y: number) => { body: number; at: THREE.Vector3 } | undefined,
  ) {}

  get active(): boolean {
    return this.handle !== undefined || this.body !== undefined;
  }

  /** Whether the press grabbed something; if not, the camera may have it. */
  down(x: number, y: number): boolean {
    const found = this.marks.near(x, y, this.stage.camera, this.stage.canvas.getBoundingClientRect());
    if (found) {
      this.store.selected.value = new Set([found.id]);
      this.store.layer.value = found.layer;
      const lift = this.store.lift.value;
      this.grab(found, new THREE.Vector3(...found.place).add(new THREE.Vector3(0, 0, lift)), x, y);
      return true;
    }
    const picked = this.pick(x, y);
    if (!picked) return false;
    this.store.body.value = picked.body;
    this.body = { index: picked.body, at: picked.at, x, y };
    return true;
  }

  move(x: number, y: number): void {
    if (this.body && Math.hypot(x - this.body.x, y - this.body.y) > 5) this.fromBody();
    if (!this.handle) {
      this.adopt(x, y);
      return;
    }
    const at = this.under(x, y);
    if (!at) return;
    this.marks.move(this.handle.id, at);
    this.stage.draw();
    const value = this.handle.value([at.x, at.y, at.z - this.store.lift.value]);
    this.store.edit(put(this.handle.layer, this.handle.path, value, this.within), true);
  }

  up(): void {
    if (this.handle && this.within) this.store.connection.seal();
    this.handle = this.body = this.wanted = undefined;
  }

  /** Everything since the press is taken back. */
  cancel(): boolean {
    if (!this.active) return false;
    if (this.handle) {
      this.store.connection.seal();
      this.store.connection.say({ say: "undo" });
    }
    this.handle = this.body = this.wanted = undefined;
    return true;
  }

  private grab(handle: Handle, at: THREE.Vector3, x: number, y: number): void {
    this.handle = handle;
    this.within = gesture("drag");
    const facing = handle.over === "floor" ? AXES.z.clone() : this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, at);
    this.start.copy(at);
    this.from.copy(this.onPlane(x, y) ?? at);
  }

  private onPlane(x: number, y: number): THREE.Vector3 | undefined {
    return this.stage.ray(x, y).ray.intersectPlane(this.plane, new THREE.Vector3()) ?? undefined;
  }

  private under(x: number, y: number): THREE.Vector3 | undefined {
    const at = this.onPlane(x, y);
    if (!at) return undefined;
    const way = at.sub(this.from);
    if (this.axis) way.projectOnVector(AXES[this.axis]);
    return this.start.clone().add(way);
  }

  /** A dragged body becomes a constraint at this frame: a target where the motion is loose, else an adaptation. */
  private fromBody(): void {
    const { store } = this;
    const { index } = this.body!;
    const result = store.result.value;
    const bodies = store.figure.value?.bodies;
    this.body = undefined;
    if (!result || !bodies) return;
    const frame = Math.round(store.player.frame.value);
    const k = (frame * bodies.length + index) * STRIDE;
    const place = [result.values[k]!, result.values[k + 1]!, result.values[k + 2]! - store.lift.value];
    const constraint = pointAt(bodies[index]!.name, place, frame / store.fps.value);
    const loose = store.layers.value.some((l) => l.kind === "kinodynamics" && !l.muted);
    (loose && store.layer.value !== "adaptation" ? hit : reach)(store, constraint);
    this.wanted = new THREE.Vector3(...(place as [number, number, number]));
  }

  /** The constraint that a dragged body became comes back with the document; from then on it is what is dragged. */
  private adopt(x: number, y: number): void {
    if (!this.wanted) return;
    const lift = new THREE.Vector3(0, 0, this.store.lift.value);
    const found = handlesOf(this.store.layers.value).find((h) => new THREE.Vector3(...h.place).distanceTo(this.wanted!) < 1e-9);
    if (!found) return;
    this.store.selected.value = new Set([found.id]);
    this.grab(found, this.wanted.clone().add(lift), x, y);
    this.wanted = undefined;
  }
}
