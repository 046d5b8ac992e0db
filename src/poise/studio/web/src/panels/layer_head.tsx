// What every layer has: its name, muting, solo, how much it counts, and what it works on.
import { put, remove } from "../commands.ts";
import type { AnyLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { Choice, Section, Slider, Tick, Word } from "./fields.tsx";

const KINDS: Record<AnyLayer["kind"], string> = {
  source: "a clip as it is",
  synthesis: "motion made from a few keys",
  tracks: "key-frames with weight",
  beat: "simulated, on the beat",
  adaptation: "the least change that meets constraints",
  retarget: "given to another character",
  fix: "repaired where it could not be real",
  kinodynamics: "loosened: weight and follow-through",
  targets: "the loose motion hits",
  attachment: "something soft that is worn",
};
const STARTS = new Set(["source", "synthesis"]);

export function LayerHead({ store, layer }: { store: Store; layer: AnyLayer }) {
  const below = store.layers.value
    .slice(
      0,
      store.layers.value.findIndex((l) => l.name === layer.name),
    )
    .map((l) => l.name);
  const starts =
    STARTS.has(layer.kind) ||
    (layer.kind === "beat" && !layer.follow) ||
    (layer.kind === "tracks" && "poses" in layer.tracks);
  return (
    <>
      <h2 class="layer-title">{layer.name}</h2>
      <p class="hint kind">{KINDS[layer.kind]}</p>
      <Section title="Layer" open={false}>
        <Word
          label="name"
          value={layer.name}
          onSet={(typed) => {
            const name = typed.trim();
            if (!name) return;
            store.edit({ do: "rename-layer", layer: layer.name, name });
            store.layer.value = name;
          }}
        />
        <Tick
          label="muted"
          value={layer.muted ?? false}
          onSet={(v) => store.edit(put(layer.name, "muted", v))}
        />
        <Tick
          label="solo"
          value={layer.solo ?? false}
          onSet={(v) => store.edit(put(layer.name, "solo", v))}
        />
        {!starts && layer.kind !== "attachment" && (
          <Slider
            store={store}
            layer={layer.name}
            path="weight"
            label="weight"
            value={layer.weight ?? 1}
            low={0}
            high={1}
          />
        )}
        {!starts && below.length > 1 && (
          <Choice
            label="works on"
            value={layer.input ?? "the one before"}
            options={["the one before", ...below]}
            onSet={(v) =>
              store.edit(v === "the one before" ? remove(layer.name, "input") : put(layer.name, "input", v))
            }
          />
        )}
      </Section>
    </>
  );
}
