// Fix: a proposed change is made (one step of undo), what was is shown beside it,
// and the animator keeps it or takes it back.
import type { AnyCommand } from "../messages.ts";
import type { Store } from "../store.ts";

/** Make a change on trial: until it is kept or taken back,
 * the motion before it stays on the stage as a ghost. */
export function attempt(store: Store, title: string, command: AnyCommand): void {
  store.trial.value = {
    title,
    before: store.result.value,
    undoable: (store.state.value?.undoable ?? 0) + 1,
    swapped: false,
  };
  store.edit(command);
}

/** Show what was, or what is tried. */
export function swap(store: Store): void {
  const trial = store.trial.value;
  if (trial) store.trial.value = { ...trial, swapped: !trial.swapped };
}

export function keep(store: Store): void {
  store.trial.value = undefined;
}

export function takeBack(store: Store): void {
  if (!store.trial.value) return;
  store.trial.value = undefined;
  store.connection.say({ say: "undo" });
}

/** Moves keys in time as a path's templates ask. */
export function fixTiming(store: Store, layer: string): void {
  const path = store.paths.value[layer];
  if (!path?.command) store.note("nothing here can be fixed by moving keys", "notice", layer);
  else
    attempt(store, "keys moved to the times that the templates need", path.command as unknown as AnyCommand);
}
