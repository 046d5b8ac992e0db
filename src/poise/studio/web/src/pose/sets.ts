// Sets of bodies that are picked at once: limbs by their labels, and those that somebody named.
// What is picked is turned together, keyed together, and is all that a pose is pasted to.
import { effect, untracked } from "@preact/signals";
import type { FigurePacket, PoseEdit } from "../messages.ts";
import { remembered } from "../shell/remembered.ts";
import type { Store } from "../store.ts";
import { addressOf, read } from "../time/address.ts";
import { posedLayer } from "./keys.ts";
import { together, tool } from "./posing.ts";

/** Sets that somebody named, by names of bodies. */
export const named = remembered<Record<string, string[]>>("sets", {});
/** Limbs that are one with what they end in. */
const WHOLE: Record<string, string> = { hand: "arm", finger: "arm", thumb: "arm", foot: "leg", toe: "leg" };

export interface BodySet {
  name: string;
  bodies: number[];
  /** Whether it is one of those that were named by hand. */
  own: boolean;
}

/** Limbs of a figure with their sides, trunk and head; then those that were named and are there. */
export function setsOf(figure: FigurePacket | undefined): BodySet[] {
  const joints = figure?.joints ?? [];
  const limbs = new Map<string, number[]>();
  joints.forEach((joint, body) => {
    if (!joint.limb || joint.kind === "free" || !joint.size) return; // the root goes with no limb
    const limb = WHOLE[joint.limb] ?? joint.limb;
    const name = joint.side === "left" || joint.side === "right" ? `${joint.side} ${limb}` : limb;
    limbs.set(name, [...(limbs.get(name) ?? []), body]);
  });
  const index = new Map(figure?.bodies.map((b, k) => [b.name, k]));
  const kept = Object.entries(named.value).map(([name, names]) => ({
    name,
    bodies: names.flatMap((n) => index.get(n) ?? []),
    own: true,
  }));
  return [
    ...[...limbs].map(([name, bodies]) => ({ name, bodies, own: false })),
    ...kept.filter((set) => set.bodies.length),
  ];
}

/** Bodies that are picked, in order. */
export const picked = (store: Store): number[] =>
  store.body.value < 0 ? [] : [...new Set([...together.value, store.body.value])].sort((a, b) => a - b);

/** Names of what is picked, where it is more than one body. */
export function pickedNames(store: Store): string[] | undefined {
  const bodies = picked(store);
  return bodies.length > 1 ? bodies.map((b) => store.pointOf(b) ?? "") : undefined;
}

/** Pick these and no others; the first is the one whose numbers are shown. */
export function pickAll(store: Store, bodies: readonly number[]): void {
  together.value = new Set(bodies);
  store.body.value = bodies[0] ?? -1;
}

export const isPicked = (store: Store, set: BodySet): boolean => set.bodies.join() === picked(store).join();

/** The limb of the picked body, in place of it alone. */
export function pickLimb(store: Store): void {
  const body = store.body.value;
  const limb = setsOf(store.figure.value).find((set) => !set.own && set.bodies.includes(body));
  if (limb) pickAll(store, limb.bodies);
}

/** A key of poses that is selected picks its joints, so that what it holds can be seen and gone on with. */
export function followingKeys(store: Store): () => void {
  return effect(() => {
    const ids = [...store.selected.value];
    if (tool.value !== "pose" || !ids.length) return;
    untracked(() => {
      const there = posedLayer(store);
      const names = ids.flatMap((id) => {
        const { layer, path } = addressOf(id);
        if (!there || layer !== there.layer.name || !path.startsWith(`${there.option}/`)) return [];
        return Object.keys((read(there.layer, path) as PoseEdit | undefined)?.joints ?? {});
      });
      const bodies = store.figure.value?.bodies ?? [];
      const found = bodies.flatMap((b, k) => (names.includes(b.name) ? [k] : []));
      if (found.length) pickAll(store, found);
    });
  });
}
