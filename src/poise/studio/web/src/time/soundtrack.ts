// The recording under the motion: it starts, stops, jumps and changes its pace with the player. The player's
// time is what counts: a sound that is a little beside it is played a little faster or slower until they are
// together again, and only one that is far off, as after a jump, is started anew.
import { effect } from "@preact/signals";
import type { Player } from "./player.ts";

/** What can sound; positions and times [s]. */
export interface Speaker {
  readonly now: number;
  readonly seconds: number;
  /** From a position on, at a pace; backwards where that is negative. */
  start(position: number, pace: number): void;
  /** Go on at another pace, in the same direction. */
  pace(pace: number): void;
  stop(): void;
}

/** Farther off is another place [s]. */
const JUMP = 0.12;
/** Nearer is together [s]. */
const TOGETHER = 0.015;
/** So much faster or slower is hardly heard. */
const BEND = 0.04;

export function soundtrack(player: Player, speaker: Speaker, wanted: { value: boolean }): () => void {
  let begun: { at: number; position: number; pace: number; rate: number } | undefined;
  const silence = () => {
    if (begun) speaker.stop();
    begun = undefined;
  };
  const follow = effect(() => {
    const time = player.time.value;
    const pace = player.direction.value * player.speed.value;
    if (!player.playing.value || !wanted.value || time < 0 || time >= speaker.seconds) return silence();
    const now = speaker.now;
    const heard = begun && begun.position + (now - begun.at) * begun.rate;
    const scale = Math.max(1, Math.abs(pace));
    if (!begun || begun.pace !== pace || Math.abs(heard! - time) > JUMP * scale) {
      silence();
      speaker.start(time, pace);
      begun = { at: now, position: time, pace, rate: pace };
      return;
    }
    const ahead = (heard! - time) * Math.sign(pace);
    // Once bent it stays so until it has caught up: nothing wavers about the threshold.
    const straight = Math.abs(ahead) < (begun.rate === pace ? TOGETHER : 0.2 * TOGETHER) * scale;
    const passed = begun.rate !== pace && ahead * (Math.abs(begun.rate) - Math.abs(pace)) > 0;
    const rate =
      straight || passed ? pace : begun.rate !== pace ? begun.rate : pace * (ahead > 0 ? 1 - BEND : 1 + BEND);
    if (rate === begun.rate) return;
    speaker.pace(rate);
    begun = { at: now, position: heard!, pace, rate };
  });
  return () => {
    follow();
    silence();
  };
}
