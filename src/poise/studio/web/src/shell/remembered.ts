// Signals that outlive the tab: how the screen looks is the person's own, not the project's.
import { effect, type Signal, signal } from "@preact/signals";

export function remembered<T>(name: string, start: T): Signal<T> {
  const key = `poise-${name}`;
  const made = signal<T>(recalled(key, start));
  effect(() => {
    const value = made.value;
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing still works.
    }
  });
  return made;
}

/** What was kept, as far as it still fits: new fields have their start. */
function recalled<T>(key: string, start: T): T {
  try {
    const text = localStorage.getItem(key);
    if (text === null) return start;
    const found = JSON.parse(text) as T;
    if (typeof found !== typeof start) return start;
    return typeof start === "object" && start !== null ? { ...start, ...found } : found;
  } catch {
    return start;
  }
}
