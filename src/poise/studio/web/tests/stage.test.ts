// @vitest-environment happy-dom
// The stage and the viewer with a renderer that draws nothing:
// there is no WebGL here, the tests in a real browser have that.
import { act } from "preact/test-utils";
import * as THREE from "three";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Stage } from "../src/stage/stage.ts";
import { show } from "../src/viewer.tsx";

vi.mock("three", async (original) => ({
  ...(await original<typeof THREE>()),
  WebGLRenderer: class {
    shadowMap = { enabled: false, autoUpdate: true, needsUpdate: false, type: 0 };
    info = { programs: [] };
    full = false;
    pictures: string[] = [];
    ratio = 1;
    setPixelRatio = (r: number) => {
      this.ratio = r;
    };
    getPixelRatio = () => this.ratio;
    setSize = () => undefined;
    getSize = () => undefined;
    setViewport = () => undefined;
    getDrawingBufferSize = () => undefined;
    setRenderTarget = (target: unknown) => {
      this.full = target !== null;
    };
    render = (scene: unknown) =>
      void ((scene as THREE.Scene).isScene && this.pictures.push(this.full ? "full" : "haste"));
    getContext = () => ({ readPixels: () => undefined });
    dispose = () => undefined;
  },
}));
HTMLCanvasElement.prototype.getContext = (() =>
  new Proxy({}, { get: () => () => undefined, set: () => true })) as never;
vi.setConfig({ testTimeout: 60_000 });

describe("the stage", () => {
  let stage: Stage;
  const drawn = () => (stage.renderer as unknown as { pictures: string[] }).pictures;
  const pace = () => (stage as unknown as { painter: { pace: { slow: boolean } } }).painter.pace;
  beforeEach(() => {
    stage = new Stage(document.createElement("canvas"));
    stage.frame(new THREE.Box3(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 2)));
  });

  it("draws in haste only where it is slow and something moves", () => {
    const picture = (slow: boolean, moves: boolean) => {
      pace().slow = slow;
      (stage as unknown as { motion: number }).motion = moves ? performance.now() : -Infinity;
      stage.drawNow();
      return drawn().at(-1);
    };
    expect(picture(false, false)).toBe("full");
    expect(picture(true, false)).toBe("full");
    expect(picture(false, true)).toBe("full");
    expect(picture(true, true)).toBe("haste");
    stage.drawStill();
    expect(drawn().at(-1)).toBe("full");
  });

  it("warms up with a sample that is gone before anybody comes", () => {
    const sample = new THREE.Mesh(new THREE.BoxGeometry());
    let seen = false;
    (stage as unknown as { painter: { warm: () => void } }).painter.warm = () => {
      seen = stage.scene.children.includes(sample);
    };
    stage.warm(sample);
    expect(seen).toBe(true);
    expect(stage.scene.children).not.toContain(sample);
  });

  it("fills the view with what it frames, and a pixel is as large as it is far away", () => {
    const centre = new THREE.Vector3(0, 0, 1);
    expect(stage.controls.target.distanceTo(centre)).toBeLessThan(1e-9);
    const far = stage.camera.position.distanceTo(centre);
    expect(stage.perPixel(centre)).toBeCloseTo(2 * Math.tan((35 * Math.PI) / 360) * far, 6); // of one pixel
    expect(stage.perPixel(centre.clone().add(stage.camera.position).multiplyScalar(0.5))).toBeCloseTo(
      0.5 * stage.perPixel(centre),
      6,
    );
  });

  it("lays its floor out in metres, or in what suits who stands on it", () => {
    const lines = () => (stage as unknown as { unit: number }).unit;
    for (const [size, unit] of [
      [1.7, 1],
      [170, 100],
      [0.2, 0.1],
      [0.9, 1],
    ] as const) {
      stage.suit(size);
      expect(lines()).toBeCloseTo(unit, 9);
    }
  });
});

describe("the viewer", () => {
  function packed(): ArrayBuffer {
    const parts: [string, Float32Array | Uint8Array | Uint16Array | Uint32Array, number[]][] = [
      ["position", Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), [3, 3]],
      ["normal", Float32Array.from([0, 0, 1, 0, 0, 1, 0, 0, 1]), [3, 3]],
      ["weights", Float32Array.from({ length: 12 }, (_, i) => (i % 4 ? 0 : 1)), [3, 4]],
      ["bind", Float32Array.from({ length: 16 }, (_, i) => (i % 5 ? 0 : 1)), [1, 4, 4]],
      [
        "poses",
        Float32Array.from(Array.from({ length: 31 }, (_, f) => [0.1 * f, 0, 1, 0, 0, 0, 1]).flat()),
        [31, 1, 7],
      ],
      ["com", Float32Array.from({ length: 93 }, () => 1), [31, 3]],
      ["index", Uint32Array.from([0, 1, 2]), [3]],
      ["joints", new Uint16Array(12), [3, 4]],
      ["colour", new Uint8Array(12), [3, 3]],
    ];
    let at = 0;
    const arrays: Record<string, object> = {};
    for (const [name, values, shape] of parts) {
      arrays[name] = {
        type:
          values instanceof Float32Array
            ? "f4"
            : values instanceof Uint32Array
              ? "u4"
              : values instanceof Uint16Array
                ? "u2"
                : "u1",
        shape,
        at,
      };
      at += Math.ceil(values.byteLength / 4) * 4;
    }
    let text = JSON.stringify({
      name: "a",
      title: "a clip",
      fps: 30,
      loop: false,
      heading: 0,
      bodies: [{ name: "b", parent: -1 }],
      morphs: [],
      arrays,
    });
    while ((4 + text.length) % 4) text += " ";
    const bytes = new Uint8Array(4 + text.length + at);
    new DataView(bytes.buffer).setUint32(0, text.length, true);
    bytes.set(new TextEncoder().encode(text), 4);
    for (const [name, values] of parts)
      bytes.set(new Uint8Array(values.buffer), 4 + text.length + (arrays[name] as { at: number }).at);
    return bytes.buffer;
  }

  it("plays, pauses, and says which it would do", async () => {
    const home = document.createElement("div");
    document.body.append(home);
    await act(() => show(home, packed()));
    const button = () => home.querySelector<HTMLButtonElement>("button")!;
    const says = () => [button().getAttribute("aria-label"), button().textContent!.trim()];
    const playing = () => home.querySelector("output")!.textContent;
    expect(says()).toEqual(["pause", "❚❚"]);
    await act(() => button().click());
    expect(says()).toEqual(["play", "▶"]);
    await act(
      () =>
        void home
          .querySelector(".viewer")!
          .dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true })),
    );
    expect(playing()).toContain("30 / 30 · 1.00 s");
    await act(
      () =>
        void home
          .querySelector(".viewer")!
          .dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true })),
    );
    expect(playing()).toContain("29 / 30");
  });
});
