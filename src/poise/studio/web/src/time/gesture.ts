// What a pointer does on the time line, apart from any canvas:
// scrubbing, the loop range, dragging keys, boxes.
import { boxed, fixButton, hit, type Lane, RULER, rise } from "./lane.ts";
import type { Player } from "./player.ts";
import { toFrame, toPixel, type Window } from "./window.ts";

export interface Edits {
  /** Keys or segments are dragged by whole frames, and their values in a field raised;
   * `copy` leaves the originals. */
  move(ids: string[], copy: boolean): Moving;
  /** The end of a segment is dragged to a frame; with `alt`, what is in it goes faster or slower. */
  resize(segment: string, edge: "first" | "last", alt?: boolean): Stretching;
  /** A key is wanted in a lane at a frame. */
  insert(lane: Pick<Lane, "layer" | "list" | "label">, frame: number): void;
  /** A segment's settings were asked for. */
  open(segment: string): void;
  /** A segment's Fix was pressed. */
  fix(segment: string): void;
}

/** A drag that is under way in the document: it follows, and ends by being let go or taken back. */
interface Ending {
  drop(): void;
  cancel(): void;
}

export interface Moving extends Ending {
  to(frames: number, rise?: Rise): void;
}

export interface Stretching extends Ending {
  to(frame: number): void;
}

/** A field of a key, and by how much its number grows. */
export interface Rise {
  field: string;
  by: number;
}

export interface View {
  lanes: readonly Lane[];
  window: Window;
  width: number;
  scroll: number;
}

type Doing =
  | { kind: "scrub" }
  | { kind: "range"; from: number; edge?: 0 | 1 }
  | {
      kind: "keys";
      from: number;
      copy: boolean;
      moved: boolean;
      clicked: string;
      kept: boolean;
      row: number;
      lane: Lane;
      field: string;
      moving?: Moving;
    }
  | { kind: "edge"; segment: string; edge: "first" | "last"; alt: boolean; stretching?: Stretching }
  | { kind: "box"; x: number; y: number };

/** State of one gesture after another. `selected`, `shift`, `lift`,
 * `end` and `box` are what the picture needs to know. */
export class Gesture {
  selected: Set<string> = new Set();
  shift = 0;
  /** How far values are dragged upwards: for keys of one lane. */
  lift: { lane: string; by: number } | undefined;
  /** The end of a segment that is dragged, and where it is. */
  end: { segment: string; edge: "first" | "last"; frame: number } | undefined;
  /** Lanes as they were when the drag began:
   * what is dragged is counted from there, whatever the document says by now. */
  start: readonly Lane[] | undefined;
  /** The lane that was pressed last: where keys are inserted. */
  lane: Lane | undefined;
  box: { x0: number; y0: number; x1: number; y1: number } | undefined;
  private doing: Doing | undefined;

  constructor(
    private readonly player: Player,
    private readonly edits: Edits,
  ) {}

  get active(): boolean {
    return this.doing !== undefined;
  }

  down(view: View, x: number, y: number, keys: { shift: boolean; alt: boolean }): void {
    const frame = toFrame(view.window, view.width, x);
    if (y < RULER) {
      if (y < 12) {
        const ends = this.player.range.value.map((f) => toPixel(view.window, view.width, f));
        const edge = ends.findIndex((p) => Math.abs(p - x) < 6);
        this.doing =
          edge < 0
            ? { kind: "range", from: Math.round(frame) }
            : { kind: "range", from: Math.round(frame), edge: edge as 0 | 1 };
      } else this.scrub(frame);
      return;
    }
    const found = hit(view.lanes, x, y, (f) => toPixel(view.window, view.width, f), view.scroll);
    const id = found?.key?.id ?? found?.segment?.id;
    if (found) this.lane = found.lane;
    if (!found || id === undefined) {
      if (!keys.shift) this.selected = new Set();
      this.doing = { kind: "box", x, y };
      return;
    }
    const button = found.segment && fixButton(found.segment, (f) => toPixel(view.window, view.width, f));
    if (button && x >= button[0] && x <= button[1]) {
      this.edits.fix(id);
      return;
    }
    if (found.segment && found.edge && found.segment.draggable) {
      this.selected = new Set([id]);
      this.doing = { kind: "edge", segment: id, edge: found.edge, alt: keys.alt };
      this.start = view.lanes;
      return;
    }
    if (keys.shift) this.selected = toggled(this.selected, id);
    else if (!this.selected.has(id)) this.selected = new Set([id]);
    const fixed = found.key?.fixed || (found.segment !== undefined && !found.segment.draggable);
    if (!fixed) this.start = view.lanes;
    if (!fixed)
      this.doing = {
        kind: "keys",
        from: frame,
        copy: keys.alt,
        moved: false,
        clicked: id,
        kept: keys.shift,
        row: y,
        lane: found.lane,
        field: found.lane.tall ? (found.key?.field ?? "") : "",
      };
  }

