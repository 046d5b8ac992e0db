import * as THREE from "three";
import { beforeEach, describe, expect, it } from "vitest";
import { Drag } from "../src/stage/drag.ts";
import type { Handle, Place } from "../src/stage/handle.ts";
import type { Marks } from "../src/stage/marks.ts";
import type { Stage } from "../src/stage/stage.ts";
import { storeWith } from "./documents.ts";

/** A camera at (0, −10, 1) that looks along y:
 * a pixel is a centimetre at the plane through the origin, y on the screen goes down. */
function bench() {
  const { store, socket } = storeWith();
  const camera = new THREE.PerspectiveCamera();
  camera.position.set(0, -10, 1);
  camera.up.set(0, 0, 1);
  camera.lookAt(0, 0, 1);
  camera.updateMatrixWorld();
  const ray = (x: number, y: number) =>
    new THREE.Raycaster(camera.position.clone(), new THREE.Vector3(x / 100, 10, -y / 100).normalize());
  const stage = {
    scene: new THREE.Scene(),
    camera,
    ray,
    stir: () => {},
    draw: () => {},
    perPixel: () => 0.01,
    lens: { level: false },
  } as unknown as Stage;
  const shown: Handle[] = [];
  let now = true;
  const marks = { show: (h: Handle) => shown.push(h), now: () => now } as unknown as Marks;
  const drag = new Drag(store, stage, marks);
  const places: Place[] = [];
  const handle = (more: Partial<Handle> = {}): Handle =>
    ({
      id: "h",
      selects: ["h"],
      layers: ["hit"],
      name: "h",
      times: [0, 1],
      kind: "target",
      does: "",
      place: [0, 0, 1],
      over: "view",
      edit: (p: Place) => {
        places.push(p);
        return { do: "set", layer: "hit", path: "x", value: p };
      },
      ...more,
    }) as Handle;
  return {
    store,
    socket,
    drag,
    handle,
    places,
    shown,
    elsewhere: () => {
      now = false;
    },
  };
}
let b: ReturnType<typeof bench>;
beforeEach(() => {
  b = bench();
});
const close = (a: readonly number[] | undefined, wanted: readonly number[], digits = 6) =>
  wanted.forEach((v, i) => {
    expect(a![i]).toBeCloseTo(v, digits);
  });

