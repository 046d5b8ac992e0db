// The asset bin: motions, characters, surfaces and sounds of the project, and files with more to take.
import { useEffect, useRef, useState } from "preact/hooks";
import { add } from "../commands.ts";
import type { ClipFacts, Inspected } from "../messages.ts";
import { filesIn, upload } from "../shell/drop.ts";
import { Icon } from "../shell/icon.tsx";
import type { Store } from "../store.ts";
import { addStrip, entriesOf, loading, opened, propose, take, takeIn, taken, used } from "./assets.ts";
import { Thumbnail } from "./thumbnail.tsx";

type Shelf = "motion" | "who" | "props" | "sound";
const SHELVES: [Shelf, string][] = [
  ["motion", "Motion"],
  ["who", "Characters"],
  ["props", "Props"],
  ["sound", "Sound"],
];

export function Bin({ store }: { store: Store }) {
  const [shelf, setShelf] = useState<Shelf>("motion");
  const [filter, setFilter] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const fits = (name: string) => name.toLowerCase().includes(filter.toLowerCase());
  return (
    <div class="bin" data-part="bin">
      <div class="bin-head">
        <fieldset class="tabs" aria-label="contents of the bin">
          {SHELVES.map(([name, title]) => (
            <button class="small" aria-pressed={shelf === name} onClick={() => setShelf(name)}>
              {title}
            </button>
          ))}
        </fieldset>
        <div class="bin-find">
          <input
            aria-label="filter the bin"
            placeholder="filter"
            value={filter}
            onInput={(e) => setFilter(e.currentTarget.value)}
          />
          <button title="add files from this computer" onClick={() => picker.current?.click()}>
            + File
          </button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="files to add"
            onChange={(e) => {
              void upload(store, filesIn(e.currentTarget.files));
              e.currentTarget.value = "";
            }}
          />
        </div>
      </div>
      {shelf === "motion" && (
        <>
          {opened.value.map((file) => (
            <FileOf key={file.file} store={store} file={file} filter={filter} />
          ))}
          <Cards store={store} fits={fits} kind="motion" />
          <Bundled store={store} fits={fits} names={store.vocabulary.value.clips ?? []} />
        </>
      )}
      {shelf === "who" && (
        <>
          <Cards store={store} fits={fits} kind="character" />
          <Bundled store={store} fits={fits} names={store.vocabulary.value.characters ?? []} who />
        </>
      )}
      {shelf === "props" && <Props store={store} fits={fits} />}
      {shelf === "sound" && <Sounds store={store} fits={fits} />}
      <Workspace store={store} fits={fits} shelf={shelf} />
    </div>
  );
}

/** The project's own clips. */
function Cards({ store, fits, kind }: { store: Store; fits: (n: string) => boolean; kind: string }) {
  const all = Object.keys(entriesOf(store)).map(
    (name): ClipFacts => store.facts.value[name] ?? { name, kind: "motion" },
  );
  // Whoever moves can perform as well.
  const shown = all.filter((f) => fits(f.name) && (kind === "character" || f.kind !== "character"));
  if (!shown.length)
    return (
      <p class="hint padded">
        {kind === "motion"
          ? "Drop a BVH, GLB, FBX, USD, C3D or AMASS file here, or on the window."
          : "No characters yet."}
      </p>
    );
  return (
    <ul class="cards">
      {shown.map((f) => (
        <Card key={f.name} store={store} facts={f} who={kind === "character"} />
      ))}
    </ul>
  );
}

export const inShort = (f: ClipFacts): string =>
  f.problem
    ? "cannot be read"
    : f.kind === "character"
      ? `${f.bodies} joints${f.textures ? ` · ${f.textures} textures` : ""}`
      : `${f.frames} f${f.loop ? " · loop ↻" : ` · ${Number((f.fps ?? 0).toFixed(2))} fps`}`;

