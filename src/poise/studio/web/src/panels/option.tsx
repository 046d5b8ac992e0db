// One option of a layer as its declaration describes it. What is left out has the default, which is shown.
import type { ComponentChildren } from "preact";
import { put, remove } from "../commands.ts";
import { EDITORS, type EditorProps } from "../editors.tsx";
import { isGiven, spaced } from "../operations.ts";
import { Choice, Perhaps, Slider, Tick, Word } from "./fields.tsx";

/** With its editor, else with a plain field. */
export function OptionField(props: EditorProps) {
  const Editor = EDITORS[props.option.editor ?? ""]?.panel;
  return Editor ? <Editor {...props} /> : <PlainField {...props} />;
}

/** A field with what it does as its title, and a button that leaves the option out again. */
export function OptionRow({ store, layer, option, children }: EditorProps & { children: ComponentChildren }) {
  const label = spaced(option.name);
  return (
    <div class="option" data-option={option.name} title={option.line}>
      {children}
      {isGiven({ layer, option }) && !option.required && (
        <button
          class="small reset"
          title={`${label}: back to ${usualOf(option)}`}
          aria-label={`reset ${label}`}
          onClick={() => store.edit(remove(layer.name, option.name))}
        >
          ↺
        </button>
      )}
    </div>
  );
}

/** What an option is taken to be where it is left out, in words. */
export function usualOf({ default: usual, line }: EditorProps["option"]): string {
  if (typeof usual === "number") return String(Number(usual.toPrecision(4)));
  if (typeof usual === "string") return usual;
  if (typeof usual === "object" && usual && Object.keys(usual).length === 0) return "none";
  return /Default: ([^.;]+(?:\.\d[^.;]*)*)/.exec(line)?.[1] ?? "default";
}

/** Writes an option; undefined leaves it out. */
export const setting =
  ({ store, layer, option }: EditorProps) =>
  (value: unknown): void =>
    store.edit(value === undefined ? remove(layer.name, option.name) : put(layer.name, option.name, value));

/** By what an option holds. */
export function PlainField(props: EditorProps) {
  const { layer, option } = props;
  const value = layer[option.name] ?? undefined;
  const words = Object.keys(option.choices ?? {}).length > 0;
  const fits =
    option.holds === "list"
      ? value === undefined || Array.isArray(value)
      : typeof value !== "object" || option.holds === "data";
  return (
    <OptionRow {...props}>
      {!fits || option.holds === "data" || (option.holds === "list" && !words) ? (
        <Data {...props} />
      ) : option.holds === "list" ? (
        <Several {...props} />
      ) : option.holds === "flag" ? (
        <Flag {...props} />
      ) : option.holds === "word" ? (
        <OneOf {...props} />
      ) : option.holds === "text" ? (
        <Text {...props} />
      ) : words ? (
        <NumberOrWord {...props} />
      ) : (
        <Number_ {...props} />
      )}
    </OptionRow>
  );
}

function Flag(props: EditorProps) {
  const { layer, option } = props;
  const set = setting(props);
  const value = layer[option.name] as boolean | null | undefined;
  const label = spaced(option.name);
  if (!option.optional) return <Tick label={label} value={value ?? option.default === true} onSet={set} />;
  const usual = usualOf(option);
  return (
    <Choice
      label={label}
      value={typeof value === "boolean" ? (value ? "on" : "off") : usual}
      options={[usual, "on", "off"]}
      onSet={(v) => set(v === usual ? undefined : v === "on")}
    />
  );
}

function OneOf(props: EditorProps) {
  const { layer, option } = props;
  const set = setting(props);
  const value = layer[option.name] ?? option.default;
  const given = value !== undefined && value !== null;
  const usual = usualOf(option);
  const words = Object.keys(option.choices ?? {});
  // Words that stand for numbers are written as numbers.
  const written = (word: string) => (typeof option.default === "number" ? Number(word) : word);
  return (
    <Choice
      label={spaced(option.name)}
      value={given ? String(value) : usual}
      options={option.optional ? [usual, ...words.filter((w) => w !== usual)] : words}
      titles={option.choices ?? {}}
      onSet={(v) => set(v === usual ? undefined : written(v))}
    />
  );
}

function Text(props: EditorProps) {
  const { layer, option } = props;
  return (
    <Word
      label={spaced(option.name)}
      value={String(layer[option.name] ?? "")}
      placeholder={usualOf(option)}
      onSet={(v) => setting(props)(v || undefined)}
    />
  );
}

