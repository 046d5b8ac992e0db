// A recording that the browser plays from anywhere, at any pace, both ways.
import type { Speaker } from "./soundtrack.ts";

export class Recording implements Speaker {
  private source: AudioBufferSourceNode | undefined;
  private backwards: AudioBuffer | undefined;

  constructor(
    private readonly context: AudioContext,
    private readonly buffer: AudioBuffer,
  ) {}

  static async read(context: AudioContext, bytes: ArrayBuffer): Promise<Recording> {
    return new Recording(context, await context.decodeAudioData(bytes));
  }

  get now(): number {
    return this.context.currentTime;
  }

  get seconds(): number {
    return this.buffer.duration;
  }

  start(position: number, pace: number): void {
    void this.context.resume(); // browsers let nothing sound before somebody pressed something
    const source = this.context.createBufferSource();
    if (pace < 0) this.backwards ??= reversed(this.context, this.buffer);
    source.buffer = pace < 0 ? this.backwards! : this.buffer;
    source.playbackRate.value = Math.abs(pace);
    source.connect(this.context.destination);
    source.start(0, pace < 0 ? this.seconds - position : position);
    this.source = source;
  }

  pace(pace: number): void {
    if (this.source) this.source.playbackRate.value = Math.abs(pace);
  }

  stop(): void {
    this.source?.stop();
    this.source?.disconnect();
    this.source = undefined;
  }
}

function reversed(context: AudioContext, buffer: AudioBuffer): AudioBuffer {
  const made = context.createBuffer(buffer.numberOfChannels, buffer.length, buffer.sampleRate);
  for (let k = 0; k < buffer.numberOfChannels; k++)
    made.copyToChannel(buffer.getChannelData(k).slice().reverse(), k);
  return made;
}
