// Copy and paste of keys: within a layer, across layers of one operation, and across tabs through what the
// browser keeps for them (the clipboard itself may only be read with permission).
import { group, insert } from "../commands.ts";
import type { Layer } from "../layer.ts";
import type { AnyCommand } from "../messages.ts";
import type { Store } from "../store.ts";
import { idOf, placeOf, read, sortOf } from "./address.ts";
import { entriesOf, renamed } from "./document_edits.ts";
import { type Entry, later, spanOf, tidy } from "./entry.ts";

export interface Clipping {
  poise: "keys";
  entries: { operation: string; layer: string; list: string; entry: Entry }[];
}

/** The selected entries; undefined where nothing that can be copied is selected. */
export function clip(layers: readonly Layer[], ids: Iterable<string>): Clipping | undefined {
  const entries = entriesOf(layers, ids).flatMap(({ layer, path, entry }) => {
    const place = placeOf(path);
    return place ? [{ operation: layer.do, layer: layer.name, list: place.list, entry }] : [];
  });
  return entries.length ? { poise: "keys", entries } : undefined;
}

/** Commands that put a clipping into layers so that its earliest entry is at a time [s];
 * and the ids they will have. */
export function pasting(
  layers: readonly Layer[],
  clipping: Clipping,
  time: number,
  chosen: string,
): { commands: AnyCommand[]; ids: string[]; left: number } {
  const starts = clipping.entries.map((e) => spanOf(e.entry)?.first).filter((t) => t !== undefined);
  const by = starts.length ? time - Math.min(...starts) : 0;
  const commands: AnyCommand[] = [];
  const ids: string[] = [];
  const added = new Map<string, number>();
  let left = 0;
  for (const { operation, layer: from, list, entry } of clipping.entries) {
    const fits = (l: Layer | undefined): l is Layer =>
      l !== undefined && l.do === operation && Array.isArray(read(l, list));
    const layer = [
      layers.find((l) => l.name === chosen),
      layers.find((l) => l.name === from),
      layers.find((l) => fits(l)),
    ].find((l) => fits(l));
    if (!layer) {
      left++;
      continue;
    }
    const whole = idOf(layer.name, list);
    const extra = added.get(whole) ?? 0;
    added.set(whole, extra + 1);
    const at = (read(layer, list) as unknown[]).length + extra;
    commands.push(
      insert(layer.name, `${list}/${at}`, renamed(layer, list, by ? later(entry, tidy(by)) : entry)),
    );
    ids.push(`${whole}/${at}`);
  }
  return { commands, ids, left };
}

const KEPT = "poise-clipping";
let kept: Clipping | undefined;

export function copy(store: Store): boolean {
  const made = clip(store.layers.value, store.selected.value);
  if (!made) return false;
  kept = made;
  try {
    localStorage.setItem(KEPT, JSON.stringify(made));
  } catch {
    // A browser that keeps nothing can still paste within this tab.
  }
  store.note(`copied ${made.entries.length} ${made.entries.length === 1 ? "entry" : "entries"}`);
  return true;
}

export function paste(store: Store): void {
  const clipping = elsewhere() ?? kept;
  if (!clipping) {
    store.note("nothing copied yet: select keys, then press Ctrl+C");
    return;
  }
  const { commands, ids, left } = pasting(
    store.layers.value,
    clipping,
    store.player.time.value,
    store.layer.value,
  );
  const sorts = [...new Set(clipping.entries.map((e) => `${e.operation} ${sortOf(e.list)}`))].join(", ");
  if (left) store.note(`${left} of ${clipping.entries.length} found no layer to go to (${sorts})`, "problem");
  if (!commands.length) return;
  store.edit(group("paste", commands));
  store.selected.value = new Set(ids);
}

/** What was copied last, in whichever tab. */
function elsewhere(): Clipping | undefined {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "null") as Clipping | null;
    return found?.poise === "keys" ? found : undefined;
  } catch {
    return undefined;
  }
}
