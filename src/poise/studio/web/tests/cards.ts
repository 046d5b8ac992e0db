// Operations as the server tells of them; Python's tests hold the file to what it says now.
import type { Layer } from "../src/layer.ts";
import type { Card } from "../src/messages.ts";
import type { Use } from "../src/operations.ts";
import told from "./operations.json";

export const CARDS = told as unknown as Card[];

/** An option of a layer. */
export function use(layer: Layer, name: string): Use {
  const card = CARDS.find((c) => c.name === layer.do)!;
  return { layer, card, option: card.options.find((o) => o.name === name)! };
}
