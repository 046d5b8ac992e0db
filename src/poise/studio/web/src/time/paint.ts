// Draws the time line on a canvas.
import type { Stretch } from "./cache_bar.ts";
import { type Curve, fixButton, heightOf, type Key, type Lane, RULER, rowOf } from "./lane.ts";
import { ticks, toPixel, type Window } from "./window.ts";

export interface Scene {
  lanes: readonly Lane[];
  window: Window;
  width: number;
  height: number;
  scroll: number;
  frame: number;
  frames: number;
  fps: number;
  range: [number, number];
  selected: ReadonlySet<string>;
  /** The lane where keys are inserted. */
  current?: string;
  /** How far the motion is up to date. */
  solved: readonly Stretch[];
  box?: { x0: number; y0: number; x1: number; y1: number };
  colours: Colours;
}

/** What is only a draft is drawn in. */
const DRAFT = "#d69a00";

export interface Colours {
  ink: string;
  quiet: string;
  panel: string;
  edge: string;
  accent: string;
  onAccent: string;
  fine: string;
  wrong: string;
}

export function paint(g: CanvasRenderingContext2D, s: Scene): void {
  const x = (frame: number) => toPixel(s.window, s.width, frame);
  g.clearRect(0, 0, s.width, s.height);
  g.fillStyle = s.colours.panel;
  g.fillRect(0, 0, s.width, s.height);
  outside(g, s, x);
  const marks = ticks(s.window, s.width);
  g.strokeStyle = s.colours.edge;
  g.lineWidth = 1;
  for (const f of marks.frames) line(g, Math.round(x(f)) + 0.5, RULER, s.height);
  let top = RULER - s.scroll;
  g.save();
  g.beginPath();
  g.rect(0, RULER, s.width, s.height - RULER);
  g.clip();
  for (const lane of s.lanes) {
    const tall = heightOf(lane);
    if (top + tall > RULER && top < s.height) paintLane(g, s, lane, top, tall, x);
    top += tall;
  }
  g.restore();
  ruler(g, s, marks, x);
  head(g, s, x);
  if (s.box) {
    g.strokeStyle = s.colours.accent;
    g.setLineDash([4, 3]);
    g.strokeRect(s.box.x0, s.box.y0, s.box.x1 - s.box.x0, s.box.y1 - s.box.y0);
    g.setLineDash([]);
  }
}

/** Frames beyond the clip are shaded. */
function outside(g: CanvasRenderingContext2D, s: Scene, x: (f: number) => number): void {
  g.fillStyle = s.colours.edge;
  g.globalAlpha = 0.35;
  g.fillRect(0, RULER, Math.max(0, x(0)), s.height);
  g.fillRect(x(s.frames - 1), RULER, s.width, s.height);
  g.globalAlpha = 1;
}

function ruler(
  g: CanvasRenderingContext2D,
  s: Scene,
  marks: { frames: number[] },
  x: (f: number) => number,
): void {
  g.fillStyle = s.colours.panel;
  g.fillRect(0, 0, s.width, RULER);
  g.fillStyle = s.colours.accent;
  g.globalAlpha = 0.3;
  g.fillRect(x(s.range[0]), 2, Math.max(2, x(s.range[1]) - x(s.range[0])), 8);
  g.globalAlpha = 1;
  for (const end of s.range) g.fillRect(Math.round(x(end)) - 2, 1, 4, 10);
  for (const { first, last, state } of s.solved) {
    g.fillStyle = state === "exact" ? s.colours.fine : state === "draft" ? DRAFT : s.colours.edge;
    g.fillRect(x(first), RULER - 3, Math.max(1, x(last) - x(first)), 3);
  }
  g.fillStyle = s.colours.quiet;
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "center";
  g.textBaseline = "middle";
  // Half a number beside the current frame's reads as another one.
  const near = badge(s.frame);
  for (const f of marks.frames) {
    const half = 4 * String(f).length;
    if (Math.abs(x(f) - x(s.frame)) > 0.5 * near + half + 2 && x(f) + half < s.width)
      g.fillText(String(f), x(f), 20);
  }
}

/** How wide the current frame's number is, with its ground [px]. */
const badge = (frame: number): number => Math.max(26, 8 * String(Math.round(frame)).length + 10);

