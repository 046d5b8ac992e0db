import { describe, expect, it } from "vitest";
import { hit, pointAt } from "../src/commands.ts";
import type { Constrained } from "../src/layer.ts";
import { place } from "../src/stage/grasp.ts";
import { clip, pasting } from "../src/time/clipboard.ts";
import { documentEdits, duplicate, entriesOf, erase, mute } from "../src/time/document_edits.ts";
import type { Entry } from "../src/time/entry.ts";
import { attempt, takeBack } from "../src/time/fixing.ts";
import { done, HAND, layersOf, stateOf, storeWith } from "./documents.ts";

describe("targets by buttons and numbers", () => {
  it("say the same twice and it is still one target", () => {
    const { store, socket } = storeWith();
    hit(store, pointAt("Fist", [1, 2, 3], 0.5));
    const added = done(socket)[0].commands[0];
    expect(added).toMatchObject({ do: "insert", path: "constraints/1" });
    const [hitting] = store.layers.value.filter((l) => l.do === "hit");
    socket.tell(
      stateOf(
        store.layers.value.map((l) =>
          l === hitting ? { ...l, constraints: [...(l as Constrained).constraints!, added.value] } : l,
        ),
        { revision: 2 },
      ),
    );
    hit(store, pointAt("Fist", [1, 2, 4], 0.5));
    expect(done(socket)[1].commands).toEqual([
      {
        do: "set",
        layer: "hit",
        path: "constraints/1",
        value: { ...added.value, target: { value: [1, 2, 4] } },
      },
    ]);
  });

  it("a body's place typed in is what dragging it there would be", () => {
    const { store, socket } = storeWith();
    store.figure.value = HAND;
    store.player.seek(50);
    store.layer.value = "hit";
    place(store, 0, [1, 2, 3]);
    expect(done(socket)[0].commands[0]).toMatchObject({
      do: "insert",
      layer: "hit",
      value: { handle: { point: "Hand" }, target: { value: [1, 2, 3] }, when: { at: 0.5 } },
    });
    expect([...store.selected.value]).toEqual(["hit/constraints/1"]);
    store.layer.value = "hop";
    place(store, 0, [1, 2, 3]);
    expect(done(socket)[1]).toMatchObject({
      do: "insert",
      layer: "hop",
      path: "keyframes/pins/2",
      value: { point: "Hand", at: [0.5, 0.5], to: [1, 2, 3] },
    });
  });
});

