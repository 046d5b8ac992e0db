// Poses that are copied, pasted, mirrored and kept: by joints, with the server's own numbers.
import { signal } from "@preact/signals";
import { beforeLoose } from "../commands.ts";
import type { Answers } from "../messages.ts";
import { remembered } from "../shell/remembered.ts";
import type { Store } from "../store.ts";
import { now, posedLayer, setKey } from "./keys.ts";

type Joints = Record<string, number[]>;
export interface Copied {
  joints: Joints;
  mirrored: Joints | undefined;
}

export const copied = signal<Copied | undefined>(undefined);
/** Poses that were kept, by name; in this browser, for this workspace. */
export const library = remembered<Record<string, Copied>>("poses", {});

/** The layer whose motion is posed. */
export function posedName(store: Store): string {
  const layers = store.layers.value;
  const at = beforeLoose(layers, store.cards.value) ?? layers.length;
  return posedLayer(store)?.layer.name ?? layers[at - 1]?.name ?? "";
}

/** The pose of this frame; its mirror image where the character has one. */
export async function copyPose(store: Store): Promise<Copied | undefined> {
  const about = { layer: posedName(store), time: now(store) };
  const plain = (await store.ask("posed", about)) as Answers["posed"] | undefined;
  if (!plain) return undefined;
  const other = (await store.ask("posed", { ...about, mirrored: true }, true)) as
    | Answers["posed"]
    | undefined;
  copied.value = { joints: plain.joints, mirrored: other?.joints };
  store.note(`copied the pose of frame ${Math.round(about.time * store.fps.value)}`);
  return copied.value;
}

/** Key a pose here: all joints but the root, which stays where the motion has it; or some. */
export function pastePose(
  store: Store,
  pose: Copied | undefined,
  mirrored: boolean,
  only?: readonly string[],
): void {
  const joints = mirrored ? pose?.mirrored : pose?.joints;
  if (!joints) {
    store.note(pose ? "this character has no mirror image" : "no pose was copied", "problem");
    return;
  }
  const skeleton = store.posing.skeleton.value;
  const roots = new Set(
    (skeleton?.joints ?? []).flatMap((j, k) => (j.kind === "free" ? [skeleton!.name(k)] : [])),
  );
  const kept = Object.entries(joints).filter(([name]) => !roots.has(name) && (!only || only.includes(name)));
  setKey(store, Object.fromEntries(kept), only ? {} : { kind: "pose" });
}

/** The pose of this frame, mirrored in place. */
export async function mirrorPose(store: Store): Promise<void> {
  const before = copied.value;
  const pose = await copyPose(store);
  copied.value = before;
  if (pose) pastePose(store, pose, true);
}

/** All joints keyed as they are. */
export async function keyPose(store: Store): Promise<void> {
  const about = { layer: posedName(store), time: now(store) };
  const pose = (await store.ask("posed", about)) as Answers["posed"] | undefined;
  if (pose) setKey(store, pose.joints, { kind: "pose" });
}

export function keepPose(store: Store, name: string): void {
  void copyPose(store).then((pose) => {
    if (pose) library.value = { ...library.value, [name]: pose };
  });
}
