import { describe, expect, it } from "vitest";
import { stacked } from "../src/time/constraint_lanes.ts";
import { lanesOf } from "../src/time/document_lanes.ts";
import { graphLanes } from "../src/time/graph_lanes.ts";
import { gainOf } from "../src/time/keyframe_lanes.ts";
import { amount, bare, inWords, outcomeOf } from "../src/time/lane_context.ts";
import { segmentEnds } from "../src/time/scene_lanes.ts";
import { beatTimes, keysMoved, keyTimes } from "../src/time/script_lanes.ts";
import { spread } from "../src/time/spread.ts";
import { CARDS } from "./cards.ts";
import { layersOf } from "./documents.ts";

const context = { ...bare(100, 201, CARDS) };
const lanes = lanesOf(layersOf(), context);
const f = (frame: number) => Number(frame.toFixed(6));
const lane = (id: string) => lanes.find((l) => l.id === id)!;

describe("lanes of the document", () => {
  it("stand as the outliner has them, every layer with its own", () => {
    expect(lanes.filter((l) => !l.depth).map((l) => l.label)).toEqual([
      "hat",
      "dance",
      "hit",
      "loose",
      "aim",
      "hop",
      "jump",
      "punch",
    ]);
  });

  it("show targets as keys with the bell of their correction", () => {
    const hit = lane("hit");
    expect(hit.keys.map((k) => [k.id, k.frame, k.shape])).toEqual([["hit/constraints/0", 85, "target"]]);
    const curve = hit.curves![0]!;
    const peak = curve.values.indexOf(Math.max(...curve.values));
    expect((peak / (curve.values.length - 1)) * 200).toBeCloseTo(85, -1);
  });

  it("give foot plants rows of their own, over the whole clip where they are always", () => {
    const plants = lanes.filter((l) => l.id.startsWith("aim#plants")).flatMap((l) => l.segments);
    expect(plants.map((s) => [s.label, s.first, s.last])).toEqual([
      ["front foot", 0, 200],
      ["rear foot", 10, 60],
    ]);
    expect(lanes.filter((l) => l.id.startsWith("aim#plants")).map((l) => l.label)).toEqual([
      "foot plants",
      "foot plants 2",
    ]);
    expect([plants[0]!.draggable, plants[1]!.draggable]).toEqual([false, true]);
  });

  it("have a lane for every track of key-frames", () => {
    expect(lanes.filter((l) => l.layer === "hop").map((l) => l.label)).toEqual([
      "hop",
      "poses",
      "LeftFoot",
      "look",
      "centre of mass",
      "inertia",
      "momentum",
    ]);
    expect(lane("hop#poses").keys.map((k) => k.frame)).toEqual([0, 100]);
    expect(lane("hop/keyframes/pins/1").keys.map((k) => [k.id, k.shape])).toEqual([
      ["hop/keyframes/pins/1/gains/0", "diamond"],
      ["hop/keyframes/pins/1/gains/1", "diamond"],
      ["hop/keyframes/pins/1/targets/0", "square"],
    ]);
    expect(lane("hop#spins").segments.map((s) => [f(s.first), f(s.last), s.label, s.draggable])).toEqual([
      [60, 110, "1 turn", true],
    ]);
  });

  it("draw a held pin's gain: 1 while it is held, faded before and after", () => {
    const gain = gainOf({ point: "LeftFoot", at: [0.2, 0.6], fade: 0.1 });
    expect([gain(0.05), gain(0.2), gain(0.4), gain(0.6), gain(0.75)]).toEqual([0, 1, 1, 1, 0]);
    expect(gain(0.15)).toBeGreaterThan(0.1);
  });

  it("say of a template whether it is fine, in words, with a Fix where there is one", () => {
    const paths = {
      hop: {
        layer: "hop",
        fine: false,
        command: { do: "set" },
        segments: [
          { key: 0, start: 0, end: 0.5, template: "hermite", fine: true, words: [], fixable: false },
          {
            key: 1,
            start: 0.5,
            end: 1,
            template: "projectile_3",
            fine: false,
            words: ["lands early"],
            fixable: true,
          },
        ],
      },
    };
    const path = lanesOf(layersOf(), { ...context, paths }).find((l) => l.id === "hop#path")!;
    expect(path.segments.map((s) => [s.label, s.state, s.hint, s.fixable])).toEqual([
      ["free curve", "fine", undefined, undefined],
      ["projectile to a height", "wrong", "lands early", true],
    ]);
  });

  it("fold a layer's tracks into one lane that keeps all keys", () => {
    const folded = lanesOf(layersOf(), { ...context, folded: new Set(["hop"]) }).filter(
      (l) => l.layer === "hop",
    );
    expect(folded.length).toBe(1);
    expect(folded[0]!.keys.length).toBe(lanes.filter((l) => l.layer === "hop").flatMap((l) => l.keys).length);
  });

  it("lay stances and flights one after another, partial keys where they are", () => {
    expect(lane("jump#segments").segments.map((s) => [s.label, f(s.first), f(s.last)])).toEqual([
      ["prepare", 0, 90],
      ["air (in the air)", 90, 130],
      ["land", 130, 200],
    ]);
    expect(lane("jump#keys").keys.map((k) => [k.frame, k.fixed])).toEqual([
      [60, false],
      [90, true],
    ]);
  });

  it("show the tension as pitch where it is keyed", () => {
    expect(lane("loose").keys.map((k) => [k.frame, k.value])).toEqual([
      [0, 2],
      [100, 1],
    ]);
    const values = lane("loose").curves![0]!.values;
    expect(values[50]).toBeCloseTo(1.5, 1);
  });

  it("tell what disturbs a performance", () => {
    expect(lane("dance#disturbances").keys.map((k) => [k.frame, k.shape])).toEqual([[50, "bolt"]]);
    expect(lane("dance#disturbances").segments.map((s) => [f(s.first), f(s.last)])).toEqual([[80, 110]]);
  });
});

