import * as THREE from "three";
import { describe, expect, it } from "vitest";
import { type Loose, surfacesIn } from "../src/layer.ts";
import type { Handle, Place } from "../src/stage/handle.ts";
import { surfaceHandles } from "../src/stage/surface_handles.ts";
import { SolidMesh, solidsOf, turned } from "../src/stage/surfaces.ts";
import { lanesOf } from "../src/time/document_lanes.ts";
import { newEntry } from "../src/time/insertion.ts";
import { bare, contactsOf } from "../src/time/lane_context.ts";
import { placeAt } from "../src/time/surface_track.ts";
import { CARDS, use } from "./cards.ts";
import { storeWith } from "./documents.ts";

const layer: Loose = {
  do: "loosen",
  name: "loose",
  world: {
    surfaces: [
      {
        name: "wall",
        shape: { kind: "box", half: [0.1, 0.2, 0.3] },
        place: [1, 0, 1],
        turn: [0, 0, Math.PI / 2],
      },
      {
        name: "ball",
        shape: { kind: "ball", radius: 0.2 },
        track: [
          { time: 1, place: [2, 0, 1] },
          { time: 0, place: [0, 0, 1] },
        ],
      },
      { name: "gone", shape: { kind: "ball", radius: 0.2 }, muted: true },
      { name: "still", shape: { kind: "ball", radius: 0.25 }, place: [0, 1, 1] },
    ],
  },
};
const close = (a: readonly number[], b: readonly number[]) =>
  a.forEach((v, i) => {
    expect(v).toBeCloseTo(b[i]!, 6);
  });

