// How loose: a tension for the whole body and for limbs or joints, and the time window of each frame's simulation.
import { useState } from "preact/hooks";
import { put, remove } from "../commands.ts";
import type { KinodynamicsLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { Choice, Field, Section, Slider } from "./fields.tsx";

/** Frequency [Hz] of the presets, as Python has them. */
export const PRESETS: Record<string, number> = { tense: 12, firm: 7, relaxed: 4.5, loose: 2.5, drunk: 1.6 };

type Tension = string | number | { frequency?: number | null };

export function frequency(tension: unknown): number {
  if (typeof tension === "number") return tension;
  if (typeof tension === "string") return PRESETS[tension] ?? 4.5;
  const found = (tension as { frequency?: number } | null)?.frequency;
  return typeof found === "number" ? found : 4.5;
}

/** Tension by part of the body, "*" being all of it. */
export function byPart(tension: unknown): Record<string, Tension> {
  if (Array.isArray(tension) || typeof tension !== "object" || tension === null) return { "*": tension as Tension };
  return tension as Record<string, Tension>;
}

export function KinodynamicsPanel({ store, layer }: { store: Store; layer: KinodynamicsLayer }) {
  const [suggested, setSuggested] = useState<number | undefined>(undefined);
  const parts = byPart(layer.tension ?? "relaxed");
  const keyed = Array.isArray(layer.tension);
  const bodies = store.figure.value?.bodies.map((b) => b.name) ?? [];
  const limbs = ["left arm", "right arm", "left leg", "right leg", "spine", "head"];
  const write = (part: string, value: unknown) => ({ ...parts, "*": parts["*"] ?? "relaxed", [part]: value });
  return (
    <>
      <Section title="Tension">
        {keyed && <p class="hint">The tension is keyed over time: move its keys in the time line.</p>}
        {!keyed &&
          Object.entries(parts).map(([part, value]) => (
            <div class="part" data-tension={part}>
              <Choice label={part === "*" ? "whole body" : part} value={typeof value === "string" ? value : "by hertz"} options={[...Object.keys(PRESETS), "by hertz"]} onSet={(v) => store.edit(put(layer.name, "tension", write(part, v === "by hertz" ? frequency(value) : v)))} />
              <Slider store={store} layer={layer.name} path="tension" label={`${part === "*" ? "whole body" : part} [Hz]`} value={frequency(value)} low={0.5} high={20} ratio unit="Hz" as={(v) => (part === "*" && Object.keys(parts).length === 1 ? v : write(part, v))} />
              {part !== "*" && (
                <button class="small" title={`${part} like the rest again`} onClick={() => store.edit(put(layer.name, "tension", Object.fromEntries(Object.entries(parts).filter(([p]) => p !== part))))}>
                  ✕
                </button>
              )}
            </div>
          ))}
        {!keyed && (
          <Field label="another part">
            <select aria-label="another part" value="" onChange={(e) => e.currentTarget.value && store.edit(put(layer.name, "tension", write(e.currentTarget.value, "loose")))}>
              <option value="">choose…</option>
              {[...limbs, ...bodies].filter((p) => !(p in parts)).map((p) => (
                <option value={p}>{p}</option>
              ))}
            </select>
          </Field>
        )}
      </Section>
      <Section title="Window">
        <Choice label="length" value={typeof layer.window === "number" ? "seconds" : (layer.window ?? "auto")} options={["auto", "adaptive", "seconds"]} onSet={(v) => store.edit(v === "seconds" ? put(layer.name, "window", suggested ?? 0.4) : put(layer.name, "window", v))} />
        {typeof layer.window === "number" && <Slider store={store} layer={layer.name} path="window" label="seconds" value={layer.window} low={0.05} high={2} unit="s" />}
        <button onClick={() => void store.ask("window", { layer: layer.name }).then((v) => setSuggested(v as number))}>suggest</button>
        {suggested !== undefined && <span class="hint"> {suggested.toFixed(3)} s would do</span>}
      </Section>
      <Section title="Physics">
        <Choice label="gravity" value={layer.gravity ?? "on"} options={["on", "off", "compensated"]} onSet={(v) => store.edit(put(layer.name, "gravity", v))} />
        <Choice label="root" value={layer.root ?? "prescribed"} options={["prescribed", "driven"]} onSet={(v) => store.edit(put(layer.name, "root", v))} />
        <Slider store={store} layer={layer.name} path="weight" label="weight" value={layer.weight ?? 1} low={0} high={1} />
        <button onClick={() => store.edit(remove(layer.name, "tension"))}>all defaults</button>
      </Section>
    </>
  );
}
