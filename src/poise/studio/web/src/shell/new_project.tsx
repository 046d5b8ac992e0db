// A new project: who is in it, and what becomes of edits that are not saved. They are never lost:
// saved first, or put aside.
import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Store } from "../store.ts";
import type { Bench } from "./actions.ts";
import { stem } from "./file_name.ts";
import { Window } from "./window.tsx";

export type Start = "character" | "motion" | "open" | "boxer" | "draft";

/** A project that was left without being saved. */
export interface Draft {
  file: string;
  name: string;
  words: string;
}

/** Go on with a new project, or with one that was put aside; whether that could be. */
export async function begin(store: Store, start: Start, name = "-"): Promise<boolean> {
  try {
    const answer = await fetch(`/begin/${start}/${encodeURIComponent(name)}`, { method: "POST" });
    const { problem } = (await answer.json()) as { problem?: string };
    if (problem) store.note(problem, "problem");
    return !problem;
  } catch {
    store.note("the studio does not answer: no project was created", "problem");
    return false;
  }
}

export async function drafts(): Promise<Draft[]> {
  const answer = await fetch("/drafts").catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Draft[]) : [];
}

/** Save, and wait until that is done; false where it was refused, which is then said. */
export function saved(store: Store, path: string): Promise<boolean> {
  const before = new Set(store.messages.value);
  store.connection.say({ say: "save", ...(path ? { path } : {}) });
  return new Promise((resolve) => {
    const stop = effect(() => {
      const done = store.state.value?.modified === false;
      const refused = store.messages.value.some((m) => m.kind === "problem" && !before.has(m));
      if (!done && !refused) return;
      resolve(done);
      queueMicrotask(() => stop());
    });
  });
}

export function New({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const { store } = bench;
  const [start, setStart] = useState<Start>("character");
  const { characters = ["humanoid"], clips = ["walk"] } = store.vocabulary.value;
  const [who, setWho] = useState("humanoid");
  const [clip, setClip] = useState("walk");
  const state = store.state.value;
  const [name, setName] = useState(state?.path ? "" : `${stem(store)}.poise`);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const open = store.figure.value?.name;
  const go = async (save: boolean) => {
    setBusy(true);
    const ready = !save || (await saved(store, name));
    const done =
      ready && (await begin(store, start, start === "character" ? who : start === "motion" ? clip : "-"));
    if (done) return onClose();
    setWrong(store.messages.value.findLast((m) => m.kind === "problem")?.text ?? "");
    setBusy(false);
  };
  const called = String(state?.document["name"] || state?.path || "");
  return (
    <Window title="New project" onClose={onClose}>
      <fieldset class="starts">
        <From label="A bundled character" value="character" now={start} onSet={setStart}>
          <Names
            label="character"
            value={who}
            names={characters}
            onSet={(v) => {
              setWho(v);
              setStart("character");
            }}
          />
        </From>
        {open && (
          <From label={`The character on the stage: ${open}`} value="open" now={start} onSet={setStart} />
        )}
        <From label="A bundled motion" value="motion" now={start} onSet={setStart}>
          <Names
            label="motion"
            value={clip}
            names={clips}
            onSet={(v) => {
              setClip(v);
              setStart("motion");
            }}
          />
        </From>
        <From label="The drunken boxer, to try things out" value="boxer" now={start} onSet={setStart} />
      </fieldset>
      <p class="hint">
        {start === "character" || start === "open"
          ? "One pose, held for two seconds, as key-frames: drag a hand, insert poses."
          : start === "motion"
            ? "The clip as a layer; add more layers on top."
            : "The project that the studio first opens with. Help → the first minute guides you."}
      </p>
      {state?.modified && (
        <>
          <p class="wrong">{called ? `“${called}”` : "The open project"} has edits that are not saved.</p>
          {!state.path && (
            <input aria-label="file name" value={name} onInput={(e) => setName(e.currentTarget.value)} />
          )}
          <p class="hint">
            If you set them aside, you find them{" "}
            {state.path ? `when you open ${state.path} again` : "first in the list of Open"}.
          </p>
        </>
      )}
      {wrong && (
        <p class="hint wrong" role="alert">
          {wrong}
        </p>
      )}
      <div class="buttons">
        {state?.modified ? (
          <>
            <button class="first" disabled={busy} onClick={() => void go(true)}>
              Save and start
            </button>
            <button disabled={busy} onClick={() => void go(false)}>
              Set aside and start
            </button>
          </>
        ) : (
          <button class="first" disabled={busy} onClick={() => void go(false)}>
            Start
          </button>
        )}
        <button onClick={onClose}>Cancel</button>
      </div>
    </Window>
  );
}

function From({
  label,
  value,
  now,
  onSet,
  children,
}: {
  label: string;
  value: Start;
  now: Start;
  onSet: (start: Start) => void;
  children?: ComponentChildren;
}) {
  const checked = now === value;
  return (
    <div class="start">
      <label>
        <input type="radio" name="start" value={value} checked={checked} onInput={() => onSet(value)} />{" "}
        {label}
      </label>
      {children}
    </div>
  );
}

function Names({
  label,
  value,
  names,
  onSet,
}: {
  label: string;
  value: string;
  names: readonly string[];
  onSet: (name: string) => void;
}) {
  return (
    <select aria-label={label} value={value} onChange={(e) => onSet(e.currentTarget.value)}>
      {names.map((n) => (
        <option value={n}>{n.replaceAll("_", " ")}</option>
      ))}
    </select>
  );
}
