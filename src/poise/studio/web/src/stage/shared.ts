// Constraints that several layers share: one handle on the stage moves them all,
// and so does typing where or when they hold.
import { group, put } from "../commands.ts";
import type { AnyCommand } from "../messages.ts";
import type { Store } from "../store.ts";
import { type Address, addressOf, idOf, placeOf, read } from "../time/address.ts";

/** A constraint and those that are moved with it on the stage, in the order of their layers. */
export function sharing(store: Store, id: string): Address[] {
  const handle = store.handles.value.find((h) => h.selects.includes(id));
  return (handle?.selects ?? [id]).map(addressOf).filter(({ path }) => placeOf(path)?.list === "constraints");
}

/** Numbers of a constraint typed anew: of each that shares it, those change that were the same. */
export function typed(
  store: Store,
  layer: string,
  path: string,
  field: string,
  next: readonly number[],
): AnyCommand {
  const fieldOf = (at: Address): unknown => {
    const found = store.layers.value.find((l) => l.name === at.layer);
    return found && read(found, `${at.path}/${field}`);
  };
  const old = fieldOf({ layer, path }) as readonly number[];
  return together(store, layer, path, field, (at) => {
    const own = fieldOf(at);
    if (!Array.isArray(own) || own.length !== old.length) return undefined;
    const changed = own.map((v: number, i) => (Math.abs(v - old[i]!) < 1e-9 ? next[i]! : v));
    return changed.some((v, i) => v !== own[i]) ? changed : undefined;
  });
}

/** When a constraint holds, and all that share it. */
export const timed = (store: Store, layer: string, path: string, when: unknown): AnyCommand =>
  together(store, layer, path, "when", () => when);

/** One step for all; those that nothing is said for stay as they are. */
function together(
  store: Store,
  layer: string,
  path: string,
  field: string,
  say: (at: Address) => unknown,
): AnyCommand {
  const edits = sharing(store, idOf(layer, path)).flatMap((at) => {
    const value = say(at);
    return value === undefined ? [] : [put(at.layer, `${at.path}/${field}`, value)];
  });
  return edits.length === 1 ? edits[0]! : group("move", edits);
}
