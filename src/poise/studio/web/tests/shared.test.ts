import { describe, expect, it } from "vitest";
import type { Layer } from "../src/layer.ts";
import type { AnyCommand } from "../src/messages.ts";
import type { Surroundings } from "../src/stage/handle.ts";
import { handlesOf } from "../src/stage/handles.ts";
import { sharing, timed, typed } from "../src/stage/shared.ts";
import { CARDS } from "./cards.ts";
import { layersOf, storeWith } from "./documents.ts";

const around: Surroundings = { point: () => [0, 0, 0], centre: () => [0, 0, 1], size: 1.7, whole: 2 };

/** A store whose stage has the handles of its layers. */
function staged(layers: Layer[] = layersOf()) {
  const { store } = storeWith(layers);
  store.handles.value = handlesOf(layers, CARDS, around);
  return store;
}
/** What a command sets, whatever it is called. */
const edits = (command: AnyCommand): unknown => ("commands" in command ? command.commands : [command]);

describe("what several layers share", () => {
  it("is typed as it is dragged: all of it, in one step", () => {
    const store = staged();
    expect(sharing(store, "hit/constraints/0").map((at) => at.layer)).toEqual(["aim", "hit"]);
    const next = [0.9, 0.1, 1.62];
    const dragged = store.handles.value
      .find((h) => h.selects.includes("hit/constraints/0"))!
      .edit([0.9, 0.1, 1.62], "", "");
    const command = typed(store, "hit", "constraints/0", "target/value", next);
    expect(command).toMatchObject({ do: "group" });
    expect(edits(command)).toEqual(edits(dragged));
    expect(edits(typed(store, "aim", "constraints/2", "target/value", next))).toEqual(edits(dragged));
    expect(edits(timed(store, "aim", "constraints/2", { at: 1 }))).toEqual([
      { do: "set", layer: "aim", path: "constraints/2/when", value: { at: 1 } },
      { do: "set", layer: "hit", path: "constraints/0/when", value: { at: 1 } },
    ]);
  });

  it("is one constraint alone where it has another name, place or time, or where its layer is muted", () => {
    const alone = { do: "set", layer: "hit", path: "constraints/0/target/value", value: [1, 2, 3] };
    const fist = {
      name: "fist",
      handle: { kind: "point_position", point: "RightHandCentre", axes: "xyz" },
      target: { value: [0.9, 0.1, 1.5] },
      when: { at: 0.85 },
    };
    for (const other of [
      { ...fist, name: "other" },
      { ...fist, when: { at: 0.9 } },
      { ...fist, target: { value: [0.9, 0.1, 1.4] } },
      { ...fist, muted: true },
    ]) {
      const store = staged([
        { do: "adapt", name: "aim", constraints: [other] },
        { do: "hit", name: "hit", constraints: [fist] },
      ]);
      expect(typed(store, "hit", "constraints/0", "target/value", [1, 2, 3])).toEqual(alone);
    }
    const store = staged([
      { do: "adapt", name: "aim", muted: true, constraints: [fist] },
      { do: "hit", name: "hit", constraints: [fist] },
    ]);
    expect(typed(store, "hit", "constraints/0", "target/value", [1, 2, 3])).toEqual(alone);
    // Muted, it has no handle: it is the only one that is meant.
    expect(typed(store, "aim", "constraints/0", "target/value", [1, 2, 3])).toEqual({
      ...alone,
      layer: "aim",
    });
  });

  it("footprints move together and keep turns of their own", () => {
    const foot = (yaw: number) => ({
      name: "left",
      intervals: { Heel: { from: 0, to: 1 } },
      place: [1, 2, yaw],
    });
    const layers = (other: number): Layer[] => [
      { do: "adapt", name: "aim", plants: false, constraints: [foot(0.5)] },
      { do: "adapt", name: "stand", plants: false, constraints: [foot(other)] },
    ];
    const put = (layer: string, value: number[]) => ({
      do: "set",
      layer,
      path: "constraints/0/place",
      value,
    });
    expect(edits(typed(staged(layers(0.7)), "aim", "constraints/0", "place", [1, 3, 0.5]))).toEqual([
      put("aim", [1, 3, 0.5]),
      put("stand", [1, 3, 0.7]),
    ]);
    expect(edits(typed(staged(layers(0.7)), "aim", "constraints/0", "place", [1, 2, 0.6]))).toEqual([
      put("aim", [1, 2, 0.6]),
    ]);
    expect(edits(typed(staged(layers(0.5)), "aim", "constraints/0", "place", [1, 2, 0.6]))).toEqual([
      put("aim", [1, 2, 0.6]),
      put("stand", [1, 2, 0.6]),
    ]);
  });
});
