// The project's cameras: looked through, keyed where the stage is seen from, and cut to.
import type { FilmCamera } from "../messages.ts";
import {
  addCamera,
  cameraAddress,
  cameraId,
  camerasOf,
  cutId,
  cutsOf,
  cutTo,
  dropCamera,
  eraseCameras,
  keyCamera,
  keyId,
  recut,
  renameCamera,
  setCamera,
  through,
} from "../shots.ts";
import { CUTS } from "../stage/shots.ts";
import type { Store } from "../store.ts";
import { EntryHead } from "./entry_head.tsx";
import { EntryName } from "./entry_name.tsx";
import { Choice, Field, Numeric, Section, Word } from "./fields.tsx";

/** In place of a body: the camera stays where its keys are. */
const NOBODY = "nobody";

export function CamerasPanel({ store }: { store: Store }) {
  if (!store.figure.value) return null;
  const cameras = Object.entries(camerasOf(store));
  const chosen = [...store.selected.value].some((id) => cameraAddress(id));
  return (
    <Section title="Cameras" open={chosen || through.value !== ""}>
      <div class="buttons">
        <button
          class="first"
          title="a camera of the project that stands where you look from now"
          onClick={() => addCamera(store)}
        >
          + Camera from this view
        </button>
        {cameras.length > 0 && <Looking name={CUTS} label="Look through the cuts" />}
      </div>
      {cameras.map(([name, camera]) => (
        <One key={name} store={store} name={name} camera={camera} />
      ))}
      {cameras.length > 0 && <Cuts store={store} />}
      {!cameras.length && <p class="hint">Cameras are saved with the project, and films use them.</p>}
    </Section>
  );
}

/** Looks through a camera, or leaves it. */
function Looking({ name, label }: { name: string; label: string }) {
  return (
    <button
      aria-pressed={through.value === name}
      title="the stage shows what films will show; turning the view leaves it"
      onClick={() => {
        through.value = through.value === name ? "" : name;
      }}
    >
      {label}
    </button>
  );
}

function One({ store, name, camera }: { store: Store; name: string; camera: FilmCamera }) {
  const id = cameraId(name);
  const chosen = [...store.selected.value].some((s) => s === id || s.startsWith(`${id}/`));
  const bodies = (store.figure.value?.bodies ?? []).map((b) => b.name);
  const fov = camera.keys[0]?.fov ?? 35;
  return (
    <div class={`entry ${chosen ? "chosen" : ""}`} data-entry={id}>
      <EntryHead what={`camera ${name}`} onDelete={() => dropCamera(store, name)}>
        <EntryName store={store} id={id} title={name} hint={`camera ${name}: select it`} />
      </EntryHead>
      <div class="buttons">
        <Looking name={name} label="Look through" />
        <button
          title="a key of this camera at this frame, where you look from now"
          aria-label={`key camera ${name} here`}
          onClick={() => keyCamera(store, name)}
        >
          Key here
        </button>
        <button
          title="films see this camera from this frame on"
          aria-label={`cut to camera ${name} here`}
          onClick={() => cutTo(store, name)}
        >
          Cut here
        </button>
      </div>
      {chosen && (
        <>
          <Word label="name" value={name} onSet={(v) => renameCamera(store, name, v)} />
          <Choice
            label="goes along with"
            value={camera.follow || NOBODY}
            options={[NOBODY, ...bodies]}
            onSet={(v) => setCamera(store, name, { follow: v === NOBODY ? "" : v })}
          />
          <Field label="field of view">
            <Numeric
              label="field of view"
              value={fov}
              onSet={(v) => setCamera(store, name, { keys: camera.keys.map((key) => ({ ...key, fov: v })) })}
            />
            <small>°</small>
          </Field>
          <ul class="camera-keys" aria-label={`keys of camera ${name}`}>
            {camera.keys.map((key, k) => (
              <li>
                <button
                  class="small"
                  title="go to this key"
                  onClick={() => store.player.seek(Math.round((key.time ?? 0) * store.fps.value))}
                >
                  ◆ {(key.time ?? 0).toFixed(2)} s
                </button>
                {camera.keys.length > 1 && (
                  <button
                    class="small"
                    aria-label={`remove key ${k + 1} of camera ${name}`}
                    onClick={() => eraseCameras(store, [keyId(name, k)])}
                  >
                    ✕
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Which camera is seen from when on. */
function Cuts({ store }: { store: Store }) {
  const cuts = cutsOf(store);
  const names = Object.keys(camerasOf(store));
  if (!cuts.length) return <p class="hint">No cut yet: films see “{names[0]}” all the time.</p>;
  return (
    <ul class="camera-keys" aria-label="cuts">
      {cuts.map((cut, k) => (
        <li>
          <button
            class="small"
            title="go to this cut"
            onClick={() => store.player.seek(Math.round((cut.time ?? 0) * store.fps.value))}
          >
            ✂ {(cut.time ?? 0).toFixed(2)} s
          </button>
          <select
            aria-label={`camera of cut ${k + 1}`}
            value={cut.camera}
            onChange={(e) => recut(store, k, e.currentTarget.value)}
          >
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <button
            class="small"
            aria-label={`remove cut ${k + 1}`}
            onClick={() => eraseCameras(store, [cutId(k)])}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
