// What the server says of operations, asked by the screen: it knows them by their traits, not by their names.
import type { Layer } from "./layer.ts";
import type { Card, Option } from "./messages.ts";

export type Cards = readonly Card[];

/** An option as one layer has it. */
export interface Use {
  layer: Layer;
  card: Card;
  option: Option;
}

/** Undefined until the server has told of operations. */
export const cardOf = (cards: Cards, layer: Layer): Card | undefined =>
  cards.find((c) => c.name === layer.do);

/** The option that an editor is for. */
export const optionFor = (card: Card | undefined, editor: string): Option | undefined =>
  card?.options.find((o) => o.editor === editor);

export const takes = (card: Card | undefined, editor: string): boolean =>
  optionFor(card, editor) !== undefined;

/** Whether an option is of any consequence, by what others are. */
export function matters({ layer, card, option }: Use): boolean {
  return Object.entries(option.when ?? {}).every(([name, wanted]) => {
    const value = layer[name] ?? card.options.find((o) => o.name === name)?.default;
    if (wanted === true) return Array.isArray(value) ? value.length > 0 : Boolean(value);
    return Array.isArray(wanted) ? wanted.includes(value) : value === wanted;
  });
}

/** Options that a layer says though they are of no consequence any more once one of them is another. */
export function idle(cards: Cards, layer: Layer, option: string, value: unknown): string[] {
  const card = cardOf(cards, layer);
  const then = { ...layer, [option]: value } as Layer;
  return (card?.options ?? [])
    .filter((o) => o.name in layer && o.name !== option && !matters({ layer: then, card: card!, option: o }))
    .map((o) => o.name);
}

/** Whether a layer says something of its own. */
export function isGiven({ layer, option }: Pick<Use, "layer" | "option">): boolean {
  const value = layer[option.name];
  return (value ?? null) !== null && JSON.stringify(value) !== JSON.stringify(option.default);
}

/** A loosened motion: its joints hold the animation by springs. */
export const isLoose = (card: Card | undefined): boolean => takes(card, "tension");

/** Meets constraints exactly, in a motion that is simulated. */
export const isHitting = (card: Card | undefined): boolean =>
  !!card?.layer && card.dynamic && takes(card, "constraints");

/** Meets constraints by changing the motion as a whole. */
export const isPinning = (card: Card | undefined): boolean =>
  !!card?.layer && !card.dynamic && !card.last && takes(card, "constraints");

/** What is left of an operation that can no longer be given an option: one whose options all are its own. */
export function remainder(cards: Cards, card: Card, option: string): Card | undefined {
  const names = new Set(card.options.map((o) => o.name));
  return cards
    .filter(
      (c) =>
        c.layer && c.options.every((o) => names.has(o.name)) && !c.options.some((o) => o.name === option),
    )
    .filter((c) => c.dynamic === card.dynamic && c.input === card.input && c.last === card.last)
    .sort((a, b) => b.options.length - a.options.length)[0];
}

/** In a few words, without those that its name says already. */
export function inShort({ name, words }: Card): string {
  const [first = "", second] = words.split(/[:;.]/).map((part) => part.trim());
  return second && first.toLowerCase().startsWith(name) ? second : first;
}

/** As a title has it. */
export const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
/** As a label has it. */
export const spaced = (name: string): string => name.replaceAll("_", " ");
