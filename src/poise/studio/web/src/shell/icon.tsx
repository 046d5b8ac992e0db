// The few signs that fonts do not all have.
const PATHS = {
  copy: "M5 5h8v8H5z M3 11V3h8",
  rename: "M3 13l1-3 7-7 2 2-7 7z M10 4l2 2",
  remove: "M4 4l8 8M12 4l-8 8",
  up: "M8 13V4M4 8l4-4 4 4",
  down: "M8 3v9M4 8l4 4 4-4",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg
      class="icon"
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linejoin="round"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
