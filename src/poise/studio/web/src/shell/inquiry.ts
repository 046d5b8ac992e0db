// What the screen asks by itself whenever the document changes: hints of paths, wave forms of recordings, names.
import { effect } from "@preact/signals";
import type { Store } from "../store.ts";
import type { Hint, Wave } from "../time/lane_context.ts";

export function inquiring(store: Store): () => void {
  let asked = "";
  const names = effect(() => {
    const figure = store.figure.value;
    if (!figure) return;
    void store.ask("vocabulary", {}, true).then((found) => found && (store.vocabulary.value = found as Record<string, unknown>));
  });
  const hints = effect(() => {
    const revision = store.solved.value?.live === false ? store.solved.value.revision : undefined;
    if (revision === undefined || asked === `${revision}`) return;
    asked = `${revision}`;
    for (const layer of store.layers.peek()) {
      if (layer.kind === "tracks" && (layer.tracks as Record<string, unknown>)["path"]) void store.ask("hints", { layer: layer.name }, true).then((found) => found && put(store.hints, layer.name, found as Hint[]));
      if (layer.kind === "beat" && layer.script) void store.ask("waveform", { layer: layer.name }, true).then((found) => found && put(store.waves, layer.name, waveOf(found)));
    }
  });
  return () => {
    names();
    hints();
  };
}

function put<T>(signal: { value: Record<string, T>; peek(): Record<string, T> }, name: string, found: T): void {
  if (JSON.stringify(signal.peek()[name]) !== JSON.stringify(found)) signal.value = { ...signal.peek(), [name]: found };
}

function waveOf(found: unknown): Wave {
  const { peaks, duration, beats } = found as { peaks?: number[]; duration?: number; beats?: number[] };
  return { peaks: Float32Array.from(peaks ?? []), duration: duration ?? 0, beats: beats ?? [] };
}
