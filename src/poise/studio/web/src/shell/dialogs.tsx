// Windows over the screen: new, open, save, export, all keys, what a crash left, and the first minute.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ACTIONS, type ActionName, type Bench } from "./actions.ts";
import { upload } from "./drop.ts";
import { stem, withEnding } from "./file_name.ts";
import { FilmOptions, filmOptions, isFilm } from "./film_options.tsx";
import { Guide } from "./guide.tsx";
import { KEYMAPS } from "./keys.ts";
import { named } from "./menu.tsx";
import { begin, type Draft, drafts, New } from "./new_project.tsx";
import { Window } from "./window.tsx";

/** What was exported last: most often it is exported again. */
let exported = "";

export function Dialogs({ bench }: { bench: Bench }) {
  const { store, dialog } = bench;
  const recovery = store.state.value?.recovery;
  const close = () => {
    dialog.value = "";
  };
  if (recovery) {
    return (
      <Window title="Unsaved work found" onClose={() => undefined}>
        <p>There are edits here that were never saved: {recovery}.</p>
        <div class="buttons">
          <button class="first" onClick={() => store.connection.say({ say: "recover", keep: true })}>
            Recover
          </button>
          <button onClick={() => store.connection.say({ say: "recover", keep: false })}>Discard</button>
        </div>
      </Window>
    );
  }
  switch (dialog.value) {
    case "new":
      return <New bench={bench} onClose={close} />;
    case "open":
      return <Open bench={bench} onClose={close} />;
    case "save":
      return (
        <Named
          title="Save as"
          start={store.state.value?.path || `${stem(store)}.poise`}
          suffixes={[".poise"]}
          verb="Save"
          onClose={close}
          bench={bench}
          onName={(path, force) => store.connection.say({ say: "save", path, force })}
        />
      );
    case "export":
      return (
        <Named
          title="Export"
          start={exported || `${stem(store)}.glb`}
          suffixes={[
            ...(store.vocabulary.value.exports ?? [".glb", ".bvh"]),
            ...(store.vocabulary.value.films ?? []),
          ]}
          verb="Export"
          onClose={close}
          bench={bench}
          more={(path) => isFilm(store, path) && <FilmOptions bench={bench} />}
          onName={(path, force) => {
            exported = path;
            const options = isFilm(store, path) ? filmOptions(bench) : {};
            store.connection.say({ say: "export", path, force, options });
          }}
        />
      );
    case "keys":
      return <Keys bench={bench} onClose={close} />;
    case "guide":
      return <Guide bench={bench} onClose={close} />;
  }
  return null;
}

function Open({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const [files, setFiles] = useState<string[] | undefined>(undefined);
  const [filter, setFilter] = useState("");
  const [left, setLeft] = useState<Draft[]>([]);
  useEffect(() => void bench.store.ask("files").then((found) => setFiles(found as string[])), []);
  useEffect(() => void drafts().then(setLeft), []);
  const shown = (name: string) => name.toLowerCase().includes(filter.toLowerCase());
  const picker = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (!file) return;
    void upload(bench.store, [file], { open: true });
    onClose();
  };
  const open = (path: string) => {
    bench.store.connection.say({ say: "open", path });
    onClose();
  };
  return (
    <Window title="Open" onClose={onClose}>
      <input
        placeholder="filter"
        aria-label="filter"
        value={filter}
        onInput={(e) => setFilter(e.currentTarget.value)}
      />
      <ul class="files">
        {files === undefined && <li class="hint">looking…</li>}
        {files?.length === 0 && !left.length && <li class="hint">Nothing in the workspace yet.</li>}
        {left
          .filter((d) => shown(d.name))
          .map((d) => (
            <li>
              <button
                title="never saved"
                onClick={() => {
                  void begin(bench.store, "draft", d.file);
                  onClose();
                }}
              >
                {d.name} <small class="wrong">{d.words}</small>
              </button>
            </li>
          ))}
        {files?.filter(shown).map((f) => (
          <li>
            <button onClick={() => open(f)}>{f}</button>
          </li>
        ))}
      </ul>
      <p class="hint">
        These are in the workspace. A BVH, GLB, MJCF or project file from elsewhere is copied there when you
        drop it on the window, or choose it here.
      </p>
      <div class="buttons">
        <button onClick={() => picker.current?.click()}>From this computer…</button>
        <input
          ref={picker}
          type="file"
          aria-label="file from this computer"
          hidden
          onChange={(e) => take(e.currentTarget.files?.[0])}
        />
        <button onClick={onClose}>Close</button>
      </div>
    </Window>
  );
}

