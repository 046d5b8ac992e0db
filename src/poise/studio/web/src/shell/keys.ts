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
  "Alt+n": "new", // Ctrl+N is the browser's own
  "Ctrl+o": "open",
  "Ctrl+e": "export",
  "?": "help",
  Delete: "erase",
  "Ctrl+c": "copy",
  "Ctrl+x": "cut",
  "Ctrl+v": "paste",
  "Ctrl+d": "duplicate",
  "Ctrl+a": "selectAll",
  p: "pin",
  "Shift+p": "hold",
  "Ctrl+m": "mirrorPose",
  "Ctrl+Shift+v": "pasteMirrored",
  m: "mute",
  f: "frame",
  0: "perspective",
  1: "front",
  3: "side",
  7: "top",
  v: "along",
  n: "through",
  "Ctrl+ArrowLeft": "orbitLeft",
  "Ctrl+ArrowRight": "orbitRight",
  "Ctrl+ArrowUp": "orbitUp",
  "Ctrl+ArrowDown": "orbitDown",
  "+": "closer",
  "-": "farther",
  "[": "parentBody",
  "]": "childBody",
  h: "otherSide",
  l: "limb",
  k: "keyPicked",
  "Alt+r": "resetPicked",
  "Shift+e": "breakDown",
  "Shift+f": "showAll",
};

export const KEYMAPS: Record<"blender" | "maya", Keymap> = {
  blender: {
    ...SHARED,
    " ": "play",
    "Shift+ ": "playBack",
    ArrowUp: "nextKey",
    ArrowDown: "previousKey",
    x: "erase",
    i: "insert",
    "Shift+d": "duplicate",
    a: "selectAll",
    ".": "frame",
    r: "pose",
    ",": "axes",
    4: "orbitLeft",
    6: "orbitRight",
    8: "orbitUp",
    2: "orbitDown",
    w: "wire",
    o: "ghosts",
    t: "trails",
    c: "com",
  },
  maya: {
    ...SHARED,
    "Alt+v": "play",
    " ": "play",
    ".": "nextKey",
    ",": "previousKey",
    "Alt+.": "next",
    "Alt+,": "previous",
    Backspace: "erase",
    s: "insert",
    e: "pose",
    4: "wire",
    "Shift+g": "ghosts",
    "Shift+t": "trails",
    "Shift+c": "com",
  },
};

/** The name of a key press: modifiers in order, letters small. */
export function pressed(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): string {
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift =
    event.shiftKey && (event.key.length > 1 || letter !== letter.toUpperCase() || event.key === " ");
  const ctrl = event.ctrlKey || event.metaKey;
  return `${ctrl ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${letter}`;
}

const STEPS = new Set([
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
  "Home",
  "End",
  "PageUp",
  "PageDown",
]);

/** Whether a key belongs to what has the focus:
 * to text that is typed, to a slider's steps, to a button reached by Tab. */
export function typing(target: EventTarget | null, key = ""): boolean {
  const element = target as HTMLElement | null;
  if (!element?.tagName) return false;
  if (element.isContentEditable || element.tagName === "TEXTAREA" || element.tagName === "SELECT")
    return true;
  if (element.tagName === "BUTTON" || element.tagName === "SUMMARY")
    return (key === " " || key === "Enter") && element.matches(":focus-visible");
  if (element.tagName !== "INPUT") return false;
  const type = (element as HTMLInputElement).type;
  if (type === "range") return STEPS.has(key);
  return (
    !["checkbox", "radio", "button"].includes(type) || (key === " " && element.matches(":focus-visible"))
  );
}

export function actionFor(map: Keymap, event: KeyboardEvent): ActionName | undefined {
  if (typing(event.target, event.key) && event.key !== "Escape") return undefined;
  return map[pressed(event)];
}
