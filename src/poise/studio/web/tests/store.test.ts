import { describe, expect, it, vi } from "vitest";
import { Latest } from "../src/connection.ts";
import { withEnding } from "../src/shell/file_name.ts";
import { saved } from "../src/shell/new_project.tsx";
import { allMet } from "../src/shell/status.tsx";
import { FakeSocket, layersOf, stateOf, storeWith } from "./documents.ts";

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

  it("names layers that failed, until they are made", () => {
    const { store, socket } = storeWith();
    socket.tell({ ...solved(1), failures: { loose: "it is torn apart" } });
    expect(store.making.value).toBe("exact");
    expect(store.troubled.value["loose"]).toContain("it is torn apart");
    socket.tell(solved(1));
    expect(store.troubled.value).toEqual({});
  });

  it("does not bother anybody with a stop that found nothing to stop", () => {
    const { store, socket } = storeWith();
    socket.tell({ told: "notice", event: "idle", text: "nothing to stop" });
    expect(store.messages.value).toEqual([]);
  });

  it("comes back by itself, and says then what was said in between", () => {
    vi.useFakeTimers();
    const { store, socket } = storeWith();
    socket.close();
    expect(store.connection.live.value).toBe("lost");
    store.connection.say({ say: "undo" });
    vi.advanceTimersByTime(300);
    const next = FakeSocket.all[1]!;
    next.open();
    expect(store.connection.live.value).toBe("open");
    expect(next.sent).toEqual([{ say: "undo" }]);
    vi.useRealTimers();
  });
});

describe("saving before another project begins", () => {
  it("waits for the state that says so, and says no where it was refused", async () => {
    const { store, socket } = storeWith();
    socket.tell(stateOf(layersOf(), { revision: 2, modified: true }));
    const done = saved(store, "mine.poise");
    expect(socket.sent.at(-1)).toEqual({ say: "save", path: "mine.poise" });
    socket.tell(stateOf(layersOf(), { revision: 2, modified: false, path: "mine.poise" }));
    expect(await done).toBe(true);
    socket.tell(stateOf(layersOf(), { revision: 3, modified: true, path: "mine.poise" }));
    store.note("an old complaint", "problem");
    const refused = saved(store, "");
    expect(socket.sent.at(-1)).toEqual({ say: "save" });
    socket.tell({ told: "problem", text: "other.poise exists already" });
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

  it("tells what becomes of the motion: solved, dragged, made exact, stopped and continued, failed", () => {
    const { store, socket } = storeWith();
    const told = (): string => store.making.value;
    expect(told()).toBe("solving");
    socket.tell(solved(1));
    expect(told()).toBe("exact");
    store.edit({ do: "set", layer: "loose", path: "tension", value: 3 }, true);
    socket.tell(stateOf(layersOf(), { revision: 2 }));
    socket.tell(solved(2, true));
    expect(told()).toBe("quick");
    store.connection.seal();
    expect(told()).toBe("refining");
    socket.tell({ told: "notice", event: "stopped", text: "stopped" });
    expect(told()).toBe("stopped");
    expect(store.messages.value).toEqual([]);
    store.goOn();
    expect(socket.sent.at(-1)).toEqual({ say: "seal" });
    expect(told()).toBe("refining");
    socket.tell({ told: "notice", event: "stopped", text: "stopped" });
    socket.tell(stateOf(layersOf(), { revision: 3 })); // what was stopped is past
    expect(told()).toBe("refining"); // what is on the stage is the quick answer still
    socket.tell({ told: "problem", text: "layer 5 ('hit'): too far", layer: "hit" });
    expect(told()).toBe("failed");
    socket.tell(stateOf(layersOf(), { revision: 4 }));
    socket.tell(solved(4));
    socket.tell(stateOf(layersOf(), { revision: 5 }));
    expect(told()).toBe("solving");
    socket.tell(solved(5));
    socket.tell({ told: "notice", event: "stopped", text: "stopped" }); // a question, and the motion is there
    expect([told(), store.messages.value.map((m) => m.text)]).toEqual(["exact", ["stopped"]]);
  });

  it("says that all is met only where there is something to meet", () => {
    expect(allMet({ met: true, reports: {} })).toBeUndefined();
    expect(allMet({ met: true, reports: { loose: { met: true, outcomes: [] } } })).toBeUndefined();
    expect(
      allMet({
        met: true,
        reports: { loose: { met: true, outcomes: [] }, hit: { met: true, outcomes: [{ met: true }] } },
      }),
    ).toBe(true);
    expect(allMet({ met: true, reports: { aim: { met: false, outcomes: [{ met: false }] } } })).toBe(false);
    expect(allMet({ met: false, reports: {} })).toBe(false);
  });

  it("shows a problem at its layer until a solution comes", () => {
    const { store, socket } = storeWith();
    socket.tell({ told: "problem", text: "layer 5 ('hit'): too far", layer: "hit" });
    expect(store.troubled.value).toEqual({ hit: "layer 5 ('hit'): too far" });
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
