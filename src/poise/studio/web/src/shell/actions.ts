// Everything that can be done by a key, a menu or a button, by name, once.
import type { ReadonlySignal } from "@preact/signals";
import type { Store } from "../store.ts";
import { remove } from "../commands.ts";
import { neighbour, type Lane } from "../time/lane.ts";

export interface Shown {
  wire: boolean;
  ghosts: boolean;
  trails: boolean;
  com: boolean;
  inertia: boolean;
  momentum: boolean;
  support: boolean;
  forces: boolean;
}

export type Dialog = "" | "open" | "save" | "export" | "keys" | "guide";

export interface Bench {
  store: Store;
  lanes: ReadonlySignal<Lane[]>;
  dialog: { value: Dialog };
  shown: { value: Shown };
  theme: { value: "light" | "dark" };
  keymap: { value: "blender" | "maya" };
  frameSelection: () => void;
  cancel: () => boolean;
}

export interface Action {
  title: string;
  run: (bench: Bench) => void;
}

const key = (direction: 1 | -1) => ({ store, lanes }: Bench) => {
  const frame = neighbour(lanes.value, store.player.frame.value, direction);
  if (frame !== undefined) store.player.seek(frame);
};
const toggle = (what: keyof Shown) => ({ shown }: Bench) => void (shown.value = { ...shown.value, [what]: !shown.value[what] });

export const ACTIONS = {
  play: { title: "play or pause", run: ({ store }) => store.player.toggle() },
  playBack: { title: "play backwards", run: ({ store }) => store.player.toggle(-1) },
  next: { title: "next frame", run: ({ store }) => store.player.step(1) },
  previous: { title: "previous frame", run: ({ store }) => store.player.step(-1) },
  nextKey: { title: "next key", run: key(1) },
  previousKey: { title: "previous key", run: key(-1) },
  first: { title: "first frame", run: ({ store }) => store.player.seek(store.player.range.value[0]) },
  last: { title: "last frame", run: ({ store }) => store.player.seek(store.player.range.value[1]) },
  undo: { title: "undo", run: ({ store }) => store.connection.say({ say: "undo" }) },
  redo: { title: "redo", run: ({ store }) => store.connection.say({ say: "redo" }) },
  save: { title: "save", run: ({ store, dialog }) => (store.state.value?.path ? store.connection.say({ say: "save" }) : void (dialog.value = "save")) },
  saveAs: { title: "save under another name", run: ({ dialog }) => void (dialog.value = "save") },
  open: { title: "open", run: ({ dialog }) => void (dialog.value = "open") },
  export: { title: "export", run: ({ dialog }) => void (dialog.value = "export") },
  frame: { title: "frame the selection", run: ({ frameSelection }) => frameSelection() },
  erase: { title: "delete the selected keys", run: (bench) => erase(bench) },
  cancel: { title: "cancel a drag, playing or solving", run: (bench) => cancel(bench) },
  help: { title: "all keys", run: ({ dialog }) => void (dialog.value = "keys") },
  guide: { title: "the first minute", run: ({ dialog }) => void (dialog.value = "guide") },
  wire: { title: "show the reference as wire", run: toggle("wire") },
  ghosts: { title: "show ghosts", run: toggle("ghosts") },
  trails: { title: "show trails", run: toggle("trails") },
  com: { title: "show the centre of mass", run: toggle("com") },
  inertia: { title: "show the inertia ellipsoid", run: toggle("inertia") },
  momentum: { title: "show momentum", run: toggle("momentum") },
  support: { title: "show the support polygon", run: toggle("support") },
  forces: { title: "show contact forces", run: toggle("forces") },
  dark: { title: "light or dark", run: ({ theme }) => void (theme.value = theme.value === "dark" ? "light" : "dark") },
  keymap: { title: "Blender's or Maya's keys", run: ({ keymap }) => void (keymap.value = keymap.value === "blender" ? "maya" : "blender") },
} satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;

/** Deletes selected entries, the last of a list first, so that the numbers of the others stay right. */
function erase({ store }: Bench): void {
  const paths = [...store.selected.value].map((id) => ({ layer: id.slice(0, id.indexOf("/")), path: id.slice(id.indexOf("/") + 1) }));
  const last = (p: string) => Number(p.split("/").at(-1)) || 0;
  paths.sort((a, b) => last(b.path) - last(a.path));
  if (!paths.length) return;
  store.edit({ do: "group", label: "delete", commands: paths.map(({ layer, path }) => remove(layer, path)) });
  store.selected.value = new Set();
}

function cancel(bench: Bench): void {
  if (bench.dialog.value) bench.dialog.value = "";
  else if (bench.cancel()) return;
  else if (bench.store.player.playing.value) bench.store.player.playing.value = false;
  else bench.store.connection.say({ say: "cancel" });
}
