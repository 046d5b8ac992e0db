// Which frames the time line shows, and the way between frames and pixels.

export interface Window {
  first: number; // frame at the left edge
  last: number; // frame at the right edge
}

export const toPixel = (w: Window, width: number, frame: number): number =>
  ((frame - w.first) / (w.last - w.first)) * width;

export const toFrame = (w: Window, width: number, pixel: number): number =>
  w.first + (pixel / width) * (w.last - w.first);

/** Zoom by a factor about a frame that stays where it is;
 * never closer than 8 frames, never wider than twice the clip. */
export function zoomed(w: Window, factor: number, about: number, frames: number): Window {
  const span = Math.min(Math.max((w.last - w.first) * factor, 8), Math.max(2 * frames, 16));
  const share = (about - w.first) / (w.last - w.first);
  return kept({ first: about - share * span, last: about + (1 - share) * span }, frames);
}

export function panned(w: Window, by: number, frames: number): Window {
  return kept({ first: w.first + by, last: w.last + by }, frames);
}

export function whole(frames: number): Window {
  const edge = Math.max(1, 0.02 * frames);
  return { first: -edge, last: frames - 1 + edge };
}

/** Some of the clip always stays in sight. */
function kept(w: Window, frames: number): Window {
  const span = w.last - w.first;
  const first = Math.min(Math.max(w.first, -0.5 * span), frames - 1 - 0.5 * span);
  return { first, last: first + span };
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

/** Frames that get a number, at least `gap` pixels apart. */
export function ticks(w: Window, width: number, gap = 56): { step: number; frames: number[] } {
  const each = width / (w.last - w.first);
  const step = STEPS.find((s) => s * each >= gap) ?? 20000;
  const frames: number[] = [];
  for (let f = Math.ceil(w.first / step) * step; f <= w.last; f += step) if (f >= 0) frames.push(f);
  return { step, frames };
}
