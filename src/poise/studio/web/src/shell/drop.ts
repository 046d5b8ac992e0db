// Files dropped on the window go into the workspace and are added to the bin; a motion that is dropped on who
// is on the stage is given to them. A project is opened. Sounds are what a performance is played to.
import { addStrip, propose, takeIn } from "../bin/assets.ts";
import { put } from "../commands.ts";
import { own, type Scripted } from "../layer.ts";
import type { Store } from "../store.ts";

const CLIP = "application/x-poise-clip";
const on = (event: DragEvent, part: string): boolean =>
  event.target instanceof Element && event.target.closest(`[data-part="${part}"]`) !== null;

export function dropping(store: Store): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const clip = event.dataTransfer?.getData(CLIP);
    if (clip && on(event, "timeline")) return addStrip(store, clip);
    if (clip && on(event, "stage")) return void propose(store, clip);
    const files = filesIn(event.dataTransfer?.files);
    if (files.length) void upload(store, files, { onStage: on(event, "stage") });
  };
  addEventListener("dragover", over);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("drop", drop);
  };
}

/** Skeletons first: what names them is read after them. */
export const filesIn = (list: FileList | null | undefined): File[] =>
  [...(list ?? [])].sort((a, b) => Number(/\.asf$/i.test(b.name)) - Number(/\.asf$/i.test(a.name)));

/** Into the workspace and the bin; `open`: a new project with it. */
export async function upload(
  store: Store,
  files: readonly File[],
  { open = false, onStage = false } = {},
): Promise<void> {
  for (const file of files) {
    store.note(`reading ${file.name}…`);
    const address = `/upload/${encodeURIComponent(file.name)}${open ? "?open=1" : ""}`;
    const said = await fetch(address, { method: "POST", body: file })
      .then((answer) => answer.json() as Promise<{ problem?: string; path?: string }>)
      .catch(
        () =>
          ({ problem: `${file.name} was not added: the studio is offline` }) as {
            problem?: string;
            path?: string;
          },
      );
    if (said.problem || !said.path) store.note(said.problem ?? `${file.name} was not added`, "problem");
    else if (/\.(wav|mid)$/i.test(file.name)) played(store, file.name);
    else if (open || /\.poise$/i.test(file.name)) store.note(`opened ${said.path}`);
    else await takeIn(store, said.path, onStage && files.length === 1);
  }
}

/** A sound is what the chosen performance is played to from now on, or the only one there is. */
function played(store: Store, name: string): void {
  const performances = store.layers.value.filter((l: Scripted) => own(l.script));
  const layer = performances.find((l) => l.name === store.layer.value) ?? performances[0];
  if (!layer) {
    store.note(`${name} is in the workspace; add a performance with its own script to play to it`);
    return;
  }
  store.edit(put(layer.name, "script/beats", /\.mid$/i.test(name) ? { midi: name } : { wav: name }));
  store.layer.value = layer.name;
  store.note(`${layer.name} is played to ${name}`);
}
