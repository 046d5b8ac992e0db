// Time: the current frame, playing, looping.
// A signal machine without a clock of its own, so it can be tested.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";

export class Player {
  readonly frame: Signal<number>;
  readonly playing = signal(false);
  readonly direction = signal<1 | -1>(1);
  readonly speed = signal(1);
  readonly looping = signal(true);
  /** First and last frame that are played. */
  readonly range: Signal<[number, number]>;
  readonly frames: Signal<number>;
  readonly time: ReadonlySignal<number>;

  constructor(
    frames: number,
    readonly fps: Signal<number>,
  ) {
    this.frames = signal(frames);
    this.range = signal([0, frames - 1]);
    this.frame = signal(0);
    this.time = computed(() => this.frame.value / this.fps.value);
  }

  /** Go to a frame (whole or between), kept within the clip. */
  seek(frame: number): void {
    this.frame.value = Math.min(Math.max(frame, 0), this.frames.value - 1);
  }

  /** Stay, at a whole frame: only those are solved, and have numbers. */
  pause(): void {
    this.playing.value = false;
    this.seek(Math.round(this.frame.value));
  }

  step(by: number): void {
    this.playing.value = false;
    this.seek(Math.round(this.frame.value) + by);
  }

  toggle(direction: 1 | -1 = 1): void {
    if (this.playing.value && this.direction.value === direction) {
      this.pause();
      return;
    }
    this.direction.value = direction;
    this.playing.value = true;
    const [first, last] = this.range.value;
    if (!this.looping.value) {
      if (direction > 0 && this.frame.value >= last) this.frame.value = first;
      if (direction < 0 && this.frame.value <= first) this.frame.value = last;
    }
  }

  /** Let `seconds` of wall-clock time pass. */
  advance(seconds: number): void {
    if (!this.playing.value) return;
    const [first, last] = this.range.value;
    const span = last - first;
    let next = this.frame.value + this.direction.value * seconds * this.fps.value * this.speed.value;
    if (next > last || next < first) {
      if (!this.looping.value || span <= 0) {
        this.playing.value = false;
        next = next > last ? last : first;
      } else next = first + ((((next - first) % span) + span) % span);
    }
    this.frame.value = next;
  }

  /** Another motion: from its beginning, all of it. */
  rewind(): void {
    this.playing.value = false;
    this.frame.value = 0;
    this.range.value = [0, this.frames.value - 1];
  }

  /** The clip became longer or shorter. */
  resize(frames: number): void {
    const whole = this.range.value[0] === 0 && this.range.value[1] === this.frames.value - 1;
    this.frames.value = frames;
    this.range.value = whole
      ? [0, frames - 1]
      : [Math.min(this.range.value[0], frames - 1), Math.min(this.range.value[1], frames - 1)];
    this.seek(this.frame.value);
  }
}
