// Names for files: from what the project is called, and with the ending that they need.
import type { Store } from "../store.ts";

export const stem = (store: Store): string =>
  (store.state.value?.path.replace(/\.poise$/, "") || String(store.state.value?.document["name"] ?? ""))
    .replaceAll(/[^\w./ -]/g, "")
    .trim() || "motion";

/** A typed name with an ending that will do: the usual one where it has none.
 * Where there is a choice another ending is not made up for. */
export function withEnding(
  typed: string,
  endings: readonly string[],
  usual = endings[0] ?? "",
): string | undefined {
  const name = typed.trim();
  const last = name.split("/").at(-1)!;
  if (!/[^.]/.test(last) || endings.includes(last.toLowerCase())) return undefined;
  if (endings.some((e) => name.toLowerCase().endsWith(e))) return name;
  return endings.length > 1 && /\.[a-z]\w*$/i.test(name) ? undefined : name + usual;
}
