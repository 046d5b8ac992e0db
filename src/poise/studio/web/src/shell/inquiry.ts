// What the screen asks by itself whenever the motion was solved anew:
// how paths fare, what music there is, which feet stand.
import { effect, type Signal } from "@preact/signals";
import type { AnyLayer, Vocabulary } from "../messages.ts";
import type { Store } from "../store.ts";
import type { Entry } from "../time/entry.ts";

export function inquiring(store: Store): () => void {
  let asked = -1;
  const names = effect(() => {
    if (store.figure.value)
      void store.ask("vocabulary", {}, true).then((found) => {
        if (found) store.vocabulary.value = found as Vocabulary;
      });
  });
  const layers = effect(() => {
    const solved = store.solved.value;
    if (!solved || solved.live || solved.revision === asked) return;
    asked = solved.revision;
    for (const layer of store.layers.peek())
      for (const [question, kept] of questions(store, layer))
        void store
          .ask(question, { layer: layer.name }, true)
          .then((found) => found && put(kept, layer.name, found));
  });
  return () => {
    names();
    layers();
  };
}

function questions(store: Store, layer: AnyLayer): [string, Signal<Entry>][] {
  if (layer.muted) return [];
  if (layer.kind === "tracks" && (layer.tracks as Record<string, unknown>)["path"])
    return [["segments", store.paths]];
  if (layer.kind === "beat") return [["beats", store.music]];
  if (layer.kind === "adaptation" && (layer.plants ?? true)) return [["plants", store.plants]];
  return [];
}

/** Kept only where it says something else than before: nothing is drawn for nothing. */
function put(kept: Signal<Record<string, unknown>>, name: string, found: unknown): void {
  if (JSON.stringify(kept.peek()[name]) !== JSON.stringify(found))
    kept.value = { ...kept.peek(), [name]: found };
}
