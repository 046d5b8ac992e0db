// What every layer has: its name, muting, solo, how much it counts, and what it works on.
import { put, remove } from "../commands.ts";
import { starts } from "../editors.tsx";
import type { Layer } from "../layer.ts";
import { cardOf, titled } from "../operations.ts";
import type { Store } from "../store.ts";
import { Choice, Section, Slider, Tick, Word } from "./fields.tsx";

export function LayerHead({ store, layer }: { store: Store; layer: Layer }) {
  const below = store.layers.value
    .slice(
      0,
      store.layers.value.findIndex((l) => l.name === layer.name),
    )
    .map((l) => l.name);
  const card = cardOf(store.cards.value, layer);
  const begins = starts(store.cards.value, layer);
  return (
    <>
      <h2 class="layer-title">{layer.name}</h2>
      <p class="hint kind">
        <b>{titled(layer.do)}</b> · {card?.words}
      </p>
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
        {card && !begins && !card.last && (
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
        {card && !begins && below.length > 1 && (
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
