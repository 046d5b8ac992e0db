// A simulated performance: its script and music, the selected key, what disturbs it,
// and how it is controlled.
import { useEffect, useState } from "preact/hooks";
import { insert, put, remove } from "../commands.ts";
import type { AnyCommand, BeatLayer, Mend } from "../messages.ts";
import { Icon } from "../shell/icon.tsx";
import type { Store } from "../store.ts";
import { idOf, read } from "../time/address.ts";
import { beatTimes, keyTimes } from "../time/beat_lanes.ts";
import { type Entry, spanOf } from "../time/entry.ts";
import { Choice, Field, Numeric, Section, Tick, Triple, Word } from "./fields.tsx";
import { Options } from "./options.tsx";

export function BeatPanel({ store, layer }: { store: Store; layer: BeatLayer }) {
  const words = store.vocabulary.value;
  const script = typeof layer.script === "object" ? (layer.script as Entry | null) : null;
  const styles = words.styles ?? ["smooth", "snappy"];
  return (
    <>
      <Section title="Script">
        <Tick
          label="follow the motion"
          value={layer.follow ?? false}
          onSet={(v) => store.edit(put(layer.name, "follow", v))}
        />
        <Choice
          label="script"
          value={typeof layer.script === "string" ? layer.script : script ? "its own" : "none"}
          options={[
            ...(script ? ["its own"] : []),
            ...(layer.follow ? ["none"] : []),
            ...(words.scripts ?? ["conducting", "ymca"]),
          ]}
          onSet={(v) =>
            v !== "its own" &&
            store.edit(v === "none" ? remove(layer.name, "script") : put(layer.name, "script", v))
          }
        />
        {typeof layer.script === "string" && (
          <>
            <p class="hint">A bundled script. Take it apart to move its keys, or to play it to music.</p>
            <button
              onClick={() =>
                void store
                  .ask("script", { name: layer.script })
                  .then((found) => found && store.edit(put(layer.name, "script", found)))
              }
            >
              Take it apart
            </button>
          </>
        )}
        {script && <Keys store={store} layer={layer} script={script} styles={styles} />}
      </Section>
      {script && <Beats store={store} layer={layer} script={script} />}
      <Disturbances store={store} layer={layer} />
      <Section title="Control" open={false}>
        <Options
          store={store}
          layer={layer}
          list={[
            {
              path: "control",
              label: "control",
              kind: "choice",
              options: ["full", "composite", "local", "manual"],
            },
            { path: "style", label: "style", kind: "choice", options: styles },
            {
              path: "root",
              label: "root",
              kind: "choice",
              usual: layer.follow ? "prescribed" : "fixed",
              options: ["fixed", "prescribed", "free"],
            },
            { path: "hold", label: "holds in", kind: "number", unit: "s" },
            { path: "look_ahead", label: "follows in", kind: "number", unit: "s" },
            { path: "recovery", label: "recovers in", kind: "number", unit: "s" },
            { path: "tolerance", label: "on time within", kind: "number", unit: "°" },
            { path: "duration", label: "lasts", kind: "number", usual: "as keys say", unit: "s" },
            { path: "limits", label: "strength", kind: "number", usual: "any", unit: "N·m" },
            { path: "floor", label: "floor", kind: "tick", usual: true },
          ]}
        />
      </Section>
    </>
  );
}

