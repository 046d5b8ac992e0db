// Constraints of a layer: what, where, when; numbers to type, and what became of each.
import { insert, put, remove } from "../commands.ts";
import type { AdaptationLayer, TargetsLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { Field, Numeric, Section, Slider, Tick, Triple } from "./fields.tsx";

interface Outcome {
  name: string;
  met: boolean;
  error: number | null;
  unit?: string;
  reason?: string;
}

export function ConstraintsPanel({ store, layer }: { store: Store; layer: TargetsLayer | AdaptationLayer }) {
  const entries = layer.constraints ?? [];
  const report = store.solved.value?.reports[layer.name] as { outcomes?: Outcome[] } | undefined;
  return (
    <>
      <Section title={layer.kind === "targets" ? "Targets" : "Constraints"}>
        {entries.length === 0 && <p class="hint">{layer.kind === "targets" ? "Pick a body on the stage and choose Hit this." : "Drag a hand or a foot plant on the stage."}</p>}
        {entries.map((entry, k) => (
          <Entry store={store} layer={layer.name} path={`constraints/${k}`} entry={entry} outcome={report?.outcomes?.find((o) => o.name === entry["name"])} />
        ))}
      </Section>
      {layer.kind === "targets" ? (
        <Section title="Correction">
          <Slider store={store} layer={layer.name} path="shape" label="width" value={typeof layer.shape === "number" ? layer.shape : (layer.shape?.width ?? 1)} low={0.1} high={3} ratio unit="s" />
        </Section>
      ) : (
        <Section title="Adaptation">
          <Tick label="keep feet that stand" value={layer.plants ?? true} onSet={(v) => store.edit(put(layer.name, "plants", v))} />
          <Tick label="joint limits" value={layer.limits ?? true} onSet={(v) => store.edit(put(layer.name, "limits", v))} />
          <Tick label="exact plants" value={layer.exact ?? false} onSet={(v) => store.edit(put(layer.name, "exact", v))} />
        </Section>
      )}
    </>
  );
}

function Entry({ store, layer, path, entry, outcome }: { store: Store; layer: string; path: string; entry: Record<string, any>; outcome: Outcome | undefined }) {
  const id = `${layer}/${path}`;
  const value: unknown = entry["target"]?.value ?? entry["place"];
  const field = entry["target"] ? "target/value" : "place";
  const when = entry["when"] as { at?: number; from?: number; to?: number } | undefined;
  const chosen = store.selected.value.has(id);
  return (
    <div class={`entry ${chosen ? "chosen" : ""}`} data-entry={id} onClick={() => (store.selected.value = new Set([id]))}>
      <div class="entry-head">
        <b>{entry["name"] ?? entry["handle"]?.point ?? "constraint"}</b>
        {outcome && (
          <span class={outcome.met ? "fine" : "wrong"} title={outcome.reason ?? ""}>
            {outcome.met ? "✓ met" : `✗ missed by ${outcome.error?.toPrecision(3)} ${outcome.unit ?? ""}`}
          </span>
        )}
        <button class="small" title="copy" onClick={() => store.edit(insert(layer, path, entry))}>⧉</button>
        <button class="small" title="delete" onClick={() => store.edit(remove(layer, path))}>✕</button>
      </div>
      {outcome?.reason && !outcome.met && <p class="hint wrong">{outcome.reason}</p>}
      {Array.isArray(value) && value.length === 3 && value.every((v) => typeof v === "number") && <Triple label={entry["rate"] ? "velocity [m/s]" : "place [m]"} value={value as number[]} onSet={(v) => store.edit(put(layer, `${path}/${field}`, v))} />}
      {when?.at !== undefined && (
        <Field label="at [s]">
          <Numeric label="time" value={when.at} onSet={(v) => store.edit(put(layer, `${path}/when`, { at: v }))} />
          <button class="small" title="go there" onClick={() => store.player.seek(when.at! * store.fps.value)}>⇥</button>
        </Field>
      )}
      {when?.from !== undefined && (
        <Field label="from … to [s]">
          <Numeric label="from" value={when.from} onSet={(v) => store.edit(put(layer, `${path}/when`, { from: v, to: when.to }))} />
          <Numeric label="to" value={when.to ?? 0} onSet={(v) => store.edit(put(layer, `${path}/when`, { from: when.from, to: v }))} />
        </Field>
      )}
    </div>
  );
}