function head(g: CanvasRenderingContext2D, s: Scene, x: (f: number) => number): void {
  const at = Math.round(x(s.frame)) + 0.5;
  g.strokeStyle = s.colours.accent;
  g.lineWidth = 1.5;
  line(g, at, 12, s.height);
  const label = String(Math.round(s.frame));
  const wide = badge(s.frame);
  g.fillStyle = s.colours.accent;
  g.beginPath();
  g.roundRect(at - wide / 2, 12, wide, 16, 4);
  g.fill();
  g.fillStyle = s.colours.onAccent;
  g.font = "600 11px system-ui, sans-serif";
  g.textAlign = "center";
  g.fillText(label, at, 20.5);
}

function paintLane(
  g: CanvasRenderingContext2D,
  s: Scene,
  lane: Lane,
  top: number,
  tall: number,
  x: (f: number) => number,
): void {
  g.strokeStyle = s.colours.edge;
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(0, Math.round(top + tall) - 0.5);
  g.lineTo(s.width, Math.round(top + tall) - 0.5);
  g.stroke();
  if (s.current === lane.id) {
    g.fillStyle = s.colours.accent;
    g.globalAlpha = 0.07;
    g.fillRect(0, top, s.width, tall - 1);
  }
  g.globalAlpha = lane.muted ? 0.35 : 1;
  for (const each of lane.curves ?? []) curve(g, lane, each, top, tall, x);
  if (lane.tall && lane.range) axis(g, s, lane, top);
  for (const segment of lane.segments) {
    const left = x(segment.first);
    const wide = Math.max(3, x(segment.last) - left);
    const own = segment.state === "wrong" ? s.colours.wrong : (segment.colour ?? lane.colour);
    g.fillStyle = own;
    g.globalAlpha = (lane.muted ? 0.35 : 1) * (segment.state === "plain" ? 0.22 : 0.3);
    g.beginPath();
    g.roundRect(left, top + 3, wide, tall - 6, 4);
    g.fill();
    g.globalAlpha = lane.muted ? 0.35 : 1;
    g.strokeStyle = s.selected.has(segment.id) ? s.colours.accent : own;
    g.lineWidth = s.selected.has(segment.id) ? 2 : 1;
    if (segment.dashed) g.setLineDash([4, 3]);
    g.stroke();
    g.setLineDash([]);
    const sign = segment.state === "fine" ? "✓ " : segment.state === "wrong" ? "✗ " : "";
    const text = [
      `${sign}${segment.label}`,
      ...(segment.hint ? [`${sign}${segment.label} — ${segment.hint}`] : []),
    ];
    if (segment.state === "wrong" && segment.hint) text.shift(); // then why is what matters
    const button = fixButton(segment, x);
    const from = Math.max(left, 0) + (lane.keys.length ? 10 : 6); // a key may stand at its beginning
    if (wide > 26)
      clipped(g, text, from, top + tall / 2, left + wide - from - 4 - (button ? 38 : 0), s.colours.ink);
    if (button) pill(g, "Fix", button, top + tall / 2, s.colours);
  }
  for (const key of lane.keys) {
    const chosen = s.selected.has(key.id);
    const at = x(key.frame);
    const row = lane.tall && key.value !== undefined ? rowOf(lane, key.value) : tall / 2;
    if (at > -10 && at < s.width + 10)
      drawKey(g, key, at, top + row, lane.colour, chosen ? s.colours.accent : s.colours.ink, chosen);
  }
  g.globalAlpha = 1;
}

function drawKey(
  g: CanvasRenderingContext2D,
  key: Key,
  x: number,
  y: number,
  fill: string,
  edge: string,
  chosen: boolean,
): void {
  const r = chosen ? 6.5 : 5.5;
  g.beginPath();
  if (key.shape === "diamond") {
    g.moveTo(x, y - r);
    g.lineTo(x + r, y);
    g.lineTo(x, y + r);
    g.lineTo(x - r, y);
    g.closePath();
  } else if (key.shape === "bolt") {
    g.moveTo(x + 1, y - r - 1);
    g.lineTo(x - 4, y + 1);
    g.lineTo(x, y + 1);
    g.lineTo(x - 1, y + r + 1);
    g.lineTo(x + 4, y - 1);
    g.lineTo(x, y - 1);
    g.closePath();
  } else if (key.shape === "square") g.rect(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2);
  else if (key.shape === "plant") {
    g.moveTo(x - r, y + r - 1);
    g.lineTo(x + r, y + r - 1);
    g.lineTo(x, y - r);
    g.closePath();
  } else g.arc(x, y, r - 0.5, 0, 2 * Math.PI);
  g.fillStyle = fill;
  if (!key.muted && key.shape !== "ring") g.fill();
  g.strokeStyle = edge;
  g.lineWidth = chosen ? 2 : 1;
  g.stroke();
  if (key.shape === "target") {
    g.beginPath();
    g.arc(x, y, 1.8, 0, 2 * Math.PI);
    g.fillStyle = "#ffffff";
    g.fill();
  }
}

