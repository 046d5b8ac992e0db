// A packet: a JSON header and named arrays in one buffer (see packet.py). Arrays are views, not copies.

export type Numbers = Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface Packet<Header> {
  header: Header;
  arrays: Record<string, { values: Numbers; shape: number[] }>;
}

const KINDS = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array } as const;

export function unpack<Header>(buffer: ArrayBuffer): Packet<Header> {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const { arrays: told, ...header } = JSON.parse(text);
  const arrays: Packet<Header>["arrays"] = {};
  for (const [name, { type, shape, at }] of Object.entries<{
    type: keyof typeof KINDS;
    shape: number[];
    at: number;
  }>(told)) {
    const count = shape.reduce((a, b) => a * b, 1);
    arrays[name] = { values: new KINDS[type](buffer, 4 + length + at, count), shape };
  }
  return { header: header as Header, arrays };
}

export function floats(packet: Packet<unknown>, name: string): Float32Array {
  const found = packet.arrays[name]?.values;
  if (!(found instanceof Float32Array)) throw new Error(`the packet has no numbers named ${name}`);
  return found;
}
