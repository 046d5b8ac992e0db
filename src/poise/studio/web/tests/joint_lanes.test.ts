import { describe, expect, it } from "vitest";
import type { FigurePacket, PoseEdit } from "../src/messages.ts";
import { Skeleton } from "../src/pose/skeleton.ts";
import { quaternion } from "../src/pose/turns.ts";
import { Poses } from "../src/stage/poses.ts";
import { documentEdits } from "../src/time/document_edits.ts";
import { bent, drawnAs, isTangent, type JointGraph, jointLanes } from "../src/time/joint_lanes.ts";
import { CARDS } from "./cards.ts";
import { jointFact, storeWith } from "./documents.ts";

const FIGURE: FigurePacket = {
  kind: "figure",
  name: "",
  bodies: [
    { name: "Arm", parent: -1 },
    { name: "Elbow", parent: 0 },
  ],
  morphs: [],
  points: [],
  places: [],
  joints: [jointFact("ball", 0, 4), jointFact("hinge", 4, 1)],
};
const skeleton = new Skeleton(FIGURE);
const fps = 50;
/** The elbow goes from 10° to 50° and on to 60°, at 0.2, 0.6 and 1 s, evenly; the arm turns by 8° a frame. */
const angles = Array.from({ length: 61 }, (_, f) =>
  f < 10 ? 10 : f < 30 ? 10 + 2 * (f - 10) : f < 50 ? 50 + 0.5 * (f - 30) : 60,
);
const poses = new Poses(
  Float32Array.from(
    angles.flatMap((angle, f) => [
      ...skeleton.placed([...quaternion([8 * f, 0, 0]), (angle * Math.PI) / 180])!,
    ]),
  ),
  61,
  2,
);
const edits: PoseEdit[] = [
  { time: 0.2, joints: { Elbow: [(10 * Math.PI) / 180] } },
  { time: 0.6, joints: { Elbow: [(50 * Math.PI) / 180] } },
  { time: 1, joints: { Elbow: [(60 * Math.PI) / 180], Arm: quaternion([40, 0, 0]) } },
];
const graph = (more: Partial<JointGraph> = {}): JointGraph => ({
  skeleton,
  poses,
  body: 1,
  lift: 0,
  fps,
  layer: "poses",
  option: "edits",
  edits,
  adds: false,
  under: () => undefined,
  selected: new Set(),
  ...more,
});

describe("the graph of a joint", () => {
  it("has the angle of a hinge, with keys where they are set", () => {
    const [lane, ...others] = jointLanes(graph());
    expect(others).toEqual([]);
    expect(lane!.label).toBe("Elbow angle");
    expect(lane!.curves![0]!.values[20]).toBeCloseTo(30, 4);
    expect(lane!.keys.map((k) => [k.frame, Number(k.value!.toFixed(6)), k.field])).toEqual([
      [10, 10, "joint:Elbow:0"],
      [30, 50, "joint:Elbow:0"],
      [50, 60, "joint:Elbow:0"],
    ]);
  });

  it("goes on over half a turn, and has keys on the same round", () => {
    const [x, y] = jointLanes(graph({ body: 0 }));
    for (let f = 0; f < 61; f++) {
      expect(x!.curves![0]!.values[f]).toBeCloseTo(8 * f, 3);
      expect(y!.curves![0]!.values[f]).toBeCloseTo(0, 3);
    }
    expect(x!.keys.map((k) => k.value)).toEqual([expect.closeTo(400, 6)]); // 40° and a round, as the curve is
    expect(drawnAs(quaternion([-170, 0, 0]), [180, 0, 0])[0]).toBeCloseTo(190, 9);
  });

  it("shows tangents of a selected key, and bends them by what they are dragged", () => {
    const selected = new Set(["poses/edits/1"]);
    const [lane] = jointLanes(graph({ selected }));
    const [arrive, leave] = lane!.keys.filter((k) => isTangent(k.id));
    expect([arrive!.id, leave!.id]).toEqual(["poses/edits/1@arrive", "poses/edits/1@leave"]);
    expect(arrive!.frame).toBeCloseTo(24, 9);
    expect(arrive!.value).toBeCloseTo(38, 3);
    expect(leave!.value).toBeCloseTo(53, 3);
    // Straight pieces: each tangent is once its segment's rate. Level: none.
    expect(bent(edits[1]!, leave!.field!, 0).leave).toBeCloseTo(1, 3);
    expect(bent(edits[1]!, leave!.field!, -3).leave).toBeCloseTo(0, 3);
    expect(bent(edits[1]!, arrive!.field!, 12).arrive).toBeCloseTo(0, 3);
    expect(bent(edits[1]!, leave!.field!, 1000).leave).toBe(10);
  });

  it("where keys are added, the change has the multiple: what the motion below does is not counted", () => {
    const selected = new Set(["poses/edits/1@leave"]); // as while it is dragged
    const under = (time: number) => [(20 * time * Math.PI) / 180]; // 0.4° a frame by itself
    const [lane] = jointLanes(graph({ adds: true, under, selected }));
    const leave = lane!.keys.find((k) => k.id.endsWith("@leave"))!;
    // What is added goes from 38° to 40° in 0.4 s: 5°/s; the curve has 25°/s, of which 20°/s are below.
    expect(bent(edits[1]!, leave.field!, 0).leave).toBeCloseTo(1, 2);
    expect(jointLanes(graph({ adds: true, selected }))[0]!.keys.some((k) => isTangent(k.id))).toBe(false);
  });
});

describe("dragging in the graph", () => {
  const card = CARDS.find((c) => c.options.some((o) => o.editor === "edits"))!;
  const posed = () => storeWith([{ do: card.name, name: "poses", edits } as never]);
  const sent = (socket: { sent: unknown[] }) =>
    socket.sent.flatMap((m) => {
      const said = (typeof m === "string" ? JSON.parse(m) : m) as {
        say: string;
        command?: { value?: PoseEdit };
      };
      return said.say === "do" && said.command?.value ? [said.command.value] : [];
    });

  it("raises the value of one joint, and leaves the others of the key alone", () => {
    const { store, socket } = posed();
    const moving = documentEdits(store).move(["poses/edits/2"], false);
    moving.to(0, { field: "joint:Elbow:0", by: 15 });
    moving.drop();
    const [key] = sent(socket);
    expect(key!.joints["Elbow"]![0]).toBeCloseTo((75 * Math.PI) / 180, 9);
    expect(key!.joints["Arm"]).toEqual(edits[2]!.joints["Arm"]);
  });

  it("bends a tangent, and moves no key", () => {
    const { store, socket } = posed();
    const moving = documentEdits(store).move(["poses/edits/1@leave"], false);
    moving.to(7, { field: "leave:1:0.5", by: 3 });
    moving.drop();
    expect(sent(socket)).toEqual([{ ...edits[1], leave: 2.5 }]);
  });
});
