// The scene of a planned motion: its stances and flights, the partial keys of the chosen one, and Solve.
import { group, insert, put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import { type Layer, own, type Staged } from "../layer.ts";
import { idle, spaced } from "../operations.ts";
import { Icon } from "../shell/icon.tsx";
import type { Store } from "../store.ts";
import { addressOf, idOf } from "../time/address.ts";
import type { Entry } from "../time/entry.ts";
import { EntryHead } from "./entry_head.tsx";
import { Choice, Field, Numeric, Partial, Perhaps, Section, Tick, Word } from "./fields.tsx";

const OWN = "its own";

export function SceneEditor({ store, layer: given, option }: EditorProps) {
  const layer: Staged = given;
  const scene = own(layer.scene);
  const name = typeof layer.scene === "string" ? layer.scene : "";
  const template = (store.vocabulary.value.plans ?? []).includes(name);
  const choose = (other: string) => {
    // What another template does not take would be refused.
    const left = idle(store.cards.value, layer, option.name, other).map((o) => remove(layer.name, o));
    const change = put(layer.name, option.name, other);
    store.edit(left.length ? group(`plan ${other}`, [...left, change]) : change);
  };
  return (
    <>
      <Choice
        label={spaced(option.name)}
        value={typeof layer.scene === "string" ? layer.scene : OWN}
        options={[...(scene ? [OWN] : []), ...(store.vocabulary.value.scenes ?? [])]}
        onSet={(v) => v !== OWN && choose(v)}
      />
      {template && <p class="hint">A template works for any body. Set distance and height below.</p>}
      {!scene && !template && (
        <p class="hint">A bundled scene. Take it apart to move its segments and keys.</p>
      )}
      {!scene && !template && (
        <button
          onClick={() =>
            void store
              .ask("scene", { name: layer.scene })
              .then((found) => found && store.edit(put(layer.name, "scene", found)))
          }
        >
          Take it apart
        </button>
      )}
      {scene && (
        <Perhaps
          label="start lower by"
          value={scene["lower"] as number | undefined}
          usual="0"
          unit="m"
          onSet={(v) =>
            store.edit(
              v === undefined ? remove(layer.name, "scene/lower") : put(layer.name, "scene/lower", v),
            )
          }
        />
      )}
      <div class="buttons">
        <button
          class="first"
          disabled={!!store.progress.value}
          onClick={() => store.connection.say({ say: "seal" })}
        >
          Solve
        </button>
        {store.progress.value && (
          <button onClick={() => store.connection.say({ say: "cancel" })}>Cancel</button>
        )}
      </div>
    </>
  );
}

export function SceneSections({ store, layer: given }: EditorProps) {
  const layer: Staged = given;
  const words = store.vocabulary.value;
  const scene = own(layer.scene);
  if (!scene) return null;
  const segments = (scene["segments"] ?? []) as Entry[];
  const chosen = [...store.selected.value]
    .map(addressOf)
    .find((a) => a.layer === layer.name && a.path.startsWith("scene/segments/"));
  const index = Math.min(chosen ? Number(chosen.path.split("/")[2]) : 0, Math.max(segments.length - 1, 0));
  const names = [
    "com",
    ...(words.points ?? []),
    ...(words.joints ?? store.figure.value?.bodies.map((b) => b.name) ?? []),
  ];
  return (
    <>
      <Section title="Segments">
        <ol class="segments">
          {segments.map((s, k) => (
            <li>
              <button
                class={`entry-name ${k === index ? "chosen" : ""}`}
                aria-pressed={k === index}
                onClick={() => {
                  store.selected.value = new Set([idOf(layer.name, `scene/segments/${k}`)]);
                }}
              >
                {k + 1}. {s["name"] || s["kind"]}{" "}
                <small>
                  {s["kind"]}
                  {typeof s["duration"] === "number" ? `, ${s["duration"]} s` : ""}
                </small>
              </button>
              <button
                class="small"
                title="delete"
                aria-label={`delete ${s["name"]}`}
                onClick={() => store.edit(remove(layer.name, `scene/segments/${k}`))}
              >
                <Icon name="remove" />
              </button>
            </li>
          ))}
        </ol>
        <div class="buttons">
          <button
            onClick={() =>
              store.edit(
                insert(layer.name, `scene/segments/${segments.length}`, {
                  kind: "stance",
                  duration: 0.5,
                  holds: scene["feet"] ?? [],
                  name: `stance ${segments.length + 1}`,
                }),
              )
            }
          >
            + Stance
          </button>
          <button
            onClick={() =>
              store.edit(
                insert(layer.name, `scene/segments/${segments.length}`, {
                  kind: "flight",
                  lands: scene["feet"] ?? [],
                  name: `flight ${segments.length + 1}`,
                }),
              )
            }
          >
            + Flight
          </button>
        </div>
      </Section>
      {segments[index] && (
        <Segment
          store={store}
          layer={layer}
          path={`scene/segments/${index}`}
          segment={segments[index]}
          names={names}
        />
      )}
    </>
  );
}

function Segment({
  store,
  layer,
  path,
  segment,
  names,
}: {
  store: Store;
  layer: Layer;
  path: string;
  segment: Entry;
  names: readonly string[];
}) {
  const set = (field: string, value: unknown) =>
    store.edit(
      value === undefined
        ? remove(layer.name, `${path}/${field}`)
        : put(layer.name, `${path}/${field}`, value),
    );
  const keys = (segment["keys"] ?? []) as Entry[];
  const flight = segment["kind"] === "flight";
  const add = () =>
    store.edit(
      keys.length
        ? insert(layer.name, `${path}/keys/${keys.length}`, { of: "com", velocity: [null, null, 0] })
        : put(layer.name, `${path}/keys`, [{ of: "com", velocity: [null, null, 0] }]),
    );
  return (
    <Section title={`${segment["name"] || segment["kind"]}`}>
      <Word label="name" value={segment["name"] ?? ""} onSet={(v) => set("name", v)} />
      <Perhaps
        label="lasts"
        value={segment["duration"]}
        usual={flight ? "as it falls" : ""}
        unit="s"
        onSet={(v) => (flight || v !== undefined) && set("duration", v)}
      />
      {flight ? (
        <>
          <Perhaps
            label="turns"
            value={segment["turn"] ? (segment["turn"][1] as number) / (2 * Math.PI) : undefined}
            usual="0"
            unit="somersaults"
            onSet={(v) => set("turn", v === undefined ? undefined : [0, 2 * Math.PI * v, 0])}
          />
          <Word
            label="lands on"
            value={((segment["lands"] ?? []) as string[]).join(", ")}
            onSet={(v) => set("lands", listed(v))}
          />
        </>
      ) : (
        <>
          <Word
            label="holds"
            value={((segment["holds"] ?? []) as string[]).join(", ")}
            onSet={(v) => set("holds", listed(v))}
          />
          <Tick
            label="ends at rest"
            value={segment["rest"] === true}
            onSet={(v) => set("rest", v || undefined)}
          />
          <Perhaps
            label="absorbs in"
            value={segment["absorb"]}
            usual="no landing"
            unit="s"
            onSet={(v) => set("absorb", v)}
          />
          <Perhaps
            label="slides"
            value={segment["slide"]}
            usual="stops dead"
            unit="1/s"
            onSet={(v) => set("slide", v)}
          />
        </>
      )}
      <Field label="spline pieces">
        <Numeric
          label="nodes"
          value={segment["nodes"] ?? 1}
          onSet={(v) => set("nodes", Math.max(1, Math.round(v)))}
        />
      </Field>
      <p class="hint">Partial keys: set only what matters, leave the rest free.</p>
      {keys.map((key, n) => (
        <PartialKey store={store} layer={layer} path={`${path}/keys/${n}`} entry={key} names={names} />
      ))}
      <button onClick={add}>+ Key</button>
    </Section>
  );
}

const SAID: [string, string][] = [
  ["position", "place [m]"],
  ["velocity", "velocity"],
  ["angular_velocity", "turning"],
  ["angular_momentum", "momentum"],
];

function PartialKey({
  store,
  layer,
  path,
  entry,
  names,
}: {
  store: Store;
  layer: Layer;
  path: string;
  entry: Entry;
  names: readonly string[];
}) {
  const chosen = store.selected.value.has(idOf(layer.name, path));
  const set = (field: string, value: unknown) =>
    store.edit(
      value === undefined
        ? remove(layer.name, `${path}/${field}`)
        : put(layer.name, `${path}/${field}`, value),
    );
  return (
    <div class={`entry ${chosen ? "chosen" : ""}`}>
      <EntryHead what={`the key of ${entry["of"]}`} onDelete={() => store.edit(remove(layer.name, path))}>
        <button
          class="entry-name"
          onClick={() => {
            store.selected.value = new Set([idOf(layer.name, path)]);
          }}
        >
          {entry["of"]}
        </button>
      </EntryHead>
      <Word label="of" value={entry["of"]} options={names} onSet={(v) => set("of", v)} />
      <Perhaps label="at" value={entry["at"]} usual="its end" unit="s" onSet={(v) => set("at", v)} />
      {SAID.filter(([f]) => f !== "angular_momentum" || entry["of"] === "com").map(([field, label]) => (
        <Partial label={label} value={entry[field]} onSet={(v) => set(field, v)} />
      ))}
      <Tick
        label="from the reference"
        value={entry["relative"] === true}
        onSet={(v) => set("relative", v || undefined)}
      />
    </div>
  );
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((t) => t.trim())
    .filter(Boolean);