describe("edits by gestures", () => {
  it("move keys of several tracks as one step", () => {
    const { store, socket } = storeWith();
    documentEdits(store)
      .move(["hit/constraints/0", "hop/keyframes/poses/1", "hop/keyframes/spins/0"], false)
      .to(10);
    const [command] = done(socket);
    expect(command.do).toBe("group");
    expect(
      command.commands.map((c: Entry) => [
        c["path"],
        c["value"].when?.at ?? c["value"].time ?? c["value"].start,
      ]),
    ).toEqual([
      ["constraints/0", 0.95],
      ["keyframes/poses/1", 1.1],
      ["keyframes/spins/0", 0.7],
    ]);
  });

  it("copy into the same list, with a name of its own, and select the copy", () => {
    const { store, socket } = storeWith();
    const copies = documentEdits(store).move(["hit/constraints/0"], true);
    copies.to(3);
    copies.to(5);
    copies.drop();
    expect(done(socket).length).toBe(1);
    const [command] = done(socket);
    expect(command.commands[0]).toMatchObject({
      do: "insert",
      path: "constraints/1",
      value: { name: "fist (2)", when: { at: 0.9 } },
    });
    expect([...store.selected.value]).toEqual(["hit/constraints/1"]);
  });

  it("stretch what lasts, and lengthen a stance", () => {
    const { store, socket } = storeWith();
    const stretch = (id: string, frame: number) => {
      const end = documentEdits(store).resize(id, "last");
      end.to(frame);
      end.drop();
    };
    stretch("hop/keyframes/pins/0", 60);
    stretch("jump/scene/segments/0", 120);
    stretch("jump/scene/segments/1", 120);
    expect(done(socket).map((c) => [c.path, c.value.at ?? c.value])).toEqual([
      ["keyframes/pins/0", [0, 0.6]],
      ["scene/segments/0/duration", 1.2],
    ]);
  });

  it("raise numbers: a gain stays within 0 and 1, an octave doubles a tension, an axis of a place", () => {
    const { store, socket } = storeWith();
    const lift = (id: string, frames: number, field: string, by: number) => {
      const keys = documentEdits(store).move([id], false);
      keys.to(frames, { field, by });
      keys.drop();
    };
    lift("hop/keyframes/pins/1/gains/1", 0, "value", 3);
    lift("loose/tension/0", 0, "tension", 1);
    lift("loose/tension/1", 0, "tension", 1);
    lift("hit/constraints/0", 2, "target/value/2", -0.5);
    const values = done(socket).map((c) => c.value);
    expect(values[0].value).toEqual([1]);
    expect(values[1].tension).toBe(8);
    expect(values[2].tension).toEqual({ "*": 4, Head: 9 });
    expect(values[3]).toMatchObject({ target: { value: [0.9, 0.1, 1] }, when: { at: 0.87 } });
  });

  it("follow the pointer from where the keys were, one edit waiting; sealed or undone as one step", () => {
    const { store, socket } = storeWith();
    const keys = documentEdits(store).move(["hit/constraints/0"], false);
    const at = (k: number) => done(socket)[k].value.when.at;
    keys.to(1);
    // The document has followed: what comes next is still counted from where the drag began.
    const told = done(socket)[0].value;
    socket.tell(
      stateOf(
        store.layers.value.map((l) => (l.name === "hit" ? { ...l, constraints: [told] } : l)) as never,
        { revision: 2 },
      ),
    );
    keys.to(2);
    keys.to(3);
    keys.to(3);
    expect([done(socket).length, at(0)]).toEqual([1, 0.86]);
    socket.tell({
      told: "solved",
      live: true,
      revision: 2,
      seconds: 0,
      met: true,
      reports: {},
      notices: [],
      carried: [],
    } as never);
    expect([done(socket).length, at(1)]).toEqual([2, 0.88]);
    keys.to(0);
    keys.cancel();
    // What still waited is of no use, and nothing is sealed: it is to be as if the drag had never begun.
    expect([done(socket).length, socket.sent.some((m) => m["say"] === "seal")]).toEqual([2, false]);
    const undo = socket.sent.at(-1)!;
    expect(undo["say"]).toBe("undo");
    expect(new Set([...done(socket).map((c) => c.gesture), undo["gesture"]]).size).toBe(1);
    keys.cancel();
    keys.drop();
    expect(socket.sent.at(-1)).toBe(undo);
    // The next drag waits for nothing of this one.
    documentEdits(store).move(["hit/constraints/0"], false).to(5);
    expect(done(socket).length).toBe(3);
  });

  it("move keys of a script from where they were, however often it is written meanwhile", () => {
    const script = {
      poses: { up: {}, down: {} },
      keys: [
        { pose: "up", at: 0.5 },
        { pose: "down", after: 0.5 },
      ],
    };
    const { store, socket } = storeWith([{ do: "perform", name: "dance", script } as never]);
    const keys = documentEdits(store).move(["dance/script/keys/0"], false);
    for (const [step, frames] of [10, 20].entries()) {
      keys.to(frames);
      const written = done(socket).at(-1);
      expect(written.path).toBe("script/keys");
      expect(written.value[0].at).toBeCloseTo(0.5 + frames / 100, 6);
      socket.tell(
        stateOf([{ do: "perform", name: "dance", script: { ...script, keys: written.value } } as never], {
          revision: 2 + step,
        }),
      );
      socket.tell({
        told: "solved",
        live: true,
        revision: 2 + step,
        seconds: 0,
        met: true,
        reports: {},
      } as never);
    }
  });

  it("insert a pose as it is on the stage: the server knows its numbers", async () => {
    const { store, socket } = storeWith();
    documentEdits(store).insert({ layer: "hop", list: "keyframes/poses", label: "poses" }, 50);
    expect(done(socket)).toEqual([]);
    const asked = socket.sent.find((m) => m["say"] === "ask")!;
    expect(asked).toMatchObject({ question: "key", about: { layer: "hop", time: 0.5 } });
    socket.tell({
      told: "answer",
      question: "key",
      value: { time: 0.5, q: [1, 2, 3] },
      number: asked["number"] as number,
    });
    await new Promise((later) => setTimeout(later));
    expect(done(socket)[0]).toEqual({
      do: "insert",
      layer: "hop",
      path: "keyframes/poses/2",
      value: { time: 0.5, q: [1, 2, 3] },
    });
    expect([...store.selected.value]).toEqual(["hop/keyframes/poses/2"]);
  });

  it("insert on the curve of a gain, and say in words what is missing", () => {
    const { store, socket } = storeWith();
    const edits = documentEdits(store);
    edits.insert({ layer: "hop", list: "keyframes/pins/1/gains", label: "look" }, 50);
    expect(done(socket)[0]).toMatchObject({
      do: "insert",
      path: "keyframes/pins/1/gains/2",
      value: { time: 0.5 },
    });
    expect(done(socket)[0].value.value[0]).toBeCloseTo(0.25, 6);
    edits.insert({ layer: "hop", list: "keyframes/poses", label: "poses" }, 100);
    expect(store.messages.value.at(-1)!.text).toMatch(/already a key at this frame/);
    expect(done(socket).length).toBe(1);
    edits.insert({ layer: "hit", list: "constraints", label: "hit" }, 50);
    expect(store.messages.value.at(-1)).toMatchObject({ kind: "problem", layer: "hit" });
    expect(store.messages.value.at(-1)!.text).toMatch(/select a body/);
  });

  it("make a tension that was the same always one with a key", () => {
    const layers = layersOf().map((l) => (l.do === "loosen" ? { ...l, tension: "drunk" } : l));
    const { store, socket } = storeWith(layers);
    documentEdits(store).insert({ layer: "loose", list: "tension", label: "loose" }, 50);
    expect(done(socket)[0]).toMatchObject({
      do: "set",
      path: "tension",
      value: [{ time: 0.5, tension: "drunk" }],
    });
  });
});

