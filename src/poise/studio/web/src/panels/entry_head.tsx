import type { ComponentChildren } from "preact";
import { Icon } from "../shell/icon.tsx";

interface Props {
  /** What the buttons are said to be for. */
  what: string;
  /** Its name, which selects it. */
  children: ComponentChildren;
  muted?: boolean;
  /** What muting means. */
  muting?: string;
  onMute?: () => void;
  onCopy?: () => void;
  onDelete: () => void;
}

/** The first line of an entry in a list: its name, and what can be done to it as a whole. */
export function EntryHead({ what, children, muted, muting = "mute", onMute, onCopy, onDelete }: Props) {
  return (
    <div class="entry-head">
      {children}
      {onMute && (
        <button
          class="small"
          aria-pressed={muted === true}
          title={muting}
          aria-label={`mute ${what}`}
          onClick={onMute}
        >
          M
        </button>
      )}
      {onCopy && (
        <button class="small" title="copy" aria-label={`copy ${what}`} onClick={onCopy}>
          <Icon name="copy" />
        </button>
      )}
      <button class="small" title="delete" aria-label={`delete ${what}`} onClick={onDelete}>
        <Icon name="remove" />
      </button>
    </div>
  );
}
