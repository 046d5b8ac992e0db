// Local edits: with a local root chosen, dragging moves only what hangs together with the dragged
// body once the root is taken away. The same rule as poise.keyframing's re-rooting.
import { signal } from "@preact/signals";

/** The body that stays; -1: the whole body may follow. */
export const localRoot = signal(-1);

/** Which joints may move when `dragged` is dragged about `root`;
 * the root's own only where it is the pivot. */
export function included(parents: readonly number[], root: number, dragged: number): boolean[] {
  const beside: number[][] = parents.map(() => []);
  parents.forEach((up, i) => {
    if (up < 0) return;
    beside[i]!.push(up);
    beside[up]!.push(i);
  });
  const found = parents.map(() => false);
  const waiting = [dragged];
  found[dragged] = true;
  while (waiting.length) {
    for (const neighbour of beside[waiting.pop()!]!) {
      if (neighbour === root || found[neighbour]) continue;
      found[neighbour] = true;
      waiting.push(neighbour);
    }
  }
  found[root] = !found[0]; // the actual root is on the other side, or is the local root
  return found;
}