function Card({ store, facts, who }: { store: Store; facts: ClipFacts; who: boolean }) {
  const { name } = facts;
  const put = () => {
    const layer = loading(store, name);
    if (!layer) return;
    store.edit(add(layer));
    store.layer.value = layer.name;
  };
  const about = who
    ? `${facts.character}: ${facts.bodies} joints${facts.textures ? `, ${facts.textures} textures` : ""}`
    : [
        facts.animation || name,
        `${(facts.seconds ?? 0).toFixed(2)} s`,
        facts.character,
        ...(facts.notes ?? []),
      ].join(" · ");
  return (
    <li
      class="card"
      data-clip={name}
      title={facts.problem || about}
      draggable
      onDragStart={(e) => e.dataTransfer?.setData("application/x-poise-clip", name)}
    >
      <Thumbnail store={store} about={{ clip: name }} label={`${name}, ${inShort(facts)}`} />
      <b class="cut">{name}</b>
      <small class={facts.problem ? "wrong" : ""}>
        {who ? `${facts.bodies ?? "…"} joints` : inShort(facts)}
      </small>
      <div class="card-tools">
        {!who && (
          <button
            class="small"
            title="add it to the end of the track"
            aria-label={`add ${name} to the track`}
            onClick={() => addStrip(store, name)}
          >
            + track
          </button>
        )}
        <button
          class="small"
          title={who ? "start a new motion with this character" : "start a new motion with this clip"}
          aria-label={`load ${name}`}
          onClick={put}
        >
          load
        </button>
        {!who && store.figure.value && (
          <button
            class="small"
            title="retarget it to the figure on the stage"
            aria-label={`onto the figure: retarget ${name}`}
            onClick={() => void propose(store, name)}
          >
            onto
          </button>
        )}
        <button
          class="small"
          title={used(store, name) ? "a layer uses it" : "remove it from the project; the file stays"}
          aria-label={`remove ${name}`}
          disabled={used(store, name)}
          onClick={() => store.edit({ do: "drop-clip", name })}
        >
          <Icon name="remove" />
        </button>
      </div>
    </li>
  );
}

