// Who draws an option where a plain field would not do, by the name that its declaration gives: in the panel,
// in the time line, on the stage. A new editor is one entry here; without one an option gets a plain field.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { pointAt } from "./commands.ts";
import { type Constrained, type Keyframed, type Layer, own, type Scripted } from "./layer.ts";
import type { AnyCommand, Card, Option, Plants } from "./messages.ts";
import { type Cards, cardOf, type Use } from "./operations.ts";
import { BellEditor } from "./panels/bell.tsx";
import { ClipEditor, clipsOf, JointMapEditor } from "./panels/clip.tsx";
import { ConstraintsEditor } from "./panels/constraints.tsx";
import { DisturbancesEditor } from "./panels/disturbances.tsx";
import { KeyframesEditor, KeyframesSections } from "./panels/keyframes.tsx";
import { BeatsEditor, ColourEditor, FloorEditor, IntervalEditor, PlaceEditor } from "./panels/measures.tsx";
import { CharacterEditor, JointEditor, LimbsEditor } from "./panels/names.tsx";
import { SceneEditor, SceneSections } from "./panels/scene.tsx";
import { BeatsSection, ScriptEditor } from "./panels/script.tsx";
import { StripsEditor } from "./panels/strips.tsx";
import { SurfacesEditor } from "./panels/surfaces.tsx";
import { TensionEditor } from "./panels/tension.tsx";
import { MORPHS, MorphsEditor, morphLanes } from "./pose/face.tsx";
import { HELD } from "./pose/held_points.ts";
import { HeldEditor } from "./pose/holding.tsx";
import { EditsEditor } from "./pose/panel.tsx";
import { constraintHandles } from "./stage/constraint_handles.ts";
import type { Handle, Surroundings } from "./stage/handle.ts";
import { keyframeHandles } from "./stage/keyframe_handles.ts";
import { plantHandles } from "./stage/plant_handles.ts";
import { sceneHandles } from "./stage/scene_handles.ts";
import { surfaceHandles } from "./stage/surface_handles.ts";
import type { Store } from "./store.ts";
import { constraintLanes } from "./time/constraint_lanes.ts";
import { disturbanceLanes } from "./time/disturbance_lanes.ts";
import { editLanes } from "./time/edit_lanes.ts";
import type { Entry } from "./time/entry.ts";
import { heldLanes } from "./time/held_lanes.ts";
import { keyframeLanes } from "./time/keyframe_lanes.ts";
import type { Lane } from "./time/lane.ts";
import type { LaneContext } from "./time/lane_context.ts";
import { sceneLanes } from "./time/scene_lanes.ts";
import { scriptLanes } from "./time/script_lanes.ts";
import { stripLanes } from "./time/strip_lanes.ts";
import { surfaceLanes } from "./time/surface_lanes.ts";
import { tensionLanes } from "./time/tension_lanes.ts";

export interface EditorProps extends Use {
  store: Store;
}

/** What a new layer begins with. */
export interface Begun {
  options: Record<string, unknown>;
  before?: AnyCommand;
}

export interface Editor {
  /** In the section of the option's group. */
  panel?: (props: EditorProps) => ComponentChildren;
  /** Sections of its own, after that of the group. */
  sections?: (props: EditorProps) => ComponentChildren;
  /** Whether the section is open though nothing was set in it. */
  open?: boolean;
  /** The layer's own lane, then those under it. */
  lanes?: (use: Use, colour: string, context: LaneContext) => Lane[];
  handles?: (use: Use, around: Surroundings, plants: Plants | undefined) => Handle[];
  /** What the server is asked whenever the motion was solved anew, and where the answers are kept. */
  asks?: (store: Store, use: Use) => [string, Signal<Entry>][];
  /** Whether a layer whose operation may start a motion does so. */
  starts?: (layer: Layer) => boolean;
  /** What a new layer has, one that starts a motion or not; undefined where the option cannot be given. */
  begin?: (store: Store, option: Option, starts: boolean) => Begun | undefined;
}

const plain = (panel: NonNullable<Editor["panel"]>): Editor => ({ panel });

