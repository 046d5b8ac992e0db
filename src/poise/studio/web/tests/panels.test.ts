// @vitest-environment happy-dom
import { type ComponentType, render } from "preact";
import { describe, expect, it } from "vitest";
import { EDITORS } from "../src/editors.tsx";
import type { Layer } from "../src/layer.ts";
import type { Card, Option } from "../src/messages.ts";
import { Numeric, Slider } from "../src/panels/fields.tsx";
import { KeyframesEditor, KeyframesSections } from "../src/panels/keyframes.tsx";
import { OperationPanel } from "../src/panels/operation.tsx";
import { SurfacesEditor } from "../src/panels/surfaces.tsx";
import type { Entry } from "../src/time/entry.ts";
import { CARDS } from "./cards.ts";
import { done, layersOf, stateOf, storeWith } from "./documents.ts";
import { root, shown } from "./shown.ts";

const button = (text: string) =>
  [...root.querySelectorAll("button")].find((b) => b.textContent!.trim() === text)!;

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
    const layer: Layer = { do: "load", name: "s", clip: "mine" };
    const { store, socket } = storeWith([layer]);
    socket.tell(
      stateOf([layer], {
        revision: 2,
        document: { layers: [layer], clips: { mine: { file: "mine.bvh" }, wave: { bundled: "wave" } } },
      } as never),
    );
    store.vocabulary.value = { operations: CARDS, clips: ["wave", "punch"] };
    shown(OperationPanel, { store, layer });
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

describe("surfaces", () => {
  const added = (names: string[], what: string) => {
    const { store, socket } = storeWith();
    const surfaces = names.map((name) => ({ name, shape: { kind: "ball", radius: 0.1 }, place: [0, 0, 1] }));
    const world = names.length ? { surfaces } : undefined;
    shown(SurfacesEditor as ComponentType<object>, {
      store,
      layer: { do: "loosen", name: "loose", world },
      option: { name: "world", holds: "text", line: "" },
      path: "world",
    });
    button(what).click();
    return done(socket).at(-1) as { path: string; value: Entry };
  };

  it("that are added have a name that no other has, and stand in front of the character", () => {
    expect(added([], "+ Ball")).toMatchObject({
      path: "world",
      value: { surfaces: [{ name: "ball", shape: { kind: "ball", radius: 0.12 } }] },
    });
    expect(added(["ball"], "+ Box")).toMatchObject({ path: "world/surfaces/1", value: { name: "box" } });
    expect(added(["ball"], "+ Ball")).toMatchObject({ value: { name: "ball 2" } });
    expect(added(["ball", "ball 2", "ball 4"], "+ Ball")).toMatchObject({ value: { name: "ball 3" } });
  });
});

