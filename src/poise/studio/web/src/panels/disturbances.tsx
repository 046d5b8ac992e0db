// What disturbs a performance: blows, pushes, weights, throws, each with its numbers.
import { insert, put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { Disturbed, Layer } from "../layer.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { type Entry, spanOf } from "../time/entry.ts";
import { EntryHead } from "./entry_head.tsx";
import { EntryName } from "./entry_name.tsx";
import { Field, Numeric, Triple, Word } from "./fields.tsx";

export function DisturbancesEditor({ store, layer: given }: EditorProps) {
  const layer: Disturbed = given;
  const list = layer.disturbances ?? [];
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
        ? insert(layer.name, `disturbances/${list.length}`, entry)
        : put(layer.name, "disturbances", [entry]),
    );
  return (
    <>
      {list.map((blow, k) => (
        <Blow
          store={store}
          layer={layer}
          entry={blow as unknown as Entry}
          path={`disturbances/${k}`}
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
    </>
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
  layer: Layer;
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
      <EntryHead what={title} onDelete={() => store.edit(remove(layer.name, path))}>
        <EntryName store={store} id={id} title={title} />
      </EntryHead>
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
