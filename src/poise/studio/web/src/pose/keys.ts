// Keys of poses: where they go in the document, and the commands that put them there.
import { add, beforeLoose, freeName, put } from "../commands.ts";
import type { Layer } from "../layer.ts";
import type { AnyCommand, PoseEdit } from "../messages.ts";
import { cardOf, optionFor } from "../operations.ts";
import type { Store } from "../store.ts";

/** The editor of options that hold keys of poses. */
export const EDITS = "edits";
/** Two keys nearer than this are one [s]. */
const SAME = 1e-4;

type Joints = Record<string, number[]>;

export interface Posed {
  layer: Layer;
  option: string;
}

/** The layer that poses go into: the chosen one, else the topmost below what makes the motion loose. */
export function posedLayer(store: Store): Posed | undefined {
  const cards = store.cards.value;
  const end = beforeLoose(store.layers.value, cards) ?? store.layers.value.length;
  const found = store.layers.value.flatMap((layer, k) => {
    const option = optionFor(cardOf(cards, layer), EDITS);
    return option && !layer.muted ? [{ layer, option: option.name, k }] : [];
  });
  return found.find((f) => f.layer.name === store.layer.value) ?? found.filter((f) => f.k < end).at(-1);
}

export const editsOf = ({ layer, option }: Posed): PoseEdit[] =>
  (layer[option] as PoseEdit[] | undefined) ?? [];

/** The frame that is posed [s]. */
export const now = (store: Store): number => Math.round(store.player.frame.value) / store.fps.value;

/** Keys with some joints set at a time: into the key that is there, or a new one, in order. */
export function withKey(
  edits: readonly PoseEdit[],
  time: number,
  joints: Joints,
  more: Partial<PoseEdit> = {},
): PoseEdit[] {
  const there = edits.find((e) => Math.abs(e.time - time) < SAME && e.kind !== "breakdown");
  const others = edits
    .filter((e) => e !== there)
    // A joint has one key at a time: a breakdown gives way to what is set by hand.
    .map((e) => (Math.abs(e.time - time) < SAME ? without(e, Object.keys(joints)) : e))
    .filter((e) => Object.keys(e.joints).length > 0);
  const key: PoseEdit = { ...there, time, ...more, joints: { ...there?.joints, ...joints } };
  return [...others, key].sort((a, b) => a.time - b.time);
}

function without(edit: PoseEdit, joints: readonly string[]): PoseEdit {
  return {
    ...edit,
    joints: Object.fromEntries(Object.entries(edit.joints).filter(([name]) => !joints.includes(name))),
  };
}

/** The command that keys joints at a time, in the layer there is or a new one; and that layer's name. */
export function keyed(
  store: Store,
  time: number,
  joints: Joints,
  more: Partial<PoseEdit> = {},
  within = "",
): { command: AnyCommand; layer: string } | undefined {
  const there = posedLayer(store);
  if (there) {
    const edits = withKey(editsOf(there), time, joints, more);
    return { command: put(there.layer.name, there.option, edits, within), layer: there.layer.name };
  }
  const cards = store.cards.value;
  const card = cards.find((c) => c.layer && optionFor(c, EDITS));
  if (!card) return undefined;
  const name = freeName(store.layers.value, "poses");
  const option = optionFor(card, EDITS)!.name;
  const layer = { do: card.name, name, [option]: withKey([], time, joints, more) };
  const command = add(layer, beforeLoose(store.layers.value, cards));
  return { command: within ? ({ ...command, gesture: within } as AnyCommand) : command, layer: name };
}

/** Key joints at the present frame, as one step of undo. */
export function setKey(store: Store, joints: Joints, more: Partial<PoseEdit> = {}): void {
  const made = keyed(store, now(store), joints, more);
  if (!made) return;
  store.edit(made.command);
  store.layer.value = made.layer;
}

/** Take keys of joints at a time away; all of them without names. */
export function unkey(store: Store, time: number, joints?: readonly string[]): void {
  const there = posedLayer(store);
  if (!there) return;
  const edits = editsOf(there)
    .map((e) => (Math.abs(e.time - time) < SAME ? (joints ? without(e, joints) : { ...e, joints: {} }) : e))
    .filter((e) => Object.keys(e.joints).length > 0);
  store.edit(put(there.layer.name, there.option, edits));
}

/** Times of the keys of a joint, or of all. */
export function keyTimes(store: Store, joint?: string): number[] {
  const there = posedLayer(store);
  const edits = there ? editsOf(there) : [];
  return [...new Set(edits.filter((e) => !joint || joint in e.joints).map((e) => e.time))].sort(
    (a, b) => a - b,
  );
}

/** The keys before and after a time, that are no breakdowns. */
export function around(store: Store, time: number): [number | undefined, number | undefined] {
  const there = posedLayer(store);
  const times = (there ? editsOf(there) : []).filter((e) => e.kind !== "breakdown").map((e) => e.time);
  return [
    times.filter((t) => t < time - SAME).sort((a, b) => b - a)[0],
    times.filter((t) => t > time + SAME).sort((a, b) => a - b)[0],
  ];
}