/** A file with several animations: pointing at one plays it. */
function FileOf({ store, file, filter }: { store: Store; file: Inspected; filter: string }) {
  const [picked, setPicked] = useState<Set<number>>(new Set());
  const [over, setOver] = useState<number | undefined>(undefined);
  const have = taken(store, file);
  const shown = file.animations
    .map((animation, k) => ({ animation, k }))
    .filter(({ animation }) => animation.name.toLowerCase().includes(filter.toLowerCase()));
  const toggle = (k: number, on: boolean) => {
    const next = new Set(picked);
    if (on) next.add(k);
    else next.delete(k);
    setPicked(next);
  };
  const go = (numbers: number[]) => {
    take(store, file, numbers);
    setPicked(new Set());
  };
  return (
    <section class="holds" data-file={file.file} aria-label={file.file}>
      <h3>
        <span class="cut">{file.file}</span> <small>{file.animations.length} animations</small>
        <button
          class="small"
          aria-label={`close ${file.file}`}
          title="close; the file stays in the workspace"
          onClick={() => {
            opened.value = opened.value.filter((f) => f !== file);
          }}
        >
          ✕
        </button>
      </h3>
      {over !== undefined && (
        <Thumbnail
          store={store}
          about={{ file: file.file, animation: over }}
          label={file.animations[over]!.name}
          plays
        />
      )}
      <ul>
        {shown.map(({ animation, k }) => (
          <li
            class={over === k ? "over" : ""}
            onPointerEnter={() => setOver(k)}
            onPointerLeave={() => setOver((now) => (now === k ? undefined : now))}
          >
            <label>
              <input
                type="checkbox"
                checked={picked.has(k) || have.has(k)}
                disabled={have.has(k)}
                onFocus={() => setOver(k)}
                onBlur={() => setOver(undefined)}
                onChange={(e) => toggle(k, e.currentTarget.checked)}
              />
              <span class="cut">{animation.name || `animation ${k}`}</span>
              <small>{animation.seconds.toFixed(1)} s</small>
            </label>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button class="first" disabled={!picked.size} onClick={() => go([...picked].sort((a, b) => a - b))}>
          Take {picked.size || ""}
        </button>
        <button onClick={() => go(shown.map(({ k }) => k).filter((k) => !have.has(k)))}>
          {filter ? "All shown" : "All"}
        </button>
        <small class="hint">point at one to play it</small>
      </div>
    </section>
  );
}

/** What comes with Poise and is not in the project yet. */
function Bundled({
  store,
  fits,
  names,
  who,
}: {
  store: Store;
  fits: (n: string) => boolean;
  names: readonly string[];
  who?: boolean;
}) {
  const left = names.filter((n) => fits(n) && !entriesOf(store)[n]);
  if (!left.length) return null;
  return (
    <details class="bundled">
      <summary>comes with Poise</summary>
      <ul class="names">
        {left.map((name) => (
          <button
            title={who ? "take this figure into the project" : "take this motion into the project"}
            aria-label={`take ${name}`}
            onClick={() => store.edit({ do: "put-clip", name, clip: { bundled: name } })}
          >
            {name}
          </button>
        ))}
      </ul>
    </details>
  );
}

/** Surfaces of the project's world. */
function Props({ store, fits }: { store: Store; fits: (n: string) => boolean }) {
  const world = store.state.value?.document["world"] as
    | { surfaces?: { name: string; kind?: string }[] }
    | string
    | undefined;
  if (typeof world === "string") return <p class="hint padded">The world is the file {world}.</p>;
  const listed = (world?.surfaces ?? []).filter((s) => fits(s.name));
  return (
    <>
      {!listed.length && (
        <p class="hint padded">No surfaces yet. Drop a world (JSON), or add one where a layer touches it.</p>
      )}
      <ul class="findings padded">
        {listed.map((s) => (
          <li>
            <span class="cut grow">{s.name}</span>
            <small>{s.kind ?? ""}</small>
            <button
              class="small"
              aria-label={`remove ${s.name}`}
              onClick={() => store.edit({ do: "drop-surface", name: s.name })}
            >
              <Icon name="remove" />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Sounds({ store, fits }: { store: Store; fits: (n: string) => boolean }) {
  const all = Object.values(store.music.value).filter((m) => m.file && fits(m.file));
  return all.length ? (
    <ul class="findings padded">
      {all.map((m) => (
        <li>
          <span class="cut grow">{m.file}</span>
          <small>
            {m.seconds.toFixed(1)} s · {m.tempo ? `${m.tempo.toFixed(0)} bpm` : "no beat"}
          </small>
        </li>
      ))}
    </ul>
  ) : (
    <p class="hint padded">Drop a WAV or MIDI file to perform to it.</p>
  );
}

const ENDINGS: Record<Shelf, RegExp> = {
  motion: /\.(bvh|amc|glb|gltf|vrma?|fbx|usd[ac]?|npz|npy|c3d|trc)$/i,
  who: /\.(bvh|glb|gltf|vrm|fbx|usd[ac]?|xml|asf)$/i,
  props: /\.json$/i,
  sound: /\.(wav|mid)$/i,
};

/** Other files of the workspace, to be looked into. */
function Workspace({ store, fits, shelf }: { store: Store; fits: (n: string) => boolean; shelf: Shelf }) {
  const [files, setFiles] = useState<string[]>([]);
  const clips = JSON.stringify(entriesOf(store));
  useEffect(
    () => void store.ask("files", {}, true).then((found) => found && setFiles(found as string[])),
    [clips, opened.value, store.connection.live.value],
  );
  const known = new Set(Object.values(entriesOf(store)).map((e) => e.file));
  const left = files.filter((f) => ENDINGS[shelf].test(f) && fits(f) && !known.has(f));
  if (!left.length || shelf === "sound") return null;
  return (
    <details class="bundled" open={left.length < 8}>
      <summary>in the workspace</summary>
      <ul class="files">
        {left.map((file) => (
          <li>
            <button title="browse the file and add from it" onClick={() => void takeIn(store, file)}>
              {file}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