function Number_(props: EditorProps) {
  const { store, layer, option } = props;
  const set = setting(props);
  const value = layer[option.name] ?? option.default;
  const label = spaced(option.name);
  const { least, most, open } = option.range ?? {};
  const whole = option.holds === "integer";
  const within = (v: number) => {
    const rounded = whole ? Math.round(v) : v;
    const low = Math.max(rounded, least ?? -Infinity);
    return Math.min(open && low === least ? rounded : low, most ?? Infinity);
  };
  if (option.slider && typeof value === "number") {
    const [low, high] = option.slider;
    const ratio = low > 0 && high / low >= 20;
    return (
      <Slider
        store={store}
        layer={layer.name}
        path={option.name}
        label={label}
        value={value}
        low={low}
        high={high}
        step={whole ? 1 : stepOf(low, high, ratio)}
        ratio={ratio}
        free
        unit={option.unit ?? ""}
        as={within}
      />
    );
  }
  return (
    <Perhaps
      label={label}
      value={typeof layer[option.name] === "number" ? (layer[option.name] as number) : undefined}
      usual={usualOf(option)}
      unit={option.unit ?? ""}
      onSet={(v) => (v === undefined ? option.required || set(undefined) : set(within(v)))}
    />
  );
}

/** A hundredth of the slider's way, as a round number; of ratios, of the lower end. */
const stepOf = (low: number, high: number, ratio: boolean): number =>
  10 ** Math.floor(Math.log10((ratio ? low : high - low) / (ratio ? 1 : 50)));

/** What numbers of a unit are called where they stand among words. */
const CALLED: Record<string, string> = { s: "seconds", Hz: "hertz", m: "metres" };

/** A word, or a number in its stead. */
function NumberOrWord(props: EditorProps) {
  const { store, layer, option } = props;
  const set = setting(props);
  const value = layer[option.name] ?? option.default;
  const called = CALLED[option.unit ?? ""] ?? "a number";
  const [low, high] = option.slider ?? [option.range?.least ?? 0, option.range?.most ?? 1];
  const ratio = low > 0 && high / low >= 20;
  const middle = Number((ratio ? Math.sqrt(low * high) : (low + high) / 2).toPrecision(2));
  const first = typeof option.default === "number" ? option.default : middle;
  return (
    <div class="choice-or-number">
      <Choice
        label={spaced(option.name)}
        value={typeof value === "number" ? called : String(value)}
        options={[...Object.keys(option.choices ?? {}), called]}
        titles={option.choices ?? {}}
        onSet={(v) => set(v === called ? first : v === option.default ? undefined : v)}
      />
      {typeof value === "number" && (
        <Slider
          store={store}
          layer={layer.name}
          path={option.name}
          label=""
          name={spaced(option.name)}
          value={value}
          low={low}
          high={high}
          step={stepOf(low, high, ratio)}
          ratio={ratio}
          free
          unit={option.unit ?? ""}
        />
      )}
    </div>
  );
}

/** Any of some words; none said: all of them. */
function Several(props: EditorProps) {
  const { layer, option } = props;
  const words = Object.keys(option.choices ?? {});
  const value = (layer[option.name] ?? option.default ?? words) as string[];
  const toggle = (word: string, on: boolean) => {
    const next = words.filter((w) => (w === word ? on : value.includes(w)));
    setting(props)(next.length === words.length && option.optional ? undefined : next);
  };
  return (
    <fieldset class="several" aria-label={spaced(option.name)}>
      {words.map((word) => (
        <div title={option.choices?.[word]}>
          <Tick label={spaced(word)} value={value.includes(word)} onSet={(on) => toggle(word, on)} />
        </div>
      ))}
    </fieldset>
  );
}

/** Anything, as it stands in the file. */
function Data(props: EditorProps) {
  const { store, layer, option } = props;
  const label = spaced(option.name);
  const value = layer[option.name];
  const take = (text: string) => {
    if (!text.trim()) return setting(props)(undefined);
    try {
      setting(props)(JSON.parse(text));
    } catch (problem) {
      store.note(`${label}: not JSON, ${(problem as Error).message}`, "problem", layer.name);
    }
  };
  return (
    <Word
      label={label}
      value={isGiven(props) ? JSON.stringify(value) : ""}
      placeholder={usualOf(option)}
      onSet={take}
    />
  );
}
