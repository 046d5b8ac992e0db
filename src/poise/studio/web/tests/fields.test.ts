// @vitest-environment happy-dom
import { type ComponentType, h, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Choice, Numeric, Partial, Perhaps, Tick, Triple, Word } from "../src/panels/fields.tsx";
import { useKnob } from "../src/panels/typed.tsx";

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

/** Everything that is typed into, at first and when its panel is drawn anew for something else. */
const TYPED: [string, unknown, object, object][] = [
  ["a number", Numeric, { value: 2 }, { value: 3 }],
  ["a word", Word, { value: "hand" }, { value: "foot" }],
  ["a number that may be left out", Perhaps, { value: 2, usual: "3" }, { value: undefined, usual: "4" }],
  ["numbers that may be left open", Partial, { value: [1, null, 3] }, { value: [4, 5, 6] }],
  ["numbers of a place", Triple, { value: [1, 2, 3] }, { value: [4, 5, 6] }],
];

describe("what is typed", () => {
  it.each(TYPED)("into %s stays while the panel is drawn anew, and counts once it is finished", (...each) => {
    const [, part, before, after] = each;
    const told: unknown[] = [];
    const set = { label: "f", onSet: (v: unknown) => told.push(v) };
    shown(part, { ...set, ...before });
    const [field] = fields() as HTMLInputElement[];
    field!.focus();
    field!.value = "17";
    field!.dispatchEvent(new Event("input", { bubbles: true }));
    render(h(part as ComponentType<object>, { ...set, ...after }), root);
    expect(fields()[0]).toBe(field); // the same field, which has the keyboard still
    expect(document.activeElement).toBe(field);
    expect(field!.value).toBe("17");
    expect(told).toEqual([]);
    type(field!, "17");
    expect(JSON.stringify(told)).toMatch(/^\[.*17.*\]$/);
  });

  it.each(TYPED)("into %s is taken back by Escape", async (...each) => {
    const [, part, before, after] = each;
    const told: unknown[] = [];
    const set = { label: "f", onSet: (v: unknown) => told.push(v) };
    shown(part, { ...set, ...before });
    const [field] = fields() as HTMLInputElement[];
    const was = field!.value;
    field!.focus();
    field!.value = "17";
    field!.dispatchEvent(new Event("input", { bubbles: true }));
    await Promise.resolve();
    press(field!, "Escape");
    expect(document.activeElement).not.toBe(field);
    expect(field!.value).toBe(was);
    expect(told).toEqual([]);
    await Promise.resolve();
    render(h(part as ComponentType<object>, { ...set, ...after }), root);
    expect(field!.value).not.toBe("17");
  });
});

describe("a knob", () => {
  let drag: (to: number) => void;
  let drop: () => void;
  function Knob({ value }: { value: number }) {
    const knob = useKnob(value);
    ({ drag, drop } = knob);
    return h("output", {}, String(knob.shown));
  }
  const at = (value: number) => act(() => render(h(Knob, { value }), root));

  it("stays where it is dragged, whatever the document says meanwhile, and then follows it", () => {
    vi.useFakeTimers();
    shown(Knob, { value: 1 });
    void act(() => drag(5));
    void at(2);
    expect(root.textContent).toBe("5");
    void act(() => drop());
    expect(root.textContent).toBe("5"); // until the document has it
    void at(4.9);
    expect(root.textContent).toBe("4.9");
    void act(() => drag(7));
    void act(() => drop());
    void act(() => void vi.advanceTimersByTime(10_000)); // or does not get it
    expect(root.textContent).toBe("4.9");
    vi.useRealTimers();
  });
});
