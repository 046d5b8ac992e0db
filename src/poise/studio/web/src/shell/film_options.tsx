// What a film is to be: size, cameras, background, frames a second; as it was last.
import { Choice, Field, Numeric } from "../panels/fields.tsx";
import { camerasOf } from "../shots.ts";
import { CUTS } from "../stage/shots.ts";
import type { Store } from "../store.ts";
import type { Bench } from "./actions.ts";
import { remembered } from "./remembered.ts";

/** Before the name of one of the project's cameras, among the views. */
const OWN = "camera ";

/** How films are drawn; as they were last. */
const film = remembered("film", {
  size: "720p",
  fps: 30,
  view: "", // nothing was chosen yet
  follow: "auto",
  background: "stage",
});

/** What the server is told of a film; a camera that orbits is where the stage's is. */
export function filmOptions(bench: Bench): Record<string, unknown> {
  const { size, fps, follow, background } = film.value;
  const rest = { size, fps, background };
  const view = chosen(bench.store);
  if (view === CUTS) return { ...rest, camera: CUTS };
  if (view.startsWith(OWN)) return { ...rest, camera: view.slice(OWN.length) };
  return { ...rest, follow, view, ...(view === "orbit" ? bench.camera() : {}) };
}

/** What films can be seen with: the project's cameras, and views that have all of the motion in them. */
function views(store: Store): string[] {
  const own = Object.keys(camerasOf(store));
  return [
    ...(own.length ? [CUTS, ...own.map((name) => OWN + name)] : []),
    ...(store.vocabulary.value.views ?? []),
  ];
}

/** The one that was chosen, if there is such a one here; else the project's own. */
function chosen(store: Store): string {
  const can = views(store);
  return can.includes(film.value.view) ? film.value.view : can.includes(CUTS) ? CUTS : "auto";
}

export const isFilm = (store: Store, path: string): boolean =>
  (store.vocabulary.value.films ?? []).some((suffix) => path.toLowerCase().endsWith(suffix));

export function FilmOptions({ bench }: { bench: Bench }) {
  const { store } = bench;
  const { size, fps, follow, background } = film.value;
  const view = chosen(store);
  const own = view === CUTS || view.startsWith(OWN);
  const words = store.vocabulary.value;
  const set = (changes: Partial<typeof film.value>) => {
    film.value = { ...film.value, ...changes };
  };
  const [frames, loops] = [store.player.frames.value, store.loops.value];
  const steps = Math.floor(((loops ? frames : frames - 1) / store.fps.value) * fps + 1e-6);
  const count = loops ? Math.max(steps, 1) : steps + 1; // a loop ends before its first frame comes again
  return (
    <>
      <Choice label="size" value={size} options={words.sizes ?? []} onSet={(v) => set({ size: v })} />
      <Choice
        label="camera"
        value={view}
        options={views(store)}
        titles={{ [CUTS]: "the project's cameras, one after another" }}
        onSet={(v) => set({ view: v })}
      />
      {view === "orbit" && <p class="hint">From your current view of the stage.</p>}
      {!own && (
        <Choice
          label="follows"
          value={follow}
          options={["auto", "on", "off"]}
          onSet={(v) => set({ follow: v })}
        />
      )}
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
