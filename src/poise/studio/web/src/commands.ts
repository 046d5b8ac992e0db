// The edits that parts of the screen make, as commands of the project.
// One place knows where things stand in a layer.
import type { Constrained, Layer } from "./layer.ts";
import type { AnyCommand, AnyLayer } from "./messages.ts";
import { type Cards, cardOf, isHitting, isLoose, isPinning, remainder } from "./operations.ts";
import type { Store } from "./store.ts";

let gestures = 0;
/** A name for what belongs together: one drag, one step of undo. */
export const gesture = (what: string): string => `${what} ${Date.now().toString(36)}-${++gestures}`;

export const put = (layer: string, path: string, value: unknown, within = ""): AnyCommand => ({
  do: "set",
  layer,
  path,
  value,
  ...(within ? { gesture: within } : {}),
});

export const insert = (layer: string, path: string, value: unknown): AnyCommand => ({
  do: "insert",
  layer,
  path,
  value,
});

export const remove = (layer: string, path: string): AnyCommand => ({ do: "remove", layer, path });

export const group = (label: string, commands: AnyCommand[]): AnyCommand => ({
  do: "group",
  label,
  commands,
});

export const add = (layer: Layer, at?: number): AnyCommand => ({
  do: "add-layer",
  layer: layer as unknown as AnyLayer,
  ...(at === undefined ? {} : { at }),
});

/** A name that no layer has yet. */
export function freeName(layers: readonly Layer[], wanted: string): string {
  const taken = new Set(layers.map((l) => l.name));
  for (let k = 1; ; k++) {
    const name = k === 1 ? wanted : `${wanted} ${k}`;
    if (!taken.has(name)) return name;
  }
}

/** A constraint that a point is at a place at a time, as constraint files have it;
 * with a velocity, two of them. */
export function pointAt(
  point: string,
  place: readonly number[],
  time: number,
  velocity?: readonly number[],
): Record<string, unknown>[] {
  const handle = { kind: "point_position", point, axes: "xyz" };
  const at = {
    name: `${point} at ${time.toFixed(2)} s`,
    handle,
    target: { value: [...place] },
    when: { at: time },
  };
  if (!velocity) return [at];
  return [
    at,
    {
      ...at,
      name: `${point} moves so at ${time.toFixed(2)} s`,
      target: { value: [...velocity] },
      rate: true,
    },
  ];
}

/** A constraint that a point of something soft, there on its bone at rest, is at a place at a time. */
export function softAt(
  attachment: string,
  bone: string,
  rest: readonly number[],
  place: readonly number[],
  time: number,
): Record<string, unknown> {
  const at = rest.map((v) => Number(v.toFixed(4)));
  return {
    name: `${attachment} at ${time.toFixed(2)} s`,
    handle: { kind: "attachment_point", attachment, bone, place: at, axes: "xyz" },
    target: { value: [...place] },
    when: { at: time },
  };
}

/** An edit that puts constraints into a layer, and where the first of them then stands. */
export interface Placed {
  command: AnyCommand;
  layer: string;
  path: string;
}

/** "Hit this": constraints for the motion that hits. One that is only loose so far becomes one that hits;
 * where there is neither, it is made. */
export function targeted(
  layers: readonly Layer[],
  cards: Cards,
  constraints: Record<string, unknown>[],
): Placed | undefined {
  const there = layers.find((l) => isHitting(cardOf(cards, l)));
  if (there) return appended("target", there, constraints);
  const hits = cards.find(isHitting);
  if (!hits) return undefined;
  const loose = layers.findLast((l) => isLoose(cardOf(cards, l)));
  const name = loose?.name ?? freeName(layers, hits.name);
  const command: AnyCommand = loose
    ? { do: "become", layer: name, operation: hits.name, options: { constraints } }
    : add({ do: hits.name, name, constraints }, beforeLast(layers, cards));
  return { command, layer: name, path: "constraints/0" };
}

/** Keep points at places by changing the whole motion, or only some joints of it, as little as possible. */
export function adapted(
  layers: readonly Layer[],
  cards: Cards,
  constraints: Record<string, unknown>[],
  joints?: string[],
): Placed | undefined {
  const there = layers.findLast(
    (l: Constrained) => isPinning(cardOf(cards, l)) && same(l.joints ?? undefined, joints),
  );
  if (there) return appended("reach", there, constraints);
  const pins = cards.find(isPinning);
  if (!pins) return undefined;
  const name = freeName(layers, pins.name);
  const layer = { do: pins.name, name, constraints, ...(joints ? { joints } : {}) };
  return { command: add(layer, beforeLoose(layers, cards)), layer: name, path: "constraints/0" };
}

/** Where what others must follow ends: what is last stays so. */
export function beforeLast(layers: readonly Layer[], cards: Cards): number | undefined {
  const at = layers.findIndex((l) => cardOf(cards, l)?.last);
  return at < 0 ? undefined : at;
}

/** Where the animation ends that a loose motion follows. */
export function beforeLoose(layers: readonly Layer[], cards: Cards): number | undefined {
  const at = layers.findIndex((l) => isLoose(cardOf(cards, l)));
  return at < 0 ? beforeLast(layers, cards) : at;
}

/** Entries taken out of lists of a layer. A list that its operation cannot be without, once it is empty,
 * leaves another operation: what no longer has anything to hit is still loose. */
export function takeOut(layer: Layer, cards: Cards, paths: readonly string[]): AnyCommand[] {
  const card = cardOf(cards, layer);
  const emptied = card?.options.find((o) => {
    const value = layer[o.name];
    const own = paths.filter((p) => p.startsWith(`${o.name}/`) && !p.slice(o.name.length + 1).includes("/"));
    return o.required && Array.isArray(value) && value.length > 0 && own.length >= value.length;
  });
  const left = card && emptied && remainder(cards, card, emptied.name);
  if (!left) return paths.map((path) => remove(layer.name, path));
  return [{ do: "become", layer: layer.name, operation: left.name }];
}

/** Constraints are told apart by their names: one that is there already is written anew. */
export function appended(label: string, layer: Constrained, constraints: Record<string, unknown>[]): Placed {
  const known = layer.constraints ?? [];
  let free = known.length;
  const places = constraints.map((c) => {
    const found = known.findIndex((k) => k["name"] === c["name"]);
    return found >= 0 ? found : free++;
  });
  const commands = constraints.map((c, k) =>
    (places[k]! < known.length ? put : insert)(layer.name, `constraints/${places[k]!}`, c),
  );
  return { command: group(label, commands), layer: layer.name, path: `constraints/${places[0] ?? free}` };
}

const same = (a: string[] | undefined, b: string[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((v) => b.includes(v)));

export function hit(store: Store, constraints: Record<string, unknown>[]): void {
  make(store, targeted(store.layers.value, store.cards.value, constraints));
}

export function reach(store: Store, constraints: Record<string, unknown>[]): void {
  make(store, adapted(store.layers.value, store.cards.value, constraints));
}

function make(store: Store, placed: Placed | undefined): void {
  if (!placed) return; // the server has not told of operations yet
  store.edit(placed.command);
  store.layer.value = placed.layer;
}
