import { describe, expect, it, vi } from "vitest";
import { Latest } from "../src/connection.ts";
import { withEnding } from "../src/shell/file_name.ts";
import { saved } from "../src/shell/new_project.tsx";
import { FakeSocket, layersOf, standing, stateOf, storeWith } from "./documents.ts";

const solved = (revision: number, live = false) => ({
  told: "solved" as const,
  revision,
  live,
  seconds: 0.02,
  met: true,
  reports: {},
});

describe("latest wins", () => {
  it("has one in flight, keeps the newest, and loses none at the end", () => {
    const gone: number[] = [];
    const latest = new Latest();
    for (const k of [1, 2, 3, 4]) latest.send(() => gone.push(k));
    expect(gone).toEqual([1]);
    latest.answered();
    expect(gone).toEqual([1, 4]);
    latest.send(() => gone.push(5));
    latest.flush();
    expect(gone).toEqual([1, 4, 5]);
    latest.send(() => gone.push(6));
    expect(gone.at(-1)).toBe(6);
  });
});

describe("the connection", () => {
  it("sends edits of a drag one at a time, the newest next, and the last before the seal", () => {
    const { store, socket } = storeWith();
    socket.sent.length = 0;
    for (const v of [1, 2, 3]) store.edit({ do: "set", layer: "loose", path: "tension", value: v }, true);
    expect(socket.sent.map((m) => m["command"].value)).toEqual([1]);
    socket.tell(solved(2, true));
    expect(socket.sent.map((m) => m["command"].value)).toEqual([1, 3]);
    store.edit({ do: "set", layer: "loose", path: "tension", value: 4 }, true);
    store.connection.seal();
    expect(socket.sent.slice(2).map((m) => m["command"]?.value ?? m["say"])).toEqual([4, "seal"]);
  });

  it("goes on with a drag where somebody else stopped the solver, or had it make something else", () => {
    for (const said of [{ told: "notice" as const, event: "stopped" as const, text: "stopped" }, solved(3)]) {
      const { store, socket } = storeWith();
      socket.sent.length = 0;
      for (const v of [1, 2]) store.edit({ do: "set", layer: "loose", path: "tension", value: v }, true);
      socket.tell(said);
      expect(socket.sent.map((m) => m["command"].value)).toEqual([1, 2]);
    }
  });

  it("a layer that is left out stays marked until it is not, whatever is dismissed", () => {
    const { store, socket } = storeWith();
    const bypassed = { hat: "layer 2 ('hat'): no joint named 'Nobody'", cap: "torn" };
    const partial = { state: "partial" as const, revision: 1, shown: 1, bypassed };
    socket.tell({ told: "status", standing: partial });
    store.messages.value = [];
    for (const text of ["a", "b", "c", "d", "e", "f"]) store.note(text);
    const said = { hat: "left out: no joint named 'Nobody'", cap: "left out: torn" };
    expect(store.troubled.value).toEqual(said);
    const gone = {
      state: "failed" as const,
      revision: 2,
      shown: 1,
      layer: "walk",
      why: "walk.bvh is missing",
    };
    socket.tell({ told: "status", standing: { ...gone, bypassed: {} } });
    expect(store.troubled.value).toEqual({ walk: "walk.bvh is missing" });
    socket.tell({ told: "status", standing: { ...partial, state: "exact", bypassed: {} } });
    expect(store.troubled.value).toEqual({});
  });

  it("names layers that failed, until they are made", () => {
    const { store, socket } = storeWith();
    socket.tell({ ...solved(1), failures: { loose: "it is torn apart" } });
    expect(store.troubled.value["loose"]).toContain("it is torn apart");
    socket.tell(solved(1));
    expect(store.troubled.value).toEqual({});
  });

  it("does not bother anybody with a stop that found nothing to stop", () => {
    const { store, socket } = storeWith();
    socket.tell({ told: "notice", event: "idle", text: "nothing to stop" });
    expect(store.messages.value).toEqual([]);
  });

  it("comes back by itself, and makes the edits then that were made in between", () => {
    vi.useFakeTimers();
    const { store, socket } = storeWith();
    const set = (value: number) => store.edit({ do: "set", layer: "loose", path: "weight", value });
    set(0.1);
    set(0.2);
    socket.tell(stateOf(layersOf(), { revision: 2, number: socket.sent[0]!["number"] as number }));
    socket.close();
    expect(store.shown.value).toMatchObject({ state: "offline", waiting: 1 });
    set(0.3);
    expect(store.shown.value.waiting).toBe(2);
    for (const say of [{ say: "undo" }, { say: "save" }, { say: "export", path: "x.glb" }] as const)
      store.connection.say(say);
    expect(store.messages.value.map((m) => m.text)).toEqual([
      "not undone: the studio is offline",
      "not saved: the studio is offline",
      "not exported: the studio is offline",
    ]);
    vi.advanceTimersByTime(300);
    const next = FakeSocket.all[1]!;
    next.open();
    expect(store.connection.live.value).toBe("open");
    expect(next.sent).toEqual([{ say: "hello", waiting: [socket.sent[1]!["edit"]] }]);
    next.tell(stateOf(layersOf(), { revision: 1, recovery: "2 edits not saved" }));
    next.tell({ told: "welcome", session: "two", done: [0] });
    expect(next.sent).toHaveLength(1); // what a crash left is decided on first
    next.tell(stateOf(layersOf(), { revision: 2 }));
    expect(next.sent.slice(1).map((m) => m["command"]?.value ?? m["say"])).toEqual([0.3, "seal"]);
    expect(store.shown.value.waiting).toBe(0);
    vi.useRealTimers();
  });

  it("answers for what was not answered when the connection is lost; nothing waits for ever", async () => {
    const { store, socket } = storeWith();
    store.connection.say({ say: "undo" });
    store.connection.say({ say: "redo" });
    const asked = store.ask("clips", {}, true);
    const [undo] = socket.sent.filter((m) => m["say"] === "undo");
    socket.tell(stateOf(layersOf(), { revision: 2, number: undo!["number"] as number }));
    expect(store.unanswered).toBe(1);
    socket.readyState = 2; // it is closing, and nobody has been told yet
    store.connection.say({ say: "undo" });
    expect(store.messages.value.map((m) => m.text)).toEqual(["not undone: the studio is offline"]);
    socket.close();
    expect(await asked).toBeUndefined();
    expect(store.unanswered).toBe(0);
    expect(store.messages.value.map((m) => m.text).slice(1)).toEqual([
      "not redone, or not seen to be: the connection to the studio was lost",
    ]);
  });

  it("makes an edit again that says the same as one that was made", () => {
    vi.useFakeTimers();
    const { store, socket } = storeWith();
    for (const value of [true, false, true]) store.edit({ do: "set", layer: "loose", path: "solo", value });
    const names = socket.sent.map((m) => m["edit"]);
    expect(new Set(names).size).toBe(3);
    socket.close();
    vi.advanceTimersByTime(300);
    const next = FakeSocket.all[1]!;
    next.open();
    expect(next.sent).toEqual([{ say: "hello", waiting: names }]);
    next.tell(stateOf(layersOf(), { revision: 3 }));
    next.tell({ told: "welcome", session: "one", done: [0, 1] });
    expect(next.sent.slice(1)).toMatchObject([{ command: { value: true }, edit: names[2] }, { say: "seal" }]);
    vi.useRealTimers();
  });

  it("keeps the newest of a drag while there is no server, and no more than a hundred edits", () => {
    const { store, socket } = storeWith();
    socket.close();
    for (const value of [1, 2, 3])
      store.connection.say({
        say: "do",
        live: true,
        command: { do: "set", layer: "loose", path: "weight", value, gesture: "drag 1" },
      });
    expect(store.shown.value.waiting).toBe(1);
    for (let k = 1; k < 102; k++) store.edit({ do: "set", layer: "loose", path: "weight", value: k });
    expect(store.shown.value.waiting).toBe(100);
    expect(store.messages.value.at(-1)!.text).toContain("100 edits are already wait");
  });
});

