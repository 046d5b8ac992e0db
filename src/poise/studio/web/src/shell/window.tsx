// A window over the screen: it has the focus until it is closed.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Window({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current?.querySelector<HTMLElement>("input") ?? box.current)?.focus(), []);
  return (
    <div class="veil" onPointerDown={(e) => e.target === e.currentTarget && onClose()}>
      <div
        class="window"
        role="dialog"
        aria-modal="true"
        aria-label={title}
        tabIndex={-1}
        ref={box}
        onKeyDown={(e) => e.key === "Tab" && within(e, box.current!)}
      >
        <h2>{title}</h2>
        {children}
      </div>
    </div>
  );
}

/** Tab goes round within the window. */
function within(event: KeyboardEvent, box: HTMLElement): void {
  const all = [...box.querySelectorAll<HTMLElement>("input, button:not(:disabled), select")];
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return;
  if (event.shiftKey && (document.activeElement === first || document.activeElement === box)) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && document.activeElement === last) {
    event.preventDefault();
    first.focus();
  }
}
