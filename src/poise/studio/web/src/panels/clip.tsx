// Clips of the project: where a motion comes from, and to whom it is given.
import { useEffect, useState } from "preact/hooks";
import { put } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { Answers, ClipEntry } from "../messages.ts";
import { spaced } from "../operations.ts";
import type { Store } from "../store.ts";
import { Choice, Word } from "./fields.tsx";
import { OptionRow, setting } from "./option.tsx";

export const clipsOf = (store: Store): [string, Record<string, unknown>][] =>
  Object.entries((store.state.value?.document["clips"] ?? {}) as Record<string, Record<string, unknown>>);

const NONE = "none";

/** The project's clips; where one must be given also bundled ones, which become the project's when chosen. */
export function ClipEditor(props: EditorProps) {
  const { store, layer, card, option } = props;
  const set = setting(props);
  const value = layer[option.name] ?? option.default;
  const own = clipsOf(store).map(([name]) => name);
  const bundled = option.required ? (store.vocabulary.value.clips ?? []) : [];
  const usual = typeof option.default === "string" ? [option.default] : option.optional ? [NONE] : [];
  const words = Object.keys(option.choices ?? {});
  const choose = (name: string) => {
    if (usual.includes(name)) return set(undefined);
    if (!own.includes(name) && !words.includes(name))
      store.edit({ do: "put-clip", name, clip: { bundled: name } });
    set(name);
  };
  return (
    <>
      <OptionRow {...props}>
        <Choice
          label={spaced(option.name)}
          value={typeof value === "string" ? value : value ? "a pose" : NONE}
          options={[...new Set([...usual, ...words, ...own, ...bundled])]}
          onSet={choose}
        />
      </OptionRow>
      {card.input === "never" && option.required && <Origin store={store} clip={String(value)} />}
      {card.input === "never" && option.required && <Animations store={store} clip={String(value)} />}
    </>
  );
}

/** What else the clip's file holds: to be this clip, or clips of their own that other layers can name. */
function Animations({ store, clip }: { store: Store; clip: string }) {
  const [found, setFound] = useState<Answers["animations"] | undefined>(undefined);
  const entry = clipsOf(store).find(([name]) => name === clip)?.[1] as ClipEntry | undefined;
  const chosen = (entry?.read as { animation?: number | string } | undefined)?.animation;
  useEffect(() => {
    let wanted = true;
    if (entry?.file)
      void store.ask("animations", { clip }, true).then((told) => {
        if (wanted) setFound(told as Answers["animations"] | undefined);
      });
    else setFound(undefined);
    return () => {
      wanted = false;
    };
  }, [clip, entry?.file, chosen]);
  if (!entry || found?.clip !== clip || found.animations.length < 2) return null;
  const taken = clipsOf(store).map(([name]) => name);
  const linked = (animation: number): ClipEntry => ({ ...entry, read: { ...entry.read, animation } });
  return (
    <details class="animations" open>
      <summary>{found.animations.length} animations in this file</summary>
      <ul class="findings">
        {found.animations.map((each, k) => (
          <li>
            <button
              aria-pressed={k === found.chosen}
              title="this is the current motion"
              onClick={() => store.edit({ do: "put-clip", name: clip, clip: linked(k) })}
            >
              {each.name} <small>{each.seconds.toFixed(2)} s</small>
            </button>
            <button
              class="small"
              title="add it to the project as a clip"
              aria-label={`take ${each.name}`}
              disabled={taken.includes(each.name)}
              onClick={() => store.edit({ do: "put-clip", name: each.name, clip: linked(k) })}
            >
              {taken.includes(each.name) ? "✓" : "+"}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Where a clip comes from, and how long the motion is. */
function Origin({ store, clip }: { store: Store; clip: string }) {
  const entry = clipsOf(store).find(([name]) => name === clip)?.[1];
  const from = entry?.["file"] ?? (entry?.["bundled"] ? "comes with Poise" : "kept in the project");
  return (
    <>
      <p class="hint">
        {String(from)} ·{" "}
        {store.result.value
          ? `${store.player.frames.value} frames at ${Number(store.fps.value.toFixed(3))} a second`
          : "…"}
      </p>
      <p class="hint">Drop a file on the window to add another to the bin.</p>
    </>
  );
}

/** Which joint becomes which, where that must be said. */
export function JointMapEditor({ store, layer, option }: EditorProps) {
  const pairs = Object.entries((layer[option.name] ?? {}) as Record<string, string>);
  const write = (next: [string, string][]) =>
    store.edit(put(layer.name, option.name, Object.fromEntries(next)));
  return (
    <>
      <p class="hint">{option.line}</p>
      {pairs.map(([from, to], k) => (
        <div class="pair">
          <Word
            label={from}
            value={to}
            onSet={(v) =>
              write(pairs.map((p, i) => (i === k ? [from, v] : p)).filter(([, t]) => t) as [string, string][])
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
    </>
  );
}
