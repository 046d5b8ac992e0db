// A place on a face dragged on the stage: the weights of its morph targets that bring it there, keyed at this
// frame.
import * as THREE from "three";
import { put } from "../commands.ts";
import type { Looks } from "../stage/figure.ts";
import { type Handle, minus, type Place } from "../stage/handle.ts";
import { STRIDE } from "../stage/poses.ts";
import type { Store } from "../store.ts";
import { keyed, withWeights } from "./face.tsx";
import { now } from "./keys.ts";

/** Vertices that no morph target moves by this share of what it moves others are no part of the face. */
const PART = 0.15;
/** Weights are changed so reluctantly, of the square of the farthest that one of them moves the place. */
const RELUCTANT = 1e-3;
/** Weights that change by less stay as they are. */
const SAME = 0.005;
/** Of places under the pointer the nearest to the viewer is meant: being aside counts so much more. */
const ASIDE = 4;

/** A vertex of a face as it is now. */
export interface FacePoint {
  /** With the height that the stage lifts everything by. */
  at: THREE.Vector3;
  /** By how much each morph target moves it [m]. */
  moves: THREE.Vector3[];
}

/** Weights nearest to those there are that move a place by a way, each from 0 to 1 unless it is beyond:
 * least Σ Δ² · slack + |Σ Δₖ moveₖ − way|², what ends at a bound stays there. */
export function weightsFor(
  moves: readonly THREE.Vector3[],
  weights: ArrayLike<number>,
  way: THREE.Vector3,
): number[] {
  const slack = RELUCTANT * Math.max(...moves.map((m) => m.lengthSq()), 1e-12);
  const bound = new Map<number, number>();
  for (;;) {
    const left = way.clone();
    for (const [k, change] of bound) left.addScaledVector(moves[k]!, -change);
    const free = moves.map((_, k) => k).filter((k) => !bound.has(k) && moves[k]!.lengthSq() > 0);
    const e = [slack, 0, 0, 0, slack, 0, 0, 0, slack];
    for (const k of free) {
      const m = moves[k]!.toArray();
      for (let i = 0; i < 9; i++) e[i]! += m[Math.floor(i / 3)]! * m[i % 3]!;
    }
    const pull = left.applyMatrix3(new THREE.Matrix3().fromArray(e).invert());
    let [worst, most, to] = [-1, 1e-9, 0];
    for (const k of free) {
      const change = moves[k]!.dot(pull);
      const [low, high] = [Math.min(0, weights[k]!) - weights[k]!, Math.max(1, weights[k]!) - weights[k]!];
      const beyond = Math.max(change - high, low - change);
      if (beyond > most) [worst, most, to] = [k, beyond, change > high ? high : low];
    }
    if (worst < 0)
      return moves.map((m, k) => weights[k]! + (bound.get(k) ?? (m.lengthSq() > 0 ? m.dot(pull) : 0)));
    bound.set(worst, to);
  }
}

/** What of a figure is a face: vertices that morph targets move. */
export class FacePoints {
  private readonly mobile: number[] = [];

  constructor(private readonly looks: Looks) {
    const targets = looks.geometry.morphAttributes.position ?? [];
    const count = targets.length ? looks.geometry.getAttribute("position").count : 0;
    const own = targets.map((t) => sizes(t.array as Float32Array));
    const most = own.map((size) => PART * size.reduce((a, b) => Math.max(a, b), 1e-9));
    for (let v = 0; v < count; v++) if (own.some((size, k) => size[v]! > most[k]!)) this.mobile.push(v);
  }

  /** The place of the face that a ray meets within a reach [m]. */
  near(
    ray: THREE.Ray,
    reach: (at: THREE.Vector3) => number,
    places: Float32Array,
    weights: ArrayLike<number>,
  ): FacePoint | undefined {
    const bodies = this.bodies(places);
    const at = new THREE.Vector3();
    const nearest = new THREE.Vector3();
    let [best, least] = [-1, Infinity];
    for (const v of this.mobile) {
      this.placed(v, bodies, weights, at);
      ray.closestPointToPoint(at, nearest);
      const aside = nearest.distanceTo(at);
      const away = nearest.distanceTo(ray.origin) + ASIDE * aside;
      if (away < least && aside < reach(at)) [best, least] = [v, away];
    }
    if (best < 0) return undefined;
    const turn = this.mixed(best, bodies);
    const moves = this.looks.geometry.morphAttributes.position!.map((t) =>
      new THREE.Vector3()
        .fromArray(t.array as Float32Array, 3 * best)
        .applyMatrix3(new THREE.Matrix3().setFromMatrix4(turn)),
    );
    return { at: this.placed(best, bodies, weights, new THREE.Vector3()), moves };
  }

