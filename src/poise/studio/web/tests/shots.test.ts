// @vitest-environment happy-dom
// The project's cameras: where they stand, as films have it; what the stage looks through, the time line
// shows and edits say.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { beforeEach, expect, test } from "vitest";
import type { Cut, FilmCamera } from "../src/messages.ts";
import {
  addCamera,
  asSeen,
  cameraId,
  cutTo,
  keyCamera,
  keyId,
  renameCamera,
  seenThrough,
  through,
} from "../src/shots.ts";
import { Lens } from "../src/stage/lens.ts";
import { Poses } from "../src/stage/poses.ts";
import { CUTS, cameraOn, stood, wayOfBody } from "../src/stage/shots.ts";
import type { Store } from "../src/store.ts";
import { cameraLanes } from "../src/time/camera_lanes.ts";
import { documentEdits, erase } from "../src/time/document_edits.ts";
import { type FakeSocket, layersOf, stateOf, storeWith } from "./documents.ts";
import table from "./shots.json" with { type: "json" };

const KEY = { eye: [3, -3, 1.5], target: [0, 0, 0.9], fov: 35 } as const;
const camera = (...times: number[]): FilmCamera =>
  ({ keys: times.map((time) => ({ time, ...KEY })) }) as unknown as FilmCamera;

test("cameras stand where films have them", () => {
  for (const { path, fps, camera: of, times, stood: wanted } of table.cases) {
    const values = new Float32Array(path.flatMap((place) => [...place, 0, 0, 0, 1]));
    const way = wayOfBody(new Poses(values, path.length, 1), 0, fps);
    for (const [k, time] of times.entries()) {
      const now = stood(of as unknown as FilmCamera, time, "follow" in of && of.follow ? way : undefined);
      const found = [...now.eye.toArray(), ...now.target.toArray(), now.fov];
      for (const [i, value] of found.entries()) expect(value).toBeCloseTo(wanted[k]![i]!, 4);
    }
  }
});

test("which camera is seen is said by the cuts", () => {
  const cameras = { a: camera(0), b: camera(0) };
  const cuts: Cut[] = [
    { time: 1, camera: "a" },
    { time: 0.5, camera: "b" },
  ];
  expect([0, 0.5, 0.999, 1, 7].map((t) => cameraOn(cameras, cuts, t))).toEqual(["b", "b", "b", "a", "a"]);
  expect(cameraOn(cameras, [], 4)).toBe("a");
  expect(cameraOn({}, [], 4)).toBeUndefined();
});

test("a camera is looked through wherever it goes; turning the view leaves it, leaving it goes back", () => {
  const own = new THREE.PerspectiveCamera(35, 1.6, 0.01, 500);
  own.up.set(0, 0, 1);
  own.position.set(2, -3, 1.5);
  const controls = new OrbitControls(own, document.createElement("canvas"));
  controls.target.set(0.3, 0.2, 0.9);
  controls.maxPolarAngle = 0.53 * Math.PI;
  controls.update();
  const lens = new Lens(own, controls);
  let left = 0;
  lens.left = () => left++;
  const before = lens.stands();
  lens.look(new THREE.Vector3(0, -1, 0));
  for (const x of [4, 5, 6]) {
    // From the floor upwards, as one's own view never is.
    lens.through({ eye: new THREE.Vector3(x, 0, 0.1), target: new THREE.Vector3(0, 0, 2), fov: 50 });
    expect(own.position.distanceTo(new THREE.Vector3(x, 0, 0.1))).toBeLessThan(1e-6);
    expect([own.fov, lens.flat, left]).toEqual([50, false, 0]);
  }
  lens.through(undefined);
  expect(own.position.distanceTo(before.eye)).toBeLessThan(1e-6);
  expect([own.fov, controls.maxPolarAngle, left]).toEqual([35, 0.53 * Math.PI, 0]);
  lens.through({ eye: new THREE.Vector3(0, -300, 1), target: new THREE.Vector3(0, 0, 1), fov: 0.5 });
  expect([lens.flat, lens.level]).toEqual([true, true]);
  own.position.applyAxisAngle(new THREE.Vector3(0, 0, 1), 0.2);
  controls.update();
  expect([left, own.fov, lens.flat]).toEqual([1, 35, false]);
  lens.through(undefined); // it was left already: one stays where one turned to
  expect(own.position.y).toBeGreaterThan(-60);
});

let store: Store;
let socket: FakeSocket;
/** The commands that were said since this was asked last. */
const said = () =>
  socket.sent.splice(0).flatMap((m) => (m["command"] ? [m["command"] as Record<string, unknown>] : []));
const has = (document: Record<string, unknown>) => {
  const state = stateOf(layersOf());
  socket.tell({ ...state, document: { ...(state.document as object), ...document } } as never);
};

