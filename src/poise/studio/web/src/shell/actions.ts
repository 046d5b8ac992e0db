// Everything that can be done by a key, a menu or a button, by name, once.
import type { ReadonlySignal } from "@preact/signals";
import { copied, copyPose, keyPose, mirrorPose, pastePose } from "../pose/clipboard.ts";
import { toggleHeld } from "../pose/held_points.ts";
import { keyPicked, resetPicked, togglePin } from "../pose/panel.tsx";
import { axes, tool } from "../pose/posing.ts";
import { pickedNames, pickLimb } from "../pose/sets.ts";
import { choosePose } from "../pose/tools.tsx";
import { breakDown } from "../pose/tween.tsx";
import { camerasOf, through } from "../shots.ts";
import { along, camera, choose, look } from "../stage/cameras.tsx";
import { CUTS } from "../stage/shots.ts";
import type { Store } from "../store.ts";
import { copy, paste } from "../time/clipboard.ts";
import { duplicate, entriesOf, erase, mute } from "../time/document_edits.ts";
import { keep, takeBack } from "../time/fixing.ts";
import type { Edits } from "../time/gesture.ts";
import { type Lane, neighbour } from "../time/lane.ts";
import { type Window, whole } from "../time/window.ts";

export interface Shown {
  wire: boolean;
  ghosts: boolean;
  /** Ghosts stand at keys; else every few frames. */
  keyed: boolean;
  trails: boolean;
  com: boolean;
  inertia: boolean;
  momentum: boolean;
  support: boolean;
  /** Surfaces, and where patches touch them. */
  world: boolean;
  forces: boolean;
}

export type Dialog = "" | "new" | "open" | "save" | "export" | "keys" | "guide";

export interface Bench {
  store: Store;
  lanes: ReadonlySignal<Lane[]>;
  /** The lane where keys are inserted, the mode of the time line, and what its gestures do. */
  lane: { value: Lane | undefined };
  mode: { value: "dope" | "graph" };
  /** The frames that the time line shows. */
  window: { value: Window };
  edits: Edits;
  dialog: { value: Dialog };
  shown: { value: Shown };
  theme: { value: "light" | "dark" };
  keymap: { value: "blender" | "maya" };
  frameSelection: () => void;
  /** Where the stage's camera stands, as films have it [deg]. */
  camera: () => { azimuth: number; elevation: number };
  /** Turn the stage's camera about what it looks at [rad], and come closer by a factor. */
  orbit: (right: number, up: number) => void;
  closer: (by: number) => void;
  cancel: () => boolean;
}

export interface Action {
  title: string;
  /** False: there was nothing to do, and the key is left to the browser. */
  run: (bench: Bench) => unknown;
}

const key =
  (direction: 1 | -1) =>
  ({ store, lanes }: Bench) => {
    const frame = neighbour(lanes.value, store.player.frame.value, direction);
    if (frame !== undefined) store.player.seek(frame);
  };
/** A step of the camera by a key [rad], and how much closer one comes. */
const STEP = Math.PI / 12;
const CLOSER = 1.2;
const orbit =
  (right: number, up: number) =>
  ({ orbit: by }: Bench) =>
    by(right * STEP, up * STEP);
const show =
  (window: Dialog) =>
  ({ dialog }: Bench) => {
    dialog.value = window;
  };
const toggle =
  (what: keyof Shown) =>
  ({ shown }: Bench) => {
    shown.value = { ...shown.value, [what]: !shown.value[what] };
  };

