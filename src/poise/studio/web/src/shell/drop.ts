// Files dropped on the window go into the workspace and are opened;
// sounds are what a performance is played to.
import { put } from "../commands.ts";
import { own, type Scripted } from "../layer.ts";
import type { Store } from "../store.ts";

export function dropping(store: Store): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void upload(store, file);
  };
  addEventListener("dragover", over);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("drop", drop);
  };
}

export async function upload(store: Store, file: File): Promise<void> {
  store.note(`reading ${file.name}…`);
  const said = await fetch(`/upload/${encodeURIComponent(file.name)}`, { method: "POST", body: file })
    .then((answer) => answer.json() as Promise<{ problem?: string; path?: string }>)
    .catch(
      () =>
        ({ problem: `${file.name} was not taken: the studio is offline` }) as {
          problem?: string;
          path?: string;
        },
    );
  if (said.problem) store.note(said.problem, "problem");
  else if (/\.(wav|mid)$/i.test(file.name)) played(store, file.name);
  else store.note(`opened ${said.path}`);
}

/** A sound is what the chosen performance is played to from now on, or the only one there is. */
function played(store: Store, name: string): void {
  const performances = store.layers.value.filter((l: Scripted) => own(l.script));
  const layer = performances.find((l) => l.name === store.layer.value) ?? performances[0];
  if (!layer) {
    store.note(`${name} is in the workspace: a performance with a script of its own can be played to it`);
    return;
  }
  store.edit(put(layer.name, "script/beats", /\.mid$/i.test(name) ? { midi: name } : { wav: name }));
  store.layer.value = layer.name;
  store.note(`${layer.name} is played to ${name}`);
}
