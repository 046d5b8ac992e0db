// Poses between poses: a breakdown that keeps its share between the keys around, and a blend towards any
// other pose.
import { useRef, useState } from "preact/hooks";
import { put } from "../commands.ts";
import { Held } from "../held.ts";
import type { AnyCommand, PoseEdit } from "../messages.ts";
import { Choice, Field, Numeric, Section } from "../panels/fields.tsx";
import { useKnob } from "../panels/typed.tsx";
import type { Store } from "../store.ts";
import { Blend, goals } from "./blend.ts";
import { around, editsOf, now, posedLayer } from "./keys.ts";
import { pickedNames } from "./sets.ts";

/** What a breakdown at this frame would do: nothing without keys on both sides. */
function tweening(store: Store) {
  const time = now(store);
  const [before, after] = around(store, time);
  const there = posedLayer(store);
  if (before === undefined || after === undefined || !there) return undefined;
  const edits = editsOf(there);
  const own = edits.find((e) => e.kind === "breakdown" && Math.abs(e.time - time) < 1e-4);
  const joints = [
    ...new Set(
      edits.filter((e) => e.time === before || e.time === after).flatMap((e) => Object.keys(e.joints)),
    ),
  ];
  const made = (percent: number): AnyCommand => {
    const breakdown: PoseEdit = {
      time,
      kind: "breakdown",
      share: percent / 100,
      joints: Object.fromEntries(joints.map((name) => [name, []])),
    };
    const others = edits.filter((e) => e !== own && Math.abs(e.time - time) >= 1e-4);
    const next = [...others, breakdown].sort((a, b) => a.time - b.time);
    return put(there.layer.name, there.option, next);
  };
  const frames = [before, after].map((t) => Math.round(t * store.fps.value));
  return { frames, share: own && 100 * own.share!, made };
}

/** A share of the way between the keys around: a breakdown, which keeps it wherever they go. */
export function Tween({ store }: { store: Store }) {
  const found = tweening(store);
  const held = useRef<Held | undefined>(undefined);
  const knob = useKnob(found?.share);
  if (!found) return null;
  const { frames, share, made } = found;
  const set = (percent: number) => store.edit(made(percent));
  const slide = (percent: number) => {
    knob.drag(percent);
    held.current ??= new Held(store, "tween");
    held.current.edit(made(percent));
  };
  const end = (how: "drop" | "cancel") => {
    held.current?.[how]();
    held.current = undefined;
    knob[how]();
  };
  return (
    <Section title={`Tween between ${frames[0]} and ${frames[1]}`}>
      <Field label="share">
        <input
          type="range"
          aria-label="tween"
          title="a share of the way between the keys around, seen while it is dragged"
          min={-50}
          max={150}
          value={Math.round(knob.shown ?? 50)}
          onInput={(e) => slide(Number(e.currentTarget.value))}
          onChange={() => end("drop")}
          onKeyDown={(e) => {
            if (e.key !== "Escape" || !held.current) return;
            e.stopPropagation();
            end("cancel");
          }}
        />
        <Numeric label="share" digits={1} value={share} onSet={set} />
        <small>%</small>
      </Field>
      {share === undefined && (
        <div class="buttons">
          <button onClick={() => set(50)}>Breakdown here</button>
        </div>
      )}
    </Section>
  );
}

/** The pose of this frame a share of the way towards another, seen while it is dragged. */
export function Blending({ store }: { store: Store }) {
  const [goal, setGoal] = useState("");
  const held = useRef<{ blend: Promise<Blend | undefined>; share: number } | undefined>(undefined);
  const all = Object.keys(goals(store));
  const chosen = all.includes(goal) ? goal : all[0]!;
  const drag = (slider: HTMLInputElement) => {
    held.current ??= { blend: Blend.towards(store, chosen), share: 0 };
    const now = held.current;
    now.share = Number(slider.value) / 100;
    void now.blend.then((blend) => held.current === now && blend?.at(now.share));
  };
  const drop = (slider: HTMLInputElement) => {
    const now = held.current;
    held.current = undefined;
    slider.value = "0";
    if (now) void now.blend.then((blend) => blend?.drop(now.share));
  };
  const names = pickedNames(store);
  return (
    <Section title={names ? `Blend ${names.length} joints` : "Blend"}>
      <Choice label="towards" value={chosen} options={all} onSet={setGoal} />
      <Field label="by">
        <input
          type="range"
          aria-label="blend"
          min={-50}
          max={150}
          defaultValue="0"
          title="from this pose (0) to that one (100 %) and beyond; keyed when you let go"
          onInput={(e) => drag(e.currentTarget)}
          onChange={(e) => drop(e.currentTarget)}
        />
      </Field>
    </Section>
  );
}

/** A breakdown in the middle between the keys around. */
export function breakDown(store: Store): boolean {
  const made = tweening(store)?.made;
  if (made) store.edit(made(50));
  return made !== undefined;
}
