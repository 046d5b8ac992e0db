import type { Store } from "../store.ts";

/** What an entry of a list is called; a click selects it. */
export function EntryName({
  store,
  id,
  title,
  hint,
}: {
  store: Store;
  id: string;
  title: string;
  hint?: string;
}) {
  return (
    <button
      class="entry-name"
      aria-expanded={store.selected.value.has(id)}
      onClick={() => {
        store.selected.value = new Set([id]);
      }}
      title={hint}
    >
      {title}
    </button>
  );
}
