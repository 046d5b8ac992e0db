// The project's world: surfaces that are there for all of its motions, added, placed and sized.
import { GROUND, type Surface } from "../layer.ts";
import type { Store } from "../store.ts";
import {
  addSurface,
  dropSurface,
  fresh,
  KINDS,
  type Kind,
  placed,
  placing,
  renameSurface,
  setSurface,
  worldId,
  worldNumber,
  worldSource,
  worldSurfaces,
} from "../world.ts";
import { EntryHead } from "./entry_head.tsx";
import { EntryName } from "./entry_name.tsx";
import { Field, Numeric, Section, Triple, Word } from "./fields.tsx";
import { ShapeFields } from "./shape_fields.tsx";

export function WorldPanel({ store }: { store: Store }) {
  if (!store.layers.value.length) return null;
  const source = worldSource(store);
  const surfaces = worldSurfaces(store);
  const chosen = [...store.selected.value].some((id) => worldNumber(id) !== undefined);
  return (
    <Section title="Project's world" open={chosen || surfaces.length > 0}>
      {source ? (
        <p class="hint">The world is {source}: it is edited there.</p>
      ) : (
        <>
          <div class="buttons" data-part="add-surface">
            {KINDS.map((kind) => (
              <button
                title={`add a ${kind} in front of the character`}
                aria-label={`add ${kind} to the project`}
                onClick={() => add(store, kind)}
              >
                + {kind[0]!.toUpperCase() + kind.slice(1)}
              </button>
            ))}
          </div>
          {surfaces.map((entry, k) => (
            <One key={entry.name} store={store} number={k} entry={entry} />
          ))}
          {!surfaces.length && (
            <p class="hint">Surfaces for all layers. Feet that stand on a surface move with it.</p>
          )}
        </>
      )}
    </Section>
  );
}

function add(store: Store, kind: Kind): void {
  addSurface(store, fresh(store, kind, before(store)));
}

/** On the floor before the character, or below the picked body. */
function before(store: Store): [number, number, number] {
  const time = store.player.time.value;
  const com = store.physics.value?.com;
  const frame = Math.min(Math.max(Math.round(store.player.frame.value), 0), (com?.length ?? 3) / 3 - 1);
  const picked = store.placeOf(store.body.value, time);
  const others = worldSurfaces(store).filter((s) => s.shape.kind !== GROUND).length;
  const x = picked?.[0] ?? (com?.length ? com[3 * frame]! + 0.8 : 0.8);
  const y = picked?.[1] ?? (com?.length ? com[3 * frame + 1]! : 0);
  return [x, picked ? y : y + 0.8 * others, -store.lift.value];
}

/** Who stands on it, and whether they go along when it is moved. */
function Riders({ store, name }: { store: Store; name: string }) {
  const parts = new Set(store.carried.value?.contacts.flatMap((c) => (c.surface === name ? [c.part] : [])));
  if (!parts.size) return null;
  const who = [...parts].join(", ");
  return placing.value.has(name) ? (
    <div class="buttons">
      <button
        class="first"
        title="move with the surface from now on; first put it where the take needs it"
        onClick={() => placed(name)}
      >
        Let {who} go along
      </button>
    </div>
  ) : (
    <p class="hint">{who} on it: they go along when it is moved.</p>
  );
}

function One({ store, number, entry }: { store: Store; number: number; entry: Surface }) {
  const id = worldId(number);
  const chosen = [...store.selected.value].some((s) => s === id || s.startsWith(`${id}/`));
  const set = (path: string, value: unknown) => setSurface(store, entry, path, value);
  return (
    <div class={`entry ${chosen ? "chosen" : ""} ${entry.muted ? "muted" : ""}`} data-entry={id}>
      <EntryHead
        what={entry.name}
        muted={entry.muted === true}
        muting="mute: nothing collides with it"
        onMute={() => set("muted", !entry.muted)}
        onDelete={() => dropSurface(store, entry.name)}
      >
        <EntryName store={store} id={id} title={entry.name} hint={`${entry.name}: select it`} />
      </EntryHead>
      {chosen && (
        <>
          <Word label="name" value={entry.name} onSet={(v) => renameSurface(store, entry, v)} />
          {entry.shape.kind !== GROUND && (
            <Triple label="place [m]" value={entry.place ?? [0, 0, 0]} onSet={(v) => set("place", v)} />
          )}
          <ShapeFields entry={entry} onSet={set} />
          <Riders store={store} name={entry.name} />
          <Field label="friction">
            <Numeric label="friction" value={entry.friction ?? 0.9} onSet={(v) => set("friction", v)} />
          </Field>
          <Field label="bounce">
            <Numeric label="bounce" value={entry.bounce ?? 0.1} onSet={(v) => set("bounce", v)} />
          </Field>
        </>
      )}
    </div>
  );
}
