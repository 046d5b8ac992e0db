// A recording of clicks, as a metronome makes: mono, 16 bits, 22,050 samples a second.
export function clicks({
  tempo,
  seconds,
  rate = 22_050,
}: {
  tempo: number;
  seconds: number;
  rate?: number;
}): Buffer {
  const count = Math.round(seconds * rate);
  const bytes = Buffer.alloc(44 + 2 * count);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 2 * count, 4);
  bytes.write("WAVEfmt ", 8);
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, 2 * rate],
  ] as const)
    bytes.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    bytes.writeUInt16LE(value, at);
  bytes.write("data", 36);
  bytes.writeUInt32LE(2 * count, 40);
  const apart = 60 / tempo;
  for (let k = 0; k < count; k++) {
    const since = (k / rate) % apart;
    bytes.writeInt16LE(
      Math.round(20_000 * Math.exp(-40 * since) * Math.sin(2 * Math.PI * 900 * since)),
      44 + 2 * k,
    );
  }
  return bytes;
}
