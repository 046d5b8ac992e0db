// The script of a performance: its keys, the selected one, and the music it is played to.
import { useEffect, useState } from "preact/hooks";
import { put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import { type Layer, own, type Scripted } from "../layer.ts";
import type { AnyCommand, Mend } from "../messages.ts";
import { spaced } from "../operations.ts";
import type { Store } from "../store.ts";
import { idOf, read } from "../time/address.ts";
import type { Entry } from "../time/entry.ts";
import { beatTimes, keyTimes } from "../time/script_lanes.ts";
import { Choice, Field, Numeric, Section, Tick, Word } from "./fields.tsx";

const OWN = "its own";
const NONE = "none";

export function ScriptEditor({ store, layer: given, option }: EditorProps) {
  const layer: Scripted = given;
  const words = store.vocabulary.value;
  const script = own(layer.script);
  return (
    <>
      <Choice
        label={spaced(option.name)}
        value={typeof layer.script === "string" ? layer.script : script ? OWN : NONE}
        options={[...(script ? [OWN] : []), ...(layer.follow ? [NONE] : []), ...(words.scripts ?? [])]}
        onSet={(v) =>
          v !== OWN && store.edit(v === NONE ? remove(layer.name, "script") : put(layer.name, "script", v))
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
      {script && <Keys store={store} layer={layer} script={script} styles={words.styles ?? []} />}
    </>
  );
}

export function BeatsSection({ store, layer }: EditorProps) {
  const script = own((layer as Scripted).script);
  return script ? <Beats store={store} layer={layer} script={script} /> : null;
}

/** The script's keys: which pose, and when: at a time, on a beat, or after the one before. */
function Keys({
  store,
  layer,
  script,
  styles,
}: {
  store: Store;
  layer: Layer;
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
function Beats({ store, layer, script }: { store: Store; layer: Layer; script: Entry }) {
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
          <Field label="first key [s]">
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
        <p class="hint">Drop a WAV file on the window to play along with it.</p>
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
            title="move every key to a beat, as little as possible"
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

async function snap(store: Store, layer: Layer): Promise<void> {
  const found = (await store.ask("snap", { layer: layer.name })) as Mend | undefined;
  if (!found?.command) return;
  store.edit(found.command as unknown as AnyCommand);
  store.note(found.words);
}
