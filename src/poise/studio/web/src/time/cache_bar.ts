// How far the motion on the stage is the document: the bar under the ruler. Green is exact, amber a draft,
// grey an older document.
import type { Shown } from "../standing.ts";

export interface Stretch {
  first: number;
  last: number;
  state: "exact" | "draft" | "old";
}

/** Stretches of frames by how they stand; of a long motion what is about the playhead comes first. */
export function stretches({ state, standing }: Pick<Shown, "state" | "standing">, frames: number): Stretch[] {
  const end = frames - 1;
  if (end < 0) return [];
  const all = (how: Stretch["state"]): Stretch[] => [{ first: 0, last: end, state: how }];
  if (state === "exact" || state === "partial") return all("exact");
  const working = state === "draft" || state === "solving" || state === "compiling";
  if (!working) return all("old");
  const [first, last] = standing.window ?? [0, -1];
  if (last < first) return all(state === "draft" && standing.shown === standing.revision ? "draft" : "old");
  const parts: Stretch[] = [
    { first: 0, last: first - 1, state: "old" },
    { first, last: Math.min(last, end), state: state === "draft" ? "draft" : "exact" },
    { first: last + 1, last: end, state: "old" },
  ];
  return parts.filter((s) => s.last >= s.first);
}
