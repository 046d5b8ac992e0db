import { describe, expect, test } from "vitest";
import type { Layer } from "../src/layer.ts";
import type { Plants } from "../src/messages.ts";
import type { Handle, Place, Surroundings } from "../src/stage/handle.ts";
import { handlesOf, uncovered } from "../src/stage/handles.ts";
import { playedPlaces, takeOff } from "../src/stage/keyframe_handles.ts";
import { CARDS } from "./cards.ts";

const around: Surroundings = {
  point: (name) =>
    name === "Hand" ? [1, 2, 3] : name === "Heel" ? [0, 0, 0] : name === "Ball" ? [0.2, 0, 0] : undefined,
  centre: () => [0, 0, 1],
  size: 1.7,
  whole: 2,
};
const handles = (layers: Layer[], plants: Record<string, Plants> = {}): Handle[] =>
  handlesOf(layers, CARDS, around, plants);
const only = (layer: Layer): Handle => {
  const found = handles([layer]);
  expect(found).toHaveLength(1);
  return found[0]!;
};
const point = (value: unknown, more: object = {}) => ({
  name: "hand",
  handle: { kind: "point_position", point: "Hand", axes: "xyz" },
  target: { value },
  when: { at: 0.5 },
  ...more,
});

describe("constraints", () => {
  test("a target is where its value is, and writes where it is put", () => {
    const handle = only({ do: "hit", name: "hit", constraints: [point([4, 5, 6])] });
    expect(handle).toMatchObject({
      kind: "target",
      place: [4, 5, 6],
      times: [0.5, 0.5],
      selects: ["hit/constraints/0"],
    });
    expect(handle.edit([7, 8, 9], "g", "")).toEqual({
      do: "set",
      layer: "hit",
      path: "constraints/0/target/value",
      value: [7, 8, 9],
      gesture: "g",
    });
  });

  test("some axes only: the others are where the body is, and stay out of the document", () => {
    const handle = only({
      do: "adapt",
      name: "a",
      plants: false,
      constraints: [{ ...point([9]), handle: { kind: "point_position", point: "Hand", axes: "z" } }],
    });
    expect(handle.place).toEqual([1, 2, 9]);
    expect(handle.settle!([5, 5, 5], "")).toEqual([1, 2, 5]);
    expect(handle.edit([5, 5, 5], "g", "")).toMatchObject({ value: [5] });
  });

  test("a velocity is an arrow from the point: a tenth of a second long", () => {
    const handle = only({ do: "hit", name: "hit", constraints: [point([10, 0, 0], { rate: true })] });
    expect(handle).toMatchObject({ kind: "velocity", from: [1, 2, 3], place: [2, 2, 3] });
    expect((handle.edit([1, 2, 4], "g", "") as { value: number[] }).value).toEqual([0, 0, 10]);
  });

  test("what several layers say of one place moves together, as one step", () => {
    const found = handles([
      { do: "adapt", name: "aim", plants: false, constraints: [point([4, 5, 6])] },
      { do: "hit", name: "hit", constraints: [point([4, 5, 6])] },
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ kind: "target", layers: ["aim", "hit"] });
    expect(found[0]!.edit([1, 1, 1], "g", "")).toMatchObject({
      do: "group",
      gesture: "g",
      commands: [
        { layer: "aim", value: [1, 1, 1] },
        { layer: "hit", value: [1, 1, 1] },
      ],
    });
  });

  test("muted layers and those beside a solo have no handles", () => {
    expect(handles([{ do: "hit", name: "hit", muted: true, constraints: [point([4, 5, 6])] }])).toEqual([]);
    expect(
      handles([
        { do: "hit", name: "hit", constraints: [point([4, 5, 6])] },
        { do: "load", name: "s", clip: "c", solo: true },
      ]),
    ).toEqual([]);
  });

  test("layers that another motion covers have none, unless they are the result or serve a later one", () => {
    const layers: Layer[] = [
      { do: "load", name: "s", clip: "c" },
      { do: "hit", name: "hit", constraints: [point([4, 5, 6])] },
      { do: "plan", name: "new", scene: "side jump" },
      { do: "adapt", name: "last", plants: false, constraints: [] },
    ];
    const names = (found: readonly Layer[]) => found.map((l) => l.name);
    expect(names(uncovered(layers, CARDS))).toEqual(["new", "last"]);
    expect(names(uncovered(layers, CARDS, "hit"))).toEqual(["s", "hit", "new", "last"]);
    expect(names(uncovered([...layers.slice(0, 2), { ...layers[2]!, muted: true }], CARDS))).toEqual([
      "s",
      "hit",
      "new",
    ]);
    expect(
      names(uncovered([...layers, { do: "adapt", name: "on", input: "hit", constraints: [] }], CARDS)),
    ).toHaveLength(5);
    expect(uncovered([], CARDS)).toEqual([]);
  });

  test("an orientation has three ends of axes; dragging one turns by the smallest turn", () => {
    const found = handles([
      {
        do: "adapt",
        name: "a",
        plants: false,
        constraints: [
          {
            name: "turn",
            handle: { kind: "body_orientation", body: "Hand" },
            target: { value: [1, 0, 0, 0] },
            when: { at: 0 },
          },
        ],
      },
    ]);
    expect(found.map((h) => h.kind)).toEqual(["axis", "axis", "axis"]);
    const [x] = found as [Handle];
    // Its x axis to y: a quarter about z.
    const turn = (x.edit([1, 2 + 5, 3], "g", "") as { value: number[] }).value;
    [Math.SQRT1_2, 0, 0, Math.SQRT1_2].forEach((v, k) => {
      expect(turn[k]).toBeCloseTo(v, 9);
    });
    const locked = (x.edit([1, 2 + 5, 3 + 5], "g", "z") as { value: number[] }).value; // about z alone
    [Math.SQRT1_2, 0, 0, Math.SQRT1_2].forEach((v, k) => {
      expect(locked[k]).toBeCloseTo(v, 9);
    });
  });
});

