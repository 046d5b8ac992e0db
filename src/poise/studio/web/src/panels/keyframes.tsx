// Key-frames with weight: what tracks there are, and the numbers of what is selected in the time line.
import { put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import { type Keyframed, type Layer, own } from "../layer.ts";
import type { Store } from "../store.ts";
import { addressOf, idOf, read } from "../time/address.ts";
import { EASINGS } from "../time/easing.ts";
import type { Entry } from "../time/entry.ts";
import { fixTiming } from "../time/fixing.ts";
import { insertEntry } from "../time/insertion.ts";
import { single, TEMPLATES } from "../time/keyframe_lanes.ts";
import { Choice, Field, Numeric, Perhaps, Section, Slider, Tick, Triple, Word } from "./fields.tsx";

export function KeyframesEditor({ store, layer: given }: EditorProps) {
  const layer: Keyframed = given;
  const tracks = own(layer.keyframes);
  if (!tracks) return <p class="hint">Read from {String(layer.keyframes)}.</p>;
  return (
    <>
      <p class="hint">Add at this frame:</p>
      <div class="buttons">
        {ADDED.filter((a) => a.list !== "keyframes/poses" || tracks["poses"]).map(
          ({ list, label, title, first }) => (
            <button
              title={title}
              onClick={() => void insertEntry(store, layer, list, store.player.time.value, first)}
            >
              {label}
            </button>
          ),
        )}
      </div>
      <Perhaps
        label="fade"
        value={tracks["fade"] as number | undefined}
        usual="0.2"
        unit="s"
        onSet={(v) =>
          store.edit(
            v === undefined ? remove(layer.name, "keyframes/fade") : put(layer.name, "keyframes/fade", v),
          )
        }
      />
    </>
  );
}

export function KeyframesSections({ store, layer: given }: EditorProps) {
  const layer: Keyframed = given;
  const tracks = own(layer.keyframes);
  const path = store.paths.value[layer.name];
  const wrong = path?.segments.filter((s) => !s.fine) ?? [];
  if (!tracks) return null;
  return (
    <>
      <Selected store={store} layer={layer} />
      {tracks["path"] && (
        <Section
          title={
            wrong.length
              ? `✗ Centre of mass: ${wrong.length} hint${wrong.length === 1 ? "" : "s"}`
              : path
                ? "✓ Centre of mass"
                : "Centre of mass"
          }
        >
          {wrong.map((s) => (
            <p class="wrong">
              ✗ {TEMPLATES[s.template] ?? s.template} from {s.start.toFixed(2)} s: {s.words.join("; ")}
            </p>
          ))}
          {path?.command && (
            <button class="first" onClick={() => fixTiming(store, layer.name)}>
              Fix: preview
            </button>
          )}
          {!wrong.length && (
            <p class="hint">{path ? "Every arc takes as long as gravity needs." : "a moment…"}</p>
          )}
          <Perhaps
            label="gravity"
            value={tracks["path"]["gravity"]}
            usual="9.81"
            unit="m/s²"
            onSet={(v) =>
              store.edit(
                v === undefined
                  ? remove(layer.name, "keyframes/path/gravity")
                  : put(layer.name, "keyframes/path/gravity", v),
              )
            }
          />
        </Section>
      )}
    </>
  );
}

const ADDED: { list: string; label: string; title: string; first?: (entry: Entry) => [string, unknown] }[] = [
  { list: "keyframes/pins", label: "Pin", title: "hold the selected body in place for a while" },
  {
    list: "keyframes/path/keys",
    label: "Centre of mass",
    title: "a key where the centre of mass is now",
    first: (entry) => ["keyframes/path", { keys: [entry] }],
  },
  {
    list: "keyframes/inertia/keys",
    label: "Inertia",
    title: "a key of the inertia: how far the body spreads",
    first: (entry) => ["keyframes/inertia", { measure: "gyration", keys: [entry] }],
  },
  { list: "keyframes/spins", label: "Spin", title: "time in the air with constant angular momentum" },
  { list: "keyframes/poses", label: "Pose", title: "a key of the pose at this frame" },
];

/** The numbers of the selected key, pin, spin or template. */
function Selected({ store, layer }: { store: Store; layer: Layer }) {
  const id = [...store.selected.value].find((i) => addressOf(i).layer === layer.name);
  const path = id ? addressOf(id).path.replace(/\/template$/, "") : "";
  const entry = path ? (read(layer, path) as Entry | undefined) : undefined;
  if (!entry || typeof entry !== "object")
    return (
      <p class="hint padded">
        Select a key or a segment in the time line to see its numbers. Double-click a lane, or press I, to
        insert one.
      </p>
    );
  const set = (field: string, value: unknown) =>
    store.edit(
      value === undefined
        ? remove(layer.name, `${path}/${field}`)
        : put(layer.name, `${path}/${field}`, value),
    );
  const value = single(entry["value"]);
  const gain = path.includes("/gains/");
  return (
    <Section title={titleOf(path, entry)}>
      {typeof entry["time"] === "number" && (
        <TimeField store={store} time={entry["time"]} onSet={(v) => set("time", v)} />
      )}
      {value !== undefined &&
        (gain ? (
          <Slider
            store={store}
            layer={layer.name}
            path={`${path}/value`}
            label="gain"
            value={value}
            low={0}
            high={1}
            as={(v) => [v]}
          />
        ) : (
          <Field label="value [m]">
            <Numeric label="value" value={value} onSet={(v) => set("value", [v])} />
          </Field>
        ))}
      {Array.isArray(entry["position"]) && (
        <Triple label="place [m]" value={entry["position"]} onSet={(v) => set("position", v)} />
      )}
      {path.startsWith("keyframes/path/keys/") && (
        <PathKey store={store} layer={layer} path={path} entry={entry} set={set} />
      )}
      {Array.isArray(entry["value"]) && entry["value"].length === 3 && (
        <Triple label="target [m]" value={entry["value"]} onSet={(v) => set("value", v)} />
      )}
      {(path.startsWith("keyframes/poses/") || value !== undefined) && (
        <Choice
          label="goes on"
          value={entry["ease"] ?? "spline"}
          options={EASINGS}
          onSet={(v) => set("ease", v)}
        />
      )}
      {path.startsWith("keyframes/spins/") && <SpinFields entry={entry} set={set} />}
      {/^keyframes\/pins\/\d+$/.test(path) && (
        <PinFields store={store} layer={layer} path={path} entry={entry} set={set} />
      )}
      {!path.startsWith("keyframes/spins/") && (
        <Tick
          label="muted"
          value={entry["muted"] === true}
          onSet={(v) => set("muted", v ? true : undefined)}
        />
      )}
    </Section>
  );
}

type Set = (field: string, value: unknown) => void;

const titleOf = (path: string, entry: Entry): string =>
  path.includes("/gains/")
    ? "Gain key"
    : path.includes("/targets/")
      ? "Target key"
      : path.startsWith("keyframes/poses/")
        ? "Pose"
        : path.startsWith("keyframes/path/")
          ? "Key of the centre of mass"
          : path.startsWith("keyframes/inertia/")
            ? "Inertia"
            : path.startsWith("keyframes/spins/")
              ? "Momentum in the air"
              : `Pin ${entry["name"] ?? entry["point"] ?? ""}`;

function TimeField({ store, time, onSet }: { store: Store; time: number; onSet: (time: number) => void }) {
  return (
    <Field label="at [s]">
      <Numeric label="time" value={time} onSet={onSet} />
      <button
        class="small"
        title="to this frame"
        onClick={() => onSet(Number(store.player.time.value.toFixed(6)))}
      >
        here
      </button>
    </Field>
  );
}

interface EntryProps {
  store: Store;
  layer: Layer;
  path: string;
  entry: Entry;
  set: Set;
}

/** The law from a key of the centre of mass to the next. */
function PathKey({ store, layer, path, entry, set }: EntryProps) {
  const kind = String(entry["template"]?.kind ?? "hermite");
  const z = (entry["position"] as number[])[2]!;
  const fresh = (name: string): Entry =>
    name === "projectile_3"
      ? { kind: name, height: Number((z + 0.3).toFixed(3)) }
      : name === "pendulum"
        ? { kind: name, pivot: [entry["position"][0], entry["position"][1], Number((z + 1).toFixed(3))] }
        : { kind: name };
  const names = Object.entries(TEMPLATES);
  return (
    <>
      <Choice
        label="then"
        value={TEMPLATES[kind] ?? kind}
        options={names.map(([, words]) => words)}
        onSet={(words) => set("template", fresh(names.find(([, w]) => w === words)![0]))}
      />
      {kind === "projectile_3" && (
        <Slider
          store={store}
          layer={layer.name}
          path={`${path}/template/height`}
          label="apex [m]"
          value={entry["template"].height}
          low={z}
          high={z + 2}
          unit="m"
        />
      )}
      {kind === "pendulum" && (
        <Triple label="pivot [m]" value={entry["template"].pivot} onSet={(v) => set("template/pivot", v)} />
      )}
      {entry["velocity"] ? (
        <Triple label="velocity" value={entry["velocity"]} onSet={(v) => set("velocity", v)} />
      ) : null}
      <Tick
        label="own velocity"
        value={!!entry["velocity"]}
        onSet={(v) => set("velocity", v ? [0, 0, 0] : undefined)}
      />
    </>
  );
}

function SpinFields({ entry, set }: { entry: Entry; set: Set }) {
  return (
    <>
      <Field label="from, to [s]">
        <Numeric label="start" value={entry["start"]} onSet={(v) => set("start", v)} />
        <Numeric label="end" value={entry["end"]} onSet={(v) => set("end", v)} />
      </Field>
      {entry["momentum"] ? (
        <Triple label="momentum" value={entry["momentum"]} onSet={(v) => set("momentum", v)} />
      ) : (
        <Field label="whole turns">
          <Numeric label="turns" value={entry["turns"] ?? 0} onSet={(v) => set("turns", Math.round(v))} />
        </Field>
      )}
      {!entry["momentum"] && (
        <Triple label="axis" value={entry["axis"] ?? [0, 1, 0]} onSet={(v) => set("axis", v)} />
      )}
    </>
  );
}

function PinFields({ store, layer, path, entry, set }: EntryProps) {
  const points = store.vocabulary.value.points ?? store.figure.value?.points ?? [];
  const spline = () => {
    const [from, to] = (entry["at"] as [number, number] | undefined) ?? [
      0,
      (store.player.frames.value - 1) / store.fps.value,
    ];
    const fade = typeof entry["fade"] === "number" ? entry["fade"] : 0.1;
    const { at: _at, fade: _fade, gain: _gain, to: place, point, ...rest } = entry;
    const handle = entry["handle"] ?? { kind: "point_position", point, axes: "xyz" };
    const gain = typeof entry["gain"] === "number" ? entry["gain"] : 1;
    const gains = [
      [from - fade, 0],
      [from, gain],
      [to, gain],
      [to + fade, 0],
    ].map(([time, v]) => ({ time: Number(time!.toFixed(6)), value: [v] }));
    store.edit(
      put(layer.name, path, {
        ...rest,
        name: entry["name"] ?? point,
        handle,
        targets: [{ time: from, value: place ?? null }],
        gains,
      }),
    );
    store.selected.value = new Set([idOf(layer.name, `${path}/gains/1`)]);
  };
  return (
    <>
      {entry["point"] !== undefined && (
        <Word label="point" value={entry["point"]} options={points} onSet={(v) => set("point", v)} />
      )}
      {Array.isArray(entry["at"]) && (
        <Field label="from, to [s]">
          <Numeric label="from" value={entry["at"][0]} onSet={(v) => set("at", [v, entry["at"][1]])} />
          <Numeric label="to" value={entry["at"][1]} onSet={(v) => set("at", [entry["at"][0], v])} />
        </Field>
      )}
      {!entry["gains"] && (
        <Slider
          store={store}
          layer={layer.name}
          path={`${path}/gain`}
          label="gain"
          value={entry["gain"] ?? 1}
          low={0}
          high={1}
        />
      )}
      {!entry["gains"] && (
        <Perhaps
          label="fades in"
          value={typeof entry["fade"] === "number" ? entry["fade"] : undefined}
          usual="0.1"
          unit="s"
          onSet={(v) => set("fade", v)}
        />
      )}
      {!entry["gains"] && <button onClick={spline}>Gain as a separate curve</button>}
      {entry["gains"] && <p class="hint">Its gain is a curve: drag its keys in the graph.</p>}
    </>
  );
}
