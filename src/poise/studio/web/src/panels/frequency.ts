// Tension as numbers: the presets, and the frequency of whatever a document says.

/** Frequency [Hz] of the presets, as Python has them. */
export const PRESETS: Record<string, number> = { tense: 12, firm: 7, relaxed: 4.5, loose: 2.5, drunk: 1.6 };

export type Tension = string | number | { frequency?: number | null };

/** Of the whole body, where it differs by part [Hz]. */
export function frequency(tension: unknown): number {
  if (typeof tension === "number") return tension;
  if (typeof tension === "string") return PRESETS[tension] ?? 4.5;
  const found = tension as { frequency?: number | null; "*"?: unknown } | null;
  if (typeof found?.frequency === "number") return found.frequency;
  return found && "*" in found ? frequency(found["*"]) : 4.5;
}

/** Tension by part of the body, "*" being all of it. */
export function byPart(tension: unknown): Record<string, Tension> {
  if (Array.isArray(tension) || typeof tension !== "object" || tension === null)
    return { "*": tension as Tension };
  return tension as Record<string, Tension>;
}
