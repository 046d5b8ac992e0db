// A pose as places of bodies, and what can be done to it without asking anybody: turned at a joint, read as
// coordinates of joints, weighed. The same conventions as poise.kinematics:
//     x_i = x_p + R_p (offset_i + t_i),    R_i = R_p · rest_i · Q_i
import * as THREE from "three";
import type { FigurePacket, JointFact } from "../messages.ts";
import { STRIDE } from "../stage/poses.ts";

export type Places = Float32Array | Float64Array;
export type Triple = [number, number, number];

const at = (places: Places, body: number): THREE.Vector3 =>
  new THREE.Vector3().fromArray(places, body * STRIDE);
const turnOf = (places: Places, body: number): THREE.Quaternion =>
  body < 0 ? new THREE.Quaternion() : new THREE.Quaternion().fromArray(places, body * STRIDE + 3).normalize();

export class Skeleton {
  readonly parents: number[];

  constructor(private readonly figure: FigurePacket) {
    this.parents = figure.bodies.map((b) => b.parent);
  }

  get joints(): JointFact[] {
    return this.figure.joints ?? [];
  }

  name(body: number): string {
    return this.figure.bodies[body]?.name ?? "";
  }

  /** A body and all that hangs from it. */
  branch(body: number): number[] {
    const found = new Set([body]);
    this.parents.forEach((up, i) => {
      if (found.has(up)) found.add(i);
    });
    return [...found];
  }

  /** The pose with a body, and what hangs from it, turned about its joint (world axes). */
  turned(places: Places, body: number, turn: THREE.Quaternion): Float64Array {
    const out = Float64Array.from(places);
    const pivot = at(places, body);
    for (const i of this.branch(body)) {
      at(places, i)
        .sub(pivot)
        .applyQuaternion(turn)
        .add(pivot)
        .toArray(out, i * STRIDE);
      turnOf(places, i)
        .premultiply(turn)
        .normalize()
        .toArray(out, i * STRIDE + 3);
    }
    return out;
  }

  /** The pose with a body, and what hangs from it, elsewhere by so much (world axes). */
  moved(places: Places, body: number, by: Triple): Float64Array {
    const out = Float64Array.from(places);
    const way = new THREE.Vector3(...by);
    for (const i of this.branch(body))
      at(places, i)
        .add(way)
        .toArray(out, i * STRIDE);
    return out;
  }

  /** The coordinates of a joint, as the document has them; places are lifted by so much. */
  value(places: Places, body: number, lift = 0): number[] {
    const joint = this.joints[body]!;
    const up = this.parents[body]!;
    const [above, own] = [turnOf(places, up), turnOf(places, body)];
    const rest = new THREE.Quaternion(...joint.rest);
    const q = rest.clone().conjugate().multiply(above.clone().conjugate()).multiply(own).normalize();
    if (q.w < 0) q.set(-q.x, -q.y, -q.z, -q.w);
    const turn = [q.w, q.x, q.y, q.z];
    switch (joint.kind) {
      case "ball":
        return turn;
      case "hinge":
        return [2 * Math.atan2(new THREE.Vector3(...joint.axis).dot(new THREE.Vector3(q.x, q.y, q.z)), q.w)];
      case "free": {
        const place = at(places, body);
        place.z -= lift;
        if (up >= 0) place.sub(at(places, up)).applyQuaternion(above.clone().conjugate());
        return [...place.toArray(), ...turn];
      }
      case "slide": {
        const along = at(places, body);
        if (up >= 0) along.sub(at(places, up)).applyQuaternion(above.clone().conjugate());
        else along.z -= lift;
        return [along.sub(new THREE.Vector3(...joint.offset)).dot(slideOf(joint))];
      }
      default:
        return [];
    }
  }

  /** All coordinates; those of joints that cannot be read off are as given. */
  configuration(places: Places, lift = 0): number[] {
    return this.joints.flatMap((joint, body) => {
      const value = this.value(places, body, lift);
      return value.length === joint.size ? value : Array<number>(joint.size).fill(0);
    });
  }

  /** Where all bodies are with coordinates of joints; undefined where a joint is of another kind than those
   * that are posed here. */
  placed(q: readonly number[], lift = 0): Float64Array | undefined {
    const out = new Float64Array(STRIDE * this.joints.length);
    for (const [body, joint] of this.joints.entries()) {
      const up = this.parents[body]!;
      const own = q.slice(joint.start, joint.start + joint.size);
      const turn = new THREE.Quaternion();
      if (joint.kind === "hinge") turn.setFromAxisAngle(new THREE.Vector3(...joint.axis), own[0]!);
      else if (joint.kind === "ball" || joint.kind === "free") {
        const [w, x, y, z] = own.slice(-4);
        turn.set(x!, y!, z!, w!).normalize();
      } else if (joint.size && joint.kind !== "slide") return undefined;
      const above = turnOf(out, up);
      const place = new THREE.Vector3(...joint.offset);
      if (joint.kind === "free") place.set(own[0]!, own[1]!, own[2]!);
      if (joint.kind === "slide") place.addScaledVector(slideOf(joint), own[0]!);
      place.applyQuaternion(above);
      if (up >= 0) place.add(at(out, up));
      else place.z += lift;
      place.toArray(out, body * STRIDE);
      above
        .multiply(new THREE.Quaternion(...joint.rest))
        .multiply(turn)
        .normalize()
        .toArray(out, body * STRIDE + 3);
    }
    return out;
  }

