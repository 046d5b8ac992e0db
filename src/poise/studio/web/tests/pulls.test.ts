// A pull that was let go and is still to be answered in full: undone, gone on from, scrubbed away from.
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FigurePacket, PoseEdit, PulledPacket } from "../src/messages.ts";
import { autoKey, tool } from "../src/pose/posing.ts";
import { ACTIONS, type Action } from "../src/shell/actions.ts";
import { Poses } from "../src/stage/poses.ts";
import type { Store } from "../src/store.ts";
import { done, type FakeSocket, jointFact, stateOf, storeWith } from "./documents.ts";

const FIGURE: FigurePacket = {
  kind: "figure",
  name: "",
  bodies: [
    { name: "Hips", parent: -1 },
    { name: "Hand", parent: 0 },
  ],
  morphs: [],
  points: [],
  places: [],
  joints: [jointFact("free", 0, 7), jointFact("ball", 7, 4)],
};
const STILL = [0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1];
/** The hand turned about x. */
const turned = (angle: number) => [Math.cos(angle / 2), Math.sin(angle / 2), 0, 0];

describe("a pull that is settling", () => {
  let store: Store;
  let socket: FakeSocket;
  const said = () => socket.sent.map((m) => m["say"] as string);
  const keys = () =>
    done(socket).flatMap((c) => (c["path"] === "edits" ? [c["value"] as PoseEdit[]] : [])) as PoseEdit[][];
  /** The poser answers the pull it was asked last, with the hand turned so far. */
  const answered = (angle: number) => {
    const pull = socket.sent.findLast((m) => m["say"] === "pull")!;
    const packet = {
      kind: "pulled",
      session: pull["session"],
      seq: pull["seq"],
      q: [0, 0, 1, 1, 0, 0, 0, ...turned(angle)],
      com: [0, 0, 1],
      off: 0,
    } as unknown as PulledPacket;
    store.posing.pulled(packet, Float32Array.from(STILL));
  };
  /** The hand is pulled, and let go. */
  const pulled = () => {
    const posed = store.posing.held();
    const handle = store.posing.grasp(1, "Hand", [0, 0, 1])!;
    handle.follow!([0, 0, 1.1]);
    answered(0.1);
    return store.posing.settle(handle.settled!([0, 0, 1.2]), posed);
  };
  const undo = () => (ACTIONS.undo as Action).run({ store } as never);

  beforeEach(() => {
    vi.useRealTimers();
    ({ store, socket } = storeWith());
    const layers = [
      { do: "load", name: "walk", clip: "walk" },
      { do: "retouch", name: "poses", edits: [] },
    ];
    socket.tell(stateOf(layers, { revision: 2 }));
    tool.value = "pose";
    autoKey.value = true;
    store.figure.value = FIGURE;
    store.result.value = new Poses(Float32Array.from(Array(201).fill(STILL).flat()), 201, 2);
    store.player.seek(40);
  });

  it("is keyed when it has been answered in full, as one step", async () => {
    const settled = pulled();
    expect(said().at(-1)).toBe("pull");
    answered(0.3);
    await settled;
    expect(said().at(-1)).toBe("seal");
    expect(keys().at(-1)![0]!.joints["Hand"]).toEqual(turned(0.3));
  });

  it("is taken back by undo, and an answer that comes later does not bring it again", async () => {
    void pulled();
    undo();
    expect(socket.sent.at(-1)).toMatchObject({ say: "undo" });
    expect(socket.sent.at(-1)!["gesture"]).toMatch(/^pose/); // as if it had never begun
    expect(store.posing.pending.value).toBeUndefined();
    const count = socket.sent.length;
    answered(0.3);
    for (let k = 0; k < 5; k++) await Promise.resolve();
    expect(socket.sent).toHaveLength(count);
    expect(store.posing.pending.value).toBeUndefined();
    undo(); // then undo is undo again
    expect(socket.sent.at(-1)).toMatchObject({ say: "undo" });
    expect(socket.sent.at(-1)!["gesture"]).toBeUndefined();
  });

  it("is taken back before the server has its layer, and does not come when that is there", async () => {
    const load = { do: "load", name: "walk", clip: "walk" };
    socket.tell(stateOf([load], { revision: 3 }));
    const settled = pulled();
    answered(0.3);
    await settled;
    expect(said().at(-1)).not.toBe("seal"); // it waits for the layer
    undo();
    expect(socket.sent.at(-1)).toMatchObject({ say: "undo" });
    expect(socket.sent.at(-1)!["gesture"]).toMatch(/^pose/);
    const count = socket.sent.length;
    // What was said before the undo is heard after it.
    socket.tell(stateOf([load, { do: "retouch", name: "poses", edits: [] }], { revision: 4 }));
    for (let k = 0; k < 5; k++) await Promise.resolve();
    expect(socket.sent).toHaveLength(count);
  });

  it("is keyed as it is seen where somebody goes on, and nobody complains of no answer", async () => {
    vi.useFakeTimers();
    void pulled();
    store.posing.finish();
    expect(said().at(-1)).toBe("seal");
    expect(keys().at(-1)![0]!.joints["Hand"]).toEqual(turned(0.1));
    vi.advanceTimersByTime(60_000);
    expect(store.messages.value).toEqual([]);
  });

  it("is keyed at its own frame, wherever the playhead has gone", async () => {
    const settled = pulled();
    store.player.seek(90);
    answered(0.3);
    await settled;
    expect(
      keys()
        .at(-1)!
        .map((k) => k.time),
    ).toEqual([0.4]);
  });
});