describe("a drag", () => {
  it("is a click until it has moved three pixels, then follows the pointer in the plane of the view", () => {
    b.drag.down(b.handle(), 0, 0);
    b.drag.move(3, 0);
    expect(b.places).toEqual([]);
    b.drag.move(20, -10);
    close(b.places.at(-1), [0.2, 0, 1.1]);
    expect(b.drag.told).toBe("0.20, 0.00, 1.10 m");
  });

  it("goes over the floor, or straight up, where the handle is of that kind", () => {
    b.drag.down(b.handle({ over: "floor", place: [0, 0, 0] }), 0, 100);
    b.drag.move(10, 100);
    close(b.places.at(-1), [0.1, 0, 0]);
    b.drag.move(0, 50); // higher on the screen is farther away: the ray falls 1 m in 20
    close(b.places.at(-1), [0, 10, 0]);
    b.drag.up();
    b.drag.down(b.handle({ over: "height" }), 0, 0);
    b.drag.move(0, -25);
    close(b.places.at(-1), [0, 0, 1.25]);
  });

  it("goes along the floor that is seen as a line, and stays on it", () => {
    (b.drag as unknown as { stage: { lens: { level: boolean } } }).stage.lens.level = true;
    b.drag.down(b.handle({ over: "floor", place: [0, 0, 0] }), 0, 100);
    b.drag.move(30, 40);
    close(b.places.at(-1), [0.3, 0, 0]);
  });

  it("stands upright where heights are dragged, also seen from above", () => {
    const camera = (b.drag as unknown as { stage: Stage }).stage.camera;
    camera.position.set(0, -10, 11);
    camera.lookAt(0, 0, 1);
    camera.updateMatrixWorld();
    b.drag.down(b.handle({ over: "height" }), 0, 100);
    b.drag.move(0, 80);
    expect(b.places.at(-1)![1]).toBeCloseTo(0, 6);
    expect(b.places.at(-1)![2]).toBeGreaterThan(1);
  });

  it("keeps to an axis, and lets go of it again", () => {
    b.drag.down(b.handle(), 0, 0);
    b.drag.move(20, -10);
    b.drag.lock("x");
    close(b.places.at(-1), [0.2, 0, 1], 3); // nearest to a ray that passes by
    expect(b.drag.told).toBe("0.200 m");
    b.drag.lock("x");
    close(b.places.at(-1), [0.2, 0, 1.1]);
  });

  it("goes by round steps where these are wanted", () => {
    b.drag.down(b.handle(), 0, 0);
    b.drag.snap(true);
    b.drag.move(17, -33);
    close(b.places.at(-1), [0.2, 0, 1.4]);
    b.drag.snap(false);
    close(b.places.at(-1), [0.17, 0, 1.33]);
  });

  it("of a ring counts how far the pointer is from its centre, of one that turns how far round", () => {
    b.drag.down(
      b.handle({ kind: "ring", place: [0.4, 0, 1], ring: { centre: [0, 0, 1], radius: 0.4 } }),
      40,
      0,
    );
    b.drag.move(0, -30);
    close(b.places.at(-1), [0, 0, 1.3]);
    expect(b.drag.told).toBe("0.300 m");
    b.drag.up();
    b.drag.down(
      b.handle({
        kind: "spin",
        place: [0.4, 0, 1],
        ring: { centre: [0, 0, 1], radius: 0.4, axis: [0, 1, 0] },
      }),
      40,
      0,
    );
    b.drag.move(0, -40);
    close(b.places.at(-1), [0, 0, 1.4]);
    expect(b.drag.told).toBe("-90°");
    b.drag.up();
    // Seen from its edge: the near side goes along with the pointer, a radius of way is a radian.
    b.drag.down(
      b.handle({
        kind: "spin",
        place: [0, -0.4, 1],
        ring: { centre: [0, 0, 1], radius: 0.4, axis: [0, 0, 1] },
      }),
      0,
      0,
    );
    b.drag.move(20, 0);
    close(b.places.at(-1), [0.4 * Math.sin(0.5), -0.4 * Math.cos(0.5), 1]);
  });

  it("selects what it holds, shows it at a time at which it holds, and is one step of undo", () => {
    const sent = () => b.socket.sent.map((m) => m["say"]);
    b.drag.down(b.handle(), 0, 0);
    expect([...b.store.selected.value]).toEqual(["h"]);
    expect(b.store.layer.value).toBe("hit");
    b.drag.move(20, 0);
    b.drag.up();
    expect(b.drag.active).toBe(false);
    expect(sent().at(-1)).toBe("seal");
    b.drag.down(b.handle(), 0, 0);
    b.drag.move(20, 0);
    expect(b.drag.cancel()).toBe(true);
    expect(b.drag.cancel()).toBe(false);
    expect(sent().slice(-2)).toEqual(["do", "undo"]);
  });

  it("leaves the layer in view where that holds it, else takes the last that does", () => {
    b.store.layer.value = "loose";
    b.drag.down(b.handle({ layers: ["loose", "hit"] }), 0, 0);
    b.drag.up();
    expect(b.store.layer.value).toBe("loose");
    b.drag.down(b.handle({ layers: [] }), 0, 0);
    b.drag.up();
    expect(b.store.layer.value).toBe("loose");
    b.drag.down(b.handle({ layers: ["key", "hit"] }), 0, 0);
    b.drag.up();
    expect(b.store.layer.value).toBe("hit");
  });

  it("goes to a time at which what is grabbed holds, if it does not hold now", () => {
    b.elsewhere();
    b.store.player.seek(150);
    b.drag.down(b.handle({ times: [0.5, 1] }), 0, 0);
    expect(b.store.player.frame.value).toBe(100); // at 100 frames a second, the end of it is nearest
    b.drag.up();
    b.store.player.seek(10);
    b.drag.down(b.handle({ times: [0.5, Infinity] }), 0, 0);
    expect(b.store.player.frame.value).toBe(50);
  });

  it("in a lifted picture still writes heights of the motion", () => {
    b.store.lift.value = 0.5;
    b.drag.down(b.handle({ place: [0, 0, 0.5] }), 0, 0);
    b.drag.move(0, -10);
    close(b.places.at(-1), [0, 0, 0.6]);
  });

  it("a ring rolls freely after R: the side that faces the camera goes with the pointer, and back", () => {
    const { drag, handle } = bench();
    const rolled: THREE.Quaternion[] = [];
    const spun: Place[] = [];
    const ring = handle({
      kind: "spin",
      ring: { centre: [0, 0, 1], radius: 0.5, axis: [0, 1, 0] },
      place: [0.5, 0, 1],
      follow: (to) => spun.push(to),
      roll: (turn) => rolled.push(new THREE.Quaternion(...turn)),
    });
    drag.down(ring, 50, 0);
    drag.move(50, 20);
    drag.move(50, 30);
    const count = spun.length;
    expect(drag.freely()).toBe(true);
    // 25 px are half the radius of the ball: half a radian, the near side to the right.
    drag.move(75, 30);
    const near = new THREE.Vector3(0, -1, 0).applyQuaternion(rolled.at(-1)!);
    expect(near.x).toBeCloseTo(Math.sin(0.5), 9);
    expect(near.z).toBeCloseTo(0, 9);
    expect(drag.told).toBe("28.6° freely");
    drag.move(50, 55); // downwards
    expect(new THREE.Vector3(0, -1, 0).applyQuaternion(rolled.at(-1)!).z).toBeCloseTo(-Math.sin(0.5), 9);
    expect(spun).toHaveLength(count);
    drag.freely(); // about its axis again
    drag.move(40, 50);
    expect(spun.length).toBeGreaterThan(count);
    drag.cancel();
    drag.down(handle(), 0, 0);
    drag.move(20, 0);
    expect(drag.freely()).toBe(false); // a target has nothing to turn
  });
});
