// Small inputs that every panel uses. A slider is a drag: many live edits, one step of undo.
// A value that is not known yet is undefined: the input is there, empty, and takes nothing until it is.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { put } from "../commands.ts";
import { Held } from "../held.ts";
import type { Store } from "../store.ts";
import { Typed, useKnob } from "./typed.tsx";

/** What stands where a value is not known yet. */
const UNKNOWN = "…";

export function Section({
  title,
  open = true,
  children,
}: {
  title: string;
  open?: boolean;
  children: ComponentChildren;
}) {
  return (
    <details class="section" open={open}>
      <summary>{title}</summary>
      <div class="fields">{children}</div>
    </details>
  );
}

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: what is labelled is among the children.
    <label class="field">
      {label && <span class="label">{label}</span>}
      {children}
    </label>
  );
}

interface SliderProps {
  store: Store;
  layer: string;
  path: string;
  label: string;
  /** What it is called where it has no label of its own. */
  name?: string;
  value: number | undefined;
  low: number;
  high: number;
  step?: number;
  /** Whether equal ways on the slider are equal ratios, as for frequencies. */
  ratio?: boolean;
  unit?: string;
  /** Whether numbers beyond the slider's ends may be typed. */
  free?: boolean;
  /** What is written into the document for a value. */
  as?: (value: number) => unknown;
}

export function Slider({
  store,
  layer,
  path,
  label,
  name = label,
  value,
  low,
  high,
  step = 0.01,
  ratio = false,
  unit = "",
  free = false,
  as = (v) => v,
}: SliderProps) {
  const held = useRef<Held | undefined>(undefined);
  const knob = useKnob(value);
  /** After Escape the browser goes on dragging its knob; until it is let go we do not follow. */
  const [over, setOver] = useState(false);
  const { shown } = knob;
  const unknown = shown === undefined;
  const toSlider = (v: number) =>
    ratio ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
  const fromSlider = (s: number) => {
    const v = ratio ? low * (high / low) ** s : low + s * (high - low);
    return Math.round(v / step) * step;
  };
  const slide = (s: number) => {
    if (over) return;
    held.current ??= new Held(store, path);
    const v = Number(fromSlider(s).toFixed(6));
    knob.drag(v);
    held.current.edit(put(layer, path, as(v)));
  };
  const end = (how: "drop" | "cancel") => {
    held.current?.[how]();
    held.current = undefined;
    knob[how]();
    setOver(how === "cancel");
  };
  const release = () => end("drop");
  const takeBack = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !held.current) return;
    event.stopPropagation();
    end("cancel");
  };
  return (
    <Field label={label}>
      <input
        type="range"
        aria-label={name}
        min={0}
        max={1}
        step={0.001}
        disabled={unknown}
        value={unknown ? 0 : Math.min(Math.max(toSlider(shown), 0), 1)}
        onInput={(e) => slide(Number(e.currentTarget.value))}
        onChange={release}
        onPointerUp={release}
        onKeyUp={(e) => e.key !== "Escape" && release()}
        onKeyDown={takeBack}
      />
      <Numeric
        label={`${name} in numbers`}
        value={shown}
        onSet={(v) => store.edit(put(layer, path, as(free ? v : Math.min(Math.max(v, low), high))))}
      />
      <small>{unit}</small>
    </Field>
  );
}

/** A number that is taken over when it is finished: Enter, Tab or a click elsewhere. */
export function Numeric({
  label,
  value,
  onSet,
  digits = 3,
}: {
  label: string;
  value: number | undefined;
  onSet: (value: number) => void;
  digits?: number;
}) {
  const finish = (text: string) => {
    const parsed = Number(text.replace(",", "."));
    if (text.trim() !== "" && Number.isFinite(parsed) && parsed !== value) onSet(parsed);
  };
  return (
    <Typed
      class="number"
      aria-label={label}
      inputMode="decimal"
      shown={value === undefined ? "" : Number(value.toFixed(digits))}
      finish={finish}
      disabled={value === undefined}
      placeholder={value === undefined ? UNKNOWN : ""}
    />
  );
}

export function Triple({
  label,
  value,
  onSet,
  digits = 3,
}: {
  label: string;
  value: readonly number[] | undefined;
  onSet: (value: number[]) => void;
  digits?: number;
}) {
  return (
    <Field label={label}>
      <span class="triple">
        {["x", "y", "z"].map((axis, i) => (
          <Numeric
            label={`${label} ${axis}`}
            value={value && (value[i] ?? 0)}
            digits={digits}
            onSet={(v) => value && onSet(value.map((old, k) => (k === i ? v : old)))}
          />
        ))}
      </span>
    </Field>
  );
}

