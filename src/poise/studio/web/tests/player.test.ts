import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { Player } from "../src/time/player.ts";

const player = (frames = 61) => new Player(frames, signal(60));

describe("time", () => {
  it("plays at the clip's rate and wraps at the end of the range", () => {
    const p = player();
    p.toggle();
    p.advance(0.5);
    expect(p.frame.value).toBeCloseTo(30);
    p.advance(0.6);
    expect(p.frame.value).toBeCloseTo(6);
  });

  it("plays backwards, slower, and within a range", () => {
    const p = player();
    p.range.value = [10, 20];
    p.speed.value = 0.5;
    p.seek(12);
    p.toggle(-1);
    p.advance(0.1);
    expect(p.frame.value).toBeCloseTo(19);
  });

  it("stops at the end where it does not loop, and starts over from there", () => {
    const p = player();
    p.looping.value = false;
    p.toggle();
    p.advance(5);
    expect([p.playing.value, p.frame.value]).toEqual([false, 60]);
    p.toggle();
    expect([p.playing.value, p.frame.value]).toEqual([true, 0]);
  });

  it("pauses at the nearest whole frame, which is what the field says", () => {
    const p = player();
    p.toggle();
    p.advance(0.5 + 0.14 / 60);
    p.toggle();
    expect([p.playing.value, p.frame.value]).toEqual([false, 30]);
    p.toggle(-1);
    p.advance(0.4 / 60);
    p.toggle(); // the other way: on from between frames
    expect(p.playing.value).toBe(true);
    expect(p.frame.value).toBeCloseTo(29.6);
    p.advance(1.9 / 60 / 10);
    p.pause();
    expect(p.frame.value).toBe(30);
  });

  it("keeps the frame and the range within a clip that becomes shorter", () => {
    const p = player();
    p.seek(55);
    p.resize(31);
    expect([p.frame.value, p.range.value]).toEqual([30, [0, 30]]);
  });
});
