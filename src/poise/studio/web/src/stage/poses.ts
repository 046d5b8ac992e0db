// Where every body is in every frame: seven floats each, position and quaternion (x y z w);
// and how much of each of the skin's morph targets there is.

export const STRIDE = 7;

export class Poses {
  constructor(
    readonly values: Float32Array,
    readonly frames: number,
    readonly bodies: number,
    readonly weights: Float32Array = new Float32Array(), // (frames × targets)
  ) {
    if (weights.length % frames) throw new Error(`${weights.length} weights are not for ${frames} frames`);
    if (values.length !== frames * bodies * STRIDE)
      throw new Error(`${values.length} numbers are not ${frames} poses of ${bodies} bodies`);
  }

  /** All bodies at a time between frames, into `out` (bodies × 7). Quaternions take the short way. */
  sample(frame: number, out: Float32Array): Float32Array {
    const clamped = Math.min(Math.max(frame, 0), this.frames - 1);
    const low = Math.floor(clamped);
    const share = clamped - low;
    const size = this.bodies * STRIDE;
    const a = low * size;
    if (share < 1e-6 || low + 1 >= this.frames) {
      out.set(this.values.subarray(a, a + size));
      return out;
    }
    const b = a + size;
    const v = this.values;
    for (let k = 0; k < size; k += STRIDE) {
      for (let i = 0; i < 3; i++) out[k + i] = v[a + k + i]! + share * (v[b + k + i]! - v[a + k + i]!);
      mixTurns(v, a + k + 3, b + k + 3, share, out, k + 3);
    }
    return out;
  }

  /** How much of each morph target there is at a time between frames. */
  morphs(frame: number): Float32Array {
    const targets = this.weights.length / this.frames;
    const clamped = Math.min(Math.max(frame, 0), this.frames - 1);
    const low = Math.floor(clamped);
    const high = Math.min(low + 1, this.frames - 1);
    const share = clamped - low;
    return Float32Array.from(
      { length: targets },
      (_, k) => (1 - share) * this.weights[low * targets + k]! + share * this.weights[high * targets + k]!,
    );
  }

  /** Path of a body, (frames × 3). */
  path(body: number): Float32Array {
    const out = new Float32Array(this.frames * 3);
    for (let f = 0; f < this.frames; f++) {
      const at = (f * this.bodies + body) * STRIDE;
      out.set(this.values.subarray(at, at + 3), 3 * f);
    }
    return out;
  }

  /** The same poses with some frames exchanged: what a new solve sends. */
  replaced(first: number, values: Float32Array, weights: Float32Array = new Float32Array()): Poses {
    const all = this.values.slice();
    all.set(values, first * this.bodies * STRIDE);
    const mixed = this.weights.slice();
    mixed.set(weights, (first * mixed.length) / this.frames);
    return new Poses(all, this.frames, this.bodies, mixed);
  }
}

/** Whether any body is elsewhere by more than that [m]. */
export function differs(a: Float32Array, b: Float32Array, by: number): boolean {
  for (let k = 0; k < a.length; k += STRIDE)
    if (Math.hypot(a[k]! - b[k]!, a[k + 1]! - b[k + 1]!, a[k + 2]! - b[k + 2]!) > by) return true;
  return false;
}

function mixTurns(v: Float32Array, a: number, b: number, share: number, out: Float32Array, at: number): void {
  let dot = 0;
  for (let i = 0; i < 4; i++) dot += v[a + i]! * v[b + i]!;
  const sign = dot < 0 ? -1 : 1;
  let length = 0;
  for (let i = 0; i < 4; i++) {
    const mixed = (1 - share) * v[a + i]! + sign * share * v[b + i]!;
    out[at + i] = mixed;
    length += mixed * mixed;
  }
  const scale = 1 / Math.sqrt(length);
  for (let i = 0; i < 4; i++) out[at + i] = out[at + i]! * scale;
}
