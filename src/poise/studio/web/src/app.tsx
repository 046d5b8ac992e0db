// The screen: menu above, outliner, stage and inspector in the middle, transport, time line and status below.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { pending } from "./bin/assets.ts";
import { JointMap } from "./bin/joint_map.tsx";
import { editsOf, posedLayer } from "./pose/keys.ts";
import { tool } from "./pose/posing.ts";
import { followingKeys } from "./pose/sets.ts";
import { askingUnder, under } from "./pose/under.ts";
import { ACTIONS, type Action, type Bench, type Dialog, type Shown } from "./shell/actions.ts";
import { Dialogs } from "./shell/dialogs.tsx";
import { dropping } from "./shell/drop.ts";
import { hearing } from "./shell/hearing.ts";
import { inquiring } from "./shell/inquiry.ts";
import { Inspector } from "./shell/inspector.tsx";
import { actionFor, KEYMAPS } from "./shell/keys.ts";
import { Left } from "./shell/left.tsx";
import { looking } from "./shell/looking.ts";
import { Menu } from "./shell/menu.tsx";
import { remembered } from "./shell/remembered.ts";
import { layingOut, Splitter } from "./shell/splitter.tsx";
import { Status } from "./shell/status.tsx";
import { Transport } from "./shell/transport.tsx";
import { Trial } from "./shell/trial.tsx";
import { camerasOf, cutsOf } from "./shots.ts";
import { View, type ViewHandle } from "./stage/view.tsx";
import { works } from "./standing.ts";
import type { Store } from "./store.ts";
import { stretches } from "./time/cache_bar.ts";
import { cameraLanes } from "./time/camera_lanes.ts";
import { contactLanes } from "./time/contact_lanes.ts";
import { documentEdits } from "./time/document_edits.ts";
import { lanesOf } from "./time/document_lanes.ts";
import { graphLanes } from "./time/graph_lanes.ts";
import type { JointGraph } from "./time/joint_lanes.ts";
import type { Lane } from "./time/lane.ts";
import { Timeline } from "./time/timeline.tsx";
import { whole } from "./time/window.ts";

/** What is shown on the stage at first. */
const SHOWN: Shown = {
  wire: true,
  ghosts: false,
  keyed: false,
  trails: true,
  com: true,
  inertia: false,
  momentum: false,
  support: true,
  world: true,
  forces: false,
};

export function App({ store }: { store: Store }) {
  const bench = useMemo(() => makeBench(store), [store]);
  const solved = useMemo(
    () => computed(() => stretches(store.shown.value, store.result.value?.frames ?? 0)),
    [store],
  );
  useEffect(() => clock(store), [store]);
  useEffect(() => watching(store), [store]);
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      const action = actionFor(KEYMAPS[bench.keymap.value], event);
      if (!action || (covered(bench) && action !== "cancel")) return;
      if ((ACTIONS[action] as Action).run(bench) !== false) event.preventDefault();
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, [bench]);
  useEffect(
    () =>
      effect(() => {
        document.documentElement.dataset["theme"] = bench.theme.value;
      }),
    [bench],
  );
  useEffect(layingOut, []);
  useEffect(() => dropping(store), [store]);
  useEffect(() => inquiring(store), [store]);
  useEffect(() => hearing(store), [store]);
  useEffect(() => looking(store), [store]);
  useEffect(() => followingKeys(store), [store]);
  useEffect(() => askingUnder(store, () => bench.mode.value === "graph" && tool.value === "pose"), [store]);
  return (
    <div class="studio">
      <Menu bench={bench} />
      <main class="middle">
        <Left store={store} />
        <Splitter edge="left" />
        <View store={store} bench={bench} />
        <Splitter edge="right" />
        <Inspector store={store} />
      </main>
      <section class="bottom">
        <Splitter edge="bottom" />
        <Trial store={store} />
        <Transport
          player={store.player}
          lanes={bench.lanes}
          mode={bench.mode}
          onInsert={() => ACTIONS.insert.run(bench)}
          onShowAll={() => ACTIONS.showAll.run(bench)}
        />
        <Timeline
          player={store.player}
          lanes={bench.shownLanes}
          solved={solved}
          selected={store.selected}
          edits={bench.edits}
          current={bench.lane}
          folded={store.folded}
          theme={bench.theme}
          window={bench.window}
          onMute={(lane) =>
            store.edit({ do: "set", layer: lane.layer, path: lane.mutes!, value: !lane.muted })
          }
          onFold={(layer) => {
            store.folded.value = toggled(store.folded.value, layer);
          }}
          onLayer={(layer) => {
            store.layer.value = layer;
          }}
        />
      </section>
      <Status bench={bench} />
      <Dialogs bench={bench} />
      <JointMap store={store} />
    </div>
  );
}

