import { expect, test } from "vitest";
import type { Layer } from "../src/layer.ts";
import { addable } from "../src/shell/addable.ts";
import { storeWith } from "./documents.ts";

const clip: Layer = { do: "load", name: "s", clip: "punch" };
const loose: Layer = { do: "loosen", name: "l" };
const hat: Layer = { do: "wear", name: "hat" };
/** Where each operation would go. */
const places = (...layers: Layer[]) =>
  Object.fromEntries(
    addable(storeWith(layers).store)
      .filter((a) => !a.starts)
      .map((a) => [a.card.name, a.at]),
  );

test("what is worn stays last, what changes the motion goes under the loosening", () => {
  expect(places(clip, loose, hat)).toMatchObject({
    adapt: 1,
    key: 1,
    retarget: 1,
    loosen: 2,
    perform: 2,
    wear: undefined,
  });
  expect(places(clip, hat)).toMatchObject({ adapt: 1, loosen: 1 });
  expect(places(clip)).toMatchObject({ adapt: undefined, loosen: undefined });
  expect(places(loose, hat)).toMatchObject({ adapt: 0, loosen: 1 });
  expect(places(hat)).toMatchObject({ adapt: 0, loosen: 0 });
});

test("an empty project begins with a motion, and brings the clip that it needs", () => {
  const { store } = storeWith([]);
  store.vocabulary.value = {
    ...store.vocabulary.value,
    clips: ["wave"],
    scenes: ["lamp jump"],
    scripts: ["conducting", "ymca"],
  };
  const found = addable(store);
  expect(found.map((a) => [a.card.name, a.starts, a.options])).toEqual([
    ["load", true, { clip: "wave" }],
    ["assemble", true, { strips: [{ clip: "wave", at: 0 }] }],
    ["plan", true, { scene: "lamp jump" }],
    ["perform", true, { script: "ymca" }],
  ]);
  expect(found[0]!.before).toEqual({ do: "put-clip", name: "wave", clip: { bundled: "wave" } });
});

test("every operation can be added whose required options can be given", () => {
  const { store } = storeWith([clip]);
  const begun = () =>
    Object.fromEntries(
      addable(store)
        .filter((a) => !a.starts)
        .map((a) => [a.card.name, a.options]),
    );
  const layers = store.cards.value.filter((c) => c.input !== "never").map((c) => c.name);
  expect(Object.keys(begun()).sort()).toEqual(
    layers.filter((name) => !["hit", "hang"].includes(name)).sort(),
  );
  expect(begun()).toMatchObject({
    key: { keyframes: { pins: [] } },
    perform: { follow: true },
    resample: { fps: 100 },
    repeat: { cycles: 2 },
  });
  // There is something to hit as soon as a body is picked.
  store.placeOf = () => [1, 2, 3];
  store.pointOf = () => "Fist";
  expect(begun()["hit"]).toMatchObject({ constraints: [{ target: { value: [1, 2, 3] } }] });
});
