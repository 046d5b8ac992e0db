// The screen: menu above, outliner, stage and inspector in the middle, transport, time line and status below.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ACTIONS, type Bench, type Dialog, type Shown } from "./shell/actions.ts";
import { Dialogs } from "./shell/dialogs.tsx";
import { dropping } from "./shell/drop.ts";
import { Inspector } from "./shell/inspector.tsx";
import { actionFor, KEYMAPS } from "./shell/keys.ts";
import { Menu } from "./shell/menu.tsx";
import { Outliner } from "./shell/outliner.tsx";
import { Status } from "./shell/status.tsx";
import { Transport } from "./shell/transport.tsx";
import { View, type ViewHandle } from "./stage/view.tsx";
import type { Store } from "./store.ts";
import { documentEdits } from "./time/document_edits.ts";
import { lanesOf } from "./time/document_lanes.ts";
import { Timeline } from "./time/timeline.tsx";

const SHOWN: Shown = { wire: true, ghosts: false, trails: true, com: true, inertia: false, momentum: false, support: true, forces: false };

export function App({ store }: { store: Store }) {
  const bench = useMemo(() => makeBench(store), [store]);
  const mode = useMemo(() => signal<"dope" | "graph">("dope"), []);
  const solved = useMemo(() => computed<[number, number][]>(() => (store.result.value && store.solved.value?.revision === store.state.value?.revision ? [[0, store.result.value.frames - 1]] : [])), [store]);
  const edits = useMemo(() => documentEdits(store), [store]);
  useEffect(() => clock(store), [store]);
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      const action = actionFor(KEYMAPS[bench.keymap.value], event);
      if (!action) return;
      event.preventDefault();
      ACTIONS[action].run(bench);
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, [bench]);
  useEffect(() => effect(() => void (document.documentElement.dataset["theme"] = bench.theme.value)), [bench]);
  useEffect(() => dropping(store), [store]);
  return (
    <div class="studio">
      <Menu bench={bench} />
      <main class="middle">
        <Outliner store={store} />
        <View store={store} bench={bench} />
        <Inspector store={store} />
      </main>
      <section class="bottom">
        <Transport player={store.player} lanes={bench.lanes} mode={mode} />
        <Timeline player={store.player} lanes={bench.lanes} solved={solved} selected={store.selected} edits={edits} onMute={(lane) => mute(store, lane)} />
      </section>
      <Status bench={bench} />
      <Dialogs bench={bench} />
    </div>
  );
}

function makeBench(store: Store): Bench & { view: ViewHandle } {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const view: ViewHandle = { frame: () => undefined, cancel: () => false };
  return {
    store,
    view,
    lanes: computed(() => lanesOf(store.layers.value, store.fps.value)),
    dialog: signal<Dialog>(seen() ? "" : "guide"),
    shown: signal<Shown>(SHOWN),
    theme: signal<"light" | "dark">(dark ? "dark" : "light"),
    keymap: signal<"blender" | "maya">("blender"),
    frameSelection: () => view.frame(),
    cancel: () => view.cancel(),
  };
}

/** The guide opens by itself only the first time. */
function seen(): boolean {
  const before = localStorage.getItem("poise-guide") !== null;
  localStorage.setItem("poise-guide", "seen");
  return before;
}

function mute(store: Store, lane: string): void {
  const layer = store.layers.value.find((l) => l.name === lane);
  if (layer) store.edit({ do: "set", layer: lane, path: "muted", value: !layer.muted });
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
