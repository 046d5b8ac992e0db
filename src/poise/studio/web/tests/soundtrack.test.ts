import { signal } from "@preact/signals";
import { beforeEach, describe, expect, it } from "vitest";
import { Player } from "../src/time/player.ts";
import { type Speaker, soundtrack } from "../src/time/soundtrack.ts";

/** A speaker that keeps what it was told; its clock is set by hand. */
class Told implements Speaker {
  now = 0;
  seconds = 5;
  said: string[] = [];
  start(position: number, pace: number): void {
    this.said.push(`start ${position.toFixed(2)} × ${pace}`);
  }
  pace(pace: number): void {
    this.said.push(`× ${pace.toFixed(2)}`);
  }
  stop(): void {
    this.said.push("stop");
  }
}

let player: Player;
let speaker: Told;
const audible = signal(true);
/** Let time pass for both, as a browser does. */
const pass = (seconds: number) => {
  for (let k = 0; k < Math.round(seconds * 60); k++) {
    speaker.now += 1 / 60;
    player.advance(1 / 60);
  }
};

beforeEach(() => {
  player = new Player(301, signal(60));
  speaker = new Told();
  audible.value = true;
  soundtrack(player, speaker, audible);
});

describe("a recording", () => {
  it("goes with the player: starts where it stands, is left alone while it runs, stops", () => {
    player.seek(60);
    expect(speaker.said).toEqual([]);
    player.toggle();
    pass(1);
    expect(speaker.said).toEqual(["start 1.00 × 1"]);
    player.toggle();
    expect(speaker.said).toEqual(["start 1.00 × 1", "stop"]);
  });

  it("jumps with a seek and with the loop", () => {
    player.range.value = [0, 60];
    player.toggle();
    pass(0.5);
    player.seek(12);
    expect(speaker.said).toEqual(["start 0.00 × 1", "stop", "start 0.20 × 1"]);
    pass(0.9); // over the end of the loop
    expect(speaker.said.slice(3)).toEqual(["stop", "start 0.02 × 1"]);
  });

  it("changes its pace, and its direction", () => {
    player.toggle();
    pass(1);
    player.speed.value = 0.5;
    pass(1);
    player.toggle(-1);
    pass(0.5);
    expect(speaker.said).toEqual(["start 0.00 × 1", "stop", "start 1.00 × 0.5", "stop", "start 1.50 × -0.5"]);
  });

  it("is started anew where the picture fell behind", () => {
    player.toggle();
    pass(0.5);
    speaker.now += 0.3; // the screen stood still, the sound did not
    pass(1 / 60);
    expect(speaker.said.slice(1)).toEqual(["stop", "start 0.52 × 1"]);
  });

  it("is bent, not broken, where it is only a little beside the picture", () => {
    player.toggle();
    pass(0.5);
    speaker.now += 0.05; // ahead: slower, until they are together
    pass(2.5);
    expect(speaker.said).toEqual(["start 0.00 × 1", "× 0.96", "× 1.00"]);
    // Clocks that differ by 6 %.
    for (let k = 0; k < 60; k++) {
      speaker.now += 1 / 60 - 0.001;
      player.advance(1 / 60);
    }
    expect(speaker.said.slice(3)).toEqual(["× 1.04"]);
    expect(speaker.said).not.toContain("stop");
  });

  it("is silent after its end, when it is not wanted, and when the stage is cleared", () => {
    speaker.seconds = 0.5;
    player.toggle();
    pass(1);
    expect(speaker.said).toEqual(["start 0.00 × 1", "stop"]);
    speaker.seconds = 5;
    pass(0.1);
    audible.value = false;
    expect(speaker.said.slice(2)).toEqual(["start 1.02 × 1", "stop"]);
  });
});
