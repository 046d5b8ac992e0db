import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { dragged, type Edits, Gesture, type View } from "../src/time/gesture.ts";
import { type Lane, RULER } from "../src/time/lane.ts";
import { Player } from "../src/time/player.ts";
import { poseLane } from "./lanes.ts";

const lanes: Lane[] = [poseLane({ id: "beat", frame: 60, shape: "ring", fixed: true })];
const view: View = { lanes, window: { first: 0, last: 100 }, width: 1000, scroll: 0 }; // ten pixels a frame
const none = { shift: false, alt: false };

function setup() {
  const said: unknown[][] = [];
  const moving = (...what: unknown[]) => ({
    to: (...where: unknown[]) => void said.push([...what, ...where]),
    drop: () => void said.push(["drop"]),
    cancel: () => void said.push(["cancel"]),
  });
  const edits: Edits = {
    move: (...a) => moving("move", ...a),
    resize: (...a) => moving("resize", ...a),
    insert: (...a) => said.push(["insert", ...a]),
    open: (...a) => said.push(["open", ...a]),
    fix: (...a) => said.push(["fix", ...a]),
  };
  const player = new Player(101, signal(60));
  return { gesture: new Gesture(player, edits), player, said };
}

describe("gestures", () => {
  it("drags a key by whole frames, as it goes", () => {
    const { gesture, said } = setup();
    gesture.down(view, 100, RULER + 8, none);
    gesture.move(view, 103, RULER + 8);
    expect(said).toEqual([]); // not a frame yet
    gesture.move(view, 134, RULER + 8);
    gesture.move(view, 151, RULER + 8);
    gesture.up(view);
    expect(said).toEqual([["move", ["a"], false, 3], ["move", ["a"], false, 5], ["drop"]]);
  });

  it("shows what is dragged where the pointer has it, wherever the document got to", () => {
    const { gesture } = setup();
    gesture.down(view, 100, RULER + 8, none);
    gesture.move(view, 150, RULER + 8);
    const behind = lanes.map((l) => ({
      ...l,
      keys: l.keys.map((k) => (k.id === "a" ? { ...k, frame: 12, title: "met" } : k)),
    }));
    expect(dragged(behind, gesture)[0]!.keys.slice(0, 2)).toMatchObject([
      { frame: 15, title: "met" },
      { frame: 40 },
    ]);
    gesture.up(view);
    expect(dragged(behind, gesture)).toBe(behind);
  });

  it("drags the end of a segment, and shows it", () => {
    const { gesture, said } = setup();
    const lasting: View = {
      ...view,
      lanes: [
        {
          ...lanes[0]!,
          keys: [],
          segments: [{ id: "s", first: 20, last: 50, label: "", state: "plain", draggable: true }],
        },
      ],
    };
    gesture.down(lasting, 500, RULER + 8, none);
    gesture.move(lasting, 620, RULER + 8);
    expect(dragged(lasting.lanes, gesture)[0]!.segments[0]).toMatchObject({ first: 20, last: 62 });
    gesture.cancel();
    expect(said).toEqual([["resize", "s", "last", 62], ["cancel"]]);
  });

  it("drags everything selected, copies with Alt, and Escape takes it back", () => {
    const { gesture, said } = setup();
    gesture.down(view, 100, RULER + 8, none);
    gesture.up(view);
    gesture.down(view, 400, RULER + 8, { shift: true, alt: true });
    gesture.move(view, 450, RULER + 8);
    gesture.up(view);
    expect(said).toEqual([["move", ["a", "b"], true, 5], ["drop"]]);
    gesture.down(view, 400, RULER + 8, none);
    gesture.move(view, 480, RULER + 8);
    gesture.cancel();
    gesture.up(view);
    expect(said.slice(2)).toEqual([["move", ["a", "b"], false, 8], ["cancel"]]);
  });

  it("selects by a box, and a click beside it lets go", () => {
    const { gesture } = setup();
    gesture.down(view, 50, RULER + 2, none);
    gesture.move(view, 450, RULER + 20);
    gesture.up(view);
    expect([...gesture.selected]).toEqual(["a", "b"]);
    gesture.down(view, 700, RULER + 20, none);
    gesture.up(view);
    expect(gesture.selected.size).toBe(0);
  });

  it("scrubs in the ruler and sets the loop range above it", () => {
    const { gesture, player } = setup();
    gesture.down(view, 300, 20, none);
    gesture.move(view, 307, 20);
    gesture.up(view);
    expect(player.frame.value).toBe(31);
    gesture.down(view, 200, 5, none);
    gesture.move(view, 500, 5);
    gesture.up(view);
    expect(player.range.value).toEqual([20, 50]);
    gesture.down(view, 501, 5, none);
    gesture.move(view, 100, 5);
    gesture.up(view);
    expect(player.range.value).toEqual([20, 21]);
  });

  it("leaves fixed keys where they are and inserts on a double click", () => {
    const { gesture, said } = setup();
    gesture.down(view, 600, RULER + 8, none);
    gesture.move(view, 650, RULER + 8);
    gesture.up(view);
    expect(said).toEqual([]);
    gesture.double(view, 252, RULER + 8);
    expect(said).toEqual([["insert", lanes[0], 25]]);
  });
});
