// What is posed: the coordinates of the picked joint, its keys, the pose between its neighbours,
// poses that are kept.
import { useState } from "preact/hooks";
import * as THREE from "three";
import { put } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { PoseEdit } from "../messages.ts";
import { EntryHead } from "../panels/entry_head.tsx";
import { Choice, Field, Numeric, Section } from "../panels/fields.tsx";
import type { Store } from "../store.ts";
import { copied, copyPose, keepPose, keyPose, library, mirrorPose, pastePose } from "./clipboard.ts";
import { FaceSection } from "./face.tsx";
import { around, editsOf, keyTimes, now, posedLayer, setKey, unkey } from "./keys.ts";
import { pins, tool } from "./posing.ts";

const DEGREE = 180 / Math.PI;

export function PosePanel({ store }: { store: Store }) {
  if (tool.value !== "pose" || !store.posing.skeleton.value) return null;
  const frame = Math.round(store.player.frame.value);
  return (
    <>
      <Section title={`${store.pointOf(store.body.value) ?? "Pose"} at frame ${frame}`}>
        <Joint store={store} />
        <div class="buttons">
          <button title="key the whole pose" onClick={() => void keyPose(store)}>
            Key pose
          </button>
          <button onClick={() => void copyPose(store)}>Copy</button>
          <button disabled={!copied.value} onClick={() => pastePose(store, copied.value, false)}>
            Paste
          </button>
          <button
            disabled={!copied.value?.mirrored}
            title="swap left and right"
            onClick={() => pastePose(store, copied.value, true)}
          >
            Paste mirrored
          </button>
          <button title="mirror in place" onClick={() => void mirrorPose(store)}>
            Mirror
          </button>
          <button
            title="delete the keys at this frame"
            disabled={!keyTimes(store).some((t) => Math.round(t * store.fps.value) === frame)}
            onClick={() => unkey(store, now(store))}
          >
            Delete key
          </button>
        </div>
      </Section>
      <Tween store={store} />
      <FaceSection store={store} />
      <Library store={store} />
    </>
  );
}

/** The numbers of one joint: an angle, or a rotation vector. */
function Joint({ store }: { store: Store }) {
  const body = store.body.value;
  const skeleton = store.posing.skeleton.value!;
  const places = store.posing.places();
  if (body < 0 || !places) return <p class="hint">Click a body: rings turn it, a drag pulls it.</p>;
  const joint = skeleton.joints[body]!;
  const name = skeleton.name(body);
  const value = skeleton.value(places, body, store.lift.value);
  const over = value.length ? skeleton.beyond(value, body) : 0;
  const set = (next: number[]) => setKey(store, { [name]: next });
  const point = store.pointOf(body)!;
  return (
    <>
      {joint.kind === "hinge" && (
        <Field label="angle">
          <Numeric label="angle" digits={1} value={value[0]! * DEGREE} onSet={(v) => set([v / DEGREE])} />
          <small>° {limits(joint.lower[0], joint.upper[0])}</small>
        </Field>
      )}
      {(joint.kind === "ball" || joint.kind === "free") && (
        <Field label="turned [°]">
          <span class="triple">
            {rotation(value.slice(-4)).map((angle, k, all) => (
              <Numeric
                label={`turned ${"xyz"[k]}`}
                digits={1}
                value={angle}
                onSet={(v) =>
                  set([...value.slice(0, -4), ...quaternion(all.map((old, i) => (i === k ? v : old)))])
                }
              />
            ))}
          </span>
        </Field>
      )}
      {over > 1e-4 && <p class="hint wrong">beyond its limit by {(over * DEGREE).toFixed(1)}°</p>}
      {store.posing.off.value > 1e-3 && store.posing.pending.value && (
        <p class="hint wrong">out of reach by {(100 * store.posing.off.value).toFixed(1)} cm</p>
      )}
      <div class="buttons">
        <button class="first" disabled={!value.length} onClick={() => set(value)}>
          Key
        </button>
        <button
          title="reset to the motion below at this frame"
          disabled={!keyTimes(store, name).some((t) => Math.abs(t - now(store)) < 1e-4)}
          onClick={() => unkey(store, now(store), [name])}
        >
          Reset
        </button>
        <button
          aria-pressed={pins.value.has(point)}
          title="hold it in place while you pull something else"
          onClick={() => togglePin(point)}
        >
          Pin
        </button>
      </div>
    </>
  );
}

export function togglePin(point: string): void {
  const next = new Set(pins.value);
  if (!next.delete(point)) next.add(point);
  pins.value = next;
}

