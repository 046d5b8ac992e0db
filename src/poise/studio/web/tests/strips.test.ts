// Strips of a track: when they play, and what becomes of them when they are dragged.
import { describe, expect, it } from "vitest";
import type { ClipFacts, Strip } from "../src/messages.ts";
import { documentEdits } from "../src/time/document_edits.ts";
import { lanesOf } from "../src/time/document_lanes.ts";
import { hit } from "../src/time/lane.ts";
import { lengthOf, movedStrip, placedStrips, retimed, split, trimmed } from "../src/time/strips.ts";
import { storeWith } from "./documents.ts";

const clip = (name: string, seconds: number, loop = false): ClipFacts => ({ name, seconds, loop });
const FACTS = { walk: clip("walk", 1, true), jump: clip("jump", 2) };
const at = (strip: Strip) => placedStrips([strip], FACTS)[0]!;

describe("a strip", () => {
  it("plays as long as its part, its rounds and its speed say", () => {
    expect(lengthOf({ clip: "jump" }, FACTS)).toBe(2);
    expect(lengthOf({ clip: "jump", trim: [0.5, 1.5], speed: 0.5 }, FACTS)).toBe(2);
    expect(lengthOf({ clip: "walk", loop: 3 }, FACTS)).toBe(3);
  });
  it("follows the one before where it has no time", () => {
    const placed = placedStrips([{ clip: "walk" }, { clip: "jump" }, { clip: "walk", at: 9 }], FACTS);
    expect(placed.map((p) => [p.first, p.last])).toEqual([
      [0, 1],
      [1, 3],
      [9, 10],
    ]);
  });
  it("is trimmed by its ends, within its clip; a loop goes on", () => {
    expect(trimmed(at({ clip: "jump", at: 1 }), "last", 2.5, FACTS)).toMatchObject({ at: 1, trim: [0, 1.5] });
    expect(trimmed(at({ clip: "jump", at: 1 }), "last", 9, FACTS).trim).toEqual([0, 2]);
    expect(trimmed(at({ clip: "walk", at: 0 }), "last", 2.4, FACTS).trim).toEqual([0, 2.4]);
    expect(trimmed(at({ clip: "jump", at: 1 }), "first", 1.5, FACTS)).toMatchObject({
      at: 1.5,
      trim: [0.5, 2],
    });
    expect(trimmed(at({ clip: "jump", at: 1 }), "first", 0.2, FACTS)).toMatchObject({ at: 1, trim: [0, 2] });
    expect(trimmed(at({ clip: "jump", at: 1 }), "first", 99, FACTS).at).toBeLessThan(3);
  });
  it("is retimed by its ends, which keeps its part", () => {
    const slow = retimed(at({ clip: "jump", at: 1 }), "last", 5, FACTS);
    expect(slow).toEqual({ clip: "jump", at: 1, speed: 0.5 });
    const fast = retimed(at({ clip: "jump", at: 1 }), "first", 2, FACTS);
    expect(fast).toEqual({ clip: "jump", at: 2, speed: 2 });
  });
  it("never starts before the track does", () => {
    expect(movedStrip(at({ clip: "jump", at: 1 }), -5).at).toBe(0);
  });
  it("is split where the play head is, and nowhere else", () => {
    expect(split(at({ clip: "jump", at: 1, speed: 2 }), 1.5, FACTS)).toEqual([
      { clip: "jump", at: 1, speed: 2, trim: [0, 1] },
      { clip: "jump", at: 1.5, speed: 2, trim: [1, 2], blend: 0 },
    ]);
    expect(split(at({ clip: "jump", at: 1 }), 0.5, FACTS)).toBeUndefined();
  });
});

describe("the track's lane", () => {
  const strips: Strip[] = [
    { clip: "walk", at: 0, trim: [0, 2] },
    { clip: "jump", at: 1.5, speed: 0.92 },
  ];
  const made = () => {
    const found = storeWith([{ do: "assemble", name: "track", strips }]);
    found.store.facts.value = FACTS;
    return found;
  };
  it("shows every strip with what is special about it", () => {
    const { store } = made();
    const [lane] = lanesOf(store.layers.value, store.lanes.value);
    expect(lane!.segments.map((s) => s.label)).toEqual(["walk ↻", "jump · 0.92×"]);
    expect(lane!.segments[1]!.first).toBe(1.5 * store.fps.value);
  });
  it("has both ends to be had where strips overlap", () => {
    const { store } = made();
    const lanes = lanesOf(store.layers.value, store.lanes.value);
    const fps = store.fps.value;
    const found = (second: number) => hit(lanes, second * fps, 40, (frame) => frame);
    expect(found(1.5)).toMatchObject({ segment: { label: "jump · 0.92×" }, edge: "first" });
    expect(found(2)).toMatchObject({ segment: { label: "walk ↻" }, edge: "last" });
    expect(found(1.75)!.edge).toBeUndefined();
  });
  it("is dragged: an end trims, with Alt it retimes, the strip moves", () => {
    const { store, socket } = made();
    const edits = documentEdits(store);
    const fps = store.fps.value;
    const last = () => socket.sent.filter((m) => m["say"] === "do").at(-1)!["command"];
    const trimming = edits.resize("track/strips/0", "last");
    trimming.to(3 * fps);
    trimming.drop();
    expect(last()).toMatchObject({ path: "strips/0", value: { trim: [0, 3] } });
    const timing = edits.resize("track/strips/0", "last", true);
    timing.to(4 * fps);
    timing.drop();
    expect(last()).toMatchObject({ path: "strips/0", value: { trim: [0, 2], speed: 0.5 } });
    const moving = edits.move(["track/strips/1"], false);
    moving.to(fps / 2);
    moving.drop();
    expect(last()).toMatchObject({ path: "strips/1", value: { at: 2 } });
  });
});
