// Options of a layer, by a list of what there is.
// What is left out has the default of the method, which is shown.
import { put, remove } from "../commands.ts";
import type { AnyLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { read } from "../time/address.ts";
import { Choice, Perhaps, Tick, Word } from "./fields.tsx";

export interface Option {
  path: string;
  label: string;
  /** A number, a word among some, any word, or whether or not. */
  kind: "number" | "choice" | "word" | "tick";
  /** What is said where the method finds its own default; else the server knows it. */
  usual?: string | boolean;
  unit?: string;
  options?: readonly string[];
}

/** Whether the server has said yet what fields are taken to be where a layer leaves them out. */
export const usualKnown = (store: Store): boolean => store.vocabulary.value.kinds !== undefined;

/** What a field is taken to be where a layer leaves it out;
 * undefined where that depends, or is not known yet. */
export function usualOf(store: Store, kind: AnyLayer["kind"], field: string): unknown {
  return store.vocabulary.value.kinds?.find((k) => k.kind === kind)?.usual[field];
}

export function Options({ store, layer, list }: { store: Store; layer: AnyLayer; list: readonly Option[] }) {
  return (
    <>
      {list.map((option) => (
        <One key={option.path} store={store} layer={layer} option={option} />
      ))}
    </>
  );
}

function One({ store, layer, option }: { store: Store; layer: AnyLayer; option: Option }) {
  const value = read(layer, option.path);
  const given = value !== undefined && value !== null;
  const set = (next: unknown) =>
    store.edit(next === undefined ? remove(layer.name, option.path) : put(layer.name, option.path, next));
  const known = usualKnown(store)
    ? (usualOf(store, layer.kind, option.path) ?? option.usual ?? "default")
    : undefined;
  const usual =
    known === undefined
      ? undefined
      : typeof known === "number"
        ? String(Number(known.toPrecision(4)))
        : String(known);
  switch (option.kind) {
    case "number":
      return (
        <Perhaps
          label={option.label}
          value={typeof value === "number" ? value : undefined}
          usual={usual}
          unit={option.unit ?? ""}
          onSet={set}
        />
      );
    case "tick":
      return (
        <Tick
          label={option.label}
          value={given ? value === true : known === undefined ? undefined : known === true}
          onSet={set}
        />
      );
    case "word":
      return (
        <Word
          label={option.label}
          value={given ? String(value) : known === undefined ? undefined : ""}
          placeholder={usual ?? ""}
          options={option.options ?? []}
          onSet={(v) => set(v || undefined)}
        />
      );
    case "choice":
      return (
        <Choice
          label={option.label}
          value={given ? String(value) : usual}
          options={[...new Set([...(usual === undefined ? [] : [usual]), ...(option.options ?? [])])]}
          onSet={(v) => set(v === usual ? (given ? undefined : v) : v)}
        />
      );
  }
}