export const ACTIONS = {
  play: { title: "play or pause", run: ({ store }) => store.player.toggle() },
  playBack: { title: "play backwards", run: ({ store }) => store.player.toggle(-1) },
  next: { title: "next frame", run: ({ store }) => store.player.step(1) },
  previous: { title: "previous frame", run: ({ store }) => store.player.step(-1) },
  nextKey: { title: "next key", run: key(1) },
  previousKey: { title: "previous key", run: key(-1) },
  first: { title: "first frame", run: ({ store }) => store.player.seek(store.player.range.value[0]) },
  last: { title: "last frame", run: ({ store }) => store.player.seek(store.player.range.value[1]) },
  undo: {
    title: "undo",
    run: ({ store }) => store.posing.takeBack() || store.connection.say({ say: "undo" }),
  },
  redo: { title: "redo", run: ({ store }) => store.connection.say({ say: "redo" }) },
  save: {
    title: "save",
    run: ({ store, dialog }) => {
      if (store.state.value?.path) store.connection.say({ say: "save" });
      else dialog.value = "save";
    },
  },
  saveAs: { title: "save as", run: show("save") },
  new: { title: "new project", run: show("new") },
  open: { title: "open", run: show("open") },
  export: { title: "export", run: show("export") },
  frame: { title: "frame the selection", run: ({ frameSelection }) => frameSelection() },
  erase: { title: "delete the selected keys", run: ({ store }) => erase(store, store.selected.value) },
  insert: {
    title: "insert a key in the selected lane, or key the pose",
    run: (bench) => (tool.value === "pose" ? void keyPose(bench.store) : insertKey(bench)),
  },
  copy: {
    title: "copy keys, or the pose",
    run: ({ store }) =>
      tool.value === "pose" && !store.selected.value.size ? void copyPose(store) : copy(store),
  },
  cut: { title: "cut keys", run: ({ store }) => copy(store) && erase(store, store.selected.value) },
  paste: {
    title: "paste keys, or the pose, at this frame",
    run: ({ store }) =>
      tool.value === "pose" && copied.value
        ? pastePose(store, copied.value, false, pickedNames(store))
        : paste(store),
  },
  duplicate: {
    title: "duplicate keys, a little later",
    run: ({ store }) =>
      duplicate(store, entriesOf(store.layers.value, store.selected.value), 5 / store.fps.value),
  },
  mute: { title: "mute the selected keys, or the layer", run: (bench) => muteKeys(bench) },
  selectAll: { title: "select all keys of the selected lane", run: (bench) => selectAll(bench) },
  graph: {
    title: "dope sheet or graph",
    run: ({ mode }) => {
      mode.value = mode.value === "dope" ? "graph" : "dope";
    },
  },
  showAll: {
    title: "show the whole time line",
    run: ({ store, window }) => {
      window.value = whole(store.player.frames.value);
    },
  },
  pose: {
    title: "pose this frame, or set targets",
    run: ({ store }) => {
      if (tool.value === "pose") tool.value = "target";
      else choosePose(store);
    },
  },
  pin: {
    title: "pin the selected body while posing",
    run: ({ store }) => {
      const point = store.pointOf(store.body.value);
      if (tool.value !== "pose" || !point) return false;
      togglePin(point);
      return true;
    },
  },
  hold: {
    title: "hold the picked body in place from this frame on, or let it go",
    run: ({ store }) => {
      const point = store.pointOf(store.body.value);
      if (tool.value !== "pose" || !point) return false;
      toggleHeld(store, point);
      return true;
    },
  },
  axes: {
    title: "axes of rings: local, parent, world",
    run: () => {
      const all = ["local", "parent", "world"] as const;
      axes.value = all[(all.indexOf(axes.value) + 1) % 3]!;
    },
  },
  mirrorPose: {
    title: "mirror the pose of this frame",
    run: ({ store }) => (tool.value === "pose" ? void mirrorPose(store) : false),
  },
  pasteMirrored: {
    title: "paste the pose mirrored",
    run: ({ store }) =>
      tool.value === "pose" ? pastePose(store, copied.value, true, pickedNames(store)) : false,
  },
  perspective: {
    title: "view in perspective",
    run: () => look("free"),
  },
  through: {
    title: "look through the project's cameras, as they are cut; again: own view",
    run: ({ store }) => {
      if (!Object.keys(camerasOf(store)).length) return false;
      through.value = through.value ? "" : CUTS;
      return true;
    },
  },
  front: {
    title: "view from the front, then the back",
    run: () => choose(camera.value === "back" ? "back" : "front"),
  },
  side: {
    title: "view from the right, then the left",
    run: () => choose(camera.value === "left" ? "left" : "right"),
  },
  top: { title: "view from above", run: () => choose("top") },
  orbitLeft: { title: "turn the view: from further left", run: orbit(-1, 0) },
  orbitRight: { title: "turn the view: from further right", run: orbit(1, 0) },
  orbitUp: { title: "turn the view: from higher up", run: orbit(0, 1) },
  orbitDown: { title: "turn the view: from lower down", run: orbit(0, -1) },
  closer: { title: "come closer", run: ({ closer }) => closer(CLOSER) },
  farther: { title: "go farther away", run: ({ closer }) => closer(1 / CLOSER) },
  along: {
    title: "camera follows the figure",
    run: () => {
      along.value = !along.value;
    },
  },
  parentBody: {
    title: "select the parent",
    run: ({ store }) => pickBeside(store, (body, bodies) => bodies[body]?.parent ?? -1),
  },
  childBody: {
    title: "select a child",
    run: ({ store }) => pickBeside(store, (body, bodies) => bodies.findIndex((b) => b.parent === body)),
  },
  otherSide: {
    title: "select the same body on the other side",
    run: ({ store }) => pickBeside(store, (body) => twin(store, body)),
  },
  limb: {
    title: "select the whole limb",
    run: ({ store }) => (store.body.value >= 0 ? pickLimb(store) : false),
  },
  keyPicked: {
    title: "key the selected joints",
    run: ({ store }) => (tool.value === "pose" ? keyPicked(store) : false),
  },
  resetPicked: {
    title: "reset the selected joints to the motion below",
    run: ({ store }) => (tool.value === "pose" ? resetPicked(store) : false),
  },
  breakDown: {
    title: "breakdown between the neighbouring keys",
    run: ({ store }) => tool.value === "pose" && breakDown(store),
  },
  keep: { title: "keep the fix", run: ({ store }) => keep(store) },
  takeBack: { title: "discard the fix", run: ({ store }) => takeBack(store) },
  cancel: { title: "cancel a drag, playing or solving", run: (bench) => cancel(bench) },
  help: { title: "all keys", run: show("keys") },
  guide: { title: "the first minute", run: show("guide") },
  wire: { title: "show the wireframe", run: toggle("wire") },
  ghosts: { title: "show ghosts", run: toggle("ghosts") },
  keyed: { title: "show ghosts at keys instead of every few frames", run: toggle("keyed") },
  trails: { title: "show trails", run: toggle("trails") },
  com: { title: "show the centre of mass", run: toggle("com") },
  inertia: { title: "show the inertia ellipsoid", run: toggle("inertia") },
  momentum: { title: "show momentum", run: toggle("momentum") },
  support: { title: "show the support polygon", run: toggle("support") },
  world: { title: "show surfaces and contacts", run: toggle("world") },
  forces: { title: "show contact forces", run: toggle("forces") },
  dark: {
    title: "light or dark theme",
    run: ({ theme }) => {
      theme.value = theme.value === "dark" ? "light" : "dark";
    },
  },
  keymap: {
    title: "Blender's or Maya's keys",
    run: ({ keymap }) => {
      keymap.value = keymap.value === "blender" ? "maya" : "blender";
    },
  },
} satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;

