// Points that the document holds: where they begin and end, what holds while something is pulled, their bars.
import { beforeEach, describe, expect, it } from "vitest";
import type { FigurePacket, HeldPoint } from "../src/messages.ts";
import { heldHandles, hold, letGo, toggleHeld } from "../src/pose/held_points.ts";
import { Poses } from "../src/stage/poses.ts";
import type { Store } from "../src/store.ts";
import { documentEdits } from "../src/time/document_edits.ts";
import { lanesOf } from "../src/time/document_lanes.ts";
import { done, type FakeSocket, jointFact, stateOf, storeWith } from "./documents.ts";

const FIGURE: FigurePacket = {
  kind: "figure",
  name: "",
  bodies: [
    { name: "Hips", parent: -1 },
    { name: "Foot", parent: 0 },
    { name: "Hand", parent: 0 },
  ],
  morphs: [],
  points: [],
  places: [{ name: "Heel", body: 1, position: [-0.1, 0, -0.05] }],
  joints: [jointFact("free", 0, 7), jointFact("ball", 7, 4, "foot"), jointFact("ball", 11, 4, "hand")],
};
const STILL = [0, 0, 1, 0, 0, 0, 1, 0.5, 0, 0.05, 0, 0, 0, 1, 0, 0.5, 1, 0, 0, 0, 1];
const layers = (held?: HeldPoint[]) => [
  { do: "load", name: "walk", clip: "walk" },
  ...(held ? [{ do: "retouch", name: "poses", edits: [], held }] : []),
];

describe("points that are held", () => {
  let store: Store;
  let socket: FakeSocket;
  const tell = (held: HeldPoint[]) => socket.tell(stateOf(layers(held), { revision: 2 }));

  beforeEach(() => {
    ({ store, socket } = storeWith(layers()));
    store.figure.value = FIGURE;
    store.result.value = new Poses(Float32Array.from(Array(201).fill(STILL).flat()), 201, 3);
    store.player.seek(40);
  });

  it("make a layer where there is none, from this frame on, where the point is; feet with direction", () => {
    hold(store, "Heel");
    expect(done(socket)).toEqual([
      {
        do: "add-layer",
        layer: {
          do: "retouch",
          name: "poses",
          held: [{ point: "Heel", at: [0.4, 0.9], to: [0.4, 0, 0], turn: true }],
        },
      },
    ]);
  });

  it("join those that are there, and end before the same point is held again", () => {
    const later: HeldPoint = { point: "Hand", at: [0.6, 1.2] };
    tell([later]);
    toggleHeld(store, "Hand");
    expect(done(socket).at(-1)).toMatchObject({
      path: "held",
      value: [later, { point: "Hand", at: [0.4, 0.6], to: [0, 0.5, 1] }],
    });
  });

  it("are let go at this frame; at their first they were never held", () => {
    const held: HeldPoint = { point: "Hand", at: [0.2, 1] };
    tell([held]);
    toggleHeld(store, "Hand");
    expect(done(socket).at(-1)).toMatchObject({ value: [{ point: "Hand", at: [0.2, 0.4] }] });
    store.player.seek(20);
    letGo(store, 0);
    expect(done(socket).at(-1)).toMatchObject({ path: "held", value: [] });
  });

  it("are taken elsewhere by their sign, at the frames at which they hold, unless muted", () => {
    tell([
      { point: "Hand", at: [0.2, 1], to: [0, 0.5, 1] },
      { point: "Foot", at: [0.2, 1], muted: true },
      { point: "Foot", at: [0.5, 1] },
    ]);
    const [handle, ...others] = heldHandles(store);
    expect(others).toEqual([]);
    expect(handle!.place).toEqual([0, 0.5, 1]);
    expect(handle!.edit([0, 0.6, 1], "drag 1", "")).toEqual({
      do: "set",
      layer: "poses",
      path: "held/0/to",
      value: [0, 0.6, 1],
      gesture: "drag 1",
    });
    // Who pulls the hand itself takes its hold along.
    expect(store.posing.grasp(2, "Hand", [0, 0.5, 1])!.id).toBe(handle!.id);
  });

  it("stay while something else is pulled", () => {
    tell([{ point: "Hand", at: [0.2, 1] }]);
    store.posing.grasp(0, "Hips", [0, 0, 1])!.follow!([0, 0, 1.1]);
    const grab = socket.sent.find((m) => m["say"] === "grab")!;
    expect(grab["pins"]).toContain("Hand");
  });

  it("are bars of their point in the time line, whose ends are dragged, red where they are missed", () => {
    tell([
      { point: "Hand", at: [0.2, 0.5] },
      { point: "Hand", at: [0.8, 1] },
    ]);
    const outcome = { name: "Hand held from 0.80 s", met: false, error: 0.04, unit: "m" };
    const context = {
      ...store.lanes.value,
      reports: { poses: { outcomes: [{ ...outcome, name: "Hand held from 0.20 s", met: true }, outcome] } },
    };
    const lane = lanesOf(store.layers.value, context as never).find((l) => l.label === "Hand")!;
    expect(lane.segments.map((s) => [s.first, s.last, s.state])).toEqual([
      [20, 50, "fine"],
      [80, 100, "wrong"],
    ]);
    const stretch = documentEdits(store).resize(lane.segments[0]!.id, "last");
    stretch.to(70);
    stretch.drop();
    expect(done(socket).find((c) => c)).toMatchObject({ path: "held/0", value: { at: [0.2, 0.7] } });
  });
});
