// All that can be grabbed on the stage. What several layers say of one place is one handle,
// and moves together.
import { group } from "../commands.ts";
import { EDITORS, starts } from "../editors.tsx";
import type { Layer } from "../layer.ts";
import type { AnyCommand, Plants } from "../messages.ts";
import { type Cards, cardOf } from "../operations.ts";
import { type Handle, length, minus, type Surroundings } from "./handle.ts";

export function handlesOf(
  layers: readonly Layer[],
  cards: Cards,
  around: Surroundings,
  plants: Readonly<Record<string, Plants>> = {},
): Handle[] {
  const solo = layers.some((l) => l.solo);
  const acting = layers.filter((l) => !l.muted && (!solo || l.solo));
  return together(acting.flatMap((layer) => ofLayer(layer, cards, around, plants[layer.name])));
}

/** Layers that the result is made of, as far as can be told:
 * those before another that starts a motion of its own are covered by it. */
export function uncovered(layers: readonly Layer[], cards: Cards, output = ""): readonly Layer[] {
  if (layers.some((l) => l.input)) return layers; // each may be of use to any later one
  const end = output ? layers.findIndex((l) => l.name === output) : layers.length - 1;
  const start = layers.findLastIndex((l, k) => k <= end && !l.muted && starts(cards, l));
  return layers.slice(Math.max(start, 0));
}

function ofLayer(layer: Layer, cards: Cards, around: Surroundings, plants: Plants | undefined): Handle[] {
  const card = cardOf(cards, layer);
  return (card?.options ?? []).flatMap(
    (option) => EDITORS[option.editor ?? ""]?.handles?.({ layer, card: card!, option }, around, plants) ?? [],
  );
}

/** Handles of one name, place and time as one. */
export function together(handles: readonly Handle[]): Handle[] {
  const found: Handle[] = [];
  for (const handle of handles) {
    const k = found.findIndex(
      (h) =>
        h.name === handle.name &&
        like(h, handle) &&
        length(minus(h.place, handle.place)) < 1e-9 &&
        h.times[0] === handle.times[0] &&
        h.times[1] === handle.times[1],
    );
    if (k < 0 || handle.begin) found.push(handle);
    else found[k] = joined(found[k]!, handle);
  }
  return found;
}

const like = (a: Handle, b: Handle): boolean =>
  (a.kind === b.kind || (places.has(a.kind) && places.has(b.kind))) && a.begin === undefined;
const places = new Set(["target", "pin"]);

function joined(a: Handle, b: Handle): Handle {
  const edit: Handle["edit"] = (place, within, axis) =>
    ({
      ...group("move", [a.edit(place, within, axis), b.edit(place, within, axis)]),
      gesture: within,
    }) as AnyCommand;
  return {
    ...a,
    kind: a.kind === "target" || b.kind === "target" ? "target" : a.kind,
    selects: [...a.selects, ...b.selects],
    layers: [...a.layers, ...b.layers],
    edit,
  };
}
