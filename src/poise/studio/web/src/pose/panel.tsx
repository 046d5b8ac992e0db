// What is posed: the coordinates of the picked joint, its keys, the pose between its neighbours,
// poses that are kept.
import { useState } from "preact/hooks";
import { put } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { PoseEdit } from "../messages.ts";
import { EntryHead } from "../panels/entry_head.tsx";
import { Choice, Field, Numeric, Section } from "../panels/fields.tsx";
import type { Store } from "../store.ts";
import { copied, copyPose, keepPose, keyPose, library, mirrorPose, pastePose } from "./clipboard.ts";
import { FaceSection } from "./face.tsx";
import { Hold } from "./holding.tsx";
import { keyTimes, now, setKey, unkey } from "./keys.ts";
import { PosePicture } from "./picture.tsx";
import { pins, tool } from "./posing.ts";
import { picked, pickedNames } from "./sets.ts";
import { quaternion, rotation } from "./turns.ts";
import { Blending, Tween } from "./tween.tsx";

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
          <button
            disabled={!copied.value}
            title={pickedNames(store) ? "paste to the selected bodies" : "paste the whole pose"}
            onClick={() => pastePose(store, copied.value, false, pickedNames(store))}
          >
            Paste
          </button>
          <button
            disabled={!copied.value?.mirrored}
            title="swap left and right"
            onClick={() => pastePose(store, copied.value, true, pickedNames(store))}
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
      <Blending store={store} />
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
  if (body < 0 || !places)
    return <p class="hint">Click a body to get rings that turn it; drag a body to pull it.</p>;
  const joint = skeleton.joints[body]!;
  const name = skeleton.name(body);
  const value = skeleton.value(places, body, store.lift.value);
  const over = value.length ? skeleton.beyond(value, body) : 0;
  const set = (next: number[]) => setKey(store, { [name]: next });
  const all = picked(store).filter((b) => skeleton.turns(b));
  const point = store.pointOf(body)!;
  return (
    <>
      {joint.kind === "hinge" && (
        <Field label="angle">
          <Numeric label="angle" digits={1} value={value[0]! * DEGREE} onSet={(v) => set([v / DEGREE])} />
          <small>° {limits(joint.lower[0], joint.upper[0])}</small>
        </Field>
      )}
      {joint.kind === "free" && (
        <Field label="place [m]">
          <span class="triple">
            {value.slice(0, 3).map((v, k) => (
              <Numeric
                label={`place ${"xyz"[k]}`}
                digits={3}
                value={v}
                onSet={(next) => set(value.map((old, i) => (i === k ? next : old)))}
              />
            ))}
          </span>
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
        <button class="first" disabled={!value.length} onClick={() => keyPicked(store)}>
          {all.length > 1 ? `Key ${all.length} joints` : "Key"}
        </button>
        <button
          title="reset to the motion below at this frame"
          disabled={!all.some((b) => keyedHere(store, skeleton.name(b)))}
          onClick={() => resetPicked(store)}
        >
          Reset
        </button>
        <button
          aria-pressed={pins.value.has(point)}
          title="stay while you pull something else, at this frame (P)"
          onClick={() => togglePin(point)}
        >
          Pin
        </button>
        <Hold store={store} point={point} />
      </div>
    </>
  );
}

const keyedHere = (store: Store, name: string): boolean =>
  keyTimes(store, name).some((t) => Math.abs(t - now(store)) < 1e-4);

/** Key the joints that are picked as they are. */
export function keyPicked(store: Store): void {
  const { skeleton, places } = { skeleton: store.posing.skeleton.value, places: store.posing.places() };
  if (!skeleton || !places) return;
  const joints = picked(store).flatMap((body) => {
    const value = skeleton.value(places, body, store.lift.value);
    return value.length ? [[skeleton.name(body), value]] : [];
  });
  if (joints.length) setKey(store, Object.fromEntries(joints) as Record<string, number[]>);
}

/** Take the keys of what is picked at this frame away. */
export function resetPicked(store: Store): void {
  const names = picked(store).map((b) => store.pointOf(b) ?? "");
  if (names.some((name) => keyedHere(store, name))) unkey(store, now(store), names);
}

export function togglePin(point: string): void {
  const next = new Set(pins.value);
  if (!next.delete(point)) next.add(point);
  pins.value = next;
}

function Library({ store }: { store: Store }) {
  const [name, setName] = useState("");
  const kept = Object.entries(library.value);
  const skeleton = store.posing.skeleton.value;
  return (
    <Section title="Pose library" open={kept.length > 0}>
      <ul class="poses">
        {kept.map(([each, pose]) => (
          <li>
            <button
              class="kept"
              title="key it at this frame"
              aria-label={each}
              onClick={() => pastePose(store, pose, false)}
            >
              {skeleton && <PosePicture skeleton={skeleton} joints={pose.joints} />}
              <span class="cut">{each}</span>
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
              title="delete it"
              aria-label={`delete ${each}`}
              onClick={() => {
                library.value = Object.fromEntries(kept.filter(([n]) => n !== each));
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <Field label="keep it as">
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
