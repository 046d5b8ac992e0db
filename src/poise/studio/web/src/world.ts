// The project's world: its surfaces as the document has them, and the commands that edit them.
// What stands on one that is moved goes along: for that its contacts become the project's own, and a layer
// keeps feet on them.
import { effect, signal } from "@preact/signals";
import { add, beforeLoose, freeName, group } from "./commands.ts";
import { GROUND, type Surface } from "./layer.ts";
import type { AnyCommand, Card } from "./messages.ts";
import { cardOf } from "./operations.ts";
import type { Store } from "./store.ts";

export const WORLD = "@world";
/** Kinds that can be added here, with what they are called. */
export const KINDS = [GROUND, "slope", "box", "stairs", "ball", "bar"] as const;
export type Kind = (typeof KINDS)[number];

export const worldId = (number: number): string => `${WORLD}/${number}`;

/** The number of the surface that an id stands for; undefined for what is none. */
export function worldNumber(id: string): number | undefined {
  const found = /^@world\/(\d+)/.exec(id);
  return found ? Number(found[1]) : undefined;
}

/** Surfaces of the project's world; none where it has none, or where a file or typed words say them. */
export function worldSurfaces(store: Store): Surface[] {
  const world = store.state.value?.document["world"] as { surfaces?: Surface[] } | string | null | undefined;
  return typeof world === "object" && world ? (world.surfaces ?? []) : [];
}

/** What says the world where that is not the document itself: a file, or surfaces as they are typed. */
export function worldSource(store: Store): string {
  const world = store.state.value?.document["world"];
  return typeof world === "string" ? world : "";
}

/** Surfaces as the take has them, by what was found in it or kept of it. */
export function takenSurfaces(store: Store): Surface[] {
  const found = store.carried.value?.command as { contacts?: { surfaces?: Surface[] } } | null | undefined;
  const all = (store.owned.value?.surfaces ?? found?.contacts?.surfaces ?? []) as Surface[];
  // What the project gave was found in it again; it may be gone from there by now.
  return all.filter((s) => s["source"] === "found" || s["source"] === "confirmed");
}

/** So long somebody waits for who stands on what [ms]. */
const PATIENCE = 20_000;
const FLOOR: Surface = { name: "floor", shape: { kind: GROUND } };

/** What a world begins with: the floor as the take has it, and what else is sure to be there. */
function begun(store: Store): AnyCommand[] {
  if (store.state.value?.document["world"]) return [];
  const asked = new Set(store.carried.value?.surfaces.filter((s) => s.asked).map((s) => s.name));
  const sure = takenSurfaces(store).filter((s) => !asked.has(s.name));
  return [{ do: "set-world", world: { surfaces: sure.length ? sure : [FLOOR] } } as AnyCommand];
}

const putting = (surface: Surface, within = ""): AnyCommand =>
  ({ do: "put-surface", surface, ...(within ? { gesture: within } : {}) }) as AnyCommand;

/** Surfaces that were added just now: they are put where the take needs them, and nobody goes along yet. */
export const placing = signal(new Set<string>());

/** From here on what stands on a surface goes along with it. */
export function placed(name: string): void {
  placing.value = new Set([...placing.value].filter((n) => n !== name));
}

/** A surface more; the first brings the floor with it. */
export function addSurface(store: Store, surface: Surface): void {
  placing.value = new Set([...placing.value, surface.name]);
  const before = begun(store);
  const number = before.length
    ? ((before[0] as unknown as { world: { surfaces: Surface[] } }).world.surfaces.length ?? 0)
    : worldSurfaces(store).length;
  store.edit(before.length ? group(`add ${surface.name}`, [...before, putting(surface)]) : putting(surface));
  store.selected.value = new Set([worldId(number)]);
}

/** A surface of the take that is there: from now on the world's, so that it can be moved. */
export function taking(store: Store, name: string): AnyCommand[] {
  const found = takenSurfaces(store).find((s) => s.name === name);
  if (!found || worldSource(store) || worldSurfaces(store).some((s) => s.name === name)) return [];
  return [...begun(store), putting({ ...found, source: "confirmed" })];
}

export function dropSurface(store: Store, name: string): void {
  store.edit({ do: "drop-surface", name } as AnyCommand);
}

