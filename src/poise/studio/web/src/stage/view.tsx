// The stage in the studio: the result solid, the reference as wire, overlays, handles to grab;
// at the player's frame.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as THREE from "three";
import { FacePoints } from "../pose/face_drag.ts";
import { together, tool, trailed } from "../pose/posing.ts";
import { Tools } from "../pose/tools.tsx";
import type { Bench } from "../shell/actions.ts";
import { asSeen, seenThrough, through } from "../shots.ts";
import type { Store } from "../store.ts";
import { bodyShapes } from "./body_shapes.ts";
import { BoneLines } from "./bone_lines.ts";
import { around, bounds } from "./bounds.ts";
import { along, Cameras, camera, facing, middle, wayOf } from "./cameras.tsx";
import { CarriedView } from "./carried.ts";
import { Companions } from "./companions.ts";
import { Drag } from "./drag.ts";
import { Figure, sample } from "./figure.ts";
import { FlightArc } from "./flight_arc.ts";
import { Ghosts, ghostFrames } from "./ghosts.ts";
import { Gizmo, orbited, seenFrom } from "./gizmo.tsx";
import type { Place } from "./handle.ts";
import { handlesOf, uncovered } from "./handles.ts";
import { Labels } from "./labels.ts";
import { Legend } from "./legend.tsx";
import { localRoot } from "./local_root.ts";
import { Marks } from "./marks.ts";
import { Overlays } from "./overlays.ts";
import { pointers } from "./pointers.ts";
import { differs, Poses, STRIDE } from "./poses.ts";
import { PropMesh } from "./prop_mesh.ts";
import { type Cast, reachOf, surroundingsOf } from "./reach.ts";
import { sign } from "./signs.ts";
import { SoftMesh } from "./soft_mesh.ts";
import { Stage } from "./stage.ts";
import { worldHandles } from "./surface_handles.ts";
import { SurfaceNames } from "./surface_names.ts";
import { SolidMesh, solidsOf, worldSolids } from "./surfaces.ts";

export interface ViewHandle {
  frame: () => void;
  cancel: () => boolean;
  camera: () => { azimuth: number; elevation: number };
  /** Turn the camera about what it looks at [rad], and come closer by a factor. */
  orbit: (right: number, up: number) => void;
  closer: (by: number) => void;
}

const WIRE = "#3f7fe0";
/** All of a longer motion would be too small to be seen. */
const LONG = 600;

export function View({ store, bench }: { store: Store; bench: Bench & { view: ViewHandle } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => set(canvas.current!, store, bench), [store]);
  const { state, standing } = store.shown.value;
  // What cannot be made is seen as it was last: grey, so that nobody takes it for what it is not.
  const past = (state === "failed" || state === "stale") && standing.shown !== standing.revision;
  return (
    <div class="stage" data-part="stage" data-past={past || undefined}>
      <canvas
        ref={canvas}
        tabIndex={0}
        aria-label="stage: drag to orbit, wheel to zoom, drag a body or a handle to move it"
      />
      <Tools store={store} />
      {store.figure.value && <Cameras store={store} />}
      {store.figure.value && <Gizmo />}
      <Legend shown={bench.shown.value} keyed={store.reference.value !== undefined} />
      {store.state.value && !store.layers.value.length && (
        <p class="empty">The stage is empty. Drop a motion here, or choose File → New project.</p>
      )}
    </div>
  );
}

