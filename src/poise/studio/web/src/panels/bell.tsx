// How the change for a target is spread over time.
import { put } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { Bell } from "../messages.ts";
import { spaced } from "../operations.ts";
import { Choice, Perhaps, Slider } from "./fields.tsx";
import { OptionRow } from "./option.tsx";

export function BellEditor(props: EditorProps) {
  const { store, layer, option } = props;
  const value = (layer[option.name] ?? option.default ?? 1) as number | Bell;
  const bell = typeof value === "object" ? value : undefined;
  const width = bell?.width ?? (typeof value === "number" ? value : 1);
  const kind = bell?.kind ?? "gaussian";
  const [low, high] = option.slider ?? [0.1, 3];
  const made = (changes: Partial<Bell>) => ({ width, kind, ...(bell ?? {}), ...changes });
  const set = (next: number | Bell) => store.edit(put(layer.name, option.name, next));
  return (
    <>
      <OptionRow {...props}>
        <Slider
          store={store}
          layer={layer.name}
          path={option.name}
          label={spaced(option.name)}
          value={width}
          low={low}
          high={high}
          ratio
          unit={option.unit ?? ""}
          as={(v) => (bell ? made({ width: v }) : v)}
        />
      </OptionRow>
      <Choice
        label="shape"
        value={kind}
        options={store.vocabulary.value.shapes ?? ["gaussian", "compact", "ease"]}
        onSet={(v) => set(v === "gaussian" && !bell?.lead ? width : made({ kind: v as "gaussian" }))}
      />
      {kind === "ease" && (
        <Perhaps
          label="fall"
          value={bell?.fall}
          usual="same as width"
          unit="s"
          onSet={(v) => set(made({ fall: v ?? null }))}
        />
      )}
      <Perhaps
        label="lead"
        value={bell?.lead}
        usual="the limb's lag"
        unit="s"
        onSet={(v) => set(made({ lead: v ?? null }))}
      />
    </>
  );
}