describe("beats", () => {
  const script = {
    beats: { tempo: 120, start: 0.5, count: 8 },
    keys: [["A", 0.5], { pose: "B", beat: 3 }, { pose: "C", at: 2 }, { pose: "D", after: 0.5 }],
  };
  const beats = beatTimes(script);

  it("come from a tempo, and keys stand at times, on beats or after one another", () => {
    expect(beats.slice(0, 3)).toEqual([0.5, 1, 1.5]);
    expect(keyTimes(script, beats)).toEqual([0.5, 1.5, 2, 2.5]);
  });

  it("draw keys that are on beats from beat to beat, and leave the others where they were", () => {
    const moved = { ...script, keys: keysMoved(script, beats, new Set([1]), 0.6) };
    expect(keyTimes(moved, beats)).toEqual([0.5, 2, 2, 2.5]);
    const first = { ...script, keys: keysMoved(script, beats, new Set([0]), 0.2) };
    expect(keyTimes(first, beats).map((t) => Number(t.toFixed(6)))).toEqual([0.7, 1.5, 2, 2.5]);
  });
});

describe("small things", () => {
  it("segments are stacked only where they overlap", () => {
    const s = (id: string, first: number, last: number) => ({
      id,
      first,
      last,
      label: "",
      state: "plain" as const,
    });
    expect(
      stacked([s("a", 0, 10), s("b", 5, 20), s("c", 11, 15)]).map((row) => row.map((x) => x.id)),
    ).toEqual([["a", "c"], ["b"]]);
  });

  it("flights share what the stances leave", () => {
    expect(segmentEnds([{ duration: 1 }, {}, { duration: 0.5 }], 2)).toEqual([1, 1.5, 2]);
  });

  it("outcomes are said in words", () => {
    expect(inWords({ name: "fist", met: false, error: 0.01234, unit: "m", worst_time: 0.85 })).toBe(
      "missed by 1.2 cm at 0.85 s",
    );
    expect([
      amount(0.00026, "m"),
      amount(3e-6, "m"),
      amount(1.5, "m"),
      amount(0.2, "m/s"),
      amount(0.1, "rad"),
      amount(12, "kg·m/s"),
    ]).toEqual(["0.26 mm", "less than 0.01 mm", "1.5 m", "20 cm/s", "5.7°", "12 kg·m/s"]);
    expect(inWords({ name: "fist", met: true, error: 0 })).toBe("met");
  });

  it("a foot plant fares as the worst of its points", () => {
    const all = [
      { name: "foot: heel", met: true, error: 0 },
      { name: "foot: ball", met: false, error: 0.1 },
      { name: "football", met: false, error: 1 },
    ];
    expect(outcomeOf(all, "foot")?.name).toBe("foot: ball");
    expect(outcomeOf(all.slice(0, 1), "foot")?.met).toBe(true);
    expect(outcomeOf(all, "hand")).toBeUndefined();
  });

  it("the graph has tall lanes for what is keyed by number", () => {
    const tall = graphLanes(lanes, {
      result: undefined,
      reference: undefined,
      physics: undefined,
      lift: 0,
      fps: 100,
      body: -1,
      name: "",
      layers: layersOf(),
    });
    expect(tall.map((l) => [l.label, l.tall])).toEqual([
      ["loose", true],
      ["look", true],
      ["inertia", true],
    ]);
    expect(spread([[0, 1]])).toEqual([-0.08, 1.08]);
  });
});
