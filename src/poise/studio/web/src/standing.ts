// How the motion on the stage stands to the document, as it is shown: what the server says of it, and whether
// there is a server. Pure: `tests/transitions.json` says what follows from what, here and in Python.
import type { Standing } from "./messages.ts";

export type ShownState = NonNullable<Standing["state"]> | "offline";

export interface Shown {
  state: ShownState;
  standing: Standing;
  /** When the server was lost, and when it was last heard [ms]. */
  lost: number;
  heard: number;
  now: number;
  /** Edits that wait for the server. */
  waiting: number;
}

export type Happening =
  | { kind: "status"; standing: Standing; at: number }
  | { kind: "lost"; at: number }
  | { kind: "waiting"; count: number }
  | { kind: "clock"; at: number };

/** A server that is at work speaks every second; after so long one may say that it does not [ms]. */
export const SILENCE = 3000;

export const FIRST: Shown = {
  state: "solving",
  standing: { state: "solving", revision: 0, shown: -1 },
  lost: 0,
  heard: 0,
  now: 0,
  waiting: 0,
};

export function stands(before: Shown, what: Happening): Shown {
  switch (what.kind) {
    case "status":
      return {
        ...before,
        state: what.standing.state ?? "solving",
        standing: what.standing,
        heard: what.at,
        now: what.at,
      };
    case "lost":
      return before.state === "offline"
        ? { ...before, now: what.at }
        : { ...before, state: "offline", lost: what.at, now: what.at };
    case "waiting":
      return { ...before, waiting: what.count };
    case "clock":
      return { ...before, now: what.at };
  }
}

/** Whether somebody is at work, or should be. */
export const works = ({ state }: Shown): boolean =>
  state === "compiling" || state === "draft" || state === "solving";

/** Whether what is seen is the document as it is now, made in full. */
export const exact = ({ state }: Shown): boolean => state === "exact" || state === "partial";

/** What can be done next: by name, with a frame or a layer it is about. */
export interface Next {
  does: "cancel" | "solve" | "seek" | "choose";
  label: string;
  layer?: string;
  time?: number;
}

export interface Headline {
  mark: string;
  tone: "fine" | "wrong" | "warning" | "busy";
  text: string;
  part?: number;
  next: Next[];
}

const CANCEL: Next = { does: "cancel", label: "Cancel" };

/** The one line that says how things stand, and what to do about it. */
export function headline(shown: Shown, fps: number): Headline {
  const { state, standing } = shown;
  const { part = 0, layer = "", why = "", kernels = [0, 0] } = standing;
  switch (state) {
    case "offline": {
      const since = Math.round((shown.now - shown.lost) / 1000);
      const wait = shown.waiting
        ? ` · ${counted(shown.waiting, "edit")} wait${shown.waiting === 1 ? "s" : ""}`
        : "";
      return {
        mark: "○",
        tone: "wrong",
        text: `offline for ${since} s: start the studio again in this folder${wait}`,
        next: [],
      };
    }
    case "compiling": {
      const of = kernels[1] >= kernels[0] ? ` of ${kernels[1]}` : "";
      return {
        mark: "◔",
        tone: "busy",
        text: `compiling kernel ${kernels[0]}${of}, once on this machine${silence(shown)}`,
        part,
        next: [CANCEL],
      };
    }
    case "draft": {
      const time = standing.seconds ? `, ${took(standing.seconds)}` : "";
      return {
        mark: "◐",
        tone: "busy",
        text: `draft${time}: exact when you let go${silence(shown)}`,
        next: [],
      };
    }
    case "solving":
      return {
        mark: "◔",
        tone: "busy",
        text: `solving${layer ? ` ${layer}` : ""}${why ? ` (${why})` : ""}${silence(shown)}`,
        part,
        next: [CANCEL],
      };
    case "exact":
      return measured(standing, fps);
    case "partial": {
      const [[name, reason] = ["", ""], ...others] = Object.entries(standing.bypassed ?? {});
      const more = others.length ? ` and ${others.map(([n]) => n).join(", ")}` : "";
      return {
        mark: "⚠",
        tone: "warning",
        text: `exact without ${name}${more}: ${reason}`,
        next: [
          { does: "choose", label: "Show", layer: name },
          { does: "solve", label: "Retry" },
        ],
      };
    }
    case "stopped":
      return {
        mark: "■",
        tone: "warning",
        text: `stopped${older(standing)}`,
        next: [{ does: "solve", label: "Go on" }],
      };
    case "failed":
      return {
        mark: "✗",
        tone: "wrong",
        text: `${withoutLayer(why)}${older(standing)}`,
        next: [
          ...(layer ? [{ does: "choose", label: "Show", layer } as Next] : []),
          { does: "solve", label: "Retry" },
        ],
      };
    case "stale":
      return {
        mark: "⚠",
        tone: "wrong",
        text: `not solved${older(standing)}: ${why}`,
        next: [{ does: "solve", label: "Solve" }],
      };
  }
}

/** Exact: how much of what was asked for is so, and the worst of what is not. */
function measured({ checks }: Standing, fps: number): Headline {
  const { asked = 0, met = 0, unsure = 0, missed = [] } = checks ?? {};
  if (!asked) return { mark: "✓", tone: "fine", text: "exact", next: [] };
  const worst = missed[0];
  if (!worst) {
    const until = unsure ? `, ${unsure} measured before a later layer` : "";
    return { mark: "✓", tone: "fine", text: `${met + unsure} of ${asked} met${until}`, next: [] };
  }
  const frame = Math.round((worst.time ?? 0) * fps);
  const broken = worst.broken_by ? `, broken by ${worst.broken_by}` : "";
  return {
    mark: "✗",
    tone: "wrong",
    text:
      `${missed.length} of ${asked} missed: ${worst.name} ${amount(worst.error, worst.unit)} ` +
      `at frame ${frame}${broken}`,
    next: [
      { does: "seek", label: "Go there", time: worst.time },
      { does: "choose", label: "Show", layer: worst.broken_by || worst.layer },
    ],
  };
}

/** What is wrong with a layer, where it stands beside the layer's name: without where in the list that is. */
export const withoutLayer = (why: string): string => why.replace(/^layer \d+ \((['"]).*?\1\): /, "");

/** A line in two parts: what may be cut off where there is no room, and which revision is seen instead. */
export function parted(text: string): [string, string] {
  const found = / · showing revision \d+ of \d+$/.exec(text);
  return found ? [text.slice(0, found.index), found[0]] : [text, ""];
}

/** What is seen is older than the document. */
const older = ({ shown = -1, revision = 0 }: Standing): string =>
  shown >= 0 && shown !== revision ? ` · showing revision ${shown} of ${revision}` : "";

const silence = ({ standing, now, heard }: Shown): string => {
  const quiet = Math.max(standing.quiet ?? 0, now - heard >= SILENCE ? (now - heard) / 1000 : 0);
  return quiet ? ` · no answer from the solver for ${Math.round(quiet)} s` : "";
};

/** A length as one reads it, angles in degrees. */
export function amount(error: number, unit: string): string {
  if (unit === "m")
    return error < 0.01 ? `${(1000 * error).toFixed(1)} mm` : `${(100 * error).toFixed(1)} cm`;
  if (unit === "rad") return `${((180 / Math.PI) * error).toFixed(1)}°`;
  return `${error.toPrecision(3)} ${unit}`.trim();
}

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

export const took = (seconds: number): string =>
  seconds < 1
    ? `${Math.round(1000 * seconds)} ms`
    : seconds < 10
      ? `${seconds.toFixed(1)} s`
      : `${Math.round(seconds)} s`;