describe("saving before another project begins", () => {
  it("waits for the state that says so, and says no where it was refused", async () => {
    const { store, socket } = storeWith();
    socket.tell(stateOf(layersOf(), { revision: 2, modified: true }));
    const done = saved(store, "mine.poise");
    expect(socket.sent.at(-1)).toMatchObject({ say: "save", path: "mine.poise" });
    socket.tell(stateOf(layersOf(), { revision: 2, modified: false, path: "mine.poise" }));
    expect(await done).toBe(true);
    socket.tell(stateOf(layersOf(), { revision: 3, modified: true, path: "mine.poise" }));
    store.note("an old complaint", "problem");
    const refused = saved(store, "");
    expect(socket.sent.at(-1)).toMatchObject({ say: "save" });
    socket.tell({ told: "problem", text: "other.poise already exists" });
    expect(await refused).toBe(false);
  });
});

describe("the store", () => {
  it("answers questions by number; what cannot be answered is undefined, and said unless quiet", async () => {
    const { store, socket } = storeWith();
    const asked = [
      store.ask("window", { layer: "loose" }),
      store.ask("check"),
      store.ask("segments", {}, true),
    ];
    const [a, b, c] = socket.sent.slice(-3).map((m) => m["number"] as number);
    socket.tell({ told: "answer", question: "check", value: { plausible: true }, number: b! });
    socket.tell({ told: "problem", text: "there is no motion", number: a! });
    socket.tell({ told: "problem", text: "no such question", number: c! });
    expect(await Promise.all(asked)).toEqual([undefined, { plausible: true }, undefined]);
    expect(store.messages.value.map((m) => m.text)).toEqual(["there is no motion"]);
  });

  it("forgets what was refused when something else is done", () => {
    const { store, socket } = storeWith();
    socket.tell({ told: "problem", text: "a weight must be a number" });
    expect(store.messages.value).toHaveLength(1);
    socket.tell(stateOf(layersOf(), { revision: 1, path: "saved.poise" }));
    expect(store.messages.value).toHaveLength(1);
    socket.tell(stateOf(layersOf(), { revision: 2 }));
    expect(store.messages.value).toEqual([]);
  });

  it("forgets a refusal after a while, and a problem of a layer not", () => {
    vi.useFakeTimers();
    const { store, socket } = storeWith();
    socket.tell({ told: "problem", text: "this is no motion" });
    store.note("saved");
    socket.tell({ told: "problem", text: "layer 5 ('hit'): too far", layer: "hit" });
    vi.advanceTimersByTime(14_000);
    expect(store.messages.value).toHaveLength(3);
    vi.advanceTimersByTime(2_000);
    expect(store.messages.value.map((m) => m.text)).toEqual(["saved", "layer 5 ('hit'): too far"]);
    vi.useRealTimers();
  });

  it("shows what the server says of the motion, and does not make up anything", () => {
    const { store, socket } = storeWith();
    expect(store.shown.value.state).toBe("solving");
    for (const state of ["exact", "draft", "solving", "stopped", "failed", "partial", "stale"] as const) {
      socket.tell(standing(state));
      socket.tell(solved(1, state === "draft"));
      expect(store.shown.value.state).toBe(state);
    }
    store.goOn();
    expect(socket.sent.at(-1)).toEqual({ say: "seal" });
    socket.tell(standing("stopped"));
    socket.tell({ told: "notice", event: "stopped", text: "stopped" });
    expect(store.messages.value).toEqual([]);
    socket.tell(standing("exact"));
    socket.tell({ told: "notice", event: "stopped", text: "stopped" }); // a question, and the motion is there
    expect(store.messages.value.map((m) => m.text)).toEqual(["stopped"]);
  });

  it("shows a problem at its layer until a solution comes", () => {
    const { store, socket } = storeWith();
    socket.tell({ told: "problem", text: "layer 5 ('hit'): too far", layer: "hit" });
    expect(store.troubled.value).toEqual({ hit: "too far" });
    socket.tell(solved(1));
    expect(store.troubled.value).toEqual({});
  });

  it("begins at the start with another project, and stays where it is when saved under a name", () => {
    const { store, socket } = storeWith();
    store.player.seek(80);
    store.player.range.value = [20, 90];
    store.selected.value = new Set(["hit/constraints/0"]);
    socket.tell(stateOf(layersOf(), { revision: 1, path: "boxer.poise" }));
    expect([store.player.frame.value, store.player.range.value, store.selected.value.size]).toEqual([
      80,
      [20, 90],
      1,
    ]);
    socket.tell(stateOf(layersOf(), { revision: 2, project: 1 })); // neither has a name
    expect([store.player.frame.value, store.player.range.value, store.selected.value.size]).toEqual([
      0,
      [0, 200],
      0,
    ]);
  });

  it("chooses another layer when the chosen one is gone", () => {
    const { store, socket } = storeWith();
    store.layer.value = "hit";
    socket.tell(
      stateOf(
        layersOf().filter((l) => l.name !== "hit"),
        { revision: 2 },
      ),
    );
    expect(store.layer.value).toBe("hat");
  });
});

describe("names of files", () => {
  it("get the ending that they need", () => {
    expect(
      ["mine", " mine ", "mine.poise", "Mine.POISE", "v1.2", "takes/mine"].map((n) =>
        withEnding(n, [".poise"]),
      ),
    ).toEqual(["mine.poise", "mine.poise", "mine.poise", "Mine.POISE", "v1.2.poise", "takes/mine.poise"]);
    expect(["", "  ", ".", "takes/", ".poise", "takes/.poise"].map((n) => withEnding(n, [".poise"]))).toEqual(
      Array(6).fill(undefined),
    );
  });

  it("keep what was chosen where there is a choice, and another ending is not made up for", () => {
    expect(
      ["mine", "v1.2", "mine.glb", "mine.png"].map((n) => withEnding(n, [".glb", ".bvh"], ".bvh")),
    ).toEqual(["mine.bvh", "v1.2.bvh", "mine.glb", undefined]);
  });
});
