// What the screen asks by itself whenever the motion was solved anew:
// how paths fare, what music there is, which feet stand.
import { computed, effect, type Signal } from "@preact/signals";
import { EDITORS } from "../editors.tsx";
import type { Layer } from "../layer.ts";
import type { Answers, Carried, Vocabulary } from "../messages.ts";
import { cardOf } from "../operations.ts";
import type { Store } from "../store.ts";
import type { Entry } from "../time/entry.ts";

export function inquiring(store: Store): () => void {
  let asked = -1;
  const project = computed(() => store.state.value?.project);
  // What operations there are is known before anybody is on the stage; joints and limbs are theirs.
  const names = effect(() => {
    void store.figure.value;
    if (project.value !== undefined)
      void store.ask("vocabulary", {}, true).then((found) => {
        if (found) store.vocabulary.value = found as Vocabulary;
      });
  });
  const layers = effect(() => {
    const solved = store.solved.value;
    if (!solved || solved.live || solved.revision === asked || !store.cards.value.length) return;
    asked = solved.revision;
    void store.ask("contacts", {}, true).then((found) => {
      store.carried.value = found as Carried | undefined;
    });
    for (const layer of store.layers.peek())
      for (const [question, kept] of questions(store, layer))
        void store
          .ask(question, { layer: layer.name }, true)
          .then((found) => found && put(kept, layer.name, found));
  });
  const listed = computed(() => JSON.stringify(store.state.value?.document["clips"] ?? {}));
  const clips = effect(() => {
    void project.value;
    void listed.value;
    if (store.state.peek())
      void store.ask("clips", {}, true).then((found) => {
        const told = (found as Answers["clips"] | undefined)?.clips ?? [];
        const next = Object.fromEntries(told.map((each) => [each.name, each]));
        if (JSON.stringify(next) !== JSON.stringify(store.facts.peek())) store.facts.value = next;
      });
  });
  return () => {
    names();
    clips();
    layers();
  };
}

function questions(store: Store, layer: Layer): [string, Signal<Entry>][] {
  const card = cardOf(store.cards.peek(), layer);
  if (layer.muted || !card) return [];
  return card.options.flatMap(
    (option) => EDITORS[option.editor ?? ""]?.asks?.(store, { layer, card, option }) ?? [],
  );
}

/** Kept only where it says something else than before: nothing is drawn for nothing. */
function put(kept: Signal<Record<string, unknown>>, name: string, found: unknown): void {
  if (JSON.stringify(kept.peek()[name]) !== JSON.stringify(found))
    kept.value = { ...kept.peek(), [name]: found };
}
