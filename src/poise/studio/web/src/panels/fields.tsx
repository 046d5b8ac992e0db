// Small inputs that every panel uses. A slider is a drag: many live edits, one step of undo.
// A value that is not known yet is undefined: the input is there, empty, and takes nothing until it is.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { put } from "../commands.ts";
import { Held } from "../held.ts";
import type { Store } from "../store.ts";

/** What stands where a value is not known yet. */
const UNKNOWN = "…";
/** A value that was let go is shown for so long while the document does not have it [ms]. */
const UNSAID = 3000;

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
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  /** After Escape the browser goes on dragging its knob; until it is let go we do not follow. */
  const [over, setOver] = useState(false);
  const later = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (held.current) return;
    clearTimeout(later.current);
    setDragged(undefined);
  }, [value]);
  const shown = dragged ?? value;
  const unknown = shown === undefined;
  const toSlider = (v: number) =>
    ratio ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
  const fromSlider = (s: number) => {
    const v = ratio ? low * (high / low) ** s : low + s * (high - low);
    return Math.round(v / step) * step;
  };
  const slide = (s: number) => {
    if (over) return;
    clearTimeout(later.current);
    held.current ??= new Held(store, path);
    const v = Number(fromSlider(s).toFixed(6));
    setDragged(v);
    held.current.edit(put(layer, path, as(v)));
  };
  const end = (how: "drop" | "cancel") => {
    held.current?.[how]();
    held.current = undefined;
    // What was let go stays to be seen until the document says it, or does not.
    if (how === "cancel") setDragged(undefined);
    else later.current = setTimeout(() => setDragged(undefined), UNSAID);
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

/** What somebody is typing stays while the panel is drawn anew; it ends with the field. */
function useTyped() {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  return {
    typed,
    onInput: (e: Event & { currentTarget: HTMLInputElement }) => setTyped(e.currentTarget.value),
    end: () => setTyped(undefined),
  };
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
  const shown = value === undefined ? "" : Number(value.toFixed(digits));
  const { typed, onInput, end } = useTyped();
  return (
    <input
      class="number"
      aria-label={label}
      inputMode="decimal"
      value={typed ?? shown}
      onInput={onInput}
      onBlur={end}
      disabled={value === undefined}
      placeholder={value === undefined ? UNKNOWN : ""}
      // Until the document says otherwise.
      onChange={(e) => {
        finish(e.currentTarget.value);
        e.currentTarget.value = String(shown);
        end();
      }}
      onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
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
  const { typed, onInput, end } = useTyped();
  const list = options.length ? `names-${label.replaceAll(/\W/g, "-")}` : undefined;
  return (
    <Field label={label}>
      <input
        class="word"
        type="text"
        aria-label={label}
        value={typed ?? value ?? ""}
        disabled={value === undefined}
        placeholder={value === undefined ? UNKNOWN : placeholder}
        list={list ?? ""}
        onInput={onInput}
        onBlur={end}
        onChange={(e) => {
          if (e.currentTarget.value !== value) onSet(e.currentTarget.value);
          end();
        }}
        onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
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
      <input
        class={`number ${usual !== undefined && Number.isNaN(Number(usual)) ? "wide" : ""}`}
        disabled={unknown}
        aria-label={label}
        inputMode="decimal"
        value={typeof value === "number" ? Number(value.toPrecision(6)) : ""}
        placeholder={usual ?? UNKNOWN}
        onChange={(e) => finish(e.currentTarget.value)}
        onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
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
          <input
            class="number"
            aria-label={`${label} ${axis}`}
            placeholder={usual}
            value={now[i] === null || now[i] === undefined ? "" : Number(now[i]!.toFixed(4))}
            onChange={(e) => set(i, e.currentTarget.value)}
            onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
          />
        ))}
      </span>
    </Field>
  );
}
