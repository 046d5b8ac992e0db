// The read-only viewer: one clip on a stage with a transport bar, inside one HTML file or a notebook cell.
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as THREE from "three";
import type { Carried } from "./messages.ts";
import { floats, type Packet, unpack } from "./packet.ts";
import { Speed } from "./shell/speed.tsx";
import { bodyShapes } from "./stage/body_shapes.ts";
import { bounds } from "./stage/bounds.ts";
import { CarriedView } from "./stage/carried.ts";
import { Figure, Looks, type LooksHeader } from "./stage/figure.ts";
import { Poses, STRIDE } from "./stage/poses.ts";
import { Stage } from "./stage/stage.ts";
import { SurfaceNames } from "./stage/surface_names.ts";
import { Trail } from "./stage/trail.ts";
import { Player } from "./time/player.ts";

interface ClipHeader extends LooksHeader {
  title: string;
  fps: number;
  loop: boolean;
  heading: number;
  lift: number;
  carried: Carried | null;
}

export function show(home: HTMLElement, bytes: ArrayBuffer): void {
  const packet = unpack<ClipHeader>(bytes);
  render(<Viewer packet={packet} />, home);
}

function Viewer({ packet }: { packet: Packet<ClipHeader> }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { header } = packet;
  const poses = new Poses(
    floats(packet, "poses"),
    packet.arrays["poses"]!.shape[0]!,
    header.bodies.length,
    packet.arrays["morphs"] ? floats(packet, "morphs") : undefined,
  );
  const player = new Player(poses.frames, signal(header.fps));
  const trails = signal(false);
  const forces = signal(true);
  useEffect(() => {
    const stage = new Stage(canvas.current!);
    const looks = new Looks(packet);
    const figure = new Figure(looks);
    const centre = new Trail();
    centre.set(floats(packet, "com"));
    const carried = new CarriedView();
    carried.set(header.carried ?? undefined);
    const names = new SurfaceNames(stage, carried);
    stage.onDraw(() => carried.sized((place) => stage.perPixel(place)));
    stage.scene.add(figure.mesh, centre.group, carried.group);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const theme = () => stage.theme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", theme);
    theme();
    const now = new Float32Array(poses.bodies * STRIDE);
    const angle = header.heading - 1.0; // three quarters from the front, on the right
    const shapes = bodyShapes(looks);
    stage.frame(bounds(poses, shapes), new THREE.Vector3(Math.cos(angle), Math.sin(angle), 0.35));
    const stop = effect(() => {
      const frame = player.frame.value;
      figure.pose(poses.sample(frame, now), poses.morphs(frame));
      stage.casting(bounds(new Poses(now, 1, poses.bodies), shapes));
      centre.group.visible = trails.value;
      if (trails.value) centre.at(frame);
      carried.at(frame, header.lift, { world: true, forces: forces.value });
      stage.moved();
    });
    let last = performance.now();
    let ticking = true;
    const tick = (at: number) => {
      if (!ticking) return;
      player.advance(Math.min((at - last) / 1000, 0.1));
      last = at;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    player.playing.value = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    return () => {
      ticking = false;
      stop();
      dark.removeEventListener("change", theme);
      figure.dispose();
      names.dispose();
      carried.dispose();
      stage.dispose();
    };
  }, []);
  const keys = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = {
      " ": () => player.toggle(),
      ArrowLeft: () => player.step(-1),
      ArrowRight: () => player.step(1),
      Home: () => player.seek(0),
      End: () => player.seek(poses.frames - 1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has keys, wherever in it one clicks.
    <div class="viewer" role="application" aria-label={header.title} tabIndex={0} onKeyDown={keys}>
      <div class="viewer-stage">
        <canvas ref={canvas} aria-label={`${header.title}: drag to orbit, wheel to zoom`} />
      </div>
      <div class="transport">
        <Play player={player} />
        <Scrubber player={player} />
        <label title="path of the centre of mass">
          <input
            type="checkbox"
            onInput={(e) => {
              trails.value = e.currentTarget.checked;
            }}
          />{" "}
          centre of mass
        </label>
        {header.carried && header.carried.pushes.length > 0 && (
          <label title="forces on the body, in body weights">
            <input
              type="checkbox"
              checked
              onInput={(e) => {
                forces.value = e.currentTarget.checked;
              }}
            />{" "}
            forces
          </label>
        )}
        <Speed player={player} />
      </div>
    </div>
  );
}

function Play({ player }: { player: Player }) {
  const playing = player.playing.value;
  return (
    <button aria-label={playing ? "pause" : "play"} title="Space" onClick={() => player.toggle()}>
      {playing ? "❚❚" : "▶"}
    </button>
  );
}

function Scrubber({ player }: { player: Player }) {
  const frame = Math.round(player.frame.value);
  const move = (value: string) => {
    player.playing.value = false;
    player.seek(Number(value));
  };
  return (
    <>
      <input
        type="range"
        aria-label="frame"
        min={0}
        max={player.frames.value - 1}
        value={frame}
        onInput={(e) => move(e.currentTarget.value)}
      />
      <output>
        {frame} / {player.frames.value - 1} · {(frame / player.fps.value).toFixed(2)} s
      </output>
    </>
  );
}