describe("key-frames", () => {
  const typed = (fade: number | undefined, text: string) => {
    const { store, socket } = storeWith();
    const hop = layersOf().find((l) => l.do === "key")! as Layer & { keyframes: Entry };
    const keyframes = { ...hop.keyframes, ...(fade === undefined ? {} : { fade }) };
    shown(KeyframesEditor as ComponentType<object>, {
      store,
      layer: { ...hop, keyframes },
      path: "keyframes",
    });
    const input = root.querySelector<HTMLInputElement>("input[aria-label=fade]")!;
    input.value = text;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return done(socket).at(-1);
  };

  it("that are selected show their numbers, which are written where they are", () => {
    const selected = (path: string, more: object) => {
      const { store, socket } = storeWith();
      const keyframes = { poses: [{ time: 0.5, joints: {}, ...more }] };
      store.selected.value = new Set([`hop/${path}`]);
      shown(KeyframesSections as ComponentType<object>, {
        store,
        layer: { do: "key", name: "hop", keyframes },
        path: "keyframes",
      });
      return { tick: root.querySelector<HTMLInputElement>("input[type=checkbox]")!, socket };
    };
    const press = (tick: HTMLInputElement, on: boolean) => {
      tick.checked = on;
      tick.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const heard = selected("keyframes/poses/0", {});
    expect(heard.tick.checked).toBe(false);
    press(heard.tick, true);
    expect(done(heard.socket)).toMatchObject([{ do: "set", path: "keyframes/poses/0/muted", value: true }]);
    render(null, root);
    const muted = selected("keyframes/poses/0", { muted: true });
    expect(muted.tick.checked).toBe(true);
    press(muted.tick, false);
    expect(done(muted.socket)).toMatchObject([{ do: "remove", path: "keyframes/poses/0/muted" }]);
    const time = root.querySelector<HTMLInputElement>("input[aria-label=time]")!;
    time.value = "0.75";
    time.dispatchEvent(new Event("change", { bubbles: true }));
    expect(done(muted.socket).at(-1)).toMatchObject({ path: "keyframes/poses/0/time", value: 0.75 });
    render(null, root);
    expect(selected("keyframes/poses/7", {}).tick).toBeNull();
    expect(root.textContent).toContain("Select a key");
  });

  it("fade as long as is typed, or as usual where nothing is", () => {
    expect(typed(undefined, "0,4")).toMatchObject({ layer: "hop", path: "keyframes/fade", value: 0.4 });
    expect(typed(0.4, "")).toMatchObject({ do: "remove", layer: "hop", path: "keyframes/fade" });
    expect(typed(0.4, "0.4")).toBeUndefined();
  });
});

describe("segments of a scene", () => {
  it("are named by their number, added at the end and taken away where they are", () => {
    const layer = layersOf().find((l) => l.do === "plan")!;
    const { store, socket } = storeWith();
    shown(OperationPanel, { store, layer });
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

describe("the panel of any operation", () => {
  const drawn = (layer: Layer, card?: Card) => {
    const { store, socket } = storeWith([layer]);
    if (card) store.vocabulary.value = { operations: [card] };
    shown(OperationPanel, { store, layer });
    return socket;
  };
  const option = (name: string) => root.querySelector<HTMLElement>(`[data-option="${name}"]`);
  const titles = () => [...root.querySelectorAll("summary")].map((s) => s.textContent);
  const change = (input: HTMLInputElement | HTMLSelectElement, to: string) => {
    input.value = to;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };

  it("draws every operation there is, with a section for each group and all options that matter", () => {
    for (const card of CARDS) {
      const required = card.options.filter((o) => o.required);
      const layer = { do: card.name, name: "l", ...Object.fromEntries(required.map((o) => [o.name, []])) };
      drawn({ ...layer, ...(card.name === "key" ? { keyframes: {} } : {}) });
      const usual = card.options.filter((o) => !o.expert && !Object.keys(o.when ?? {}).length);
      for (const group of new Set(usual.map((o) => o.group))) expect(titles()).toContain(group);
      const plain = usual.filter((o) => !EDITORS[o.editor ?? ""]);
      for (const o of plain) expect(option(o.name)?.title, `${card.name}: ${o.name}`).toBe(o.line);
      if (card.options.some((o) => o.expert && !Object.keys(o.when ?? {}).length))
        expect(titles().at(-1)).toBe("Expert");
      render(null, root);
    }
  });

  it("has editors only for options that exist", () => {
    const wanted = new Set(CARDS.flatMap((c) => c.options.map((o) => o.editor)));
    expect(Object.keys(EDITORS).filter((name) => !wanted.has(name))).toEqual([]);
  });

  it("shows words with what they mean, and takes the default back", () => {
    const socket = drawn({ do: "loosen", name: "l", gravity: "off" });
    const gravity = option("gravity")!.querySelector("select")!;
    expect([...gravity.options].map((o) => [o.value, o.title])).toEqual([
      ["on", "limbs sag under their weight"],
      ["off", "limbs are weightless"],
      ["compensated", "springs carry the weight of the animated pose"],
    ]);
    expect(gravity.value).toBe("off");
    change(gravity, "compensated");
    option("gravity")!.querySelector<HTMLElement>("[aria-label='reset gravity']")!.click();
    expect(option("root")!.querySelector(".reset")).toBeNull(); // it is as it was
    expect(done(socket)).toMatchObject([
      { do: "set", path: "gravity", value: "compensated" },
      { do: "remove", path: "gravity" },
    ]);
  });

  it("writes words that stand for numbers as numbers, and numbers in place of words", () => {
    const socket = drawn({ do: "loosen", name: "l" });
    change(option("order")!.querySelector("select")!, "1");
    const window = option("window")!.querySelector("select")!;
    expect([...window.options].map((o) => o.value)).toEqual(["auto", "adaptive", "seconds"]);
    expect(option("window")!.querySelector("input[type=range]")).toBeNull();
    change(window, "seconds");
    expect(done(socket)).toMatchObject([
      { path: "order", value: 1 },
      { path: "window", value: 0.32 },
    ]);
    drawn({ do: "loosen", name: "l", window: 0.4 });
    expect(option("window")!.querySelector("input[type=range]")).not.toBeNull();
    expect(option("window")!.textContent).toContain("s");
  });

  it("keeps numbers in their range, and says units and what is taken where nothing is said", () => {
    const socket = drawn({ do: "wear", name: "hat" });
    const poisson = option("poisson")!.querySelector("input")!;
    expect([poisson.value, poisson.placeholder]).toEqual(["", "0.3"]);
    change(poisson, "0.9");
    change(option("cells")!.querySelector("input")!, "3.4");
    expect(done(socket)).toMatchObject([
      { path: "poisson", value: 0.5 },
      { path: "cells", value: 8 },
    ]);
    expect(option("density")!.querySelector("small")!.textContent).toBe("kg/m³");
    expect(option("young")!.querySelector("input")!.placeholder).toBe("20 kPa");
  });

  it("shows an option only where it matters", () => {
    drawn({ do: "perform", name: "p", follow: true });
    expect(option("recovery")).not.toBeNull();
    drawn({ do: "perform", name: "p", script: "ymca" });
    expect(option("recovery")).toBeNull();
  });

  it("ticks some of several; all of them is nothing said", () => {
    const socket = drawn({ do: "fix", name: "f", may: ["time", "pops", "limits", "body", "feet", "flight"] });
    const ticks = [...option("may")!.querySelectorAll("input")];
    expect(ticks.map((t) => t.checked)).toEqual([true, true, true, true, true, true, false]);
    ticks[6]!.checked = true;
    ticks[6]!.dispatchEvent(new Event("input", { bubbles: true }));
    expect(done(socket)).toMatchObject([{ do: "remove", path: "may" }]);
    drawn({ do: "fix", name: "f" });
    expect([...option("may")!.querySelectorAll("input")].every((t) => t.checked)).toBe(true);
  });

  it("draws an operation that nobody here has heard of, and data as it stands in the file", () => {
    const options: Option[] = [
      { name: "far", line: "How far.", holds: "number", group: "Way", unit: "m", default: 2, slider: [1, 3] },
      { name: "table", line: "Anything.", holds: "data", group: "Way", editor: "unheard of", optional: true },
    ];
    const told = { input: "always", makes: "motion", layer: true, last: false, dynamic: false };
    const socket = drawn({ do: "jump", name: "j", table: { a: [1] } }, {
      name: "jump",
      words: "Jump.",
      options,
      ...told,
    } as Card);
    expect(titles()).toEqual(["Way"]);
    expect(option("far")!.querySelector<HTMLInputElement>("input[type=range]")!.value).toBe("0.5");
    const table = option("table")!.querySelector("input")!;
    expect(table.value).toBe('{"a":[1]}');
    change(table, '{"a":');
    change(table, "[2]");
    expect(done(socket)).toMatchObject([{ path: "table", value: [2] }]);
  });
});