/** Puts everything on the stage; returns how to clear it. */
function set(canvas: HTMLCanvasElement, store: Store, bench: Bench & { view: ViewHandle }): () => void {
  const stage = new Stage(canvas);
  stage.awaited = () => store.connection.awaits;
  if (!store.looks.peek()) stage.warm(sample());
  const overlays = new Overlays();
  const ghosts = new Ghosts();
  const marks = new Marks(stage);
  const carried = new CarriedView();
  const names = new SurfaceNames(stage, carried);
  const labels = new Labels(stage, marks, () => ghosts.dated);
  const drag = new Drag(store, stage, marks);
  const arc = new FlightArc();
  const others = new Companions(store, () => stage.moved());
  stage.scene.add(overlays.group, ghosts.group, marks.group, carried.group, arc.group, others.group);
  stage.onDraw(() => seenFrom(stage.camera));
  stage.onDraw(() => {
    overlays.sized((place) => stage.perPixel(place));
    carried.sized((place) => stage.perPixel(place));
  });
  const anchor = new THREE.Sprite(
    new THREE.SpriteMaterial({ map: sign("anchor", "#c0392b"), depthTest: false, transparent: true }),
  );
  anchor.renderOrder = 6;
  anchor.visible = false;
  stage.scene.add(anchor);
  stage.onDraw(() => anchor.scale.setScalar(24 * stage.perPixel(anchor.position)));
  let cast: Cast | undefined;
  let worn: SoftMesh[] = [];
  let props: PropMesh[] = [];
  let inTheWay: SolidMesh[] = [];
  let framed = false;
  let posed: unknown[] = [];
  let followed: THREE.Vector3 | undefined;
  /** Whether somebody has moved the camera: then it stays where they want it. */
  let wanted = false;
  let fitted = 0;
  let here = new THREE.Box3();
  /** Whether a body was picked after anything was selected. */
  let picked = false;
  const size = signal(1.7);
  const hovered = signal(-1);
  const surroundings = computed(() => surroundingsOf(store, size.value));
  const layers = computed(() =>
    uncovered(store.layers.value, store.cards.value, String(store.state.value?.document["output"] ?? "")),
  );
  const handles = computed(() =>
    tool.value === "pose"
      ? store.posing.handles(store.body.value, size.value)
      : [
          ...handlesOf(layers.value, store.cards.value, surroundings.value, store.plants.value),
          ...(bench.shown.value.world ? worldHandles(store) : []),
        ],
  );
  const standing = computed(() => [...solidsOf(layers.value), ...worldSolids(store)]);
  const keys = computed(() => bench.lanes.value.flatMap((lane) => lane.keys.map((key) => key.frame)));

  /** All of a motion, or of a long one who is there now; with the camera going along, who goes. */
  const frameAll = () => {
    const result = store.result.peek();
    if (!result || !cast) return;
    const frame = Math.round(store.player.frame.peek());
    const all = result.frames <= LONG && !along.peek();
    stage.frame(all ? bounds(result, cast.shapes) : around(result, 0, frame, 0.6 * size.value));
    fitted = result.frames;
    wanted = false;
  };
  stage.controls.addEventListener("start", () => {
    wanted = true;
  });
  stage.lens.left = () => {
    camera.value = "free";
    through.value = "";
  };
  asSeen.now = () => {
    const { eye, target, fov } = stage.lens.stands();
    const [e, t] = [eye, target].map((v) => v.toArray().map((x) => Number(x.toFixed(4)))) as Place[];
    const lift = store.lift.peek();
    const low = (p: Place): Place => [p[0], p[1], Number((p[2] - lift).toFixed(4))];
    return { eye: low(e!), target: low(t!), fov: Number(fov.toFixed(3)) };
  };

  const stops = [
    effect(() => stage.theme(bench.theme.value)),
    effect(() => {
      const view = camera.value;
      const result = store.result.peek();
      if (view === "free") stage.lens.look(undefined);
      else if (result) stage.lens.look(wayOf(view, facing(result, store.figure.peek(), size.peek())));
      stage.draw();
    }),
    effect(() => {
      if (through.value) camera.value = "free";
    }),
    effect(() => {
      store.handles.value = handles.value;
    }),
    effect(() => {
      void store.selected.value;
      picked = false;
    }),
    effect(() => {
      picked = store.body.value >= 0;
    }),
    effect(() => {
      const looks = store.looks.value;
      if (cast) {
        stage.scene.remove(cast.solid.mesh, cast.outline.mesh, cast.bones.group);
        for (const part of [cast.solid, cast.outline, cast.bones]) part.dispose();
      }
      ghosts.figure(undefined);
      localRoot.value = -1;
      together.value = new Set();
      cast = undefined;
      if (!looks) return;
      const shapes = bodyShapes(looks);
      const count = looks.bodies.length * STRIDE;
      cast = {
        solid: new Figure(looks),
        outline: new Figure(looks, "outline", WIRE),
        bones: new BoneLines(looks, shapes, WIRE),
        shapes,
        face: looks.morphs.length ? new FacePoints(looks) : undefined,
        now: new Float32Array(count),
        below: new Float32Array(count),
      };
      ghosts.figure(looks, shapes);
      void looks.dressed.then(() => stage.draw());
      framed = false;
      followed = undefined;
      stage.scene.add(cast.solid.mesh, cast.outline.mesh, cast.bones.group);
    }),
    effect(() => {
      for (const old of worn) {
        stage.scene.remove(old.mesh);
        old.dispose();
      }
      worn = store.soft.value.map((soft) => new SoftMesh(soft));
      for (const mesh of worn) stage.scene.add(mesh.mesh);
    }),
    effect(() => {
      for (const old of props) {
        stage.scene.remove(old.mesh);
        old.dispose();
      }
      props = store.props.value.map((prop) => new PropMesh(prop));
      for (const prop of props) stage.scene.add(prop.mesh);
    }),
    effect(() => {
      for (const old of inTheWay) {
        stage.scene.remove(old.mesh);
        old.dispose();
      }
      inTheWay = standing.value.map((solid) => new SolidMesh(solid));
      for (const solid of inTheWay) stage.scene.add(solid.mesh);
    }),
    effect(() => {
      arc.set(store.posing.flight.value?.flight);
      stage.draw();
    }),
    effect(() => {
      // A motion that has become another one is seen as a whole, as long as nobody chose what to look at.
      const made = store.solved.value;
      const result = store.result.peek();
      if (!made || made.live || wanted || !framed || drag.active || !result || through.peek()) return;
      if (result.frames !== fitted || !stage.sees(here)) frameAll();
    }),
    effect(() => {
      // The trail is that of what is posed, as its keys are.
      const seen = tool.value === "pose" ? (store.posed.value ?? store.result.value) : store.result.value;
      overlays.paths(store.physics.value, seen, store.body.value);
    }),
    effect(() => {
      trailed.value = bench.shown.value.trails;
    }),
    effect(() => {
      // What the document has is drawn from there, at once.
      carried.set(store.carried.value, new Set(standing.value.map((s) => s.entry.name)));
      stage.moved();
    }),
    effect(() => {
      const frame = store.player.frame.value;
      const posing = tool.value === "pose";
      // What is posed is drawn solid then, and the final motion beside it.
      const trial = store.trial.value;
      const swapped = !posing && trial?.swapped && trial.before ? trial.before : undefined;
      const result = posing ? (store.posed.value ?? store.result.value) : (swapped ?? store.result.value);
      const pending = store.posing.pending.value;
      const shown = bench.shown.value;
      // While a fix is tried, what was there before is what it is compared with.
      const reference = posing || swapped ? store.result.value : (trial?.before ?? store.reference.value);
      void [store.soft.value, store.props.value, store.looks.value, standing.value];
      overlays.group.visible = ghosts.group.visible = cast !== undefined && result !== undefined;
      carried.group.visible = overlays.group.visible;
      if (!cast || !result) {
        anchor.visible = false;
        marks.update([], 0, 0, new Set(), 0);
        stage.moved();
        return;
      }
      if (!framed) {
        const first = bounds(result, cast.shapes, 0);
        size.value = Math.max(...first.getSize(new THREE.Vector3()).toArray());
        stage.suit(size.value);
        stage.frame(
          result.frames > LONG ? around(result, 0, 0, 0.6 * size.value) : bounds(result, cast.shapes),
          new THREE.Vector3(0.55, -0.85, 0.3),
        );
        framed = true;
        fitted = result.frames;
        wanted = false;
      }
      // Chosen, hovered, edited: all that is drawn again, but nothing has moved.
      const now = [frame, result, reference, pending, store.soft.value, store.props.value];
      if (now.some((part, k) => part !== posed[k])) stage.moved();
      posed = now;
      result.sample(frame, cast.now);
      if (pending && pending.frame === Math.round(frame) && pending.places.length === cast.now.length)
        cast.now.set(pending.places);
      const eye = seenThrough(store, frame / store.fps.value);
      stage.lens.through(eye);
      const goes = along.value && !eye;
      followed = goAlong(stage, followed, goes ? middle(result, frame, store.fps.value) : undefined);
      cast.solid.pose(cast.now, result.morphs(frame));
      cast.solid.highlight(store.body.value, hovered.value);
      for (const mesh of worn) mesh.at(frame, cast.now);
      for (const prop of props) prop.at(frame);
      for (const solid of inTheWay) solid.at(frame / store.fps.value, store.lift.value, shown.world);
      const box = bounds(new Poses(cast.now, 1, result.bodies), cast.shapes);
      here = box.clone();
      others.at(frame);
      others.within(box);
      for (const { mesh } of [...worn, ...props]) if (mesh.visible) box.expandByObject(mesh);
      stage.casting(box);
      anchor.visible = localRoot.value >= 0 && localRoot.value < result.bodies;
      if (anchor.visible) anchor.position.fromArray(cast.now, localRoot.value * STRIDE);
      const wire = reference !== undefined && reference.bodies === result.bodies && shown.wire;
      // What is the same needs no second drawing of it.
      const apart = wire && differs(cast.now, reference.sample(frame, cast.below), 1e-3 * size.value);
      cast.outline.mesh.visible = cast.bones.group.visible = apart;
      if (apart) {
        cast.outline.pose(cast.below, reference.morphs(frame));
        cast.bones.pose(cast.below);
      }
      overlays.at(frame, store.physics.value, result, shown, store.body.value);
      void store.carried.value;
      // Forces are those of the motion made in full: a draft has none yet.
      carried.at(frame, store.lift.value, { ...shown, forces: shown.forces && !store.solved.value?.live });
      ghosts.at(
        Math.round(frame),
        shown.ghosts ? ghostFrames(frame, result.frames, shown.keyed ? keys.value : []) : [],
        result,
        shown.wire ? reference : undefined,
        1e-3 * size.value,
      );
      if (!drag.handle.value)
        marks.update(
          handles.value,
          frame / store.fps.value,
          store.lift.value,
          store.selected.value,
          0.5 / store.fps.value,
        );
      stage.draw();
    }),
    pointers(
      stage,
      drag,
      store,
      labels,
      reachOf(
        store,
        stage,
        marks,
        bench,
        () => cast,
        () => worn,
        () => surroundings.value,
        hovered,
        () => picked,
      ),
    ),
  ];
  bench.view.frame = () => {
    const result = store.result.value;
    if (result && cast && store.body.value >= 0)
      stage.frame(around(result, store.body.value, store.player.frame.value, 0.2 * size.value));
    else frameAll();
  };
  bench.view.orbit = (right, up) => {
    const { camera: own, controls } = stage;
    own.position.copy(orbited(own, controls.target, right, up, controls.maxPolarAngle));
    controls.update();
    wanted = true;
    stage.draw();
  };
  bench.view.closer = (by) => {
    const { camera: own, controls } = stage;
    own.position.sub(controls.target).divideScalar(by).add(controls.target);
    controls.update();
    wanted = true;
    stage.draw();
  };
  bench.view.cancel = () => drag.cancel();
  bench.view.camera = () => {
    const away = stage.camera.position.clone().sub(stage.controls.target);
    const degrees = (angle: number) => Number(((180 * angle) / Math.PI).toFixed(2));
    return {
      azimuth: degrees(Math.atan2(away.y, away.x)),
      elevation: degrees(Math.asin(away.z / away.length())),
    };
  };
  // For tests of the page, which must not depend on pixels.
  (window as unknown as { stage: Stage }).stage = stage;
  return () => {
    for (const stop of stops) stop();
    labels.dispose();
    names.dispose();
    carried.dispose();
    arc.dispose();
    others.dispose();
    stage.dispose();
  };
}

/** The camera goes along from where somebody was; beginning to, it turns to where they are. */
function goAlong(
  stage: Stage,
  from: THREE.Vector3 | undefined,
  to: THREE.Vector3 | undefined,
): THREE.Vector3 | undefined {
  if (!to) return undefined;
  const by = to
    .clone()
    .sub(from ?? stage.controls.target)
    .setZ(0);
  if (by.lengthSq() > 1e-16) stage.shift(by);
  return to;
}
