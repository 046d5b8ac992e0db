import { expect, test } from "vitest";
import type { AnyLayer } from "../src/messages.ts";
import { addable } from "../src/shell/addable.ts";
import { storeWith } from "./documents.ts";

const source: AnyLayer = { kind: "source", name: "s", clip: "punch" };
const loose: AnyLayer = { kind: "kinodynamics", name: "l" };
const hat: AnyLayer = { kind: "attachment", name: "hat" };
/** Where each kind of layer would go. */
const places = (...layers: AnyLayer[]) =>
  Object.fromEntries(addable(storeWith(layers).store).map((a) => [a.title, a.make("x").at]));

test("what is worn stays last, what changes the motion goes under the loosening", () => {
  expect(places(source, loose, hat)).toMatchObject({
    Adapt: 1,
    "Key-frames": 1,
    Retarget: 1,
    Loosen: 2,
    Disturb: 2,
    Wear: undefined,
  });
  expect(places(source, hat)).toMatchObject({ Adapt: 1, Loosen: 1 });
  expect(places(source)).toMatchObject({ Adapt: undefined, Loosen: undefined });
  expect(places(loose, hat)).toMatchObject({ Adapt: 0, Loosen: 1 });
  expect(places(hat)).toMatchObject({ Adapt: 0, Loosen: 0 });
});

test("an empty project begins with a motion, and brings the clip that it needs", () => {
  const { store } = storeWith([]);
  store.vocabulary.value = { clips: ["wave"], scenes: ["lamp jump"], scripts: ["conducting", "ymca"] };
  const found = addable(store);
  expect(found.map((a) => a.kind)).toEqual(["source", "synthesis", "beat"]);
  expect(found[0]!.make("a")).toEqual({
    layer: { kind: "source", name: "a", clip: "wave" },
    before: { do: "put-clip", name: "wave", clip: { bundled: "wave" } },
  });
  expect(found[1]!.make("b").layer["scene"]).toBe("lamp jump");
  expect(found[2]!.make("c").layer["script"]).toBe("ymca");
});
