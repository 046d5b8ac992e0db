// Options that name joints, limbs or characters.
import type { EditorProps } from "../editors.tsx";
import { spaced } from "../operations.ts";
import { Choice, Field, Word } from "./fields.tsx";
import { OptionRow, setting, usualOf } from "./option.tsx";

export function JointEditor(props: EditorProps) {
  const { store, layer, option } = props;
  const bones = store.figure.value?.bodies.map((b) => b.name) ?? [];
  return (
    <OptionRow {...props}>
      <Choice
        label={spaced(option.name)}
        value={String(layer[option.name] ?? option.default ?? "")}
        options={bones}
        onSet={setting(props)}
      />
    </OptionRow>
  );
}

const ALL = "the whole body";

/** One limb or joint, or a list of them. */
export function LimbsEditor(props: EditorProps) {
  const { store, layer, option } = props;
  const words = store.vocabulary.value;
  const names = [...new Set([...(words.limbs ?? []), ...(words.joints ?? [])])];
  const set = setting(props);
  const label = spaced(option.name);
  if (option.holds === "text") {
    const who = String(layer[option.name] ?? option.default ?? "*");
    return (
      <OptionRow {...props}>
        <Choice
          label={label}
          value={who === "*" ? ALL : who}
          options={[...new Set([ALL, ...(words.limbs ?? []), ...(who === "*" ? [] : [who])])]}
          onSet={(v) => set(v === ALL ? undefined : v)}
        />
      </OptionRow>
    );
  }
  const chosen = (layer[option.name] ?? []) as string[];
  return (
    <OptionRow {...props}>
      <div class="names">
        <Field label={label}>
          <select
            aria-label={label}
            value=""
            onChange={(e) => e.currentTarget.value && set([...chosen, e.currentTarget.value])}
          >
            <option value="">{chosen.length ? "another…" : usualOf(option)}</option>
            {names
              .filter((n) => !chosen.includes(n))
              .map((n) => (
                <option value={n}>{n}</option>
              ))}
          </select>
        </Field>
        {chosen.map((name) => (
          <button
            class="small"
            title={`${name}: take it out`}
            onClick={() => {
              const rest = chosen.filter((n) => n !== name);
              set(rest.length ? rest : undefined);
            }}
          >
            {name} ✕
          </button>
        ))}
      </div>
    </OptionRow>
  );
}

export function CharacterEditor(props: EditorProps) {
  const { store, layer, option } = props;
  return (
    <OptionRow {...props}>
      <Word
        label={spaced(option.name)}
        value={String(layer[option.name] ?? "")}
        placeholder="its own"
        options={store.vocabulary.value.characters ?? []}
        onSet={(v) => setting(props)(v || undefined)}
      />
    </OptionRow>
  );
}
