// Windows over the screen: open, save, export, all keys, what a crash left, and the first minute.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ACTIONS, type ActionName, type Bench } from "./actions.ts";
import { Guide } from "./guide.tsx";
import { KEYMAPS } from "./keys.ts";
import { named } from "./menu.tsx";

export function Dialogs({ bench }: { bench: Bench }) {
  const { store, dialog } = bench;
  const recovery = store.state.value?.recovery;
  const close = () => void (dialog.value = "");
  if (recovery) {
    return (
      <Window title="Unsaved work was found" onClose={() => undefined}>
        <p>The last session ended before it could save: {recovery}.</p>
        <div class="buttons">
          <button class="first" onClick={() => store.connection.say({ say: "recover", keep: true })}>Bring it back</button>
          <button onClick={() => store.connection.say({ say: "recover", keep: false })}>Throw it away</button>
        </div>
      </Window>
    );
  }
  switch (dialog.value) {
    case "open":
      return <Open bench={bench} onClose={close} />;
    case "save":
      return <Named title="Save as" start={store.state.value?.path || "motion.poise"} suffixes={[".poise"]} verb="Save" onClose={close} onName={(path) => store.connection.say({ say: "save", path })} />;
    case "export":
      return <Named title="Export" start="motion.glb" suffixes={store.vocabulary.value.exports ?? [".glb", ".bvh"]} verb="Export" onClose={close} onName={(path) => store.connection.say({ say: "export", path })} />;
    case "keys":
      return <Keys bench={bench} onClose={close} />;
    case "guide":
      return <Guide bench={bench} onClose={close} />;
  }
  return null;
}

export function Window({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current?.querySelector<HTMLElement>("input") ?? box.current)?.focus(), []);
  return (
    <div class="veil" onPointerDown={(e) => e.target === e.currentTarget && onClose()}>
      <div class="window" role="dialog" aria-modal="true" aria-label={title} tabIndex={-1} ref={box} onKeyDown={(e) => e.key === "Tab" && within(e, box.current!)}>
        <h2>{title}</h2>
        {children}
      </div>
    </div>
  );
}

/** Tab goes round within the window. */
function within(event: KeyboardEvent, box: HTMLElement): void {
  const all = [...box.querySelectorAll<HTMLElement>("input, button:not(:disabled), select")];
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return;
  if (event.shiftKey && (document.activeElement === first || document.activeElement === box)) (event.preventDefault(), last.focus());
  else if (!event.shiftKey && document.activeElement === last) (event.preventDefault(), first.focus());
}

function Open({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const [files, setFiles] = useState<string[] | undefined>(undefined);
  const [filter, setFilter] = useState("");
  useEffect(() => void bench.store.ask("files").then((found) => setFiles(found as string[])), []);
  const open = (path: string) => {
    bench.store.connection.say({ say: "open", path });
    onClose();
  };
  return (
    <Window title="Open" onClose={onClose}>
      <input placeholder="filter" aria-label="filter" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
      <ul class="files">
        {files === undefined && <li class="hint">looking…</li>}
        {files?.length === 0 && <li class="hint">Nothing in the workspace yet: drop a file on the window.</li>}
        {files?.filter((f) => f.toLowerCase().includes(filter.toLowerCase())).map((f) => (
          <li>
            <button onClick={() => open(f)}>{f}</button>
          </li>
        ))}
      </ul>
      <p class="hint">Or drop a BVH, GLB, MJCF or project file anywhere on the window.</p>
      <div class="buttons">
        <button onClick={onClose}>Close</button>
      </div>
    </Window>
  );
}

function Named({ title, start, suffixes, verb, onName, onClose }: { title: string; start: string; suffixes: string[]; verb: string; onName: (path: string) => void; onClose: () => void }) {
  const [name, setName] = useState(start);
  const wrong = suffixes.some((s) => name.endsWith(s)) ? "" : `the name must end in ${suffixes.join(" or ")}`;
  const go = () => {
    if (wrong) return;
    onName(name);
    onClose();
  };
  return (
    <Window title={title} onClose={onClose}>
      <input aria-label="file name" value={name} onInput={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && go()} />
      {wrong && <p class="hint wrong">{wrong}</p>}
      <div class="buttons">
        <button class="first" disabled={!!wrong} onClick={go}>{verb}</button>
        <button onClick={onClose}>Cancel</button>
      </div>
    </Window>
  );
}

function Keys({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const map = KEYMAPS[bench.keymap.value];
  const keys = (action: string) => Object.entries(map).filter(([, a]) => a === action).map(([k]) => named(k));
  return (
    <Window title={`Keys (${bench.keymap.value === "blender" ? "as in Blender" : "as in Maya"})`} onClose={onClose}>
      <table class="key-sheet">
        {(Object.keys(ACTIONS) as ActionName[]).filter((a) => keys(a).length).map((a) => (
          <tr>
            <td>{keys(a).map((k) => <kbd>{k}</kbd>)}</td>
            <td>{ACTIONS[a].title}</td>
          </tr>
        ))}
        <tr><td><kbd>Shift+wheel</kbd> over the time line</td><td>scroll its lanes</td></tr>
        <tr><td>drag a key in the graph</td><td>its time, and its value</td></tr>
        <tr><td><kbd>wheel</kbd></td><td>come closer; over the time line: zoom</td></tr>
        <tr><td><kbd>Alt+wheel</kbd> over the stage</td><td>go through time</td></tr>
        <tr><td><kbd>Alt</kbd>-drag a key</td><td>copy it</td></tr>
        <tr><td>double click a lane</td><td>insert a key</td></tr>
      </table>
      <div class="buttons">
        <button onClick={() => ACTIONS.keymap.run(bench)}>{bench.keymap.value === "blender" ? "Use Maya's keys" : "Use Blender's keys"}</button>
        <button onClick={onClose}>Close</button>
      </div>
    </Window>
  );
}
