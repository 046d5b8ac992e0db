// @vitest-environment happy-dom
import { signal } from "@preact/signals";
import { describe, expect, it, vi } from "vitest";
import type { Layer } from "../src/layer.ts";
import type { Bench } from "../src/shell/actions.ts";
import { dropping, upload } from "../src/shell/drop.ts";
import { Inspector } from "../src/shell/inspector.tsx";
import { Menu, named } from "../src/shell/menu.tsx";
import { Outliner } from "../src/shell/outliner.tsx";
import { Status } from "../src/shell/status.tsx";
import { Poses } from "../src/stage/poses.ts";
import type { Store } from "../src/store.ts";
import { done, HAND, layersOf, standing, storeWith } from "./documents.ts";
import { root, shown } from "./shown.ts";

const benchOf = (store: Store): Bench =>
  ({ store, dialog: signal(""), shown: signal({}), keymap: signal("blender") }) as unknown as Bench;

describe("the menu", () => {
  it("says how long the solution took, as precisely as one reads it", () => {
    const words = (seconds: number) => {
      const { store } = storeWith([]);
      store.solved.value = { seconds, met: true, reports: {} } as never;
      return shown(Menu, { bench: benchOf(store) })
        .querySelector(".live")!
        .getAttribute("title");
    };
    expect([0.0421, 0.9994, 3.12345, 42.4].map(words)).toEqual([
      "solved in 42 ms",
      "solved in 999 ms",
      "solved in 3.1 s",
      "solved in 42 s",
    ]);
  });

  it("names keys as people read them", () => {
    expect([" ", "ctrl+z", "ArrowLeft", "shift+A"].map(named)).toEqual([
      "Space",
      "ctrl+Z",
      "Left",
      "shift+A",
    ]);
  });
});

describe("the outliner", () => {
  it("says which layers are hidden by one that makes a motion of its own, until that is muted", () => {
    const plan = { do: "plan", name: "plan", scene: "jump" };
    const below = [
      { do: "load", name: "take", clip: "punch" },
      { do: "loosen", name: "loose" },
    ];
    const layers = [...below, plan, { do: "mirror", name: "other way" }];
    const hidden = (all: Layer[]) => {
      const { store } = storeWith(all);
      return [...shown(Outliner, { store }).querySelectorAll<HTMLElement>("[data-layer]")]
        .filter((row) => row.querySelector("small")?.textContent === "hidden")
        .map((row) => row.dataset["layer"]);
    };
    expect(hidden(layers)).toEqual(["loose", "take"]);
    expect(root.querySelector("small")!.title).toContain("plan starts a new motion");
    expect(hidden(layers.map((l) => (l === plan ? { ...plan, muted: true } : l)))).toEqual([]);
  });
});

describe("the status line", () => {
  it("shows the last thing that was said, and how far work has come", () => {
    const { store } = storeWith();
    store.asked.value = { what: "hit", part: 0.256 };
    store.note("first");
    store.note("no such joint", "problem");
    const text = shown(Status, { bench: benchOf(store) }).textContent!;
    expect(text).toContain("hit");
    expect(text).toContain("26 %");
    expect(text).toContain("✗ no such joint");
    expect(text).not.toContain("first");
  });
});

describe("how the motion stands", () => {
  const text = (store: Store) =>
    shown(Status, { bench: benchOf(store) }).querySelector("[data-state]")!.textContent!;

  it("is said by the server, and counts the hints of all paths", () => {
    const { store, socket } = storeWith();
    socket.tell(standing("exact", { checks: { asked: 3, met: 3 } }));
    const path = (...fine: boolean[]) => ({ segments: fine.map((f) => ({ fine: f })) });
    store.paths.value = { hop: path(false, true, false), aim: path(false) } as never;
    expect(text(store)).toContain("✓ 3 of 3 met");
    expect(text(store)).toMatch(/· 3/);
  });

  it("leads to what was missed, and to the layer that broke it", () => {
    const { store, socket } = storeWith();
    const missed = [
      { layer: "aim", name: "fist", error: 0.165, unit: "m", tolerance: 1e-4, time: 0.85, broken_by: "hit" },
    ];
    socket.tell(standing("exact", { checks: { asked: 9, met: 8, missed } }));
    expect(text(store)).toContain("✗ 1 of 9 missed: fist 16.5 cm at frame 85, broken by hit");
    const press = (label: string) =>
      [...root.querySelectorAll("button")].find((b) => b.textContent === label)!.click();
    press("Go there");
    press("Show");
    expect([store.player.frame.value, store.layer.value]).toEqual([85, "hit"]);
  });
});