describe("surfaces of a layer", () => {
  it("stand, or go straight from key to key, in whatever order they were made", () => {
    expect(placeAt(surfacesIn(layer)[0]!, 7)).toEqual([1, 0, 1]);
    for (const [time, x] of [
      [-1, 0],
      [0, 0],
      [0.25, 0.5],
      [1, 2],
      [3, 2],
    ] as const)
      close(placeAt(surfacesIn(layer)[1]!, time), [x, 0, 1]);
  });

  it("are on the stage where their layer acts and they are not muted, turned as they are", () => {
    expect(solidsOf([layer]).map((o) => o.id)).toEqual([
      "loose/world/surfaces/0",
      "loose/world/surfaces/1",
      "loose/world/surfaces/3",
    ]);
    expect(solidsOf([{ ...layer, muted: true }])).toEqual([]);
    expect(
      solidsOf([layer, { ...layer, name: "other", solo: true }]).every((o) => o.layers.includes("other")),
    ).toBe(true);
    const { mesh } = new SolidMesh(solidsOf([layer])[0]!);
    expect(mesh.quaternion.angleTo(turned([0, 0, Math.PI / 2]))).toBeCloseTo(0, 6);
  });

  it("are moved by one handle and sized by another, along their own axes", () => {
    const handles = surfaceHandles(use(layer, "world")).filter((h) => !h.chosen);
    expect(handles.map((h) => h.id)).toEqual([
      "loose/world/surfaces/0",
      "loose/world/surfaces/0:size",
      "loose/world/surfaces/1/track/0",
      "loose/world/surfaces/1/track/1",
      "loose/world/surfaces/3",
      "loose/world/surfaces/3:size",
    ]);
    expect(handles[0]!.edit([2, 3, 4], "g", "")).toMatchObject({
      path: "world/surfaces/0/place",
      value: [2, 3, 4],
      gesture: "g",
    });
    const corner = handles[1]!;
    close(corner.place, [1 - 0.2, 0.1, 1.3]); // a quarter turn: its own x is the world's y
    const wider = corner.edit([1 - 0.5, 0.1, 1.3], "g", "") as { value: number[] };
    close(wider.value, [0.1, 0.5, 0.3]);
    close(corner.settle!([1 + 0.5, 0.1, 1.3], ""), [1 - 0.5, 0.1, 1.3]); // mirrored: the same box
    expect(handles[2]!.edit([2, 3, 4], "g", "")).toMatchObject({ path: "world/surfaces/1/track/0/place" });
    expect(handles[5]!.edit([0, 1, 1.75], "g", "")).toMatchObject({
      path: "world/surfaces/3/shape/radius",
      value: 0.75,
    });
  });

  it("are turned by rings about their own axes while they are selected: boxes, wherever they are", () => {
    const rings = surfaceHandles(use(layer, "world")).filter((h) => h.kind === "spin");
    // Balls look the same.
    expect(rings.map((h) => h.id)).toEqual(
      ["x", "y", "z"].map((axis) => `loose/world/surfaces/0:spin-${axis}`),
    );
    const [x, , z] = rings as [Handle, Handle, Handle];
    close(x.ring!.axis!, [0, 1, 0]); // a quarter turn: its own x is the world's y
    const about = (h: Handle, angle: number): Place => {
      const axis = new THREE.Vector3(...h.ring!.axis!);
      const centre = new THREE.Vector3(...h.ring!.centre);
      return new THREE.Vector3(...h.place)
        .sub(centre)
        .applyAxisAngle(axis, angle)
        .add(centre)
        .toArray() as Place;
    };
    const further = z.edit(about(z, 0.3), "g", "") as { path: string; value: number[] };
    expect(further.path).toBe("world/surfaces/0/turn");
    close(further.value, [0, 0, Math.PI / 2 + 0.3]);
    const tipped = turned((x.edit(about(x, -0.4), "g", "") as { value: number[] }).value);
    const wanted = turned([0, 0, Math.PI / 2]).multiply(turned([-0.4, 0, 0])); // in its own frame
    expect(tipped.angleTo(wanted)).toBeLessThan(1e-5);
    // Beyond half a turn a rotation vector takes the short way.
    const round = (z.edit(about(z, 2), "g", "") as { value: number[] }).value;
    expect(Math.hypot(...round)).toBeLessThan(Math.PI);
    expect(turned(round).angleTo(turned([0, 0, Math.PI / 2 + 2]))).toBeLessThan(1e-5);
    const door = {
      name: "door",
      shape: { kind: "box", half: [0.1, 0.5, 1] },
      track: [
        { time: 0, place: [0, 0, 1] },
        { time: 1, place: [1, 0, 1] },
      ],
    };
    const moving = surfaceHandles(use({ ...layer, world: { surfaces: [door] } }, "world")).filter(
      (h) => h.kind === "spin",
    );
    expect(moving.map((h) => h.selects[0])).toEqual(
      [0, 0, 0, 1, 1, 1].map((k) => `loose/world/surfaces/0/track/${k}`),
    );
  });

  it("have a lane of contacts, one for the keys of what moves, and keys can be put in there", () => {
    const reports = {
      hit: {
        details: {
          contacts: [
            { start: 0.5, end: 0.7, body: "Hand", surface: "wall" },
            { start: 0.6, end: 0.8, body: "Arm", surface: "wall" },
            { start: 0, end: 1, body: "Arm", surface: "gone" },
          ],
        },
      },
    };
    const context = { ...bare(100, 201, CARDS), reports };
    expect(contactsOf(context, layer).map((c) => c.body)).toEqual(["Hand", "Arm"]);
    const lanes = lanesOf([layer], context);
    expect(lanes.map((l) => l.label)).toEqual(["loose", "contacts", "contacts 2", "ball"]);
    expect(lanes[1]!.segments[0]).toMatchObject({ first: 50, last: 70, label: "Hand on wall" });
    expect(lanes[3]!.keys.map((k) => [k.id, k.frame])).toEqual([
      ["loose/world/surfaces/1/track/0", 100],
      ["loose/world/surfaces/1/track/1", 0],
    ]);
    const { store } = storeWith([layer]);
    expect(newEntry(store, layer, "world/surfaces/1/track", 0.5)).toMatchObject({
      command: { do: "insert", path: "world/surfaces/1/track/2", value: { time: 0.5, place: [1, 0, 1] } },
    });
    expect(newEntry(store, layer, "world/surfaces/1/track", 1)).toMatch(/already/);
  });
});
