// A pose a share of the way towards another: of the key before or after, of the motion below, of rest, or one
// that was copied or kept. Seen at once, keyed when it is let go.
//     ball, root:  Q = slerp(Q₀, Q₁, s)        hinge, place:  q = q₀ + s (q₁ − q₀)
import * as THREE from "three";
import type { Answers } from "../messages.ts";
import type { Store } from "../store.ts";
import { copied, library, posedName } from "./clipboard.ts";
import { around, now, setKey } from "./keys.ts";
import { autoKey } from "./posing.ts";
import { pickedNames } from "./sets.ts";
import type { Skeleton } from "./skeleton.ts";

type Joints = Record<string, number[]>;

/** What a pose can be blended towards, by how it is called. */
export function goals(store: Store): Record<string, () => Promise<Joints | undefined>> {
  const time = now(store);
  const posed = (layer: string, at: number) => async () =>
    ((await store.ask("posed", { layer, time: at })) as Answers["posed"] | undefined)?.joints;
  const [before, after] = around(store, time);
  const layers = store.layers.value;
  const here = posedName(store);
  const below = layers[layers.findIndex((l) => l.name === here) - 1];
  const frame = (t: number) => Math.round(t * store.fps.value);
  return {
    ...(before === undefined ? {} : { [`the key at ${frame(before)}`]: posed(here, before) }),
    ...(after === undefined ? {} : { [`the key at ${frame(after)}`]: posed(here, after) }),
    ...(below ? { "the motion below": posed(below.name, time) } : {}),
    "the rest pose": async () => store.posing.skeleton.value?.atRest(),
    ...(copied.value ? { "what was copied": async () => copied.value?.joints } : {}),
    ...Object.fromEntries(
      Object.entries(library.value).map(([name, pose]) => [`“${name}”`, async () => pose.joints]),
    ),
  };
}

/** Coordinates of joints a share of the way from some to others. */
export function between(skeleton: Skeleton, from: Joints, to: Joints, share: number): Joints {
  const mixed = (a: readonly number[], b: readonly number[]) => a.map((v, i) => v + share * (b[i]! - v));
  const turned = (a: readonly number[], b: readonly number[]): number[] => {
    const [p, q] = [a, b].map(([w, x, y, z]) => new THREE.Quaternion(x, y, z, w)) as [
      THREE.Quaternion,
      THREE.Quaternion,
    ];
    // Beyond either end as well: slerp itself goes on.
    const found = p.clone().slerp(q, share).normalize();
    return [found.w, found.x, found.y, found.z];
  };
  return Object.fromEntries(
    skeleton.joints.flatMap((joint, body) => {
      const name = skeleton.name(body);
      const [a, b] = [from[name], to[name]];
      if (!a || !b || a.length !== b.length) return [];
      if (joint.kind === "ball") return [[name, turned(a, b)]];
      if (joint.kind === "free")
        return [[name, [...mixed(a.slice(0, 3), b.slice(0, 3)), ...turned(a.slice(3), b.slice(3))]]];
      return joint.kind === "hinge" ? [[name, mixed(a, b)]] : [];
    }),
  );
}

/** A blend under way: from the pose of this frame towards a goal, of what is picked or, without that, of all
 * but the root. */
export class Blend {
  private constructor(
    private readonly store: Store,
    private readonly skeleton: Skeleton,
    private readonly start: number[],
    private readonly from: Joints,
    private readonly to: Joints,
    /** What was touched before, and is not keyed yet. */
    private readonly touched: Joints,
  ) {}

  static async towards(store: Store, goal: string): Promise<Blend | undefined> {
    const skeleton = store.posing.skeleton.value;
    const places = store.posing.places();
    const to = await goals(store)[goal]?.();
    if (!skeleton || !places || !to) return undefined;
    const start = skeleton.configuration(places, store.lift.value);
    const only = pickedNames(store);
    const names = skeleton.joints.flatMap((joint, body) => {
      const name = skeleton.name(body);
      const wanted = only ? only.includes(name) : joint.kind !== "free";
      return wanted && name in to ? [[name, start.slice(joint.start, joint.start + joint.size)]] : [];
    });
    const before = store.posing.pending.value;
    const touched = before?.frame === Math.round(store.player.frame.value) ? before.joints : {};
    return new Blend(store, skeleton, start, Object.fromEntries(names) as Joints, to, touched);
  }

  /** So far of the way: seen at once. */
  at(share: number): Joints {
    const joints = between(this.skeleton, this.from, this.to, share);
    const q = [...this.start];
    this.skeleton.joints.forEach((joint, body) => {
      const value = joints[this.skeleton.name(body)];
      value?.forEach((v, i) => {
        q[joint.start + i] = v;
      });
    });
    const places = this.skeleton.placed(q, this.store.lift.value);
    const frame = Math.round(this.store.player.frame.value);
    const all = { ...this.touched, ...joints };
    if (places) this.store.posing.pending.value = { frame, places, joints: all };
    return all;
  }

  /** Let go there: one step of undo; without Auto-key it waits for Key or Drop. */
  drop(share: number): void {
    const joints = this.at(share);
    if (autoKey.value) setKey(this.store, joints);
  }
}