function curve(
  g: CanvasRenderingContext2D,
  lane: Lane,
  { values, span, colour, dashed, fill }: Curve,
  top: number,
  tall: number,
  x: (f: number) => number,
): void {
  const at = (i: number) => x(span[0] + ((span[1] - span[0]) * i) / Math.max(1, values.length - 1));
  g.strokeStyle = g.fillStyle = colour ?? lane.colour;
  g.lineWidth = lane.tall ? 1.5 : 1.2;
  const before = g.globalAlpha;
  g.beginPath();
  if (fill === "about") {
    for (let i = 0; i < values.length; i++) g.lineTo(at(i), top + tall / 2 - values[i]! * (tall / 2 - 3));
    for (let i = values.length - 1; i >= 0; i--)
      g.lineTo(at(i), top + tall / 2 + values[i]! * (tall / 2 - 3));
    g.globalAlpha = 0.35 * before;
    g.fill();
    g.globalAlpha = before;
    return;
  }
  for (let i = 0; i < values.length; i++) g.lineTo(at(i), top + rowOf(lane, values[i]!));
  if (dashed) g.setLineDash([5, 4]);
  g.stroke();
  g.setLineDash([]);
  if (fill !== "below") return;
  g.lineTo(at(values.length - 1), top + tall - 2);
  g.lineTo(at(0), top + tall - 2);
  g.globalAlpha = 0.13 * before;
  g.fill();
  g.globalAlpha = before;
}

/** Bottom and top of a tall lane, in words. */
function axis(g: CanvasRenderingContext2D, s: Scene, lane: Lane, top: number): void {
  const [low, high] = lane.range!;
  g.fillStyle = s.colours.quiet;
  g.font = "10px system-ui, sans-serif";
  g.textAlign = "left";
  g.textBaseline = "middle";
  for (const value of [low, high])
    g.fillText(`${Number(value.toPrecision(3))} ${lane.unit ?? ""}`, 4, top + rowOf(lane, value));
  if (low < 0 && high > 0) {
    g.strokeStyle = s.colours.edge;
    g.setLineDash([2, 4]);
    g.beginPath();
    g.moveTo(0, top + rowOf(lane, 0));
    g.lineTo(s.width, top + rowOf(lane, 0));
    g.stroke();
    g.setLineDash([]);
  }
}

function pill(
  g: CanvasRenderingContext2D,
  text: string,
  [left, right]: [number, number],
  y: number,
  colours: Colours,
): void {
  g.fillStyle = colours.accent;
  g.beginPath();
  g.roundRect(left, y - 7, right - left, 14, 4);
  g.fill();
  g.fillStyle = colours.onAccent;
  g.font = "600 10px system-ui, sans-serif";
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.fillText(text, (left + right) / 2, y + 0.5);
}

/** The longest of some texts that has room, or as much of the first as has, and that there is more. */
function clipped(
  g: CanvasRenderingContext2D,
  texts: readonly string[],
  x: number,
  y: number,
  width: number,
  colour: string,
): void {
  g.fillStyle = colour;
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "left";
  g.textBaseline = "middle";
  const measure = (part: string) => g.measureText(part).width;
  g.fillText(
    texts.findLast((t) => measure(t) <= width) ?? fitted(texts[0] ?? "", width, measure),
    x,
    y + 0.5,
  );
}

/** The longest beginning of a text that is no wider, with an ellipsis where something is left out. */
export function fitted(text: string, width: number, measure: (part: string) => number): string {
  if (measure(text) <= width) return text;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${text.slice(0, middle)}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return low > 1 ? `${text.slice(0, low).replace(/[ —]+$/, "")}…` : "";
}

function line(g: CanvasRenderingContext2D, x: number, from: number, to: number): void {
  g.beginPath();
  g.moveTo(x, from);
  g.lineTo(x, to);
  g.stroke();
}