describe("foot plants", () => {
  const entry = {
    name: "left",
    intervals: { Heel: { from: 0, to: 1 }, Ball: { from: 0.1, to: 1.2 } },
    place: [1, 2, 0.5] as Place,
    height: 0.1,
  };

  test("moved over the floor, turned by the dot ahead", () => {
    const [print, turn] = handles([{ do: "adapt", name: "a", constraints: [entry] }]) as [Handle, Handle];
    expect(print).toMatchObject({
      kind: "plant",
      over: "floor",
      place: [1, 2, 0.1],
      times: [0, 1.2],
      print: { yaw: 0.5, found: false },
    });
    expect(print.print!.length).toBeCloseTo(0.2, 9);
    expect(print.edit([3, 4, 0.1], "g", "")).toMatchObject({
      path: "constraints/0/place",
      value: [3, 4, 0.5],
    });
    expect(turn.edit([1, 5, 0.1], "g", "")).toMatchObject({
      path: "constraints/0/place",
      value: [1, 2, Math.PI / 2],
    });
    const settled = turn.settle!([1, 50, 7], "");
    expect(settled[1] - 2).toBeCloseTo(0.3, 9);
  });

  test("found ones are put into the document when grabbed, then moved there", () => {
    const command = { do: "group", commands: [] };
    const plant = (number: number, place: Place) => ({
      id: `${number}`,
      name: "p",
      number,
      start: 0,
      end: 1,
      place,
      height: 0,
      points: {},
      intervals: {},
      entry: { ...entry, place },
    });
    const plants = {
      a: { layer: "a", plants: [plant(0, [1, 2, 0.5]), plant(-1, [5, 5, 0]), plant(-1, [6, 6, 0])], command },
    } as unknown as Record<string, Plants>;
    const found = handles([{ do: "adapt", name: "a", constraints: [entry] }], plants).filter(
      (h) => h.kind === "plant",
    );
    expect(found).toHaveLength(3);
    const made = found[2]!.begin!("g")!;
    expect(made.command).toEqual({ ...command, gesture: "g" });
    expect(made.handle.edit([7, 7, 0], "g", "")).toMatchObject({
      layer: "a",
      path: "constraints/2/place",
      value: [7, 7, 0],
    });
    expect(handles([{ do: "adapt", name: "a", plants: false, constraints: [] }], plants)).toEqual([]);
  });
});