function makeBench(store: Store) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const view: ViewHandle = {
    frame: () => undefined,
    cancel: () => false,
    camera: () => ({ azimuth: -62, elevation: 8 }),
    orbit: () => undefined,
    closer: () => undefined,
  };
  const lanes = computed(() => [
    ...lanesOf(store.layers.value, store.lanes.value),
    ...contactLanes(store.carried.value, store.owned.value, store.folded.value),
    ...cameraLanes(
      camerasOf(store),
      cutsOf(store),
      store.fps.value,
      store.player.frames.value,
      store.folded.value,
    ),
  ]);
  const mode = signal<"dope" | "graph">("dope");
  const drawn = computed(() => ({
    result: store.result.value,
    reference: store.reference.value,
    physics: store.physics.value,
    lift: store.lift.value,
    fps: store.fps.value,
    body: store.body.value,
    name: store.pointOf(store.body.value) ?? "",
    layers: store.layers.value,
    joint: mode.value === "graph" ? jointGraph(store) : undefined,
  }));
  return {
    store,
    view,
    lanes,
    shownLanes: computed(() => (mode.value === "graph" ? graphLanes(lanes.value, drawn.value) : lanes.value)),
    lane: signal<Lane | undefined>(undefined),
    mode,
    window: signal(whole(store.player.frames.peek())),
    edits: documentEdits(store),
    dialog: signal<Dialog>(seen() ? "" : "guide"),
    shown: remembered<Shown>("shown", SHOWN),
    theme: remembered<"light" | "dark">("theme", dark ? "dark" : "light"),
    keymap: remembered<"blender" | "maya">("keymap", "blender"),
    frameSelection: () => view.frame(),
    cancel: () => view.cancel(),
    camera: () => view.camera(),
    orbit: (right, up) => view.orbit(right, up),
    closer: (by) => view.closer(by),
  } satisfies Bench & { view: ViewHandle; shownLanes: unknown };
}

/** While somebody poses, how the picked joint is turned. */
function jointGraph(store: Store): JointGraph | undefined {
  const { skeleton } = store.posing;
  const [there, poses, body] = [posedLayer(store), store.posed.value, store.body.value];
  if (tool.value !== "pose" || !skeleton.value || !poses || body < 0) return undefined;
  return {
    skeleton: skeleton.value,
    poses,
    body,
    lift: store.lift.value,
    fps: store.fps.value,
    layer: there?.layer.name ?? "",
    option: there?.option ?? "",
    edits: there ? editsOf(there) : [],
    adds: there?.layer["mode"] !== "override",
    under: (time) => under(store.pointOf(body) ?? "", time),
    selected: store.selected.value,
  };
}

/** Whether a window is over the screen, whose keys are its own; the guide is beside it. */
const covered = ({ dialog, store }: Bench): boolean =>
  !!store.state.value?.recovery ||
  pending.value !== undefined ||
  (dialog.value !== "" && dialog.value !== "guide");

/** The guide opens by itself only the first time. */
function seen(): boolean {
  const before = localStorage.getItem("poise-guide") !== null;
  localStorage.setItem("poise-guide", "seen");
  return before;
}

/** Lets the player's time pass while it plays; otherwise nothing ticks. */
function clock(store: Store): () => void {
  let last = 0;
  let going = 0;
  const tick = (now: number) => {
    // A slow machine shows fewer frames, not slower motion; only after a pause nothing is made up for.
    store.player.advance(Math.min((now - last) / 1000, 0.5));
    last = now;
    going = store.player.playing.peek() ? requestAnimationFrame(tick) : 0;
  };
  const stop = effect(() => {
    if (!store.player.playing.value || going) return;
    last = performance.now();
    going = requestAnimationFrame(tick);
  });
  return () => {
    stop();
    cancelAnimationFrame(going);
  };
}

/** While somebody is at work, or nobody is there, it is said for how long. */
function watching(store: Store): () => void {
  const timer = setInterval(() => {
    const shown = store.shown.peek();
    if (shown.state === "offline" || works(shown)) store.happens({ kind: "clock", at: Date.now() });
  }, 1000);
  return () => clearInterval(timer);
}

function toggled(set: Set<string>, name: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(name)) next.add(name);
  return next;
}