  move(view: View, x: number, y: number): void {
    const frame = toFrame(view.window, view.width, x);
    const doing = this.doing;
    if (!doing) return;
    if (doing.kind === "scrub") this.player.seek(Math.round(frame));
    else if (doing.kind === "range") this.stretch(doing, Math.round(frame));
    else if (doing.kind === "keys") {
      this.shift = Math.round(frame - doing.from);
      // A value is only dragged once the pointer has clearly gone up or down.
      if (doing.field && (this.lift || Math.abs(doing.row - y) > 3))
        this.lift = { lane: doing.lane.id, by: rise(doing.lane, doing.row - y) };
      doing.moved ||= this.shift !== 0 || this.lift !== undefined;
      if (!doing.moved) return;
      doing.moving ??= this.edits.move([...this.selected], doing.copy);
      doing.moving.to(this.shift, ...(this.lift ? [{ field: doing.field, by: this.lift.by }] : []));
    } else if (doing.kind === "edge") {
      this.end = { segment: doing.segment, edge: doing.edge, frame: Math.round(frame) };
      doing.stretching ??= doing.alt
        ? this.edits.resize(doing.segment, doing.edge, true)
        : this.edits.resize(doing.segment, doing.edge);
      doing.stretching.to(this.end.frame);
    } else if (doing.kind === "box")
      this.box = {
        x0: Math.min(doing.x, x),
        x1: Math.max(doing.x, x),
        y0: Math.min(doing.y, y),
        y1: Math.max(doing.y, y),
      };
  }

  up(view: View): void {
    const doing = this.doing;
    this.doing = undefined;
    if (doing?.kind === "keys") doing.moving?.drop();
    if (
      doing?.kind === "keys" &&
      !doing.moved &&
      this.selected.size > 1 &&
      this.selected.has(doing.clicked) &&
      !doing.kept
    )
      this.selected = new Set([doing.clicked]);
    if (doing?.kind === "edge") doing.stretching?.drop();
    if (doing?.kind === "box" && this.box) {
      const frames: [number, number] = [
        toFrame(view.window, view.width, this.box.x0),
        toFrame(view.window, view.width, this.box.x1),
      ];
      this.selected = new Set([
        ...this.selected,
        ...boxed(view.lanes, frames, [this.box.y0, this.box.y1], view.scroll).map((k) => k.id),
      ]);
    }
    this.rest();
  }

  /** Escape: whatever was going on never happened. */
  cancel(): void {
    const doing = this.doing;
    this.doing = undefined;
    if (doing?.kind === "keys") doing.moving?.cancel();
    if (doing?.kind === "edge") doing.stretching?.cancel();
    this.rest();
  }

  double(view: View, x: number, y: number): void {
    if (y < 12) {
      this.player.range.value = [0, this.player.frames.value - 1];
      return;
    }
    if (y < RULER) return;
    const found = hit(view.lanes, x, y, (f) => toPixel(view.window, view.width, f), view.scroll);
    if (found?.segment) this.edits.open(found.segment.id);
    else if (found && !found.key)
      this.edits.insert(found.lane, Math.round(toFrame(view.window, view.width, x)));
  }

  private rest(): void {
    this.shift = 0;
    this.lift = this.end = this.start = undefined;
    this.box = undefined;
  }

  private scrub(frame: number): void {
    this.player.playing.value = false;
    this.player.seek(Math.round(frame));
    this.doing = { kind: "scrub" };
  }

  private stretch(doing: { from: number; edge?: 0 | 1 }, frame: number): void {
    const last = this.player.frames.value - 1;
    const at = Math.min(Math.max(frame, 0), last);
    const [low, high] = this.player.range.value;
    if (doing.edge === 0) this.player.range.value = [Math.min(at, high - 1), high];
    else if (doing.edge === 1) this.player.range.value = [low, Math.max(at, low + 1)];
    else if (at !== doing.from)
      this.player.range.value = [Math.min(doing.from, at), Math.max(doing.from, at)];
  }
}

/** Lanes with what is dragged where the pointer has it, not where the document got to;
 * scales stay as they were. */
export function dragged(
  lanes: readonly Lane[],
  { start, selected, shift, lift, end }: Gesture,
): readonly Lane[] {
  if (!start) return lanes;
  return lanes.map((lane) => {
    const before = start.find((l) => l.id === lane.id);
    if (!before) return lane;
    const moved = <T extends { id: string }>(now: T[], were: T[], change: (was: T) => Partial<T>): T[] =>
      now.map((entry) => {
        const was = selected.has(entry.id) ? were.find((w) => w.id === entry.id) : undefined;
        return was ? { ...entry, ...change(was) } : entry;
      });
    const rising = lift?.lane === lane.id ? lift.by : 0;
    const keys = moved(lane.keys, before.keys, (k) => ({
      frame: k.frame + shift,
      ...(k.value === undefined ? {} : { value: k.value + rising }),
    }));
    const segments = moved(lane.segments, before.segments, (s) =>
      end?.segment === s.id
        ? { first: s.first, last: s.last, [end.edge]: end.frame }
        : { first: s.first + shift, last: s.last + shift },
    );
    return { ...lane, keys, segments, ...(before.range ? { range: before.range } : {}) };
  });
}

function toggled(set: Set<string>, id: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