export const EDITORS: Readonly<Record<string, Editor>> = {
  tension: { panel: TensionEditor, open: true, lanes: tensionLanes },
  constraints: {
    panel: ConstraintsEditor,
    open: true,
    lanes: constraintLanes,
    handles: (use, around, plants) => [
      ...constraintHandles(use, around),
      ...plantHandles(use.layer, plants, around),
    ],
    asks: (store, { layer, card }) =>
      card.options.some((o) => o.name === "plants") && (layer as Constrained).plants !== false
        ? [["plants", store.plants]]
        : [],
    begin: (store, { name }) => {
      const time = store.player.time.value;
      const place = store.placeOf(store.body.value, time);
      const point = store.pointOf(store.body.value);
      return place && point ? { options: { [name]: pointAt(point, place, time) } } : undefined;
    },
  },
  surfaces: { panel: SurfacesEditor, lanes: surfaceLanes, handles: surfaceHandles },
  bell: plain(BellEditor),
  keyframes: {
    panel: KeyframesEditor,
    sections: KeyframesSections,
    lanes: keyframeLanes,
    handles: keyframeHandles,
    asks: (store, { layer }) =>
      own((layer as Keyframed).keyframes)?.["path"] ? [["segments", store.paths]] : [],
    starts: (layer: Keyframed) => !own(layer.keyframes) || "poses" in own(layer.keyframes)!,
    // Key-frames that start a motion need a first pose, which nobody has made yet.
    begin: (_, { name }, starts) => (starts ? undefined : { options: { [name]: { pins: [] } } }),
  },
  script: {
    panel: ScriptEditor,
    sections: BeatsSection,
    lanes: scriptLanes,
    asks: (store) => [["beats", store.music]],
    starts: (layer: Scripted) => !layer.follow,
    begin: (store, { name }, starts) => ({
      options: starts ? { [name]: store.vocabulary.value.scripts?.at(-1) ?? "ymca" } : { follow: true },
    }),
  },
  edits: {
    panel: EditsEditor,
    open: true,
    lanes: editLanes,
    begin: (_, { name }) => ({ options: { [name]: [] } }),
  },
  [MORPHS]: { panel: MorphsEditor, lanes: morphLanes },
  [HELD]: { panel: HeldEditor, lanes: heldLanes },
  disturbances: { panel: DisturbancesEditor, open: true, lanes: disturbanceLanes },
  scene: {
    panel: SceneEditor,
    sections: SceneSections,
    lanes: sceneLanes,
    handles: sceneHandles,
    begin: (store, { name }) => ({
      options: { [name]: store.vocabulary.value.scenes?.[0] ?? "side jump" },
    }),
  },
  clip: {
    panel: ClipEditor,
    begin: (store, { name }) => {
      const known = clipsOf(store)[0]?.[0];
      const clip = known ?? store.vocabulary.value.clips?.[0] ?? "punch";
      const before: AnyCommand = { do: "put-clip", name: clip, clip: { bundled: clip } };
      return { options: { [name]: clip }, ...(known ? {} : { before }) };
    },
  },
  strips: {
    panel: StripsEditor,
    open: true,
    lanes: stripLanes,
    begin: (store, { name }) => {
      const known = clipsOf(store).find(([clip]) => store.facts.value[clip]?.kind !== "character")?.[0];
      const clip = known ?? store.vocabulary.value.clips?.[0] ?? "walk";
      const before: AnyCommand = { do: "put-clip", name: clip, clip: { bundled: clip } };
      return { options: { [name]: [{ clip, at: 0 }] }, ...(known ? {} : { before }) };
    },
  },
  joint: plain(JointEditor),
  joint_map: plain(JointMapEditor),
  limbs: {
    panel: LimbsEditor,
    // The picked body and what hangs from it, as a ponytail does.
    begin: (store, { name }) => {
      const bodies = store.figure.value?.bodies ?? [];
      const chain: string[] = [];
      const below = new Set<number>();
      for (const [k, { name: body, parent }] of bodies.entries())
        if (k === store.body.value || below.has(parent)) {
          below.add(k);
          chain.push(body);
        }
      return chain.length > 1 ? { options: { [name]: chain } } : undefined;
    },
  },
  character: plain(CharacterEditor),
  place: plain(PlaceEditor),
  colour: plain(ColourEditor),
  floor: plain(FloorEditor),
  interval: plain(IntervalEditor),
  beats: plain(BeatsEditor),
};

/** Whether a layer makes a motion of its own. */
export function starts(cards: Cards, layer: Layer): boolean {
  const card = cardOf(cards, layer);
  if (card?.input !== "maybe") return card?.input === "never";
  return card.options.some((o) => EDITORS[o.editor ?? ""]?.starts?.(layer));
}

/** What a new layer of an operation has; undefined where a required option cannot be given yet. */
export function beginning(store: Store, card: Card, starts: boolean): Begun | undefined {
  const made: Begun = { options: {} };
  for (const option of card.options) {
    const editor = EDITORS[option.editor ?? ""];
    if (!option.required && !BEGUN.has(option.editor ?? "")) continue;
    const begun = editor?.begin?.(store, option, starts) ?? counted(store, option);
    if (!begun && option.required) return undefined;
    Object.assign(made.options, begun?.options);
    if (begun?.before) made.before = begun.before;
  }
  return made;
}

/** Options that a layer begins with though they are not required. */
const BEGUN = new Set(["script"]);

/** A number that has to be given: the present frame rate, else the next after one. */
function counted(store: Store, { name, holds, unit, range }: Option): Begun | undefined {
  if (holds !== "number" && holds !== "integer") return undefined;
  const value = unit === "fps" ? Math.round(store.fps.value) : Math.min(2, range?.most ?? 2);
  return { options: { [name]: value } };
}
