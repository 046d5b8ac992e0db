// What a film is to be: size, cameras, background, frames a second; as it was last.
import { Choice, Field, Numeric } from "../panels/fields.tsx";
import type { Store } from "../store.ts";
import type { Bench } from "./actions.ts";
import { remembered } from "./remembered.ts";

/** Where a film's camera is at a time: a view by its name, or "orbit" with where the stage's stood [deg]. */
interface CameraKey {
  time: number;
  view: string;
  azimuth?: number;
  elevation?: number;
}

/** How films are drawn; as they were last. */
const film = remembered("film", {
  size: "720p",
  fps: 30,
  view: "auto",
  follow: "auto",
  background: "stage",
  keys: [] as CameraKey[],
});

/** What the server is told of a film; a camera that orbits is where the stage's is. */
export function filmOptions(bench: Bench): Record<string, unknown> {
  const { keys, ...rest } = film.value;
  if (rest.view === "orbit") return { ...rest, ...bench.camera() };
  return rest.view === "keyed" ? { ...rest, keys } : rest;
}

export const isFilm = (store: Store, path: string): boolean =>
  (store.vocabulary.value.films ?? []).some((suffix) => path.toLowerCase().endsWith(suffix));

export function FilmOptions({ bench }: { bench: Bench }) {
  const { store } = bench;
  const { size, fps, view, follow, background, keys } = film.value;
  const words = store.vocabulary.value;
  const set = (changes: Partial<typeof film.value>) => {
    film.value = { ...film.value, ...changes };
  };
  const count = Math.floor(((store.player.frames.value - 1) / store.fps.value) * fps + 1e-6) + 1;
  return (
    <>
      <Choice label="size" value={size} options={words.sizes ?? []} onSet={(v) => set({ size: v })} />
      <Choice label="camera" value={view} options={words.views ?? []} onSet={(v) => set({ view: v })} />
      {view === "orbit" && <p class="hint">From your current view of the stage.</p>}
      {view === "keyed" && <CameraKeys bench={bench} keys={keys} onSet={(next) => set({ keys: next })} />}
      <Choice
        label="follows"
        value={follow}
        options={["auto", "on", "off"]}
        onSet={(v) => set({ follow: v })}
      />
      <Choice
        label="background"
        value={background}
        options={words.backgrounds ?? ["stage"]}
        onSet={(v) => set({ background: v })}
      />
      <Field label="frames">
        <Numeric label="frames a second" value={fps} onSet={(v) => set({ fps: v })} />
        <small>a second: {count} in all, each exact</small>
      </Field>
    </>
  );
}

/** Cameras at times, between which a film's swings; new ones are as the stage is seen now. */
function CameraKeys({
  bench,
  keys,
  onSet,
}: {
  bench: Bench;
  keys: readonly CameraKey[];
  onSet: (keys: CameraKey[]) => void;
}) {
  const { store } = bench;
  const names = (store.vocabulary.value.views ?? []).filter((v) => v !== "orbit" && v !== "keyed");
  const now = Number(store.player.time.value.toFixed(3));
  const put = (next: CameraKey[]) => onSet(next.sort((a, b) => a.time - b.time));
  const change = (k: number, to: CameraKey) => put(keys.map((each, i) => (i === k ? to : each)));
  const add = (key: CameraKey) => put([...keys.filter((each) => each.time !== now), key]);
  return (
    <ul class="camera-keys">
      {keys.map((key, k) => (
        <li>
          <Numeric
            label={`time of camera ${k + 1}`}
            value={key.time}
            onSet={(time) => change(k, { ...key, time })}
          />
          <small>s</small>
          <select
            aria-label={`camera ${k + 1}`}
            value={key.view}
            onChange={(e) => {
              const chosen = e.currentTarget.value;
              const place = chosen === "orbit" ? bench.camera() : {};
              change(k, { time: key.time, view: chosen, ...place });
            }}
          >
            <option value="orbit">as on the stage</option>
            {names.map((v) => (
              <option value={v}>{v}</option>
            ))}
          </select>
          <button
            class="small"
            aria-label={`remove camera ${k + 1}`}
            onClick={() => put(keys.filter((_, i) => i !== k))}
          >
            ✕
          </button>
        </li>
      ))}
      <li>
        <button onClick={() => add({ time: now, view: "orbit", ...bench.camera() })}>
          + as on the stage at {now.toFixed(2)} s
        </button>
        <button onClick={() => add({ time: now, view: "front" })}>+ camera at {now.toFixed(2)} s</button>
      </li>
    </ul>
  );
}
