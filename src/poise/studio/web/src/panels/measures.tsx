// Options that are a few numbers: places, intervals, heights, tempos.
import { Color } from "three";
import type { EditorProps } from "../editors.tsx";
import { spaced } from "../operations.ts";
import { Choice, Field, Numeric, Partial, Perhaps, Triple, Word } from "./fields.tsx";
import { OptionRow, PlainField, setting, usualOf } from "./option.tsx";

/** Three numbers. Where none are said, typing one says all. */
export function PlaceEditor(props: EditorProps) {
  const { layer, option } = props;
  const set = setting(props);
  const value = (layer[option.name] ?? option.default) as number[] | null | undefined;
  const label = option.unit ? `${spaced(option.name)} [${option.unit}]` : spaced(option.name);
  return (
    <OptionRow {...props}>
      {value ? (
        <Triple label={label} value={value} onSet={set} />
      ) : (
        <Partial label={label} value={value} usual="auto" onSet={(v) => set(v?.map((each) => each ?? 0))} />
      )}
    </OptionRow>
  );
}

/** A colour by linear red, green and blue, picked as screens have it. */
export function ColourEditor(props: EditorProps) {
  const { layer, option } = props;
  const label = spaced(option.name);
  const [red, green, blue] = (layer[option.name] ?? option.default ?? [0.5, 0.5, 0.5]) as number[];
  const take = (hex: string) =>
    setting(props)(new Color(hex).toArray().map((v) => Number((v as number).toFixed(4))));
  return (
    <OptionRow {...props}>
      <Field label={label}>
        <input
          type="color"
          aria-label={label}
          value={`#${new Color(red!, green!, blue!).getHexString()}`}
          onChange={(e) => take(e.currentTarget.value)}
        />
      </Field>
    </OptionRow>
  );
}

/** From when to when [s]; all of it where nothing is said. */
export function IntervalEditor(props: EditorProps) {
  const { store, layer, option } = props;
  const label = spaced(option.name);
  const value = layer[option.name] as [number, number] | null | undefined;
  const [from, to] = value ?? [0, Number(((store.player.frames.value - 1) / store.fps.value).toFixed(3))];
  return (
    <OptionRow {...props}>
      <Field label={`${label} [${option.unit || "s"}]`}>
        <Numeric label={`${label} from`} value={from} onSet={(v) => setting(props)([v, to])} />
        <Numeric label={`${label} to`} value={to} onSet={(v) => setting(props)([from, v])} />
      </Field>
    </OptionRow>
  );
}

/** Where feet stay above: left to the operation, on, off, or a height. */
export function FloorEditor(props: EditorProps) {
  const { layer, option } = props;
  const value = layer[option.name] as boolean | number | object | null | undefined;
  if (typeof value === "object" && value !== null) return <PlainField {...props} />;
  const usual = usualOf(option);
  const set = setting(props);
  const written: Record<string, unknown> = { [usual]: undefined, on: true, off: false, "at a height": 0 };
  const now = typeof value === "number" ? "at a height" : (value ?? undefined);
  return (
    <OptionRow {...props}>
      <div class="choice-or-number">
        <Choice
          label={spaced(option.name)}
          value={typeof now === "boolean" ? (now ? "on" : "off") : (now ?? usual)}
          options={Object.keys(written)}
          onSet={(v) => set(written[v])}
        />
        {typeof value === "number" && (
          <Perhaps
            label="height"
            value={value}
            usual="0"
            unit={option.unit ?? "m"}
            onSet={(v) => set(v ?? 0)}
          />
        )}
      </div>
    </OptionRow>
  );
}

/** A tempo, or a file to listen to. */
export function BeatsEditor(props: EditorProps) {
  const { layer, option } = props;
  const take = (text: string) => {
    const tempo = Number(text.replace(",", "."));
    setting(props)(text.trim() === "" ? undefined : Number.isFinite(tempo) ? tempo : text.trim());
  };
  return (
    <OptionRow {...props}>
      <Word
        label={`${spaced(option.name)} [${option.unit}]`}
        value={String(layer[option.name] ?? "")}
        placeholder="a tempo, or a file"
        onSet={take}
      />
    </OptionRow>
  );
}
