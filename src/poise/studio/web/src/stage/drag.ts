// Dragging on the stage: a handle follows the pointer in a plane that faces the camera, over the floor or
// along an axis; the document is edited live, the release refines, Escape takes everything back. One drag is
// one step of undo. Where round steps are wanted, places and turns go by them.
import { signal } from "@preact/signals";
import * as THREE from "three";
import { Held } from "../held.ts";
import type { Store } from "../store.ts";
import { GLANCE } from "./constraint_handles.ts";
import { type Axis, type Handle, length, minus, type Place } from "./handle.ts";
import type { Marks } from "./marks.ts";
import { movedBy, roundAngle, roundPlace, roundRadius, roundTurn, stepFor } from "./snapping.ts";
import type { Stage } from "./stage.ts";
import { angleAbout } from "./turning.ts";

const AXES = { x: new THREE.Vector3(1, 0, 0), y: new THREE.Vector3(0, 1, 0), z: new THREE.Vector3(0, 0, 1) };
const COLOURS = { x: "#d5433f", y: "#3a9a4a", z: "#3a6fd0" };
/** A ring whose axis is turned from the view by more is as good as a line (cosine). */
const EDGE = 0.2;
/** A press that moves less is a click [px]. */
const STILL = 3;

export class Drag {
  /** The handle that is dragged. */
  readonly handle = signal<Handle | undefined>(undefined);
  readonly axis = signal<Axis>("");
  /** How far it has got, in words. */
  told = "";
  private round = false;
  /** Where the pointer was when a ring was let turn freely. */
  private rolled: THREE.Vector2 | undefined;
  private pressed: { handle: Handle; x: number; y: number } | undefined;
  private held: Held | undefined;
  /** A drag that poses this frame, and where it has got to. */
  private posed: ReturnType<Store["posing"]["held"]> | undefined;
  private at: Place | undefined;
  private readonly plane = new THREE.Plane();
  private readonly start = new THREE.Vector3();
  private readonly first = new THREE.Vector2();
  private readonly last = new THREE.Vector2();
  private readonly guide = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7, depthTest: false }),
  );

  constructor(
    private readonly store: Store,
    private readonly stage: Stage,
    private readonly marks: Marks,
  ) {
    this.guide.visible = this.guide.frustumCulled = false;
    this.guide.renderOrder = 5;
    stage.scene.add(this.guide);
  }

  get active(): boolean {
    return this.pressed !== undefined || this.handle.value !== undefined;
  }

  /** A press on a handle; nothing is edited until it moves. */
  down(handle: Handle, x: number, y: number): void {
    this.pressed = { handle, x, y };
    if (!handle.begin) this.show(handle);
  }

  move(x: number, y: number): void {
    if (this.pressed && Math.hypot(x - this.pressed.x, y - this.pressed.y) > STILL) this.begin(this.pressed);
    const handle = this.handle.value;
    if (!handle || !(this.held || this.posed)) return;
    this.last.set(x, y);
    if (this.rolled && handle.roll) {
      this.roll(handle, this.rolled);
      return;
    }
    const under = this.under(handle);
    if (!under) return;
    const axis = this.axis.value;
    const at = this.round ? this.rounded(handle, under) : under;
    const place = handle.settle?.(at, axis) ?? at;
    this.told = [inWords(handle, place, axis), handle.says?.()].filter(Boolean).join(" ");
    this.marks.show({
      ...handle,
      place,
      ...(handle.ring && !handle.ring.axis
        ? {
            ring: { ...handle.ring, radius: Math.hypot(...place.map((v, i) => v - handle.ring!.centre[i]!)) },
          }
        : {}),
    });
    this.stage.stir();
    if (handle.follow) {
      this.at = place;
      handle.follow(place);
    } else this.held?.edit(handle.edit(place, this.held.within, axis));
  }

  up(): void {
    this.held?.drop();
    const [posed, handle, at] = [this.posed, this.handle.value, this.at];
    this.posed = undefined;
    if (posed && handle?.settled && at) void this.store.posing.settle(handle.settled(at), posed);
    else posed?.drop();
    this.end();
  }

  /** Everything since the press is taken back. */
  cancel(): boolean {
    if (!this.active) return false;
    this.held?.cancel();
    this.posed?.cancel();
    this.posed = undefined;
    this.end();
    return true;
  }

  /** Only along one axis, or freely again. */
  lock(axis: Axis): void {
    this.axis.value = this.axis.value === axis ? "" : axis;
    const way = this.axis.value;
    this.guide.visible = way !== "";
    if (way) {
      const far = AXES[way].clone().multiplyScalar(1000);
      this.guide.geometry.setFromPoints([this.start.clone().sub(far), this.start.clone().add(far)]);
      this.guide.material.color.set(COLOURS[way]);
    }
    this.move(this.last.x, this.last.y);
    this.stage.draw();
  }

  /** A ring turns freely, as a ball under the hand, or about its axis again; false where that cannot be. */
  freely(): boolean {
    if (!this.handle.value?.roll) return false;
    this.rolled = this.rolled ? undefined : this.last.clone();
    this.move(this.last.x, this.last.y);
    return true;
  }

  /** The side of a ball that faces the camera goes with the pointer. */
  private roll(handle: Handle, from: THREE.Vector2): void {
    const centre = this.raised(handle.ring?.centre ?? handle.place);
    const way = this.last.clone().sub(from);
    const angle = (way.length() * this.stage.perPixel(centre)) / (handle.ring?.radius ?? 1);
    const [right, up] = [0, 1].map((k) =>
      new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, k),
    ) as [THREE.Vector3, THREE.Vector3];
    const about = up.multiplyScalar(way.x).addScaledVector(right, way.y).normalize();
    const turn = new THREE.Quaternion().setFromAxisAngle(about, this.round ? roundAngle(angle) : angle);
    handle.roll!([turn.x, turn.y, turn.z, turn.w]);
    this.told = `${Math.round((1800 / Math.PI) * angle) / 10}° freely`;
    this.stage.stir();
  }

  /** By round steps, or freely again. */
  snap(round: boolean): void {
    if (round === this.round) return;
    this.round = round;
    if (this.handle.value) this.move(this.last.x, this.last.y);
  }

  private begin({ handle, x, y }: { handle: Handle; x: number; y: number }): void {
    this.pressed = undefined;
    this.store.posing.finish(); // what was pulled before, if it is not answered yet
    if (handle.follow) this.posed = this.store.posing.held();
    else this.held = new Held(this.store, "drag");
    const way = this.stage.camera.getWorldDirection(new THREE.Vector3()).negate().toArray() as Place;
    let grabbed = handle.facing?.(way) ?? handle;
    if (handle.begin && this.held) {
      const made = handle.begin(this.held.within);
      if (!made) return;
      this.held.begin(made.command);
      grabbed = made.handle;
      this.marks.show(grabbed);
      this.show(grabbed);
    }
    this.start.copy(this.raised(grabbed.ring?.centre ?? grabbed.place));
    this.first.set(x, y);
    this.last.copy(this.first);
    this.plane.setFromNormalAndCoplanarPoint(this.facing(grabbed), this.start);
    this.handle.value = grabbed;
  }

  private end(): void {
    this.pressed = undefined;
    this.held = undefined;
    this.at = undefined;
    this.rolled = undefined;
    this.axis.value = "";
    this.told = "";
    this.round = false;
    this.guide.visible = false;
    this.handle.value = undefined;
    this.stage.draw();
  }

  /** What is grabbed is selected, and seen at a time at which it holds. */
  private show(handle: Handle): void {
    const { store } = this;
    store.selected.value = new Set(handle.selects);
    if (handle.layers.length && !handle.layers.includes(store.layer.value))
      store.layer.value = handle.layers.at(-1)!;
    const now = store.player.frame.value / store.fps.value;
    const held = Math.min(Math.max(now, handle.times[0]), handle.times[1]);
    if (!this.marks.now(handle) && Number.isFinite(held))
      store.player.seek(Math.round(held * store.fps.value));
  }

  private raised([x, y, z]: Place): THREE.Vector3 {
    return new THREE.Vector3(x, y, z + this.store.lift.value);
  }

  private facing(handle: Handle): THREE.Vector3 {
    const way = this.stage.camera.getWorldDirection(new THREE.Vector3());
    if (handle.over === "floor") return this.stage.lens.level ? way : AXES.z.clone(); // seen as a line
    const { axis } = handle.ring ?? {};
    if (axis && !this.edgeOn(axis)) return new THREE.Vector3(...axis);
    return handle.over === "height" ? way.setZ(0).normalize() : way;
  }

  /** Where the pointer wants the handle. */
  private under(handle: Handle): Place | undefined {
    const axis = this.axis.value;
    const find = (at: THREE.Vector2) =>
      axis && !turns(handle) && !handle.ring
        ? this.along(at, axis)
        : this.stage.ray(at.x, at.y).ray.intersectPlane(this.plane, new THREE.Vector3());
    const to = find(this.last);
    const from = find(this.first);
    if (!to || !from) return undefined;
    if (handle.ring?.axis) return this.spun(handle, handle.ring.axis, from, to);
    // A ring is dragged by any part of it: what counts is how far the pointer is from its centre.
    const at = handle.ring ? to : this.start.clone().add(to.sub(from));
    if (handle.over === "floor") at.z = this.start.z;
    return [at.x, at.y, at.z - this.store.lift.value];
  }

  /** Whether an axis lies across the view: what turns about it is seen as a line. */
  private edgeOn(axis: Place): boolean {
    return (
      Math.abs(this.stage.camera.getWorldDirection(new THREE.Vector3()).dot(new THREE.Vector3(...axis))) <
      EDGE
    );
  }

  /** Where a handle on a ring has got to: turned as far as the pointer went round or, seen from the edge,
   * as far as its near side went along. */
  private spun(handle: Handle, axis: Place, from: THREE.Vector3, to: THREE.Vector3): Place {
    const about = new THREE.Vector3(...axis);
    const out = new THREE.Vector3(...handle.place).sub(new THREE.Vector3(...handle.ring!.centre));
    let angle: number;
    if (this.edgeOn(axis)) {
      const near = this.stage.camera
        .getWorldDirection(new THREE.Vector3())
        .negate()
        .projectOnPlane(about)
        .normalize();
      angle = to.clone().sub(from).dot(near.cross(about).negate()) / handle.ring!.radius;
    } else
      angle = angleAbout(
        axis,
        from.sub(this.start).toArray() as Place,
        to.sub(this.start).toArray() as Place,
      );
    if (this.round) angle = roundAngle(angle);
    return out
      .applyAxisAngle(about, angle)
      .add(new THREE.Vector3(...handle.ring!.centre))
      .toArray() as Place;
  }

  /** The round place next to where the pointer is; rings that turn were rounded on the way. */
  private rounded(handle: Handle, at: Place): Place {
    if (handle.ring?.axis) return at;
    const axis = this.axis.value;
    if (turns(handle)) return roundTurn(handle.place, at, handle.from ?? handle.place, axis);
    const step = stepFor(this.stage.perPixel(this.raised(at)));
    if (handle.ring) return roundRadius(at, handle.ring.centre, step);
    return roundPlace(at, step, movedBy(handle, axis), handle.kind === "velocity" ? handle.from : undefined);
  }

  /** The place on a line through the start that is nearest to what the pointer points at. */
  private along(at: THREE.Vector2, axis: "x" | "y" | "z"): THREE.Vector3 {
    const found = new THREE.Vector3();
    const far = AXES[axis].clone().multiplyScalar(1000);
    this.stage
      .ray(at.x, at.y)
      .ray.distanceSqToSegment(this.start.clone().sub(far), this.start.clone().add(far), undefined, found);
    return found;
  }
}

const turns = ({ kind }: Handle): boolean => kind === "axis" || kind === "turn" || kind === "spin";

/** How far a drag has got: by how much it has turned, how wide or fast it is, or where it is. */
function inWords(handle: Handle, place: Place, axis: Axis): string {
  const centre = handle.ring?.centre ?? handle.from;
  if (turns(handle) && centre) {
    const [from, to] = [minus(handle.place, centre), minus(place, centre)];
    const lock: Place | undefined = handle.ring?.axis ?? (axis ? (AXES[axis].toArray() as Place) : undefined);
    const angle = lock
      ? angleAbout(lock, from, to)
      : new THREE.Vector3(...from).angleTo(new THREE.Vector3(...to));
    return `${Math.round((1800 / Math.PI) * angle) / 10}°`;
  }
  if (handle.ring) return `${length(minus(place, handle.ring.centre)).toFixed(3)} m`;
  if (handle.kind === "velocity" && handle.from)
    return `${(length(minus(place, handle.from)) / GLANCE).toFixed(2)} m/s`;
  return axis
    ? `${place["xyz".indexOf(axis)]!.toFixed(3)} m`
    : `${place.map((v) => v.toFixed(2)).join(", ")} m`;
}
