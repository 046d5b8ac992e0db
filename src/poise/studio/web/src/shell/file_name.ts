// A name for a file from what the project is called.
import type { Store } from "../store.ts";

export const stem = (store: Store): string => (store.state.value?.path.replace(/\.poise$/, "") || String(store.state.value?.document["name"] ?? "")).replaceAll(/[^\w./ -]/g, "").trim() || "motion";