describe("key-frames", () => {
  const layer = (keyframes: object): Layer => ({
    do: "key",
    name: "k",
    keyframes,
  });

  test("a pin without a place is where the pose has it, and gets one when dragged", () => {
    const handle = only(layer({ pins: [{ point: "Hand", at: [0.2, 0.4] }] }));
    expect(handle).toMatchObject({ kind: "pin", place: [1, 2, 3], times: [0.2, 0.4] });
    expect(handle.edit([0, 0, 1], "g", "")).toMatchObject({ path: "keyframes/pins/0/to", value: [0, 0, 1] });
  });

  test("keys of the centre of mass, its apex and where it lands", () => {
    const keys = [
      { time: 0, position: [0, 0, 1], template: { kind: "projectile_3", height: 2 } },
      { time: 1, position: [1, 0, 1], velocity: [1, 0, 4.905], template: { kind: "projectile_2" } },
      { time: 2, position: [9, 9, 9] },
    ];
    const found = handles([layer({ path: { keys } })]);
    const apex = found.find((h) => h.kind === "apex")!;
    expect(apex).toMatchObject({ place: [0.5, 0, 2], over: "height" });
    expect(apex.edit([0, 0, 3], "g", "")).toMatchObject({
      path: "keyframes/path/keys/0/template/height",
      value: 3,
    });
    expect(apex.settle!([0, 0, 0.5], "")[2]).toBeGreaterThan(1); // never below its ends
    const landing = found.find((h) => h.name === "landing")!;
    // Where the flight ends, not where the key says.
    [2, 0, 1].forEach((v, k) => {
      expect(landing.place[k]).toBeCloseTo(v, 9);
    });
    const velocity = landing.edit([4, 0, 1], "g", "") as { path: string; value: number[] };
    expect(velocity.path).toBe("keyframes/path/keys/1/velocity");
    [3, 0, 4.905].forEach((v, k) => {
      expect(velocity.value[k]).toBeCloseTo(v, 9);
    });
  });

  test("a take-off and the flight it makes are inverse to each other", () => {
    const start: Place = [0.3, -1, 0.9];
    const end: Place = [2, 1, 0.4];
    const velocity = takeOff(start, end, 0.7, 9.81);
    const places = playedPlaces(
      [
        { time: 0, position: start, velocity, template: { kind: "projectile_2" } },
        { time: 0.7, position: [0, 0, 0] },
      ],
      [0, 1],
      9.81,
    );
    end.forEach((v, k) => {
      expect(places[1]![k]).toBeCloseTo(v, 12);
    });
  });

  test("the ring is as wide as the mass is spread", () => {
    const handle = only(layer({ inertia: { keys: [{ time: 0.3, value: 0.4 }] } }));
    expect(handle).toMatchObject({ kind: "ring", ring: { centre: [0, 0, 1], radius: 0.4 } });
    expect(handle.edit([0, 0.6, 1], "g", "")).toMatchObject({
      path: "keyframes/inertia/keys/0/value",
      value: 0.6,
    });
  });
});

describe("partial keys of a synthesis", () => {
  const layer = (keys: object[]): Layer => ({
    do: "plan",
    name: "s",
    scene: {
      segments: [
        { kind: "stance", duration: 0.5, name: "prepare" },
        { kind: "flight", keys },
        { kind: "stance", duration: 0.5 },
      ],
    },
  });

  test("stand at their time: from the start of their segment, or at its end", () => {
    const [early, late] = handles([
      layer([
        { of: "Hand", at: 0.2, position: [4, 5, 6] },
        { of: "com", position: [null, null, 2] },
      ]),
    ]) as [Handle, Handle];
    expect(early).toMatchObject({
      kind: "pin",
      place: [4, 5, 6],
      times: [0.7, 0.7],
      selects: ["s/scene/segments/1/keys/0"],
    });
    // The flight has what is left of two seconds.
    expect(late).toMatchObject({ kind: "centre", times: [1.5, 1.5] });
  });

  test("say only what they say: free axes follow the motion and stay free", () => {
    const height = only(layer([{ of: "com", position: [null, null, 2] }]));
    expect(height.place).toEqual([0, 0, 2]);
    expect(height.settle!([7, 7, 3], "")).toEqual([0, 0, 3]);
    expect(height.edit([7, 7, 3], "g", "")).toEqual({
      do: "set",
      layer: "s",
      path: "scene/segments/1/keys/0/position",
      value: [null, null, 3],
      gesture: "g",
    });
    expect(only(layer([{ of: "Hand", velocity: [null, 1, null] }])).edit([9, 3, 9], "g", "")).toMatchObject({
      path: "scene/segments/1/keys/0/velocity",
      value: [null, 10, null],
    });
  });

  test("told from a reference pose, they are where the motion is, and change as much as they move", () => {
    const low = only(layer([{ of: "com", relative: true, position: [null, null, -0.1] }]));
    expect(low.place).toEqual([0, 0, 1]);
    expect(low.edit([0, 0, 0.8], "g", "")).toMatchObject({ value: [null, null, -0.3] });
  });

  test("told from a reference pose after a turn, they change along the heading, on their own axes", () => {
    const turned = { ...around, headings: () => [0, Math.PI / 2, Math.PI / 2] }; // it faces along y by then
    const [ahead] = handlesOf(
      [layer([{ of: "Hand", relative: true, position: [0.1, null, null] }])],
      CARDS,
      turned,
    ) as [Handle];
    const settled = ahead.settle!([1.5, 2.3, 9], "");
    [1, 2.3, 3].forEach((v, k) => {
      expect(settled[k]).toBeCloseTo(v, 9);
    });
    expect(ahead.edit([1.5, 2.3, 9], "g", "")).toMatchObject({ value: [0.4, null, null] });
    const [world] = handlesOf([layer([{ of: "Hand", position: [0.1, null, null] }])], CARDS, turned) as [
      Handle,
    ];
    expect(world.edit([1.5, 2.3, 9], "g", "")).toMatchObject({ value: [1.5, null, null] });
  });

  test("bundled scenes, and keys of turns alone, have none", () => {
    expect(handles([{ do: "plan", name: "s", scene: "side jump" }])).toEqual([]);
    expect(
      handles([
        layer([
          { of: "Hand", angular_velocity: [0, 0, 1] },
          { of: "nobody", position: [0, 0, 0] },
        ]),
      ]),
    ).toEqual([]);
  });
});
