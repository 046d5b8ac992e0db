// The screen: menu above, outliner, stage and inspector in the middle, time line and status below.
import { computed, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { View } from "./stage/view.tsx";
import type { Store } from "./store.ts";
import { Timeline } from "./time/timeline.tsx";
import { lanesOf } from "./time/document_lanes.ts";

export function App({ store }: { store: Store }) {
  const lanes = useMemo(() => computed(() => lanesOf(store.layers.value, store.fps.value)), [store]);
  const solved = useMemo(() => computed<[number, number][]>(() => (store.result.value ? [[0, store.result.value.frames - 1]] : [])), [store]);
  useEffect(() => clock(store), [store]);
  const edits = useMemo(() => ({ move() {}, resize() {}, insert() {}, open() {} }), []);
  return (
    <div class="studio">
      <header class="menu">Poise</header>
      <main class="middle">
        <View store={store} />
      </main>
      <Timeline player={store.player} lanes={lanes} solved={solved} selected={store.selected} edits={edits} />
      <footer class="status">{store.messages.value.at(-1)?.text ?? ""}</footer>
    </div>
  );
}

/** Lets the player's time pass while it plays. */
function clock(store: Store): () => void {
  let last = performance.now();
  let going = true;
  const tick = (now: number) => {
    if (!going) return;
    store.player.advance(Math.min((now - last) / 1000, 0.1));
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  return () => void (going = false);
}

export const theme = signal<"light" | "dark">(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