type Bodies = readonly { name: string; parent: number }[];

/** Pick another body than the one that is picked, or the root where none is. */
function pickBeside(store: Store, to: (body: number, bodies: Bodies) => number): void {
  const bodies = store.figure.value?.bodies ?? [];
  const body = store.body.value;
  const found = body < 0 ? 0 : to(body, bodies);
  if (found >= 0 && found < bodies.length) store.body.value = found;
}

/** The body of the other side: of the same limb, as far from the root. */
function twin(store: Store, body: number): number {
  const { joints = [], bodies = [] } = store.figure.value ?? {};
  const depth = (of: number): number => (of < 0 ? 0 : 1 + depth(bodies[of]?.parent ?? -1));
  const own = joints[body];
  if (!own?.side) return -1;
  // Fingers are many of one limb: the same place in the order of its side.
  const like = (side: boolean) =>
    joints.flatMap((j, k) =>
      j.limb === own.limb && j.side !== "" && (j.side === own.side) === side && depth(k) === depth(body)
        ? [k]
        : [],
    );
  return like(false)[like(true).indexOf(body)] ?? -1;
}

/** Into the chosen lane; without one, the first of the chosen layer that takes keys. */
function insertKey({ store, lane, lanes, edits }: Bench): void {
  const there = lane.value && lanes.value.find((l) => l.id === lane.value!.id);
  const found = there?.list ? there : lanes.value.find((l) => l.layer === store.layer.value && l.list);
  if (found) edits.insert(found, Math.round(store.player.frame.value));
  else store.note("choose a lane of the time line that takes keys");
}

function muteKeys({ store }: Bench): void {
  if (mute(store, store.selected.value)) return;
  const layer = store.layers.value.find((l) => l.name === store.layer.value);
  if (layer) store.edit({ do: "set", layer: layer.name, path: "muted", value: !layer.muted });
}

function selectAll({ store, lane, lanes }: Bench): void {
  const chosen = lanes.value.filter((l) =>
    lane.value ? l.id === lane.value.id : l.layer === store.layer.value,
  );
  store.selected.value = new Set(chosen.flatMap((l) => l.keys.filter((k) => !k.fixed).map((k) => k.id)));
}

function cancel(bench: Bench): void {
  if (bench.dialog.value) bench.dialog.value = "";
  else if (bench.cancel()) return;
  else if (bench.store.trial.value) takeBack(bench.store);
  else if (bench.store.player.playing.value) bench.store.player.pause();
  else bench.store.connection.say({ say: "cancel" });
}
