// @vitest-environment happy-dom
import { type ComponentType, h, render } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import type { AnyLayer, SourceLayer, SynthesisLayer } from "../src/messages.ts";
import { Numeric, Slider } from "../src/panels/fields.tsx";
import { SourcePanel } from "../src/panels/source.tsx";
import { SynthesisPanel } from "../src/panels/synthesis.tsx";
import type { Entry } from "../src/time/entry.ts";
import { layersOf, stateOf, storeWith } from "./documents.ts";

let root: HTMLElement;
const shown = <P extends object>(part: ComponentType<P>, props: P): HTMLElement => {
  root = document.createElement("div");
  document.body.append(root);
  render(h(part, props), root);
  return root;
};
afterEach(() => render(null, root));
const button = (text: string) =>
  [...root.querySelectorAll("button")].find((b) => b.textContent!.trim() === text)!;
const done = (socket: { sent: Entry[] }) =>
  socket.sent.filter((m) => m["say"] === "do").map((m) => m["command"]);

describe("sliders", () => {
  const slider = (more: object) => {
    const { store, socket } = storeWith();
    shown(Slider, { store, layer: "l", path: "p", label: "f", value: 2, low: 1, high: 4, ...more });
    return { input: root.querySelector<HTMLInputElement>("input[type=range]")!, socket };
  };
  const slide = (input: HTMLInputElement, to: number) => {
    input.value = String(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };

  it("stand where their value is: in the middle of 1 and 4 is 2 by ratio, 2.5 by difference", () => {
    expect(Number(slider({ ratio: true }).input.value)).toBeCloseTo(0.5, 3);
    expect(Number(slider({ value: 2.5 }).input.value)).toBeCloseTo(0.5, 3);
    expect(slider({ value: undefined }).input.disabled).toBe(true);
  });

  it("write what they are slid to, in steps, and one step of undo when let go", () => {
    const even = slider({ step: 0.5 });
    slide(even.input, 0.6);
    expect(done(even.socket).at(-1)).toMatchObject({ layer: "l", path: "p", value: 3 });
    even.input.dispatchEvent(new Event("change", { bubbles: true }));
    expect(even.socket.sent.at(-1)).toMatchObject({ say: "seal" });
    const ratio = slider({ ratio: true, as: (v: number) => ({ f: v }) });
    slide(ratio.input, 0.5);
    expect(done(ratio.socket).at(-1)).toMatchObject({ value: { f: 2 } });
  });

  it("typed beyond their ends they stop there", () => {
    const { socket } = slider({});
    const typed = root.querySelector<HTMLInputElement>("input.number")!;
    typed.value = "9,5";
    typed.dispatchEvent(new Event("change", { bubbles: true }));
    expect(done(socket).at(-1)).toMatchObject({ value: 4 });
  });
});

describe("numbers", () => {
  it("are taken over when they are numbers and others than before", () => {
    const told: number[] = [];
    shown(Numeric, { label: "n", value: 1.23456, onSet: (v) => told.push(v) });
    const input = root.querySelector("input")!;
    expect(input.value).toBe("1.235");
    for (const text of ["", " ", "x", "1.23456", "2,5", "-3"]) {
      input.value = text;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      expect(input.value).toBe("1.235"); // until the document says otherwise
    }
    expect(told).toEqual([2.5, -3]);
  });
});

describe("clips", () => {
  it("of the project and bundled ones are offered once each; a bundled one is brought in first", () => {
    const layer: SourceLayer = { kind: "source", name: "s", clip: "mine" };
    const { store, socket } = storeWith([layer]);
    socket.tell(
      stateOf([layer], {
        revision: 2,
        document: { layers: [layer], clips: { mine: { file: "mine.bvh" }, wave: { bundled: "wave" } } },
      } as never),
    );
    store.vocabulary.value = { clips: ["wave", "punch"] };
    shown(SourcePanel, { store, layer });
    const choice = root.querySelector("select")!;
    expect([...choice.options].map((o) => o.value)).toEqual(["mine", "wave", "punch"]);
    expect(root.textContent).toContain("mine.bvh");
    const choose = (name: string) => {
      choice.value = name;
      choice.dispatchEvent(new Event("change", { bubbles: true }));
    };
    choose("wave");
    expect(done(socket)).toEqual([{ do: "set", layer: "s", path: "clip", value: "wave" }]);
    choose("punch");
    expect(done(socket).slice(1)).toMatchObject([
      { do: "put-clip", name: "punch", clip: { bundled: "punch" } },
      { path: "clip", value: "punch" },
    ]);
  });
});

describe("segments of a synthesis", () => {
  it("are named by their number, added at the end and taken away where they are", () => {
    const layer = layersOf().find((l: AnyLayer) => l.kind === "synthesis") as SynthesisLayer;
    const { store, socket } = storeWith();
    shown(SynthesisPanel, { store, layer });
    const names = [...root.querySelectorAll(".segments .entry-name")].map((b) =>
      b.textContent!.trim().split(" ").slice(0, 2).join(" "),
    );
    expect(names).toEqual(["1. prepare", "2. air", "3. land"]);
    button("+ Stance").click();
    button("+ Flight").click();
    root.querySelectorAll<HTMLElement>("[aria-label='delete air']")[0]!.click();
    expect(done(socket)).toMatchObject([
      {
        do: "insert",
        path: "scene/segments/3",
        value: { kind: "stance", duration: 0.5, holds: ["LeftFoot"], name: "stance 4" },
      },
      {
        do: "insert",
        path: "scene/segments/3",
        value: { kind: "flight", lands: ["LeftFoot"], name: "flight 4" },
      },
      { path: "scene/segments/1" },
    ]);
  });
});