/** The script's keys: which pose, and when: at a time, on a beat, or after the one before. */
function Keys({
  store,
  layer,
  script,
  styles,
}: {
  store: Store;
  layer: BeatLayer;
  script: Entry;
  styles: readonly string[];
}) {
  const poses = Object.keys((typeof script["poses"] === "object" ? script["poses"] : {}) as object);
  const beats = beatTimes(script, store.music.value[layer.name]?.beats);
  const times = keyTimes(script, beats);
  const chosen = [...store.selected.value].find((id) => id.startsWith(idOf(layer.name, "script/keys/")));
  const index = chosen ? Number(chosen.split("/").at(-1)) : -1;
  const entry =
    index >= 0 ? (read(layer, `script/keys/${index}`) as Entry | [string, number] | undefined) : undefined;
  const key: Entry | undefined = Array.isArray(entry) ? { pose: entry[0], after: entry[1] } : entry;
  const write = (next: Entry) => store.edit(put(layer.name, `script/keys/${index}`, next));
  const timed = (how: string) => {
    if (!key) return;
    const { at: _at, beat: _beat, after: _after, ...rest } = key;
    const time = times[index]!;
    if (how === "at") write({ ...rest, at: Number(time.toFixed(4)) });
    else if (how === "on beat")
      write({
        ...rest,
        beat:
          1 +
          beats.reduce((best, t, i) => (Math.abs(t - time) < Math.abs(beats[best]! - time) ? i : best), 0),
      });
    else write({ ...rest, after: Number((time - (index ? times[index - 1]! : 0)).toFixed(4)) });
  };
  if (!key)
    return (
      <p class="hint">
        {times.length} keys. Select one in the time line; double click the lane to put one in.
      </p>
    );
  const how = typeof key["at"] === "number" ? "at" : typeof key["beat"] === "number" ? "on beat" : "after";
  return (
    <div class="entry chosen">
      <Choice
        label="pose"
        value={String(key["pose"])}
        options={poses}
        onSet={(v) => write({ ...key, pose: v })}
      />
      <Choice
        label="when"
        value={how}
        options={["at", ...(beats.length ? ["on beat"] : []), "after"]}
        onSet={timed}
      />
      <Field label={how === "on beat" ? "beat" : "seconds"}>
        <Numeric
          label={how === "on beat" ? "beat" : "seconds"}
          value={Number(key[how === "on beat" ? "beat" : how])}
          onSet={(v) =>
            write({ ...key, [how === "on beat" ? "beat" : how]: how === "on beat" ? Math.round(v) : v })
          }
        />
      </Field>
      <Choice
        label="style"
        value={String(key["style"] ?? "as the layer")}
        options={["as the layer", ...styles]}
        onSet={(v) => {
          const { style: _style, ...rest } = key;
          write(v === "as the layer" ? rest : { ...rest, style: v });
        }}
      />
    </div>
  );
}

/** The beats: a tempo, or a recording of the workspace. */
function Beats({ store, layer, script }: { store: Store; layer: BeatLayer; script: Entry }) {
  const music = store.music.value[layer.name];
  const beats = (script["beats"] ?? undefined) as Entry | undefined;
  const how = !beats
    ? "none"
    : "tempo" in beats
      ? "tempo"
      : "wav" in beats
        ? "recording"
        : "midi" in beats
          ? "MIDI"
          : "times";
  const set = (value: unknown) =>
    store.edit(
      value === undefined ? remove(layer.name, "script/beats") : put(layer.name, "script/beats", value),
    );
  const [files, setFiles] = useState<string[]>([]);
  useEffect(
    () => void store.ask("files", {}, true).then((found) => setFiles((found as string[] | undefined) ?? [])),
    [how],
  );
  const ending = (suffix: string) => files.filter((f) => f.toLowerCase().endsWith(suffix));
  const fresh: Record<string, unknown> = {
    none: undefined,
    tempo: { tempo: 120, count: 32 },
    recording: { wav: ending(".wav")[0] ?? "music.wav" },
    MIDI: { midi: ending(".mid")[0] ?? "music.mid" },
    times: { times: [0.5, 1, 1.5, 2] },
  };
  return (
    <Section title="Beats">
      <Choice label="from" value={how} options={Object.keys(fresh)} onSet={(v) => set(fresh[v])} />
      {how === "tempo" && (
        <>
          <Field label="per minute">
            <Numeric
              label="tempo"
              value={Number(beats!["tempo"])}
              onSet={(v) => set({ ...beats, tempo: v })}
            />
          </Field>
          <Field label="first at [s]">
            <Numeric
              label="start"
              value={Number(beats!["start"] ?? 0)}
              onSet={(v) => set({ ...beats, start: v })}
            />
          </Field>
        </>
      )}
      {how === "recording" && (
        <Word
          label="file"
          value={String(beats!["wav"])}
          options={ending(".wav")}
          onSet={(v) => set({ ...beats, wav: v })}
        />
      )}
      {how === "MIDI" && (
        <Word
          label="file"
          value={String(beats!["midi"])}
          options={ending(".mid")}
          onSet={(v) => set({ ...beats, midi: v })}
        />
      )}
      {how === "recording" && !music?.high.length && (
        <p class="hint">Drop a WAV file on the window to play to it.</p>
      )}
      {music?.problem && <p class="wrong">✗ {music.problem}</p>}
      {music && music.tempo > 0 && (
        <p class="hint">
          {music.beats.length} beats, about {Math.round(music.tempo)} a minute.
        </p>
      )}
      {beatTimes(script, music?.beats).length > 0 && (
        <div class="buttons">
          <button
            title="every key to a beat of its own, moved as little as possible"
            onClick={() => void snap(store, layer)}
          >
            Snap keys to beats
          </button>
        </div>
      )}
      {how !== "none" && (
        <Tick
          label="keep all keys on beats"
          value={script["quantise"] === true}
          onSet={(v) =>
            store.edit(v ? put(layer.name, "script/quantise", true) : remove(layer.name, "script/quantise"))
          }
        />
      )}
    </Section>
  );
}