  /** Coordinates of all joints but the root's: nothing is turned. */
  atRest(): Record<string, number[]> {
    const still: Record<string, number[]> = { ball: [1, 0, 0, 0], hinge: [0] };
    return Object.fromEntries(
      this.joints.flatMap(({ kind }, body) => (still[kind] ? [[this.name(body), still[kind]!]] : [])),
    );
  }

  /** The axis of a hinge, and the three of everything else, in the world: its own, its parent's or the
   * world's. */
  axes(places: Places, body: number, frame: "local" | "parent" | "world"): Triple[] {
    const joint = this.joints[body];
    const basis: Triple[] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const turned = (turn: THREE.Quaternion, axis: Triple): Triple =>
      new THREE.Vector3(...axis).applyQuaternion(turn).normalize().toArray() as Triple;
    if (joint?.kind === "hinge") return [turned(turnOf(places, body), joint.axis)];
    if (frame === "world") return basis;
    const turn = turnOf(places, frame === "local" ? body : (this.parents[body] ?? -1));
    return basis.map((axis) => turned(turn, axis));
  }

  /** Whether a joint can be turned by hand. */
  turns(body: number): boolean {
    return ["ball", "hinge", "free"].includes(this.joints[body]?.kind ?? "");
  }

  /** How far a hinge can be turned from where it is, back and on [rad]; undefined where nothing limits it. */
  room(places: Places, body: number, lift = 0): [number, number] | undefined {
    const { kind, lower, upper } = this.joints[body]!;
    if (kind !== "hinge") return undefined;
    const [low, high] = [lower[0] ?? -Infinity, upper[0] ?? Infinity];
    if (high - low >= 2 * Math.PI) return undefined;
    const [now] = this.value(places, body, lift);
    return [low - now!, high - now!];
  }

  /** By how much a hinge is beyond its limits [rad]; 0 within them, and for all else. */
  beyond(value: readonly number[], body: number): number {
    const { kind, lower, upper } = this.joints[body]!;
    if (kind !== "hinge") return 0;
    return Math.max((lower[0] ?? -Infinity) - value[0]!, value[0]! - (upper[0] ?? Infinity), 0);
  }

  /** Where the centre of mass is; undefined where nothing weighs anything. */
  centre(places: Places): Triple | undefined {
    const sum = new THREE.Vector3();
    let mass = 0;
    this.joints.forEach((joint, body) => {
      if (!joint.mass) return;
      sum.addScaledVector(
        new THREE.Vector3(...joint.centre).applyQuaternion(turnOf(places, body)).add(at(places, body)),
        joint.mass,
      );
      mass += joint.mass;
    });
    return mass ? (sum.divideScalar(mass).toArray() as Triple) : undefined;
  }

  /** Where points of feet that stand are, over the floor. */
  soles(places: Places): Triple[] {
    const points = new Map((this.figure.places ?? []).map((p) => [p.name, p]));
    return this.standing(places).map((name) => {
      const point = points.get(name);
      const body = point?.body ?? this.figure.bodies.findIndex((b) => b.name === name);
      return new THREE.Vector3(...(point?.position ?? [0, 0, 0]))
        .applyQuaternion(turnOf(places, body))
        .add(at(places, body))
        .toArray() as Triple;
    });
  }

  /** Points of feet that stand on the floor in a pose: what is held when something else is pulled. */
  standing(places: Places, slack = 0.035): string[] {
    const feet = this.joints.flatMap((joint, body) => (joint.limb === "foot" ? [body] : []));
    const points = (this.figure.places ?? []).filter((p) => feet.includes(p.body));
    const height = (body: number, own: readonly number[]) =>
      new THREE.Vector3(own[0], own[1], own[2]).applyQuaternion(turnOf(places, body)).z +
      places[body * STRIDE + 2]!;
    const found = points.filter((p) => height(p.body, p.position) < slack).map((p) => p.name);
    if (points.length || !feet.length) return found;
    const lowest = Math.min(...feet.map((body) => height(body, [0, 0, 0])));
    return feet.filter((body) => height(body, [0, 0, 0]) < lowest + slack).map((body) => this.name(body));
  }
}

/** The way of a slide, in its parent's frame. */
const slideOf = ({ axis, rest }: JointFact): THREE.Vector3 =>
  new THREE.Vector3(...axis).applyQuaternion(new THREE.Quaternion(...rest));

/** How far a place is inside a convex polygon [m]; negative outside, undefined where there is none. */
export function margin(
  place: readonly number[],
  polygon: readonly (readonly number[])[],
): number | undefined {
  if (polygon.length < 3) return undefined;
  let area = 0;
  polygon.forEach((a, k) => {
    const b = polygon[(k + 1) % polygon.length]!;
    area += a[0]! * b[1]! - b[0]! * a[1]!;
  });
  const sign = area < 0 ? -1 : 1;
  let inside = Infinity;
  let away = Infinity;
  polygon.forEach((a, k) => {
    const b = polygon[(k + 1) % polygon.length]!;
    const [ux, uy] = [b[0]! - a[0]!, b[1]! - a[1]!];
    const long = Math.hypot(ux, uy);
    if (long < 1e-9) return;
    const [px, py] = [place[0]! - a[0]!, place[1]! - a[1]!];
    inside = Math.min(inside, (sign * (ux * py - uy * px)) / long);
    const share = Math.min(Math.max((px * ux + py * uy) / (long * long), 0), 1);
    away = Math.min(away, Math.hypot(px - share * ux, py - share * uy));
  });
  return inside >= 0 ? inside : -away;
}