interface NamedProps {
  title: string;
  start: string;
  suffixes: string[];
  verb: string;
  bench: Bench;
  /** With whether a file of that name is to be replaced. */
  onName: (path: string, force: boolean) => void;
  onClose: () => void;
  /** What else is to be said of a file of that name. */
  more?: (path: string) => ComponentChildren;
}

function Named({ title, start, suffixes, verb, bench, onName, onClose, more }: NamedProps) {
  const [name, setName] = useState(start);
  const [taken, setTaken] = useState<string[]>([]);
  useEffect(
    () => void bench.store.ask("files", { every: true }).then((found) => setTaken((found ?? []) as string[])),
    [],
  );
  const usual = suffixes.find((s) => start.toLowerCase().endsWith(s));
  const file = withEnding(name, suffixes, usual);
  const suffix = suffixes.find((s) => (file ?? name).toLowerCase().endsWith(s));
  const wrong = file ? "" : !name.trim() ? "give it a name" : `the name must end in ${suffixes.join(" or ")}`;
  // Saving what is open replaces nobody else's.
  const there = file !== undefined && taken.includes(file) && file !== bench.store.state.value?.path;
  const go = () => {
    if (!file) return;
    onName(file, there);
    onClose();
  };
  return (
    <Window title={title} onClose={onClose}>
      <input
        aria-label="file name"
        value={name}
        onInput={(e) => setName(e.currentTarget.value)}
        onKeyDown={(e) => e.key === "Enter" && !there && go()}
      />
      {suffixes.length > 1 && (
        <fieldset class="buttons" aria-label="format">
          {suffixes.map((s) => (
            <button
              aria-pressed={s === suffix}
              onClick={() =>
                setName(
                  (suffix ? (file ?? name).slice(0, -suffix.length) : name.replace(/\.[^./]*$/, "")) + s,
                )
              }
            >
              {s === ".zip" ? "PNG…" : s.slice(1).toUpperCase()}
            </button>
          ))}
        </fieldset>
      )}
      {file && more?.(file)}
      {wrong ? (
        <p class="hint wrong">{wrong}</p>
      ) : there ? (
        <p class="hint wrong">{file} already exists and would be replaced.</p>
      ) : (
        <p class="hint">
          It goes into the workspace{file === name ? "" : ` as ${file}`}
          {suffixes.length > 1 ? ", all layers baked" : ""}.
        </p>
      )}
      <div class="buttons">
        <button class="first" disabled={!!wrong} onClick={go}>
          {there ? "Replace" : verb}
        </button>
        <button onClick={onClose}>Cancel</button>
      </div>
    </Window>
  );
}

/** What the mouse does, and keys beside it: keys, where, what for. */
const GESTURES = [
  ["", "drag a body or a handle", "move it; the motion follows"],
  ["G", "", "grab the last selected body or handle; click to let go"],
  ["X Y Z", "while dragging", "along that axis only"],
  ["Ctrl", "while dragging", "snap; turns by 15°"],
  ["Ctrl", "and drag a body", "turn it"],
  ["Shift", "and click a body", "make it the local root"],
  ["Shift+wheel", "over the time line", "scroll its lanes"],
  ["", "drag a key in the graph", "its time, and its value"],
  ["wheel", "", "zoom, also over the time line"],
  ["Alt+wheel", "over the stage", "scrub"],
  ["Alt", "and drag a key", "copy it"],
  ["", "double-click a lane", "insert a key"],
  ["", "double-click the ruler", "show the whole time line"],
] as const;

function Keys({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const map = KEYMAPS[bench.keymap.value];
  const keys = (action: string) =>
    Object.entries(map)
      .filter(([, a]) => a === action)
      .map(([k]) => named(k));
  return (
    <Window
      title={`Keys (${bench.keymap.value === "blender" ? "as in Blender" : "as in Maya"})`}
      onClose={onClose}
    >
      <table class="key-sheet">
        {(Object.keys(ACTIONS) as ActionName[])
          .filter((a) => keys(a).length)
          .map((a) => (
            <tr>
              <td>
                {keys(a).map((k) => (
                  <kbd>{k}</kbd>
                ))}
              </td>
              <td>{ACTIONS[a].title}</td>
            </tr>
          ))}
        {GESTURES.map(([keys, where, what]) => (
          <tr>
            <td>
              {keys.split(" ").map((k) => k && <kbd>{k}</kbd>)} {where}
            </td>
            <td>{what}</td>
          </tr>
        ))}
      </table>
      <div class="buttons">
        <button onClick={() => ACTIONS.keymap.run(bench)}>
          {bench.keymap.value === "blender" ? "Use Maya's keys" : "Use Blender's keys"}
        </button>
        <button onClick={onClose}>Close</button>
      </div>
    </Window>
  );
}
