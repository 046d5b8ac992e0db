import { describe, expect, it } from "vitest";
import { adapted, hit, pointAt, takeOut, targeted } from "../src/commands.ts";
import { starts } from "../src/editors.tsx";
import type { Layer } from "../src/layer.ts";
import { idle, inShort, isHitting, isLoose, isPinning, matters, remainder } from "../src/operations.ts";
import { erase } from "../src/time/document_edits.ts";
import { lanesOf } from "../src/time/document_lanes.ts";
import { bare } from "../src/time/lane_context.ts";
import { CARDS, use } from "./cards.ts";
import { storeWith } from "./documents.ts";

const fist = pointAt("Fist", [1, 2, 3], 0.5);
const clip: Layer = { do: "load", name: "s", clip: "punch" };
const loose: Layer = { do: "loosen", name: "l", tension: "drunk" };
const hits: Layer = { do: "hit", name: "h", tension: "drunk", constraints: fist };
const hat: Layer = { do: "wear", name: "hat" };
const card = (name: string) => CARDS.find((c) => c.name === name)!;

describe("operations are known by their traits", () => {
  it("who loosens, who hits, who changes the motion as a whole", () => {
    const names = (is: (c: (typeof CARDS)[number]) => boolean) => CARDS.filter(is).map((c) => c.name);
    expect(names(isLoose)).toEqual(["loosen", "hit"]);
    expect(names(isHitting)).toEqual(["hit"]);
    expect(names(isPinning)).toEqual(["adapt"]);
  });

  it("who starts a motion, also where that is the layer's matter", () => {
    const begins = (layer: Layer) => starts(CARDS, layer);
    expect(begins(clip)).toBe(true);
    expect(begins(loose)).toBe(false);
    expect(begins({ do: "perform", name: "p", script: "ymca" })).toBe(true);
    expect(begins({ do: "perform", name: "p", follow: true })).toBe(false);
    expect(begins({ do: "key", name: "k", keyframes: { poses: [] } })).toBe(true);
    expect(begins({ do: "key", name: "k", keyframes: { pins: [] } })).toBe(false);
    expect(begins({ do: "unheard of", name: "u" })).toBe(false);
  });

  it("what they do, in a few words", () => {
    const short = (name: string) => inShort(card(name));
    expect(short("load")).toBe("Start with an unchanged clip");
    expect(short("retarget")).toBe("Transfer a performance to another character");
    // That it trims a motion is said by its name.
    expect(inShort({ ...card("trim"), words: "Trim a motion: by times or frames." })).toBe(
      "by times or frames",
    );
  });

  it("an option matters as others are, or would be by default", () => {
    expect(matters(use({ ...hits, method: "paper" }, "scale"))).toBe(true);
    expect(matters(use(hits, "scale"))).toBe(false);
    expect(matters(use({ do: "adapt", name: "a" }, "move"))).toBe(true); // feet are kept unless it is said
    expect(matters(use({ do: "adapt", name: "a", plants: false }, "move"))).toBe(false);
  });

  it("options of templates matter where a template takes them; others go", () => {
    const jump: Layer = { do: "plan", name: "p", scene: "jump", over: 0.5, high: 0.2, tempo: 0.9 };
    expect(["over", "high", "seconds", "steps", "tempo"].filter((o) => matters(use(jump, o)))).toEqual([
      "over",
      "high",
      "tempo",
    ]);
    expect(matters(use({ ...jump, scene: "four punches" }, "tempo"))).toBe(false);
    expect(idle(CARDS, jump, "scene", "walk")).toEqual(["high"]);
    expect(idle(CARDS, jump, "scene", "four punches")).toEqual(["over", "high", "tempo"]);
  });
});

describe("hit this", () => {
  it("makes a loose motion one that hits, and adds to one that does", () => {
    expect(targeted([clip, loose, hat], CARDS, fist)).toEqual({
      command: { do: "become", layer: "l", operation: "hit", options: { constraints: fist } },
      layer: "l",
      path: "constraints/0",
    });
    expect(targeted([clip, loose, hits], CARDS, pointAt("Head", [0, 0, 0], 1))).toMatchObject({
      layer: "h",
      path: "constraints/1",
    });
  });

  it("loosens what is not loose yet, under what is worn; before operations are told it waits", () => {
    expect(targeted([clip, hat], CARDS, fist)?.command).toEqual({
      do: "add-layer",
      layer: { do: "hit", name: "hit", constraints: fist },
      at: 1,
    });
    expect(adapted([clip, loose], CARDS, fist)?.command).toMatchObject({
      layer: { do: "adapt", name: "adapt" },
      at: 1,
    });
    expect(targeted([clip], [], fist)).toBeUndefined();
    const { store, socket } = storeWith([clip]);
    store.vocabulary.value = {};
    hit(store, fist);
    expect(socket.sent.filter((m) => m["say"] === "do")).toEqual([]);
  });

  it("without its last target it is loose still, with a target left it hits", () => {
    expect(remainder(CARDS, card("hit"), "constraints")!.name).toBe("loosen");
    expect(takeOut(hits, CARDS, ["constraints/0"])).toEqual([
      { do: "become", layer: "h", operation: "loosen" },
    ]);
    const two = { ...hits, constraints: [...fist, ...fist] };
    expect(takeOut(two, CARDS, ["constraints/1"])).toEqual([
      { do: "remove", layer: "h", path: "constraints/1" },
    ]);
    const { store, socket } = storeWith([clip, hits]);
    erase(store, ["h/constraints/0"]);
    expect(socket.sent.at(-1)!["command"].commands).toEqual([
      { do: "become", layer: "h", operation: "loosen" },
    ]);
    // What can be without is left without.
    expect(takeOut({ do: "adapt", name: "a", constraints: fist }, CARDS, ["constraints/0"])).toEqual([
      { do: "remove", layer: "a", path: "constraints/0" },
    ]);
  });
});

describe("lanes of a layer with several tracks", () => {
  it("are its targets, then its tension and what is in the way", () => {
    const tension = [
      { time: 0, tension: 4 },
      { time: 1, tension: 2 },
    ];
    const track = [{ time: 0.2, place: [0, 0, 1] }];
    const layer = {
      ...hits,
      tension,
      world: { surfaces: [{ name: "ball", shape: { kind: "ball", radius: 0.1 }, track }] },
    };
    const lanes = lanesOf([layer], bare(100, 201, CARDS));
    expect(lanes.map((l) => [l.id, l.label, l.depth ?? 0, l.keys.length, l.list])).toEqual([
      ["h", "h", 0, 1, "constraints"],
      ["h#tension", "tension", 1, 2, "tension"],
      ["h#contacts0", "contacts", 1, 0, ""],
      ["h/world/surfaces/0", "ball", 1, 1, "world/surfaces/0/track"],
    ]);
    expect([lanes[0]!.folds, lanes[0]!.mutes, lanes[1]!.mutes]).toEqual([true, "muted", undefined]);
  });

  it("are one where nothing is keyed, which says what it does", () => {
    const label = (layer: Layer) => lanesOf([layer], bare(100, 201, CARDS)).map((l) => l.segments[0]?.label);
    expect(label(clip)).toEqual(["punch"]);
    expect(label({ do: "fix", name: "f", may: ["time", "feet"] })).toEqual(["time, feet"]);
    expect(label({ do: "trim", name: "t", start: 0.5 })).toEqual(["start 0.5 s"]);
    expect(label({ do: "mirror", name: "m" })).toEqual(["mirror"]);
    expect(label({ do: "unheard of", name: "u" })).toEqual([undefined]);
  });
});
