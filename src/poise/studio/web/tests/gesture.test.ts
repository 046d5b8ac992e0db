import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { Gesture, type Edits, type View } from "../src/time/gesture.ts";
import { RULER, type Lane } from "../src/time/lane.ts";
import { Player } from "../src/time/player.ts";

const lanes: Lane[] = [
  { id: "pose", layer: "tracks", list: "poses", label: "Pose", colour: "#888", segments: [], keys: [{ id: "a", frame: 10, shape: "diamond" }, { id: "b", frame: 40, shape: "diamond" }, { id: "beat", frame: 60, shape: "ring", fixed: true }] },
];
const view: View = { lanes, window: { first: 0, last: 100 }, width: 1000, scroll: 0 }; // ten pixels a frame
const none = { shift: false, alt: false };

function setup() {
  const said: unknown[][] = [];
  const edits: Edits = { move: (...a) => said.push(["move", ...a]), resize: (...a) => said.push(["resize", ...a]), insert: (...a) => said.push(["insert", ...a]), open: (...a) => said.push(["open", ...a]), fix: (...a) => said.push(["fix", ...a]) };
  const player = new Player(101, signal(60));
  return { gesture: new Gesture(player, edits), player, said };
}

describe("gestures", () => {
  it("drags a key by whole frames, once, at the end", () => {
    const { gesture, said } = setup();
    gesture.down(view, 100, RULER + 8, none);
    gesture.move(view, 134, RULER + 8);
    expect([gesture.shift, said.length]).toEqual([3, 0]);
    gesture.up(view, 134);
    expect(said).toEqual([["move", ["a"], 3, false]]);
  });

  it("drags everything selected, copies with Alt, and Escape takes it back", () => {
    const { gesture, said } = setup();
    gesture.down(view, 100, RULER + 8, none);
    gesture.up(view, 100);
    gesture.down(view, 400, RULER + 8, { shift: true, alt: true });
    gesture.move(view, 450, RULER + 8);
    gesture.up(view, 450);
    expect(said).toEqual([["move", ["a", "b"], 5, true]]);
    gesture.down(view, 400, RULER + 8, none);
    gesture.move(view, 480, RULER + 8);
    gesture.cancel();
    gesture.up(view, 480);
    expect(said.length).toBe(1);
  });

  it("selects by a box, and a click beside it lets go", () => {
    const { gesture } = setup();
    gesture.down(view, 50, RULER + 2, none);
    gesture.move(view, 450, RULER + 20);
    gesture.up(view, 450);
    expect([...gesture.selected]).toEqual(["a", "b"]);
    gesture.down(view, 700, RULER + 20, none);
    gesture.up(view, 700);
    expect(gesture.selected.size).toBe(0);
  });

  it("scrubs in the ruler and sets the loop range above it", () => {
    const { gesture, player } = setup();
    gesture.down(view, 300, 20, none);
    gesture.move(view, 307, 20);
    gesture.up(view, 307);
    expect(player.frame.value).toBe(31);
    gesture.down(view, 200, 5, none);
    gesture.move(view, 500, 5);
    gesture.up(view, 500);
    expect(player.range.value).toEqual([20, 50]);
    gesture.down(view, 501, 5, none);
    gesture.move(view, 100, 5);
    gesture.up(view, 100);
    expect(player.range.value).toEqual([20, 21]);
  });

  it("leaves fixed keys where they are and inserts on a double click", () => {
    const { gesture, said } = setup();
    gesture.down(view, 600, RULER + 8, none);
    gesture.move(view, 650, RULER + 8);
    gesture.up(view, 650);
    expect(said).toEqual([]);
    gesture.double(view, 252, RULER + 8);
    expect(said).toEqual([["insert", lanes[0], 25]]);
  });
});
