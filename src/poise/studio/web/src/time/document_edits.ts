// What a gesture on the time line means for the document. Ids of keys are paths: layer/constraints/3.
import { group, insert, put } from "../commands.ts";
import type { AnyCommand, AnyLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import type { Edits } from "./gesture.ts";

export function documentEdits(store: Store): Edits {
  const at = (id: string) => {
    const slash = id.indexOf("/");
    const layer = store.layers.value.find((l) => l.name === id.slice(0, slash));
    return { layer, path: id.slice(slash + 1) };
  };
  return {
    move(ids, frames, copy) {
      const seconds = frames / store.fps.value;
      const commands = ids.flatMap((id) => {
        const { layer, path } = at(id);
        return layer ? moved(layer, path, seconds, copy) : [];
      });
      if (commands.length) store.edit(group(copy ? "copy keys" : "move keys", commands));
    },
    resize(segment, edge, frame) {
      const { layer, path } = at(segment);
      const when = layer && (read(layer, path) as { when?: { from: number; to: number } }).when;
      if (!layer || !when) return;
      const time = frame / store.fps.value;
      const next = edge === "first" ? { from: Math.min(time, when.to), to: when.to } : { from: when.from, to: Math.max(time, when.from) };
      store.edit(put(layer.name, `${path}/when`, next));
    },
    insert() {},
    open(segment) {
      const { layer } = at(segment);
      if (layer) store.layer.value = layer.name;
      store.selected.value = new Set([segment]);
    },
  };
}

/** The value at a path of a layer. */
export function read(layer: AnyLayer, path: string): unknown {
  return path.split("/").reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], layer);
}

function moved(layer: AnyLayer, path: string, seconds: number, copy: boolean): AnyCommand[] {
  const entry = read(layer, path) as Record<string, any> | undefined;
  if (!entry) return [];
  const when = entry["when"] as { at?: number; from?: number; to?: number } | undefined;
  const later = when && (when.at !== undefined ? { at: when.at + seconds } : { from: when.from! + seconds, to: when.to! + seconds });
  const time = typeof entry["time"] === "number" ? entry["time"] + seconds : undefined;
  if (later) return [copy ? insert(layer.name, path, { ...entry, when: later }) : put(layer.name, `${path}/when`, later)];
  if (time !== undefined) return [copy ? insert(layer.name, path, { ...entry, time }) : put(layer.name, `${path}/time`, time)];
  return [];
}
