import type { Player } from "../time/player.ts";

/** How fast it is played. */
export function Speed({ player }: { player: Player }) {
  return (
    <select
      aria-label="speed"
      title="speed"
      value={player.speed.value}
      onChange={(e) => {
        player.speed.value = Number(e.currentTarget.value);
      }}
    >
      {[0.1, 0.25, 0.5, 1, 2].map((s) => (
        <option value={s}>{s}×</option>
      ))}
    </select>
  );
}
