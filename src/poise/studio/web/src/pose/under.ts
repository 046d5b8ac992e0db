// The motion below the posed layer at its keys: what keys that are added are added to.
import { effect, signal, untracked } from "@preact/signals";
import type { Answers } from "../messages.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { posedName } from "./clipboard.ts";
import { editsOf, type Posed, posedLayer } from "./keys.ts";

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

/** Ask for it where tangents are shown, and a frame beside, each time the motion has been made in full. */
export function askingUnder(store: Store, wanted: () => boolean): () => void {
  return effect(() => {
    const there = wanted() ? posedLayer(store) : undefined;
    const made = store.solved.value;
    if (!there || !made || made.live || there.layer["mode"] === "override") return;
    const layers = store.layers.value;
    const below = layers[layers.findIndex((l) => l.name === posedName(store)) - 1]?.name;
    const step = 1 / store.fps.value;
    const times = bendable(there, store).flatMap((time) => [time - step, time, time + step]);
    const of = `${made.revision} ${below} ${times.join()}`;
    if (!below || !times.length || known.peek().of === of) return;
    untracked(() => void ask(store, of, below, times));
  });
}

/** Times of the selected keys of the picked joint, and of those beside them: their tangents are shown. */
function bendable({ layer, option }: Posed, store: Store): number[] {
  const name = store.pointOf(store.body.value) ?? "";
  const chosen = [...store.selected.value].map((id) => id.split("@")[0]);
  const own = editsOf({ layer, option })
    .map((edit, k) => ({ edit, id: idOf(layer.name, `${option}/${k}`) }))
    .filter(({ edit }) => name in edit.joints)
    .sort((a, b) => a.edit.time - b.edit.time);
  const near = own.filter((_, k) => [k - 1, k, k + 1].some((n) => own[n] && chosen.includes(own[n].id)));
  return near.map(({ edit }) => edit.time);
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
