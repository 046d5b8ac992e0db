// A surface's sizes and turn by numbers, whatever kind it is.
import { GROUND, type Surface } from "../layer.ts";
import { barOf, cylinderOf, groundOf, halfOf, radiusOf, stairsOf } from "../stage/surfaces.ts";
import { Field, Numeric, Triple } from "./fields.tsx";

type Set = (path: string, value: unknown) => void;

const degrees = (turn: readonly number[], by: number) => turn.map((v) => Number((v * by).toFixed(6)));

export function ShapeFields({ entry, onSet }: { entry: Surface; onSet: Set }) {
  const { shape } = entry;
  const turns = !["ball", GROUND].includes(shape.kind);
  return (
    <>
      <Sizes shape={shape} onSet={onSet} />
      {turns && (
        <Triple
          label="turned [°]"
          digits={1}
          value={degrees(entry.turn ?? [0, 0, 0], 180 / Math.PI)}
          onSet={(v) => onSet("turn", degrees(v, Math.PI / 180))}
        />
      )}
    </>
  );
}

function Sizes({ shape, onSet }: { shape: Surface["shape"]; onSet: Set }) {
  const one = (label: string, name: string, value: number, unit = "m") => (
    <Field label={label}>
      <Numeric label={label} value={value} onSet={(v) => onSet(`shape/${name}`, v)} />
      <small>{unit}</small>
    </Field>
  );
  switch (shape.kind) {
    case "box":
      return (
        <Triple
          label="edges [m]"
          value={halfOf(shape).map((v) => 2 * v)}
          onSet={(v) =>
            onSet(
              "shape/half",
              v.map((e) => e / 2),
            )
          }
        />
      );
    case "ball":
      return one("radius", "radius", radiusOf(shape));
    case "bar": {
      const [long, radius] = barOf(shape);
      return (
        <>
          {one("length", "length", long)}
          {one("radius", "radius", radius)}
        </>
      );
    }
    case "cylinder": {
      const [radius, height] = cylinderOf(shape);
      return (
        <>
          {one("radius", "radius", radius)}
          {one("height", "height", height)}
        </>
      );
    }
    case "stairs": {
      const [steps, rise, run, width] = stairsOf(shape);
      return (
        <>
          {one("steps", "steps", steps, "")}
          {one("rise", "rise", rise)}
          {one("run", "run", run)}
          {one("width", "width", width)}
        </>
      );
    }
    case GROUND: {
      const { height, slope } = groundOf(shape);
      const tilt = (k: number) => (v: number) =>
        onSet(
          "shape/slope",
          slope.map((s, i) => (i === k ? v / 100 : s)),
        );
      return (
        <>
          {one("height", "height", height)}
          {(["x", "y"] as const).map((axis, k) => (
            <Field label={`slope along ${axis}`}>
              <Numeric label={`slope along ${axis}`} value={100 * slope[k]!} onSet={tilt(k)} digits={1} />
              <small>%</small>
            </Field>
          ))}
        </>
      );
    }
    default:
      return <p class="hint">A {shape.kind}: its shape is edited in a file.</p>;
  }
}
