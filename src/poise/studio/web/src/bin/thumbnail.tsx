// A small picture of a clip: its bones, standing; it plays while the pointer or the focus is on it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Preview } from "../messages.ts";
import type { Store } from "../store.ts";
import { previewOf } from "./assets.ts";

const WIDE = 84;
const HIGH = 56;
/** Seen from the front left [rad]. */
const FROM = 0.6;

export function Thumbnail({
  store,
  about,
  label,
  plays,
}: {
  store: Store;
  about: Record<string, unknown>;
  label: string;
  /** Whether it plays though nobody points at it. */
  plays?: boolean;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const [over, setOver] = useState(false);
  const key = JSON.stringify(about);
  useEffect(() => {
    let wanted = true;
    setPreview(undefined);
    void previewOf(store, about).then((found) => wanted && setPreview(found));
    return () => {
      wanted = false;
    };
  }, [key, store.facts.value]);
  const playing = over || plays;
  useEffect(() => {
    const g = canvas.current?.getContext("2d");
    if (!g || !preview) return;
    if (!playing) {
      draw(g, preview, Math.floor(preview.poses.length * 0.4));
      return;
    }
    const start = performance.now();
    let going = 0;
    const tick = (now: number) => {
      const share = ((now - start) / 1000 / Math.max(preview.seconds, 0.3)) % 1;
      draw(g, preview, Math.floor(share * preview.poses.length));
      going = requestAnimationFrame(tick);
    };
    going = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(going);
  }, [preview, playing]);
  return (
    <canvas
      ref={canvas}
      class="thumbnail"
      role="img"
      aria-label={label}
      data-playing={playing ? "yes" : "no"}
      data-drawn={preview ? "yes" : "no"}
      width={2 * WIDE}
      height={2 * HIGH}
      onPointerEnter={() => setOver(true)}
      onPointerLeave={() => setOver(false)}
    />
  );
}

/** Bones of one pose, in a frame that holds all of them. */
function draw(g: CanvasRenderingContext2D, preview: Preview, pose: number): void {
  const [c, s] = [Math.cos(FROM), Math.sin(FROM)];
  const flat = (values: readonly number[], i: number): [number, number] => [
    values[3 * i]! * s + values[3 * i + 1]! * c,
    values[3 * i + 2]!,
  ];
  const count = preview.parents.length;
  let [left, right, low, high] = [Infinity, -Infinity, 0, -Infinity];
  for (const values of preview.poses)
    for (let i = 0; i < count; i++) {
      const [x, y] = flat(values, i);
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [low, high] = [Math.min(low, y), Math.max(high, y)];
    }
  const { width, height } = g.canvas;
  const scale = Math.min(
    (width - 20) / Math.max(right - left, 1e-6),
    (height - 16) / Math.max(high - low, 1e-6),
  );
  const middle = (left + right) / 2;
  const at = (values: readonly number[], i: number): [number, number] => {
    const [x, y] = flat(values, i);
    return [width / 2 - (x - middle) * scale, height - 8 - (y - low) * scale];
  };
  const style = getComputedStyle(g.canvas);
  g.clearRect(0, 0, width, height);
  g.strokeStyle = style.getPropertyValue("--edge");
  g.lineWidth = 2;
  g.beginPath();
  g.moveTo(8, height - 7 + low * scale);
  g.lineTo(width - 8, height - 7 + low * scale);
  g.stroke();
  const values = preview.poses[Math.min(Math.max(pose, 0), preview.poses.length - 1)]!;
  g.strokeStyle = style.getPropertyValue("--accent");
  g.lineWidth = 4;
  g.lineCap = "round";
  g.beginPath();
  preview.parents.forEach((parent, i) => {
    if (parent < 0) return;
    g.moveTo(...at(values, parent));
    g.lineTo(...at(values, i));
  });
  g.stroke();
}
