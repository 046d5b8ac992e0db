// Files dropped on the window go into the workspace and are opened.
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
  const answer = await fetch(`/upload/${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  const said = (await answer.json()) as { problem?: string; path?: string };
  if (said.problem) store.note(said.problem, "problem");
  else store.note(`opened ${said.path}`);
}
