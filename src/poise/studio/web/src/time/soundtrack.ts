// The recording under the motion: it starts, stops, jumps and changes its pace with the player. The player's time is
// what counts; a sound that has drifted from it by more than anyone would hear as together is started anew.
import { effect } from "@preact/signals";
import type { Player } from "./player.ts";

/** What can sound; positions and times [s]. */
export interface Speaker {
  readonly now: number;
  readonly seconds: number;
  /** From a position on, at a pace; backwards where that is negative. */
  start(position: number, pace: number): void;
  stop(): void;
}

const DRIFT = 0.06; // [s]

export function soundtrack(player: Player, speaker: Speaker, wanted: { value: boolean }): () => void {
  let begun: { at: number; position: number; pace: number } | undefined;
  const silence = () => {
    if (begun) speaker.stop();
    begun = undefined;
  };
  const follow = effect(() => {
    const time = player.time.value;
    const pace = player.direction.value * player.speed.value;
    if (!player.playing.value || !wanted.value || time < 0 || time >= speaker.seconds) return silence();
    const heard = begun && begun.position + (speaker.now - begun.at) * begun.pace;
    if (begun?.pace === pace && Math.abs(heard! - time) <= DRIFT * Math.max(1, Math.abs(pace))) return;
    silence();
    speaker.start(time, pace);
    begun = { at: speaker.now, position: time, pace };
  });
  return () => {
    follow();
    silence();
  };
}