/** One value of a surface, by its path: `place`, `shape/half`. */
export function changed(surface: Surface, path: string, value: unknown): Surface {
  const [first, ...rest] = path.split("/") as [string, ...string[]];
  const old = surface[first];
  if (!rest.length) return { ...surface, [first]: value };
  if (Array.isArray(old))
    return {
      ...surface,
      [first]: old.map((v, k) => (k === Number(rest[0]) ? { ...v, [rest[1]!]: value } : v)),
    };
  return { ...surface, [first]: { ...(old as object), [rest[0]!]: value } };
}

export const writing = (surface: Surface, path: string, value: unknown, within = ""): AnyCommand =>
  putting(changed(surface, path, value), within);

/** What has to be so before a surface is moved, so that what stands on it goes along: nothing where nobody
 * does, or where it is so already. Undefined: nobody knows yet who stands on it. */
export function ready(store: Store, name: string): AnyCommand[] | undefined {
  const carried = store.carried.value;
  if (placing.value.has(name)) return [];
  if (!carried) return undefined;
  if (!carried.contacts.some((c) => c.surface === name) || !carried.clip) return [];
  if (!store.owned.value && carried.owned) return undefined; // undone just now
  const keep = !store.owned.value && carried.command ? [carried.command as unknown as AnyCommand] : [];
  return [...keep, ...follower(store)];
}

/** The layer that keeps feet on what they stand on. */
function follower(store: Store): AnyCommand[] {
  const cards = store.cards.value;
  const keeps = (card: Card | undefined) => card?.follows && card.layer;
  const there = store.layers.value.some((l) => !l.muted && l["plants"] !== false && keeps(cardOf(cards, l)));
  const card = cards.find(keeps);
  if (there || !card) return [];
  const name = freeName(store.layers.value, "stand");
  return [add({ do: card.name, name }, beforeLoose(store.layers.value, cards))];
}

/** Set a value by numbers: one step of undo. */
export function setSurface(store: Store, surface: Surface, path: string, value: unknown): void {
  const put = writing(surface, path, value);
  if (!/^(place|turn|shape)/.test(path)) {
    store.edit(put);
    return;
  }
  // Who stands on it may have to be found out first: then it is made as soon as that is known.
  const began = Date.now();
  const stop = effect(() => {
    const before = ready(store, surface.name) ?? (Date.now() - began > PATIENCE ? [] : undefined);
    if (!before) return;
    queueMicrotask(() => {
      stop();
      store.edit(before.length ? group(`move ${surface.name}`, [...before, put]) : put);
    });
  });
}

/** Another name: contacts of the take keep the old one, so it is a new surface. */
export function renameSurface(store: Store, surface: Surface, name: string): void {
  if (!name || worldSurfaces(store).some((s) => s.name === name)) return;
  store.edit(
    group(`rename ${surface.name}`, [
      { do: "drop-surface", name: surface.name } as AnyCommand,
      putting({ ...surface, name }),
    ]),
  );
}

/** A surface of a kind, at a place on the floor [m]. */
export function fresh(store: Store, kind: Kind, at: readonly [number, number, number]): Surface {
  const [x, y, z] = at.map((v) => Number(v.toFixed(2))) as [number, number, number];
  const name = free(store, kind);
  switch (kind) {
    case GROUND:
      return { name, shape: { kind: GROUND, height: z } };
    case "slope":
      return { name, shape: { kind: GROUND, height: z, slope: [0.1, 0] } };
    case "box":
      return { name, shape: { kind: "box", half: [0.3, 0.3, 0.2] }, place: [x, y, z + 0.2] };
    case "stairs":
      return { name, shape: { kind: "stairs", steps: 4, rise: 0.17, run: 0.29, width: 1 }, place: [x, y, z] };
    case "ball":
      return { name, shape: { kind: "ball", radius: 0.2 }, place: [x, y, z + 0.2] };
    case "bar":
      return { name, shape: { kind: "bar", length: 1.2, radius: 0.02 }, place: [x, y, z + 1.1] };
  }
}

function free(store: Store, kind: string): string {
  const taken = new Set([...worldSurfaces(store), ...takenSurfaces(store)].map((s) => s.name));
  for (let k = 1; ; k++) {
    const name = k === 1 ? kind : `${kind} ${k}`;
    if (!taken.has(name)) return name;
  }
}