export function Choice({
  label,
  value,
  options,
  titles = {},
  onSet,
}: {
  label: string;
  value: string | undefined;
  options: readonly string[];
  /** What each option means. */
  titles?: Readonly<Record<string, string>>;
  onSet: (value: string) => void;
}) {
  const unknown = value === undefined;
  return (
    <Field label={label}>
      <select
        aria-label={label}
        {...(value && titles[value] ? { title: `${value}: ${titles[value]}` } : {})}
        value={value ?? ""}
        disabled={unknown}
        onChange={(e) => onSet(e.currentTarget.value)}
      >
        {unknown && <option value="">{UNKNOWN}</option>}
        {(value && !options.includes(value) ? [value, ...options] : options).map((o) => (
          <option key={o} value={o} title={titles[o] ?? ""}>
            {o}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Tick({
  label,
  value,
  onSet,
}: {
  label: string;
  value: boolean | undefined;
  onSet: (value: boolean) => void;
}) {
  return (
    <label class="field tick">
      <input
        type="checkbox"
        checked={value === true}
        indeterminate={value === undefined}
        disabled={value === undefined}
        onInput={(e) => onSet(e.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** A word that is taken over when it is finished; with suggestions where there are any. */
export function Word({
  label,
  value,
  options = [],
  placeholder = "",
  onSet,
}: {
  label: string;
  value: string | undefined;
  options?: readonly string[];
  placeholder?: string;
  onSet: (value: string) => void;
}) {
  const list = options.length ? `names-${label.replaceAll(/\W/g, "-")}` : undefined;
  return (
    <Field label={label}>
      <Typed
        class="word"
        type="text"
        aria-label={label}
        shown={value ?? ""}
        finish={(text) => text !== value && onSet(text)}
        disabled={value === undefined}
        placeholder={value === undefined ? UNKNOWN : placeholder}
        list={list ?? ""}
      />
      {list && (
        <datalist id={list}>
          {options.map((o) => (
            <option value={o} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

/** A number that may be left to Poise: empty is the default, which is shown faintly. */
export function Perhaps({
  label,
  value,
  usual,
  unit = "",
  onSet,
}: {
  label: string;
  value: number | null | undefined;
  usual: string | undefined;
  unit?: string;
  onSet: (value: number | undefined) => void;
}) {
  const finish = (text: string) => {
    if (text.trim() === "") return void (typeof value === "number" && onSet(undefined));
    const parsed = Number(text.replace(",", "."));
    if (Number.isFinite(parsed) && parsed !== value) onSet(parsed);
  };
  const unknown = usual === undefined && typeof value !== "number";
  return (
    <Field label={label}>
      <Typed
        class={`number ${usual !== undefined && Number.isNaN(Number(usual)) ? "wide" : ""}`}
        disabled={unknown}
        aria-label={label}
        inputMode="decimal"
        shown={typeof value === "number" ? Number(value.toPrecision(6)) : ""}
        finish={finish}
        placeholder={usual ?? UNKNOWN}
      />
      <small>{unit}</small>
    </Field>
  );
}

/** Three numbers, each of which may be left open. */
export function Partial({
  label,
  value,
  usual = "free",
  onSet,
}: {
  label: string;
  value: readonly (number | null)[] | null | undefined;
  usual?: string;
  onSet: (value: (number | null)[] | undefined) => void;
}) {
  const now = value ?? [null, null, null];
  const set = (i: number, text: string) => {
    const parsed = text.trim() === "" ? null : Number(text.replace(",", "."));
    if (parsed !== null && !Number.isFinite(parsed)) return;
    const next = now.map((old, k) => (k === i ? parsed : old));
    onSet(next.every((v) => v === null) ? undefined : next);
  };
  return (
    <Field label={label}>
      <span class="triple">
        {["x", "y", "z"].map((axis, i) => (
          <Typed
            class="number"
            aria-label={`${label} ${axis}`}
            placeholder={usual}
            shown={now[i] === null || now[i] === undefined ? "" : Number(now[i]!.toFixed(4))}
            finish={(text) => set(i, text)}
          />
        ))}
      </span>
    </Field>
  );
}
