// @vitest-environment happy-dom
import { type ComponentType, h, render } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import { Choice, Numeric, Partial, Perhaps, Tick, Triple, Word } from "../src/panels/fields.tsx";

let root: HTMLElement;
const shown = (part: unknown, props: object): HTMLElement => {
  root = document.createElement("div");
  document.body.append(root);
  render(h(part as ComponentType<object>, props), root);
  return root;
};
afterEach(() => render(null, root));
const fields = () => [...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")];
const type = (field: HTMLInputElement | HTMLSelectElement, text: string) => {
  field.value = text;
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
const press = (field: HTMLElement, key: string) => {
  field.focus();
  field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
};

const KINDS: [string, unknown, object, object][] = [
  ["numbers", Numeric, { value: undefined }, { value: 2 }],
  ["words", Word, { value: undefined }, { value: "hand" }],
  ["choices", Choice, { value: undefined, options: ["on", "off"] }, { value: "off", options: ["on", "off"] }],
  ["ticks", Tick, { value: undefined }, { value: true }],
  ["numbers that may be left out", Perhaps, { value: undefined, usual: undefined }, { value: 2, usual: "3" }],
];

describe("fields", () => {
  it.each(KINDS)(
    "%s can be changed where their value is known, and nowhere else",
    (_, part, unknown, known) => {
      shown(part, { label: "f", onSet: () => {}, ...unknown });
      expect(fields().every((f) => f.disabled)).toBe(true);
      render(null, root);
      shown(part, { label: "f", onSet: () => {}, ...known });
      expect(fields().some((f) => f.disabled)).toBe(false);
    },
  );

  it("words are told once they are finished and others than before, and are suggested", () => {
    const told: string[] = [];
    shown(Word, {
      label: "a b",
      value: "hand",
      options: ["foot", "hand"],
      onSet: (v: string) => told.push(v),
    });
    const [word] = fields() as HTMLInputElement[];
    expect(word!.value).toBe("hand");
    type(word!, "hand");
    type(word!, "foot");
    expect(told).toEqual(["foot"]);
    expect([...root.querySelectorAll("datalist option")].map((o) => (o as HTMLOptionElement).value)).toEqual([
      "foot",
      "hand",
    ]);
    expect(root.querySelector("datalist")!.id).toBe(word!.getAttribute("list"));
    press(word!, "x");
    expect(document.activeElement).toBe(word);
    press(word!, "Enter");
    expect(document.activeElement).not.toBe(word);
  });

  it("numbers that may be left out go back to the usual one where they are emptied", () => {
    const told: unknown[] = [];
    const set = (v: unknown) => told.push(v);
    shown(Perhaps, { label: "n", value: 2, usual: "3", onSet: set });
    const [number] = fields();
    expect(number!.getAttribute("placeholder")).toBe("3");
    for (const text of ["2", "x", "2,5", ""]) type(number!, text);
    expect(told).toEqual([2.5, undefined]);
    render(null, root);
    shown(Perhaps, { label: "n", value: null, usual: "3", onSet: set });
    expect(fields()[0]!.disabled).toBe(false);
    type(fields()[0]!, "  ");
    expect(told.length).toBe(2); // it was empty before
  });

  it("of three numbers each may be left open; all open is none", () => {
    const told: unknown[] = [];
    shown(Partial, { label: "p", value: [1, null, 3], onSet: (v: unknown) => told.push(v) });
    expect(fields().map((f) => f.value)).toEqual(["1", "", "3"]);
    type(fields()[1]!, "2,5");
    type(fields()[0]!, "no");
    type(fields()[2]!, "");
    render(null, root);
    shown(Partial, { label: "p", value: [null, null, 3], onSet: (v: unknown) => told.push(v) });
    type(fields()[2]!, "");
    expect(told).toEqual([[1, 2.5, 3], [1, null, null], undefined]);
  });

  it("of three numbers each is set for itself", () => {
    const told: unknown[] = [];
    shown(Triple, { label: "t", value: [1, 2, 3], onSet: (v: unknown) => told.push(v) });
    type(fields()[1]!, "5");
    expect(told).toEqual([[1, 5, 3]]);
  });
});
