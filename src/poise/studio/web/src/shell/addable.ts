// Layers that can be added, each with what its required options begin with, and where it goes:
// what changes the animation goes under what makes it loose, and what is worn stays last.
import { beforeLast, beforeLoose } from "../commands.ts";
import { beginning } from "../editors.tsx";
import type { AnyCommand, Card } from "../messages.ts";
import type { Store } from "../store.ts";

export interface Addable {
  card: Card;
  /** Whether it makes a motion of its own; else it works on the one before it. */
  starts: boolean;
  options: Record<string, unknown>;
  /** What has to be done first. */
  before?: AnyCommand;
  at?: number;
}

export function addable(store: Store): Addable[] {
  const layers = store.layers.value;
  const cards = store.cards.value.filter((c) => c.layer);
  const made = (card: Card, starts: boolean): Addable[] => {
    const begun = beginning(store, card, starts);
    if (!begun) return [];
    const at = starts || card.last ? undefined : (card.dynamic ? beforeLast : beforeLoose)(layers, cards);
    return [{ card, starts, ...begun, ...(at === undefined ? {} : { at }) }];
  };
  const changing = layers.length ? cards.filter((c) => c.input !== "never") : [];
  const starting = cards.filter((c) => c.input !== "always");
  return [...changing.flatMap((c) => made(c, false)), ...starting.flatMap((c) => made(c, true))];
}
