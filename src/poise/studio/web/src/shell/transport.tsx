// The transport bar: playing both ways, stepping by frames and keys, looping, speed, the frame as a number.
import type { ReadonlySignal } from "@preact/signals";
import { Typed } from "../panels/typed.tsx";
import { type Lane, neighbour } from "../time/lane.ts";
import type { Player } from "../time/player.ts";
import { audible, heard } from "./hearing.ts";
import { Speed } from "./speed.tsx";

export function Transport({
  player,
  lanes,
  mode,
  onInsert,
  onShowAll,
}: {
  player: Player;
  lanes: ReadonlySignal<Lane[]>;
  mode: { value: "dope" | "graph" };
  onInsert: () => void;
  onShowAll: () => void;
}) {
  const key = (direction: 1 | -1) => {
    const frame = neighbour(lanes.value, player.frame.value, direction);
    if (frame !== undefined) {
      player.playing.value = false;
      player.seek(frame);
    }
  };
  const playing = player.playing.value;
  const forward = player.direction.value > 0;
  return (
    <div class="transport" data-part="transport">
      <Button title="first frame (Home)" onClick={() => player.seek(player.range.value[0])}>
        |◀
      </Button>
      <Button title="previous key (↓)" onClick={() => key(-1)}>
        ◀◆
      </Button>
      <Button title="previous frame (←)" onClick={() => player.step(-1)}>
        ◂
      </Button>
      <Button title="play backwards" pressed={playing && !forward} onClick={() => player.toggle(-1)}>
        ◀
      </Button>
      <Button title="play (Space)" pressed={playing && forward} onClick={() => player.toggle(1)}>
        {playing && forward ? "❚❚" : "▶"}
      </Button>
      <Button title="next frame (→)" onClick={() => player.step(1)}>
        ▸
      </Button>
      <Button title="next key (↑)" onClick={() => key(1)}>
        ◆▶
      </Button>
      <Button title="last frame (End)" onClick={() => player.seek(player.range.value[1])}>
        ▶|
      </Button>
      <Button
        title="loop"
        pressed={player.looping.value}
        onClick={() => {
          player.looping.value = !player.looping.value;
        }}
      >
        ↻
      </Button>
      {heard.value && (
        <Button
          title={`sound: ${heard.value.file}`}
          pressed={audible.value}
          onClick={() => {
            audible.value = !audible.value;
          }}
        >
          ♪
        </Button>
      )}
      <Speed player={player} />
      {/* biome-ignore lint/a11y/noLabelWithoutControl: its field is among the children. */}
      <label>
        frame{" "}
        <Typed
          class="number"
          type="number"
          aria-label="frame"
          min={0}
          max={player.frames.value - 1}
          shown={Math.round(player.frame.value)}
          finish={(text) => text && player.seek(Number(text))}
        />{" "}
        / {player.frames.value - 1}
      </label>
      <output>
        {player.time.value.toFixed(3)} s · {Number(player.fps.value.toFixed(3))} fps
      </output>
      <Button title="insert a key in the selected lane" onClick={onInsert}>
        +◆
      </Button>
      <span class="grow" />
      <Button title="show the whole time line (Shift+F)" onClick={onShowAll}>
        ⇤⇥
      </Button>
      <div class="tabs" role="tablist">
        {(["dope", "graph"] as const).map((m) => (
          <button
            role="tab"
            aria-selected={mode.value === m}
            onClick={() => {
              mode.value = m;
            }}
          >
            {m === "dope" ? "Dope sheet" : "Graph"}
          </button>
        ))}
      </div>
    </div>
  );
}

function Button({
  title,
  pressed,
  onClick,
  children,
}: {
  title: string;
  pressed?: boolean;
  onClick: () => void;
  children: string;
}) {
  return (
    <button title={title} aria-label={title.replace(/ \(.*/, "")} aria-pressed={pressed} onClick={onClick}>
      {children}
    </button>
  );
}