  private bodies(places: Float32Array): THREE.Matrix4[] {
    const one = new THREE.Vector3(1, 1, 1);
    return this.looks.inverses.map((inverse, i) =>
      new THREE.Matrix4()
        .compose(
          new THREE.Vector3().fromArray(places, i * STRIDE),
          new THREE.Quaternion().fromArray(places, i * STRIDE + 3),
          one,
        )
        .multiply(inverse),
    );
  }

  /** Where the bodies that carry a vertex put it, by their shares. */
  private mixed(v: number, bodies: readonly THREE.Matrix4[]): THREE.Matrix4 {
    const joints = this.looks.geometry.getAttribute("skinIndex");
    const shares = this.looks.geometry.getAttribute("skinWeight");
    const found = new THREE.Matrix4().multiplyScalar(0);
    for (let j = 0; j < 4; j++) {
      const share = shares.getComponent(v, j);
      if (!share) continue;
      const own = bodies[joints.getComponent(v, j)]!.elements;
      for (let i = 0; i < 16; i++) found.elements[i]! += share * own[i]!;
    }
    return found;
  }

  private placed(
    v: number,
    bodies: readonly THREE.Matrix4[],
    weights: ArrayLike<number>,
    out: THREE.Vector3,
  ): THREE.Vector3 {
    const { geometry } = this.looks;
    out.fromArray(geometry.getAttribute("position").array as Float32Array, 3 * v);
    (geometry.morphAttributes.position ?? []).forEach((target, k) => {
      const weight = weights[k] ?? 0;
      const by = target.array as Float32Array;
      if (weight)
        out.set(
          out.x + weight * by[3 * v]!,
          out.y + weight * by[3 * v + 1]!,
          out.z + weight * by[3 * v + 2]!,
        );
    });
    return out.applyMatrix4(this.mixed(v, bodies));
  }
}

function sizes(changes: Float32Array): Float32Array {
  return Float32Array.from({ length: changes.length / 3 }, (_, v) =>
    Math.hypot(changes[3 * v]!, changes[3 * v + 1]!, changes[3 * v + 2]!),
  );
}

/** Drag a place of a face: what moves it there is keyed at this frame. */
export function graspFace(store: Store, point: FacePoint, weights: ArrayLike<number>): Handle | undefined {
  const names = store.figure.value?.morphs ?? [];
  const place: Place = [point.at.x, point.at.y, point.at.z - store.lift.value];
  const time = now(store);
  const before = Float64Array.from(names, (_, k) => weights[k] ?? 0);
  const strongest = point.moves.reduce((a, m, k) => (m.length() > point.moves[a]!.length() ? k : a), 0);
  if (!names[strongest]) return undefined;
  const base: Handle = {
    id: "face",
    selects: [],
    layers: [],
    kind: "pin",
    name: "face",
    does: "drag it: its morph targets are keyed at this frame",
    place,
    times: [time, time],
    over: "view",
    edit: () => ({ do: "group", commands: [] }),
  };
  return {
    ...base,
    begin: (within) => {
      const made = keyed(store, { [names[strongest]!]: rounded(before[strongest]!) });
      if (!made) return undefined;
      const edit: Handle["edit"] = (to, gesture) => {
        const found = weightsFor(point.moves, before, new THREE.Vector3(...minus(to, place)));
        const changed = names.flatMap((name, k): [string, number][] =>
          k === strongest || Math.abs(found[k]! - before[k]!) > SAME ? [[name, rounded(found[k]!)]] : [],
        );
        return put(
          made.layer,
          made.option,
          withWeights(made.keys, time, Object.fromEntries(changed)),
          gesture,
        );
      };
      return {
        command: { ...made.command, gesture: within },
        handle: { ...base, layers: [made.layer], edit },
      };
    },
  };
}

const rounded = (weight: number): number => Number(weight.toFixed(3));
