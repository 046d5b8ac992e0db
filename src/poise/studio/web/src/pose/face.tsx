// A face by its morph targets: a slider each, keyed at this frame;
// keys of a face as a list and in the time line.
import { useRef } from "preact/hooks";
import { add, beforeLoose, freeName, put } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import { Held } from "../held.ts";
import type { AnyCommand, MorphKey } from "../messages.ts";
import { cardOf, optionFor, type Use } from "../operations.ts";
import { EntryHead } from "../panels/entry_head.tsx";
import { Field, Numeric, Section } from "../panels/fields.tsx";
import { useKnob } from "../panels/typed.tsx";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { headLane, type Key, type Lane } from "../time/lane.ts";
import type { LaneContext } from "../time/lane_context.ts";
import { now } from "./keys.ts";

/** The editor of options that hold keys of morph targets. */
export const MORPHS = "morphs";
/** Two keys nearer than this are one [s]. */
const SAME = 1e-4;

/** The layer that keys of a face go into: the chosen one, else the topmost that takes them. */
function facedLayer(store: Store): { name: string; option: string; keys: MorphKey[] } | undefined {
  const found = store.layers.value.flatMap((layer) => {
    const option = optionFor(cardOf(store.cards.value, layer), MORPHS);
    const keys = option && ((layer[option.name] as MorphKey[] | undefined) ?? []);
    return option && keys && !layer.muted ? [{ name: layer.name, option: option.name, keys }] : [];
  });
  return found.find((f) => f.name === store.layer.value) ?? found.at(-1);
}

/** Keys with weights set at a time, in order. */
export function withWeights(
  keys: readonly MorphKey[],
  time: number,
  weights: Record<string, number>,
): MorphKey[] {
  const there = keys.find((k) => Math.abs(k.time - time) < SAME);
  const key: MorphKey = { ...there, time, weights: { ...there?.weights, ...weights } };
  return [...keys.filter((k) => k !== there), key].sort((a, b) => a.time - b.time);
}

/** An edit that keys weights at this frame: whose keys they join, and whether that layer is there yet. */
export interface KeyedFace {
  command: AnyCommand;
  layer: string;
  option: string;
  keys: readonly MorphKey[];
  there: boolean;
}

/** The edit that keys weights at this frame; where no layer takes them, one that makes such a layer. */
export function keyed(store: Store, weights: Record<string, number>): KeyedFace | undefined {
  const there = facedLayer(store);
  const before = there?.keys ?? [];
  const keys = withWeights(before, now(store), weights);
  if (there)
    return {
      command: put(there.name, there.option, keys),
      layer: there.name,
      option: there.option,
      keys: before,
      there: true,
    };
  const cards = store.cards.value;
  const card = cards.find((c) => c.layer && optionFor(c, MORPHS));
  if (!card) return undefined;
  const option = optionFor(card, MORPHS)!.name;
  const name = freeName(store.layers.value, "face");
  const layer = { do: card.name, name, [option]: keys };
  const command = add(layer, beforeLoose(store.layers.value, cards));
  return { command, layer: name, option, keys: before, there: false };
}

export function FaceSection({ store }: { store: Store }) {
  const names = store.figure.value?.morphs ?? [];
  const poses = store.posed.value ?? store.result.value;
  if (!names.length || !poses) return null;
  const frame = Math.round(store.player.frame.value);
  const weights = poses.morphs(frame);
  const here = facedLayer(store)?.keys.find((k) => Math.round(k.time * store.fps.value) === frame);
  return (
    <Section title={`Face at frame ${frame}`}>
      {names.map((name, k) => (
        <Weight
          key={name}
          store={store}
          name={name}
          value={weights[k] ?? 0}
          keyed={here?.weights[name] !== undefined}
        />
      ))}
    </Section>
  );
}

function Weight({
  store,
  name,
  value,
  keyed: own,
}: {
  store: Store;
  name: string;
  value: number;
  keyed: boolean;
}) {
  const held = useRef<Held | undefined>(undefined);
  const knob = useKnob(value);
  const slide = (weight: number) => {
    knob.drag(weight);
    const made = keyed(store, { [name]: weight });
    if (!made?.there) return; // the layer is made when it is let go
    held.current ??= new Held(store, name);
    held.current.edit(made.command);
  };
  const release = (weight: number) => {
    if (held.current) held.current.drop();
    else {
      const made = keyed(store, { [name]: weight });
      if (made) store.edit(made.command);
    }
    held.current = undefined;
    knob.drop();
  };
  return (
    <Field label={own ? `◆ ${name}` : name}>
      <input
        type="range"
        aria-label={name}
        min={0}
        max={1}
        step={0.01}
        value={knob.shown ?? 0}
        onInput={(e) => slide(Number(e.currentTarget.value))}
        onChange={(e) => release(Number(e.currentTarget.value))}
      />
      <Numeric label={`${name} in numbers`} value={knob.shown} digits={2} onSet={release} />
    </Field>
  );
}

/** Keys of a layer, one a line. */
export function MorphsEditor({ store, layer, option }: EditorProps) {
  const keys = (layer[option.name] as MorphKey[] | undefined) ?? [];
  if (!keys.length)
    return (
      <p class="hint">No keys of a face: choose Pose above the stage and move a slider, or drag the face.</p>
    );
  return (
    <>
      {keys.map((key, k) => {
        const frame = Math.round(key.time * store.fps.value);
        const words = Object.entries(key.weights).map(([name, weight]) => `${name} ${weight.toFixed(2)}`);
        return (
          <div class="entry" key={key.time}>
            <EntryHead
              what={`the key of the face at ${frame}`}
              onDelete={() =>
                store.edit(
                  put(
                    layer.name,
                    option.name,
                    keys.filter((_, i) => i !== k),
                  ),
                )
              }
            >
              <button class="entry-name" onClick={() => store.player.seek(frame)}>
                {frame}: {words.length > 2 ? `${words.length} targets` : words.join(", ")}
              </button>
            </EntryHead>
          </div>
        );
      })}
    </>
  );
}

/** Keys of a face in the time line, under their layer. */
export function morphLanes({ layer, option }: Use, colour: string, context: LaneContext): Lane[] {
  const edits = (layer[option.name] as MorphKey[] | undefined) ?? [];
  const keys = edits.map(
    (edit, k): Key => ({
      id: idOf(layer.name, `${option.name}/${k}`),
      frame: edit.time * context.fps,
      shape: "diamond",
      title: Object.keys(edit.weights).join(", "),
    }),
  );
  return [headLane(layer, colour, { keys, ...(keys.length ? { list: option.name } : {}) })];
}
