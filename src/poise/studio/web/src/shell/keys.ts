// Keys to actions, in two maps: as Blender has them, or as Maya does. Keys typed into inputs are left alone.
import type { ActionName } from "./actions.ts";

export type Keymap = Record<string, ActionName>;

const SHARED: Keymap = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  Home: "first",
  End: "last",
  Escape: "cancel",
  "Ctrl+z": "undo",
  "Ctrl+Shift+z": "redo",
  "Ctrl+y": "redo",
  "Ctrl+s": "save",
  "Ctrl+Shift+s": "saveAs",
  "Ctrl+o": "open",
  "Ctrl+e": "export",
  "?": "help",
  Delete: "erase",
  "Ctrl+c": "copy",
  "Ctrl+x": "cut",
  "Ctrl+v": "paste",
  "Ctrl+d": "duplicate",
  "Ctrl+a": "selectAll",
  m: "mute",
  f: "frame",
};

export const KEYMAPS: Record<"blender" | "maya", Keymap> = {
  blender: { ...SHARED, " ": "play", "Shift+ ": "playBack", ArrowUp: "nextKey", ArrowDown: "previousKey", x: "erase", i: "insert", "Shift+d": "duplicate", a: "selectAll", ".": "frame", w: "wire", o: "ghosts", t: "trails", c: "com" },
  maya: { ...SHARED, "Alt+v": "play", " ": "play", ".": "nextKey", ",": "previousKey", "Alt+.": "next", "Alt+,": "previous", Backspace: "erase", s: "insert", 4: "wire", "Shift+g": "ghosts", "Shift+t": "trails", "Shift+c": "com" },
};

/** The name of a key press: modifiers in order, letters small. */
export function pressed(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && (event.key.length > 1 || letter !== letter.toUpperCase() || event.key === " ");
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${letter}`;
}

/** Whether a key belongs to what is being typed into. */
export function typing(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  if (!element?.tagName) return false;
  if (element.isContentEditable || element.tagName === "TEXTAREA" || element.tagName === "SELECT") return true;
  return element.tagName === "INPUT" && !["checkbox", "radio", "button"].includes((element as HTMLInputElement).type);
}

export function actionFor(map: Keymap, event: KeyboardEvent): ActionName | undefined {
  // Nothing is typed into a slider: it keeps its arrows, but undo is the studio's.
  const slid = (event.target as HTMLInputElement | null)?.type === "range" && (event.ctrlKey || event.metaKey);
  if (typing(event.target) && !slid && event.key !== "Escape") return undefined;
  return map[pressed(event)];
}