describe("edits by keys", () => {
  it("delete the last of a list first, and a pin's keys before the pin", () => {
    const { store, socket } = storeWith();
    erase(store, [
      "hop/keyframes/poses/0",
      "hop/keyframes/poses/1",
      "hop/keyframes/pins/1",
      "hop/keyframes/pins/1/gains/0",
    ]);
    expect(done(socket)[0].commands.map((c: Entry) => c["path"])).toEqual([
      "keyframes/pins/1/gains/0",
      "keyframes/poses/1",
      "keyframes/pins/1",
      "keyframes/poses/0",
    ]);
  });

  it("mute, and unmute where all are muted; what has no mute says so", () => {
    const { store, socket } = storeWith();
    mute(store, ["hop/keyframes/poses/0", "hop/keyframes/spins/0"]);
    expect(done(socket)[0].commands).toEqual([
      { do: "set", layer: "hop", path: "keyframes/poses/0/muted", value: true },
    ]);
    mute(store, ["hop/keyframes/spins/0"]);
    expect(store.messages.value.at(-1)!.text).toMatch(/cannot be muted one by one/);
    const muted = layersOf().map((l) =>
      l.do === "hit" ? { ...l, constraints: [{ ...(l as Constrained).constraints![0], muted: true }] } : l,
    );
    const again = storeWith(muted);
    mute(again.store, ["hit/constraints/0"]);
    expect(done(again.socket)[0].commands).toEqual([
      { do: "remove", layer: "hit", path: "constraints/0/muted" },
    ]);
  });

  it("duplicate many into one list without writing over one another", () => {
    const { store, socket } = storeWith();
    duplicate(store, entriesOf(store.layers.value, ["hop/keyframes/poses/0", "hop/keyframes/poses/1"]), 0.5);
    expect(done(socket)[0].commands.map((c: Entry) => [c["path"], c["value"].time])).toEqual([
      ["keyframes/poses/2", 0.5],
      ["keyframes/poses/3", 1.5],
    ]);
  });
});

describe("copy and paste", () => {
  const layers = layersOf();
  const kept = clip(layers, ["hop/keyframes/poses/0", "hop/keyframes/poses/1"])!;

  it("puts the earliest at the time asked for and keeps the distances", () => {
    const { commands, ids } = pasting(layers, kept, 1.2, "hop");
    expect(commands.map((c) => (c as Entry)["value"].time)).toEqual([1.2, 2.2]);
    expect(ids).toEqual(["hop/keyframes/poses/2", "hop/keyframes/poses/3"]);
    const later = clip(layers, ["hop/keyframes/poses/1", "hop/keyframes/spins/0"])!; // at 1 and from 0.6 s on
    expect(
      pasting(layers, later, 0.2, "hop").commands.map(
        (c) => (c as Entry)["value"].time ?? (c as Entry)["value"].start,
      ),
    ).toEqual([0.6, 0.2]);
  });

  it("goes to the chosen layer of the same operation", () => {
    const other = { ...layers.find((l) => l.do === "key")!, name: "other" };
    const { commands } = pasting([...layers, other], kept, 0, "other");
    expect(commands.every((c) => (c as Entry)["layer"] === "other")).toBe(true);
  });

  it("leaves out what finds no home", () => {
    const { commands, left } = pasting(
      layers.filter((l) => l.do !== "key"),
      kept,
      0,
      "hit",
    );
    expect([commands.length, left]).toEqual([0, 2]);
  });

  it("copies nothing where nothing is selected", () => {
    expect(clip(layers, ["hop/keyframes/path/keys/0/template", "punch/"])).toBeUndefined();
  });
});

describe("a fix on trial", () => {
  it("is one step, shown beside what was, and can be taken back once", () => {
    const { store, socket } = storeWith();
    attempt(store, "keys moved", { do: "set", layer: "hop", path: "fix", value: true });
    socket.tell(stateOf(layersOf(), { revision: 2, undoable: 1 }));
    expect(store.trial.value?.title).toBe("keys moved");
    takeBack(store);
    takeBack(store);
    expect(socket.sent.filter((m) => m["say"] === "undo").length).toBe(1);
  });

  it("is over when it was undone by other means, or refused", () => {
    const { store, socket } = storeWith();
    attempt(store, "a", { do: "set", layer: "hop", path: "fix", value: true });
    socket.tell(stateOf(layersOf(), { revision: 2, undoable: 1 }));
    socket.tell(stateOf(layersOf(), { revision: 3, undoable: 0 }));
    expect(store.trial.value).toBeUndefined();
    attempt(store, "b", { do: "set", layer: "hop", path: "nonsense", value: true });
    socket.tell({ told: "problem", text: "no such field" });
    expect(store.trial.value).toBeUndefined();
  });
});
