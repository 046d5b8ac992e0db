// The menu bar: pull-down menus, undo and redo, the project's name, whether it is saved,
// and whether the solver is idle and at work.
import { useEffect, useRef, useState } from "preact/hooks";
import { took, works } from "../standing.ts";
import { ACTIONS, type ActionName, type Bench } from "./actions.ts";
import { KEYMAPS } from "./keys.ts";

const MENUS: Record<string, ActionName[]> = {
  File: ["new", "open", "save", "saveAs", "export"],
  Edit: ["undo", "redo", "insert", "copy", "cut", "paste", "duplicate", "mute", "selectAll", "erase"],
  Pose: [
    "pose",
    "axes",
    "pin",
    "keyPicked",
    "resetPicked",
    "breakDown",
    "mirrorPose",
    "pasteMirrored",
    "parentBody",
    "childBody",
    "otherSide",
    "limb",
  ],
  View: [
    "wire",
    "ghosts",
    "keyed",
    "trails",
    "com",
    "inertia",
    "momentum",
    "support",
    "world",
    "forces",
    "perspective",
    "front",
    "side",
    "top",
    "along",
    "through",
    "frame",
    "graph",
    "showAll",
    "dark",
    "keymap",
  ],
  Help: ["guide", "help"],
};

export function Menu({ bench }: { bench: Bench }) {
  const [open, setOpen] = useState("");
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const away = (event: PointerEvent) => !bar.current?.contains(event.target as Node) && setOpen("");
    const shut = (event: KeyboardEvent) => event.key === "Escape" && setOpen("");
    addEventListener("pointerdown", away);
    addEventListener("keydown", shut);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("keydown", shut);
    };
  }, []);
  const { store } = bench;
  const state = store.state.value;
  const solved = store.solved.value;
  const live = store.connection.live.value;
  const busy = store.layers.value.length > 0 && works(store.shown.value);
  const shown = bench.shown.value as unknown as Record<string, boolean | undefined>;
  return (
    <header class="menu" ref={bar} data-part="menu">
      <b class="brand">Poise</b>
      {Object.entries(MENUS).map(([name, actions]) => (
        <div class="pull">
          <button
            class="plain"
            aria-haspopup="menu"
            aria-expanded={open === name}
            onClick={() => setOpen(open === name ? "" : name)}
            onPointerEnter={() => open && setOpen(name)}
          >
            {name}
          </button>
          {open === name && (
            <div class="menu-items" role="menu" tabIndex={-1}>
              {actions.map((a) => (
                <button
                  role="menuitem"
                  data-action={a}
                  onClick={() => {
                    setOpen("");
                    ACTIONS[a].run(bench);
                  }}
                >
                  <span class="mark">{shown[a] ? "✓" : ""}</span>
                  {ACTIONS[a].title}
                  <kbd>{keyOf(bench, a)}</kbd>
                </button>
              ))}
            </div>
          )}
        </div>
      ))}
      <span class="grow" />
      <span class="title" title={state?.path || "not saved yet"}>
        {state?.document["name"] || state?.path || "untitled"}
        {state?.modified ? " *" : ""}
      </span>
      <span class="grow" />
      <button
        class="plain"
        title="undo"
        aria-label="undo"
        disabled={!state?.undoable}
        onClick={() => ACTIONS.undo.run(bench)}
      >
        ↶
      </button>
      <button
        class="plain"
        title="redo"
        aria-label="redo"
        disabled={!state?.redoable}
        onClick={() => ACTIONS.redo.run(bench)}
      >
        ↷
      </button>
      <span
        class={`live ${live}`}
        title={
          live !== "open"
            ? "the solver does not answer"
            : busy
              ? "solving"
              : solved
                ? `solved in ${took(solved.seconds)}`
                : "the solver is idle"
        }
        data-live={live}
      >
        {live === "open" ? "●" : "○"} {live !== "open" ? "reconnecting…" : busy ? "solving…" : ""}
      </span>
    </header>
  );
}

export function keyOf(bench: Bench, action: ActionName): string {
  const found = Object.entries(KEYMAPS[bench.keymap.value]).find(([, a]) => a === action)?.[0] ?? "";
  return named(found);
}

/** A key as people read it. */
export function named(key: string): string {
  return key
    .replace(/ $/, "Space")
    .replace("Arrow", "")
    .replace(/(^|\+)([a-z])$/, (_, before: string, letter: string) => before + letter.toUpperCase());
}