beforeEach(() => {
  ({ store, socket } = storeWith());
  through.value = "";
  asSeen.now = () => ({ eye: [1, 2, 3], target: [0, 0, 1], fov: 35 });
  has({
    cameras: { wide: camera(0), close: camera(0, 1) },
    cuts: [{ camera: "wide" }, { time: 1, camera: "close" }],
  });
  said();
});

test("a camera is added, keyed, cut to and renamed as the stage is seen", () => {
  store.player.resize(120);
  store.player.seek(30);
  addCamera(store, "close");
  const time = 30 / store.fps.value;
  const now = { time, eye: [1, 2, 3], target: [0, 0, 1], fov: 35 };
  expect(said()).toMatchObject([{ do: "put-camera", name: "close 2", camera: { keys: [now] } }]);
  keyCamera(store, "close");
  expect(said()).toMatchObject([
    { do: "put-camera", name: "close", camera: { keys: [{ time: 0 }, now, { time: 1 }] } },
  ]);
  cutTo(store, "close");
  expect(said()).toMatchObject([
    { do: "set-cuts", cuts: [{ camera: "wide" }, { time, camera: "close" }, { time: 1, camera: "close" }] },
  ]);
  expect(through.value).toBe(CUTS);
  through.value = "close";
  renameCamera(store, "close", "face");
  expect(said()).toMatchObject([{ do: "rename-camera", camera: "close", name: "face" }]);
  expect(through.value).toBe("face");
});

test("the first cut keeps what was seen before it", () => {
  has({ cameras: { wide: camera(0), close: camera(0) } });
  said();
  store.player.resize(120);
  store.player.seek(30);
  cutTo(store, "close");
  const time = 30 / store.fps.value;
  expect(said()).toMatchObject([
    {
      cuts: [
        { time: 0, camera: "wide" },
        { time, camera: "close" },
      ],
    },
  ]);
});

test("the stage sees through the camera of the time, lifted as it is; through one that is gone, not", () => {
  expect(seenThrough(store, 0)).toBeUndefined();
  store.lift.value = 0.25;
  through.value = CUTS;
  expect(seenThrough(store, 0)!.eye.z).toBeCloseTo(1.75, 9);
  through.value = "gone";
  expect(seenThrough(store, 0)).toBeUndefined();
});

test("the time line shows cuts and keys; they are dragged, never onto each other, and taken out", () => {
  const lanes = cameraLanes(
    { wide: camera(0), close: camera(0, 1) },
    [{ camera: "wide" }, { time: 1, camera: "close" }],
    60,
    121,
    new Set(),
  );
  expect(
    lanes.map((l) => [
      l.label,
      l.segments.map((s) => [s.label, s.first, s.last]),
      l.keys.map((k) => k.frame),
    ]),
  ).toEqual([
    [
      "cameras",
      [
        ["wide", 0, 60],
        ["close", 60, 120],
      ],
      [],
    ],
    ["wide", [], [0]],
    ["close", [], [0, 60]],
  ]);
  expect(cameraLanes({}, [], 60, 121, new Set())).toEqual([]);
  store.fps.value = 60;
  const edits = documentEdits(store);
  const key = edits.move([keyId("close", 1)], false);
  key.to(-30);
  expect(said()).toMatchObject([
    { do: "put-camera", name: "close", camera: { keys: [{ time: 0 }, { time: 0.5 }] } },
  ]);
  key.to(-60); // onto the other key
  expect(said()).toEqual([]);
  key.drop();
  const cut = edits.resize(lanes[0]!.segments[1]!.id, "first");
  cut.to(90);
  const [command] = said();
  expect(command).toMatchObject({
    do: "set-cuts",
    cuts: [{ camera: "wide" }, { time: 1.5, camera: "close" }],
  });
  expect(command!["gesture"]).toBeTruthy();
  cut.drop();
  const end = edits.resize(lanes[0]!.segments[0]!.id, "last");
  end.to(45);
  end.drop();
  said();
  edits.insert(lanes[1]!, 60);
  expect(said()).toMatchObject([
    { do: "put-camera", name: "wide", camera: { keys: [{ time: 0 }, { time: 1 }] } },
  ]);
  erase(store, [keyId("close", 0)]);
  expect(said()).toMatchObject([{ do: "put-camera", name: "close", camera: { keys: [{ time: 1 }] } }]);
  erase(store, [keyId("wide", 0)]); // its only key
  expect(said()).toMatchObject([{ do: "drop-camera", name: "wide" }]);
  erase(store, [lanes[0]!.segments[0]!.id]);
  expect(said()).toMatchObject([{ do: "set-cuts", cuts: [{ time: 1, camera: "close" }] }]);
  erase(store, [cameraId("close")]);
  expect(said()).toMatchObject([{ do: "drop-camera", name: "close" }]);
});
