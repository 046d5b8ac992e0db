// @vitest-environment happy-dom
// Working on a motion that another one hides: whole chains of layers change places.
import { expect, it } from "vitest";
import type { AnyCommand } from "../src/messages.ts";
import { beside, workOn } from "../src/stage/companions.ts";
import type { Store } from "../src/store.ts";

/** A store of layers, of which those named with a capital begin a motion of their own. */
function bench(names: string[], input = ""): { store: Store; sent: AnyCommand[]; notes: string[] } {
  const [sent, notes]: [AnyCommand[], string[]] = [[], []];
  const layers = names.map((name) => ({
    name,
    do: /[A-Z]/.test(name[0]!) ? "begins" : "goes on",
    ...(name === input ? { input: names[0] } : {}),
  }));
  const card = (name: string, takes: string) => ({ name, input: takes, options: [], layer: true });
  const store = {
    layers: { value: layers },
    cards: { value: [card("begins", "never"), card("goes on", "always")] },
    layer: { value: "" },
    edit: (command: AnyCommand) => sent.push(command),
    note: (text: string) => notes.push(text),
  } as unknown as Store;
  return { store, sent, notes };
}

/** The order after moves, as the server makes them. */
function moved(names: readonly string[], command: AnyCommand): string[] {
  const order = [...names];
  for (const { layer, to } of (command as { commands: { layer: string; to: number }[] }).commands) {
    order.splice(order.indexOf(layer), 1);
    order.splice(to, 0, layer);
    expect(order[0], "something begins").toMatch(/^[A-Z]/);
  }
  return order;
}

it("puts all that is above below it, chain by chain, and shows it beside", () => {
  for (const [names, wanted, after] of [
    [["Hero", "aside", "Boxer"], "aside", ["Boxer", "Hero", "aside"]],
    [["Hero", "Boxer", "loose"], "Hero", ["Boxer", "loose", "Hero"]],
    [["A", "Hero", "loose", "B", "C", "tight"], "Hero", ["A", "B", "C", "tight", "Hero", "loose"]],
  ] as const) {
    const { store, sent } = bench([...names]);
    beside.value = new Set([wanted]);
    workOn(store, wanted);
    expect(sent).toHaveLength(1);
    expect(moved(names, sent[0]!)).toEqual(after);
    expect([...beside.value]).toEqual([names.at(-1)]);
    expect(store.layer.value).toBe(wanted);
  }
});

it("leaves layers alone that name what they begin with, and says so", () => {
  const { store, sent, notes } = bench(["Hero", "Boxer", "loose"], "loose");
  workOn(store, "Hero");
  expect(sent).toEqual([]);
  expect(notes).toHaveLength(1);
});