describe("the picked body", () => {
  it("is told with its place and its velocity, by the frames around", () => {
    const { store, socket } = storeWith(layersOf());
    store.figure.value = HAND;
    const x = (f: number) => 0.01 * f * f; // at 100 frames a second: 2 · 0.01 · f · 100 m/s
    const values = Float32Array.from(Array.from({ length: 11 }, (_, f) => [x(f), 0.5, 1, 0, 0, 0, 1]).flat());
    store.result.value = new Poses(values, 11, 1);
    store.player.resize(11);
    store.player.seek(5);
    store.body.value = 0;
    store.layer.value = "hit";
    const text = shown(Inspector, { store }).textContent!;
    expect(text).toContain("Hand at frame 5");
    expect(text).toContain("moves 10.00, 0.00, 0.00 m/s");
    [...root.querySelectorAll("button")].find((b) => b.textContent === "with velocity")!.click();
    const added = JSON.stringify(done(socket).at(-1));
    expect(added).toContain("0.25");
    expect(added).toContain("[10,0,0]");
  });
});

describe("files that are dropped", () => {
  const file = (name: string) => new File(["x"], name);
  const answered = (said: object) =>
    vi.stubGlobal(
      "fetch",
      vi.fn(async () => ({ json: async () => said })),
    );

  it("are uploaded one after another and looked into; the browser does not open them itself", async () => {
    answered({ path: "a.bvh" });
    const { store, socket } = storeWith();
    const stop = dropping(store);
    const event = Object.assign(new Event("drop", { cancelable: true }), {
      dataTransfer: { files: [file("a.poise"), file("b.poise")], getData: () => "" },
    });
    dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    await vi.waitFor(() => expect(vi.mocked(fetch)).toHaveBeenCalledTimes(2));
    expect(vi.mocked(fetch).mock.calls.map(([to]) => to)).toEqual(["/upload/a.poise", "/upload/b.poise"]);
    answered({ path: "c.bvh" });
    void upload(store, [file("c.bvh")]);
    await vi.waitFor(() =>
      expect(socket.sent).toContainEqual(
        expect.objectContaining({ question: "inspect", about: { file: "c.bvh" } }),
      ),
    );
    stop();
    dispatchEvent(Object.assign(new Event("drop"), { dataTransfer: { files: [file("d.bvh")] } }));
    expect(vi.mocked(fetch)).toHaveBeenCalledTimes(1);
  });

  it("that are sounds are what the chosen performance is played to", async () => {
    answered({ path: "song.mid" });
    const own = (name: string) => ({ do: "perform" as const, name, script: { poses: {} } });
    const { store, socket } = storeWith([own("one"), own("two")]);
    store.layer.value = "two";
    await upload(store, [file("song.mid")]);
    expect(done(socket)).toEqual([
      { do: "set", layer: "two", path: "script/beats", value: { midi: "song.mid" } },
    ]);
    store.layer.value = "elsewhere";
    await upload(store, [file("song.WAV")]);
    expect(done(socket)[1]).toMatchObject({ layer: "one", value: { wav: "song.WAV" } });
  });

  it("that are refused say why", async () => {
    answered({ problem: "not a motion" });
    const { store } = storeWith();
    await upload(store, [file("a.txt")]);
    expect(store.messages.value.at(-1)).toMatchObject({ text: "not a motion", kind: "problem" });
  });
});

describe("a store", () => {
  it("begins with one frame, nothing held and nobody picked", () => {
    const { store } = storeWith([]);
    expect(store.connection.held.value).toBe(false);
    expect(store.body.value).toBe(-1);
    expect(store.fps.peek()).toBe(100);
  });
});