/** A share of the way between the keys around: a breakdown, which keeps it wherever they go. */
function Tween({ store }: { store: Store }) {
  const time = now(store);
  const [before, after] = around(store, time);
  const there = posedLayer(store);
  if (before === undefined || after === undefined || !there) return null;
  const edits = editsOf(there);
  const own = edits.find((e) => e.kind === "breakdown" && Math.abs(e.time - time) < 1e-4);
  const joints = [
    ...new Set(
      edits.filter((e) => e.time === before || e.time === after).flatMap((e) => Object.keys(e.joints)),
    ),
  ];
  const set = (percent: number) => {
    const breakdown: PoseEdit = {
      time,
      kind: "breakdown",
      share: percent / 100,
      joints: Object.fromEntries(joints.map((name) => [name, []])),
    };
    const others = edits.filter((e) => e !== own && Math.abs(e.time - time) >= 1e-4);
    const next = [...others, breakdown].sort((a, b) => a.time - b.time);
    store.edit(put(there.layer.name, there.option, next));
  };
  const frames = [before, after].map((t) => Math.round(t * store.fps.value));
  return (
    <Section title={`Tween between ${frames[0]} and ${frames[1]}`}>
      <Field label="share">
        <input
          type="range"
          aria-label="tween"
          min={-50}
          max={150}
          value={Math.round(100 * (own?.share ?? 0.5))}
          onChange={(e) => set(Number(e.currentTarget.value))}
        />
        <Numeric label="share" digits={1} value={own ? 100 * own.share! : undefined} onSet={set} />
        <small>%</small>
      </Field>
      {!own && (
        <div class="buttons">
          <button onClick={() => set(50)}>Breakdown here</button>
        </div>
      )}
    </Section>
  );
}

function Library({ store }: { store: Store }) {
  const [name, setName] = useState("");
  const kept = Object.entries(library.value);
  return (
    <Section title="Pose library" open={kept.length > 0}>
      <ul class="poses">
        {kept.map(([each, pose]) => (
          <li>
            <button title="key it at this frame" onClick={() => pastePose(store, pose, false)}>
              {each}
            </button>
            <button
              class="small"
              title="mirrored"
              aria-label={`${each} mirrored`}
              disabled={!pose.mirrored}
              onClick={() => pastePose(store, pose, true)}
            >
              ⇄
            </button>
            <button
              class="small"
              title="forget it"
              aria-label={`forget ${each}`}
              onClick={() => {
                library.value = Object.fromEntries(kept.filter(([n]) => n !== each));
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <Field label="save this pose as">
        <input
          class="word"
          aria-label="name of the pose"
          value={name}
          onInput={(e) => setName(e.currentTarget.value)}
        />
        <button disabled={!name.trim()} onClick={() => keepPose(store, name.trim())}>
          Keep
        </button>
      </Field>
    </Section>
  );
}

/** The keys of a layer, one a line: when, of whom, and how they go on. */
export function EditsEditor({ store, layer, option, card }: EditorProps) {
  const edits = (layer[option.name] as PoseEdit[] | undefined) ?? [];
  const eases = ["spline", "smooth", "linear", "ease-in", "ease-out", "hold"];
  const change = (k: number, changes: Partial<PoseEdit>) =>
    store.edit(
      put(
        layer.name,
        option.name,
        edits.map((e, i) => (i === k ? { ...e, ...changes } : e)),
      ),
    );
  void card;
  if (!edits.length) return <p class="hint">No keys yet: choose Pose above the stage and turn a body.</p>;
  return (
    <>
      {edits.map((edit, k) => {
        const joints = Object.keys(edit.joints);
        const frame = Math.round(edit.time * store.fps.value);
        const flat = edit.arrive === 0 && edit.leave === 0;
        const own = Math.round(store.player.frame.value) === frame;
        return (
          <div class={own ? "entry chosen" : "entry"} key={`${edit.time} ${joints.join()}`}>
            <EntryHead
              what={`the key at ${frame}`}
              onDelete={() =>
                store.edit(
                  put(
                    layer.name,
                    option.name,
                    edits.filter((e) => e !== edit),
                  ),
                )
              }
            >
              <button class="entry-name" onClick={() => store.player.seek(frame)}>
                {frame}: {joints.length === 1 ? joints[0] : `${joints.length} joints`}
              </button>
            </EntryHead>
            {own && (
              <>
                <Choice
                  label="goes on"
                  value={edit.ease ?? "spline"}
                  options={eases}
                  onSet={(v) => change(k, { ease: v as NonNullable<PoseEdit["ease"]> })}
                />
                <div class="buttons">
                  <button
                    aria-pressed={flat}
                    title="flat at this key, without overshoot"
                    onClick={() => change(k, flat ? { arrive: null, leave: null } : { arrive: 0, leave: 0 })}
                  >
                    Flat
                  </button>
                </div>
              </>
            )}
          </div>
        );
      })}
    </>
  );
}

const limits = (lower: number | null | undefined, upper: number | null | undefined): string =>
  (lower ?? undefined) === undefined || (upper ?? undefined) === undefined
    ? ""
    : `${Math.round(lower! * DEGREE)} to ${Math.round(upper! * DEGREE)}`;

/** A rotation vector [°] of a quaternion w x y z, and back. */
export function rotation([w = 1, x = 0, y = 0, z = 0]: number[]): number[] {
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, Math.abs(w)) * Math.sign(w || 1);
  return [x, y, z].map((v) => (sine < 1e-12 ? 0 : (DEGREE * angle * v) / sine));
}
export function quaternion(degrees: number[]): number[] {
  const turn = new THREE.Vector3(...(degrees as [number, number, number])).divideScalar(DEGREE);
  const angle = turn.length();
  const q = new THREE.Quaternion().setFromAxisAngle(
    angle ? turn.divideScalar(angle) : new THREE.Vector3(1, 0, 0),
    angle,
  );
  return [q.w, q.x, q.y, q.z];
}
