// What colours on the stage mean, where it does not speak for itself: ghosts and arrows.
import type { Shown } from "../shell/actions.ts";
import { FUTURE, PAST } from "./ghosts.ts";
import { COLOURS } from "./overlays.ts";

/** `keyed`: whether there is a motion below the result. */
export function Legend({ shown, keyed }: { shown: Shown; keyed: boolean }) {
  const meant: [string, string][] = [
    ...(shown.ghosts
      ? ([
          [PAST, "before"],
          [FUTURE, "after"],
        ] as [string, string][])
      : []),
    ...(shown.momentum
      ? ([
          [COLOURS.momentum, "momentum"],
          [COLOURS.spin, "spin"],
        ] as [string, string][])
      : []),
    ...(shown.forces ? ([[COLOURS.push, "force, in body weights"]] as [string, string][]) : []),
  ];
  if (!meant.length) return null;
  return (
    <p class="legend" data-part="legend">
      {meant.map(([colour, words]) => [<i style={{ background: colour }} />, words])}
      {shown.ghosts && shown.wire && keyed && <span>filled: dynamic · bones: as keyed</span>}
    </p>
  );
}
