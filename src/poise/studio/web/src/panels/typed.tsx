// What somebody is typing, or dragging a knob to, stays while its panel is drawn anew: a redraw writes what
// the document says into an input, and comes whenever anything else on the screen changes.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A value that was let go is shown for so long while the document does not have it [ms]. */
const UNSAID = 3000;

interface TypedProps {
  class: string;
  "aria-label": string;
  type?: "text" | "number";
  inputMode?: "decimal";
  min?: number;
  max?: number;
  disabled?: boolean;
  placeholder?: string;
  /** The id of suggestions. */
  list?: string;
  /** What the document says. */
  shown: string | number;
  /** Taken over when it is finished: Enter, Tab or a click elsewhere. Escape takes it back. */
  finish: (text: string) => void;
  /** For a field that is there only to be typed into now: it takes the keyboard, all of it selected, and goes
   * when it is left, whatever was done with it. */
  onLeft?: () => void;
}

/** A field that is typed into. */
export function Typed({ shown, finish, onLeft, ...rest }: TypedProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!onLeft) return;
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = () => setTyped(undefined);
  return (
    <input
      {...rest}
      ref={field}
      value={typed ?? shown}
      onInput={(e) => setTyped(e.currentTarget.value)}
      onBlur={() => {
        end();
        onLeft?.();
      }}
      onChange={(e) => {
        finish(e.currentTarget.value);
        // Until the document says otherwise.
        e.currentTarget.value = String(shown);
        end();
      }}
      onKeyDown={(e) => {
        if (e.key === "Escape" && (typed !== undefined || onLeft)) {
          e.stopPropagation();
          e.currentTarget.value = String(shown);
        } else if (e.key !== "Enter") return;
        e.currentTarget.blur();
      }}
    />
  );
}

/** Where a knob is shown: where it is dragged to and then, until the document has it, where it was let go. */
export function useKnob(value: number | undefined) {
  const held = useRef(false);
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  const later = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (held.current) return;
    clearTimeout(later.current);
    setDragged(undefined);
  }, [value]);
  return {
    shown: dragged ?? value,
    drag: (to: number) => {
      clearTimeout(later.current);
      held.current = true;
      setDragged(to);
    },
    drop: () => {
      if (held.current) later.current = setTimeout(() => setDragged(undefined), UNSAID);
      held.current = false;
    },
    cancel: () => {
      held.current = false;
      setDragged(undefined);
    },
  };
}
