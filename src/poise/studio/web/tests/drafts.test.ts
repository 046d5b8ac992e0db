// @vitest-environment happy-dom
// While something is dragged nothing is said of what layers ask for but what was measured on what is seen.
import { expect, test } from "vitest";
import type { Solved, Told } from "../src/messages.ts";
import { ReportPanel } from "../src/panels/report.tsx";
import { inWords, type Report, stateOf } from "../src/time/lane_context.ts";
import { layersOf, standing, storeWith } from "./documents.ts";
import { root, shown } from "./shown.ts";

const outcome = (name: string, error: number) => ({ name, met: error < 1e-3, error, unit: "m" });
const solved = (revision: number, live: boolean, reports: Record<string, unknown>): Told =>
  ({ told: "solved", revision, live, seconds: 0.02, met: true, reports }) as unknown as Solved;

test("errors of the motion before are not shown of a draft: they wait, or were measured anew", () => {
  const { store, socket } = storeWith();
  const aim = { outcomes: [outcome("fist", 0.165), outcome("left foot", 0)], met: false, warnings: ["slow"] };
  const hop = { outcomes: [outcome("jump", 0)], met: true, details: { contacts: [] } };
  socket.tell(solved(1, false, { aim, hop }));
  const report = (layer: string) => store.lanes.value.reports[layer] as Report;
  expect(report("aim").outcomes![0]!.error).toBe(0.165);
  const layer = layersOf().find((l) => l.name === "aim")!;
  const said = () => {
    shown(ReportPanel, { store, layer });
    return root.textContent;
  };
  expect(said()).toContain("missed by 17 cm");
  socket.tell(solved(2, true, { aim: { outcomes: [outcome("fist", 0.02)], met: false } }));
  expect(report("aim").outcomes!.map((o) => [o.name, o.error, stateOf(o)])).toEqual([
    ["fist", 0.02, "wrong"],
    ["left foot", null, "plain"],
  ]);
  expect(said()).toContain("2 cm");
  expect(said()).not.toContain("17 cm");
  expect(said()).not.toContain("slow");
  expect(said()).toContain("left foot: measured when you let go");
  expect(report("hop").outcomes!.map(inWords)).toEqual(["measured when you let go"]);
  expect(report("hop").met).toBe(false);
  // All of it measured: nothing waits.
  socket.tell(
    solved(3, true, { aim: { ...aim, outcomes: aim.outcomes.map((o) => ({ ...o, met: true, error: 0 })) } }),
  );
  expect([report("aim").met, report("aim").waits]).toEqual([true, false]);
  // Made in full it is said again; and of a long motion of which only a part is new, it is not.
  socket.tell(solved(4, false, { aim, hop }));
  expect(report("aim").outcomes![0]!.error).toBe(0.165);
  socket.tell(standing("solving", { revision: 5, shown: 4, window: [10, 40] }));
  expect(report("aim").outcomes!.map(stateOf)).toEqual(["plain", "plain"]);
});
