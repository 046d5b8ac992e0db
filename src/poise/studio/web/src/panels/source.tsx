// Where a motion comes from, and to whom it is given: clips of the project.
import { put } from "../commands.ts";
import type { RetargetLayer, SourceLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { Choice, Section, Tick, Word } from "./fields.tsx";

const clipsOf = (store: Store): [string, Record<string, unknown>][] =>
  Object.entries((store.state.value?.document["clips"] ?? {}) as Record<string, Record<string, unknown>>);

/** The project's clips, and bundled ones, which become the project's when chosen. */
function ClipChoice({
  store,
  label,
  value,
  onSet,
}: {
  store: Store;
  label: string;
  value: string;
  onSet: (name: string) => void;
}) {
  const own = clipsOf(store).map(([name]) => name);
  const bundled = (store.vocabulary.value.clips ?? []).filter((n) => !own.includes(n));
  const choose = (name: string) => {
    if (own.includes(name)) return onSet(name);
    store.edit({ do: "put-clip", name, clip: { bundled: name } });
    onSet(name);
  };
  return <Choice label={label} value={value} options={[...new Set([...own, ...bundled])]} onSet={choose} />;
}

export function SourcePanel({ store, layer }: { store: Store; layer: SourceLayer }) {
  const entry = clipsOf(store).find(([name]) => name === layer.clip)?.[1];
  const from = entry?.["file"] ?? (entry?.["bundled"] ? "comes with Poise" : "kept in the project");
  return (
    <Section title="Clip">
      <ClipChoice
        store={store}
        label="clip"
        value={layer.clip}
        onSet={(v) => store.edit(put(layer.name, "clip", v))}
      />
      <p class="hint">
        {String(from)} ·{" "}
        {store.result.value
          ? `${store.player.frames.value} frames at ${Number(store.fps.value.toFixed(3))} a second`
          : "…"}
      </p>
      <p class="hint">Drop a BVH, GLB or MJCF file on the window to bring in another.</p>
    </Section>
  );
}

export function RetargetPanel({ store, layer }: { store: Store; layer: RetargetLayer }) {
  const pairs = Object.entries(layer.map ?? {});
  const write = (next: [string, string][]) =>
    store.edit(put(layer.name, "map", next.length ? Object.fromEntries(next) : null));
  return (
    <>
      <Section title="Given to">
        <ClipChoice
          store={store}
          label="who is in"
          value={layer.onto}
          onSet={(v) => store.edit(put(layer.name, "onto", v))}
        />
        <Tick
          label="hands keep place"
          value={layer.hands ?? true}
          onSet={(v) => store.edit(put(layer.name, "hands", v))}
        />
      </Section>
      <Section title="Joints by hand" open={pairs.length > 0}>
        <p class="hint">Only where names and roles do not tell which joint becomes which.</p>
        {pairs.map(([from, to], k) => (
          <div class="pair">
            <Word
              label={from}
              value={to}
              onSet={(v) =>
                write(
                  pairs.map((p, i) => (i === k ? [from, v] : p)).filter(([, t]) => t) as [string, string][],
                )
              }
            />
          </div>
        ))}
        <Word
          label="another"
          value=""
          placeholder="joint of the performer"
          onSet={(v) => v && write([...pairs, [v, v]])}
        />
      </Section>
    </>
  );
}
