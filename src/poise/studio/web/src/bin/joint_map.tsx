// Which joint becomes which, before a motion is given to another figure: what was found by name or role, and
// what has no counterpart, to be said by hand.
import { useState } from "preact/hooks";
import type { Pairing } from "../messages.ts";
import { Window } from "../shell/window.tsx";
import type { Store } from "../store.ts";
import { addStrip, pending, propose, retarget } from "./assets.ts";

const counted = ({ pairs, left }: Pairing): string =>
  `${pairs.length} of ${pairs.length + left.length} joints`;

export function JointMap({ store }: { store: Store }) {
  const [map, setMap] = useState<Record<string, string>>({});
  const now = pending.value;
  if (!now) return null;
  const { clip, pairing } = now;
  const close = () => {
    pending.value = undefined;
    setMap({});
  };
  const say = (source: string, target: string) => {
    const next = { ...map };
    if (target) next[source] = target;
    else delete next[source];
    setMap(next);
    void propose(store, clip, next);
  };
  const byRole = pairing.pairs.filter((p) => p.how === "role").length;
  const targets = [...pairing.free, ...pairing.pairs.map((p) => p.target)];
  return (
    <Window title={`${clip} onto ${pairing.target}`} onClose={close}>
      {pairing.problem ? (
        <p class="hint wrong">{pairing.problem}</p>
      ) : (
        <p>
          {counted(pairing)} of {pairing.source} have a counterpart
          {byRole ? `, ${byRole} of them by role, not by name` : ""}. Feet stay where they stand.
        </p>
      )}
      <div class="joint-map">
        <table>
          <thead>
            <tr>
              <th>{pairing.source}</th>
              <th>{pairing.target}</th>
              <th>found by</th>
            </tr>
          </thead>
          <tbody>
            {pairing.pairs.map((p) => (
              <tr key={p.source}>
                <td>{p.source}</td>
                <td>
                  <select
                    aria-label={`counterpart of ${p.source}`}
                    value={p.target}
                    onChange={(e) => say(p.source, e.currentTarget.value)}
                  >
                    {targets.map((t) => (
                      <option value={t}>{t}</option>
                    ))}
                  </select>
                </td>
                <td>{p.how === "said" ? "you" : p.how}</td>
              </tr>
            ))}
            {pairing.left.map((name) => (
              <tr key={name} class="left-out">
                <td>{name}</td>
                <td>
                  <select
                    aria-label={`counterpart of ${name}`}
                    value=""
                    onChange={(e) => say(name, e.currentTarget.value)}
                  >
                    <option value="">none</option>
                    {pairing.free.map((t) => (
                      <option value={t}>{t}</option>
                    ))}
                  </select>
                </td>
                <td>–</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pairing.free.length > 0 && (
        <p class="hint">
          {pairing.free.length} joints of {pairing.target} stay as they are:{" "}
          {pairing.free.slice(0, 8).join(", ")}
          {pairing.free.length > 8 ? " …" : ""}
        </p>
      )}
      <div class="buttons">
        <button
          class="first"
          disabled={!!pairing.problem}
          title="a separate take: the clip, retargeted to this figure"
          onClick={() => {
            retarget(store, clip, pairing, map);
            close();
          }}
        >
          Retarget
        </button>
        <button
          disabled={!!pairing.problem}
          title="add as a strip on the track, retargeted"
          onClick={() => {
            addStrip(store, clip);
            close();
          }}
        >
          To the track
        </button>
        <button onClick={close}>Keep it in the bin only</button>
      </div>
    </Window>
  );
}
