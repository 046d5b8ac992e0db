import { describe, expect, it } from "vitest";
import type { Layer } from "../src/layer.ts";
import type { Entry } from "../src/time/entry.ts";
import { type Insertion, newEntry } from "../src/time/insertion.ts";
import { HAND, layersOf, storeWith } from "./documents.ts";

/** A store that knows a hand at (1, 2, 3),
 * and a mass of 2 kg that sinks from 1 m by 1 cm a frame and widens. */
function stage() {
  const { store } = storeWith();
  store.figure.value = HAND;
  store.body.value = 0;
  const com = Float32Array.from({ length: 3 * 11 }, (_, i) =>
    i % 3 === 2 ? 1 - 0.01 * Math.floor(i / 3) : 0.5,
  );
  const inertia = Float32Array.from({ length: 9 * 11 }, (_, i) =>
    i % 4 === 0 && i % 9 !== 4 * 3 ? 1 + Math.floor(i / 9) : 0,
  );
  for (let f = 0; f < 11; f++)
    [0, 4, 8].forEach((i) => {
      inertia[9 * f + i] = 1 + f;
    });
  store.physics.value = {
    header: { mass: 2 },
    com,
    momentum: new Float32Array(),
    spin: new Float32Array(),
    inertia,
  } as never;
  const layer = (name: string): Layer => layersOf().find((l) => l.name === name)!;
  const made = (name: string, list: string, time: number) => newEntry(store, layer(name), list, time);
  const value = (name: string, list: string, time: number): Entry => {
    const command = (made(name, list, time) as Insertion).command as Entry;
    return command["do"] === "set" ? command["value"][0] : command["value"];
  };
  return { store, layer, made, value };
}

describe("new keys", () => {
  it("of a pin hold the picked body for 0.4 s and fade over 0.1 s", () => {
    expect(stage().value("hop", "keyframes/pins", 0.25)).toEqual({
      point: "Hand",
      at: [0.25, 0.65],
      fade: 0.1,
    });
  });

  it("of a blow are 40 N·s along x; without a body they say what to do", () => {
    const { value, made, store } = stage();
    expect(value("dance", "disturbances", 0.3)).toEqual({
      kind: "impulse",
      time: 0.3,
      point: "Hand",
      impulse: [40, 0, 0],
    });
    store.body.value = -1;
    expect(made("dance", "disturbances", 0.3)).toMatch(/select the body/);
    expect(made("hop", "keyframes/pins", 0.3)).toMatch(/select a body/);
    expect(made("hit", "constraints", 0.3)).toMatch(/select a body/);
  });

  it("of the centre of mass are where it is at that frame, in the motion's own height", () => {
    const { store, value } = stage();
    expect(value("hop", "keyframes/path/keys", 0.04)["position"]).toEqual([0.5, 0.5, 0.96]);
    // Beyond the last frame: as there.
    expect(value("hop", "keyframes/path/keys", 0.3)["position"]).toEqual([0.5, 0.5, 0.9]);
    store.lift.value = 0.1;
    expect(value("hop", "keyframes/path/keys", 0.04)["position"]).toEqual([0.5, 0.5, 0.86]);
    store.physics.value = undefined;
    expect(stage().made("hop", "keyframes/path/keys", 0.04)).toBeTypeOf("object");
    expect(newEntry(store, layersOf().find((l) => l.name === "hop")!, "keyframes/path/keys", 0.04)).toMatch(
      /not known yet/,
    );
  });

  it("of the inertia are on the curve, or as wide as the mass is spread: √(tr J / 2m)", () => {
    const { store, layer, value } = stage();
    expect(value("hop", "keyframes/inertia/keys", 0.2)["value"]).toEqual([0.4]);
    const bare = { ...layer("hop"), keyframes: { inertia: { keys: [] } } } as unknown as Layer;
    const first = (time: number) =>
      ((newEntry(store, bare, "keyframes/inertia/keys", time) as Insertion).command as Entry)["value"][0]
        .value[0];
    expect(first(0.03)).toBeCloseTo(Math.sqrt((3 * 4) / (2 * 2)), 6);
    expect(first(5)).toBeCloseTo(Math.sqrt((3 * 11) / (2 * 2)), 6); // the last frame that is known
    store.physics.value = undefined;
    expect(first(0.03)).toBe(0.4);
  });

  it("are not put where one is already, to half a frame", () => {
    const { made } = stage();
    expect(made("hop", "keyframes/poses", 1.004)).toMatch(/already/);
    expect(made("hop", "keyframes/poses", 1.006)).toBeTypeOf("object");
    expect(made("hop", "keyframes/spins", 0.6)).toBeTypeOf("object"); // these may overlap
  });

  it("of a tension take over what held before them, in order", () => {
    const { value, made } = stage();
    expect(value("loose", "tension", 0.5)).toEqual({ time: 0, tension: 4 });
    const made_ = made("loose", "tension", 0.5) as Insertion;
    expect((made_.command as Entry)["value"]).toEqual([
      { time: 0, tension: 4 },
      { time: 0.5, tension: 4 },
      { time: 1, tension: { "*": 2, Head: 9 } },
    ]);
    expect(made_.id).toBe("loose/tension/1");
  });

  it("of spins, segments and gains are as long, and as strong, as one would begin with", () => {
    const { value, layer, store } = stage();
    expect(value("hop", "keyframes/spins", 0.2)).toEqual({ start: 0.2, end: 0.7, turns: 1 });
    expect(value("jump", "scene/segments", 0)).toEqual({
      kind: "stance",
      duration: 0.5,
      holds: ["LeftFoot"],
      name: "segment 4",
    });
    const gains = newEntry(store, layer("hop"), "keyframes/pins/1/gains", 0.5) as Insertion;
    expect((gains.command as Entry)["value"].value[0]).toBeCloseTo(0.25, 6);
    expect(newEntry(store, layer("hop"), "nowhere", 0.5)).toMatch(/no keys/);
  });
});
