// The motion below the posed layer at its keys: what keys that are added are added to.
import { effect, signal, untracked } from "@preact/signals";
import type { Answers } from "../messages.ts";
import type { Store } from "../store.ts";
import { posedName } from "./clipboard.ts";
import { editsOf, posedLayer } from "./keys.ts";

type Joints = Record<string, number[]>;
/** Joints' coordinates by time, to the microsecond; of which layer and revision. */
interface Known {
  of: string;
  at: Map<number, Joints>;
}

const known = signal<Known>({ of: "", at: new Map() });
const tick = (time: number): number => Math.round(1e6 * time);

/** A joint's coordinates below at a time, as far as they were asked for. */
export const under = (name: string, time: number): readonly number[] | undefined =>
  known.value.at.get(tick(time))?.[name];

/** Ask for it at every key and a frame beside, each time the motion has been made in full. */
export function askingUnder(store: Store, wanted: () => boolean): () => void {
  return effect(() => {
    const there = wanted() ? posedLayer(store) : undefined;
    const made = store.solved.value;
    if (!there || !made || made.live || there.layer["mode"] === "override") return;
    const layers = store.layers.value;
    const below = layers[layers.findIndex((l) => l.name === posedName(store)) - 1]?.name;
    const step = 1 / store.fps.value;
    const times = editsOf(there).flatMap((e) => [e.time - step, e.time, e.time + step]);
    const of = `${made.revision} ${below}`;
    if (!below || known.peek().of === of) return;
    untracked(() => void ask(store, of, below, times));
  });
}

async function ask(store: Store, of: string, layer: string, times: readonly number[]): Promise<void> {
  const before = known.peek().at;
  known.value = { of, at: before }; // until it is known, as it was
  const at = new Map<number, Joints>();
  for (const time of new Set(times)) {
    if (time < 0) continue;
    const found = (await store.ask("posed", { layer, time }, true)) as Answers["posed"] | undefined;
    if (known.peek().of !== of) return;
    if (found) at.set(tick(time), found.joints);
  }
  known.value = { of, at };
}