async function snap(store: Store, layer: BeatLayer): Promise<void> {
  const found = (await store.ask("snap", { layer: layer.name })) as Mend | undefined;
  if (!found?.command) return;
  store.edit(found.command as unknown as AnyCommand);
  store.note(found.words);
}

function Disturbances({ store, layer }: { store: Store; layer: BeatLayer }) {
  const list = layer.perturbations ?? [];
  const points = store.vocabulary.value.points ?? store.figure.value?.points ?? [];
  const joints = store.figure.value?.bodies.map((b) => b.name) ?? [];
  const now = Number(store.player.time.value.toFixed(4));
  const point = store.pointOf(store.body.value) ?? points[0] ?? joints[0] ?? "";
  const fresh: [string, Entry][] = [
    ["Hit", { kind: "impulse", time: now, point, impulse: [40, 0, 0] }],
    ["Push", { kind: "push", start: now, end: Number((now + 0.3).toFixed(4)), point, force: [100, 0, 0] }],
    ["Load", { kind: "load", time: now, body: store.pointOf(store.body.value) ?? joints[0] ?? "", mass: 5 }],
    ["Throw", { kind: "throw", time: now, position: [2, 0, 1.2], velocity: [-5, 0, 1.5], mass: 1 }],
  ];
  const add = (entry: Entry) =>
    store.edit(
      list.length
        ? insert(layer.name, `perturbations/${list.length}`, entry)
        : put(layer.name, "perturbations", [entry]),
    );
  return (
    <Section title="Disturbances">
      {list.map((blow, k) => (
        <Blow
          store={store}
          layer={layer}
          entry={blow as unknown as Entry}
          path={`perturbations/${k}`}
          points={points}
          joints={joints}
        />
      ))}
      <div class="buttons">
        {fresh.map(([title, entry]) => (
          <button title={`${title} at this frame`} onClick={() => add(entry)}>
            {title}
          </button>
        ))}
      </div>
    </Section>
  );
}

const VECTORS: Record<string, string> = {
  impulse: "impulse [N·s]",
  force: "force [N]",
  place: "where [m]",
  position: "from [m]",
  velocity: "at [m/s]",
};

function Blow({
  store,
  layer,
  entry,
  path,
  points,
  joints,
}: {
  store: Store;
  layer: BeatLayer;
  entry: Entry;
  path: string;
  points: readonly string[];
  joints: readonly string[];
}) {
  const id = idOf(layer.name, path);
  const chosen = store.selected.value.has(id);
  const set = (field: string, value: unknown) => store.edit(put(layer.name, `${path}/${field}`, value));
  const title = `${entry["kind"]} at ${(spanOf(entry)?.first ?? 0).toFixed(2)} s`;
  return (
    <div class={`entry ${chosen ? "chosen" : ""}`}>
      <div class="entry-head">
        <button
          class="entry-name"
          aria-expanded={chosen}
          onClick={() => {
            store.selected.value = new Set([id]);
          }}
        >
          {title}
        </button>
        <button
          class="small"
          title="delete"
          aria-label={`delete ${title}`}
          onClick={() => store.edit(remove(layer.name, path))}
        >
          <Icon name="remove" />
        </button>
      </div>
      {chosen && (
        <>
          {["time", "start", "end"]
            .filter((f) => typeof entry[f] === "number")
            .map((f) => (
              <Field label={`${f} [s]`}>
                <Numeric label={f} value={entry[f]} onSet={(v) => set(f, v)} />
              </Field>
            ))}
          {entry["point"] !== undefined && (
            <Word label="point" value={entry["point"]} options={points} onSet={(v) => set("point", v)} />
          )}
          {entry["body"] !== undefined && (
            <Word label="body" value={entry["body"]} options={joints} onSet={(v) => set("body", v)} />
          )}
          {Object.entries(VECTORS)
            .filter(([f]) => Array.isArray(entry[f]))
            .map(([f, label]) => (
              <Triple label={label} value={entry[f]} onSet={(v) => set(f, v)} />
            ))}
          {entry["mass"] !== undefined && (
            <Field label="mass [kg]">
              <Numeric label="mass" value={entry["mass"]} onSet={(v) => set("mass", v)} />
            </Field>
          )}
        </>
      )}
    </div>
  );
}
