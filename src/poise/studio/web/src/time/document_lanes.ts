// Lanes of the time line from the document's layers: each option whose editor has lanes adds its own.
import { colourOf } from "../colours.ts";
import { EDITORS } from "../editors.tsx";
import type { Layer } from "../layer.ts";
import type { Card } from "../messages.ts";
import { cardOf, spaced } from "../operations.ts";
import { headLane, type Lane } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";

/** In the order of the outliner: what acts last is on top. */
export function lanesOf(layers: readonly Layer[], context: LaneContext): Lane[] {
  return [...layers].reverse().flatMap((layer) => {
    const lanes = ofLayer(layer, context);
    return context.folded.has(layer.name) ? [foldedInto(lanes)] : lanes;
  });
}

/** The layer's own lane belongs to the first option that has something to say in it; others come below. */
function ofLayer(layer: Layer, context: LaneContext): Lane[] {
  const colour = colourOf(layer.do);
  const card = cardOf(context.cards, layer);
  let [head, ...below]: Lane[] = [headLane(layer, colour)];
  for (const option of card?.options ?? []) {
    const [first, ...rest] =
      EDITORS[option.editor ?? ""]?.lanes?.({ layer, card: card!, option }, colour, context) ?? [];
    if (!first) continue;
    if (isEmpty(head!))
      head = { ...first, list: first.list || head!.list, folds: (head!.folds || first.folds) ?? false };
    else if (!isEmpty(first)) below.push(track(first, layer, option.name));
    below.push(...rest);
  }
  if (below.length) return [{ ...head!, folds: true }, ...below];
  if (card && isEmpty(head!) && context.frames > 1) head!.segments = [bar(layer, card, context.frames)];
  return [head!];
}

/** What would have been in the layer's own lane, under it. */
function track({ mutes: _mutes, ...lane }: Lane, layer: Layer, option: string): Lane {
  return { ...lane, id: `${layer.name}#${option}`, label: spaced(option), depth: 1 };
}

const isEmpty = (lane: Lane): boolean => !lane.keys.length && !lane.segments.length;

/** What a layer without keys does, over all of the motion. */
function bar(layer: Layer, card: Card, frames: number): Lane["segments"][number] {
  const said = card.options.flatMap(({ name, unit }) => {
    const value = layer[name];
    if (typeof value === "string") return [value];
    if (typeof value === "number") return [`${spaced(name)} ${value} ${unit ?? ""}`.trim()];
    return Array.isArray(value) && value.every((v) => typeof v === "string") ? [value.join(", ")] : [];
  });
  return {
    id: `${layer.name}/`,
    first: 0,
    last: frames - 1,
    label: said.join(", ") || card.name,
    state: "plain",
  };
}

/** All keys of a layer in its own lane. */
function foldedInto(lanes: Lane[]): Lane {
  const [head, ...rest] = lanes;
  return { ...head!, keys: [...head!.keys, ...rest.flatMap((l) => l.keys.filter((k) => !k.fixed))] };
}
