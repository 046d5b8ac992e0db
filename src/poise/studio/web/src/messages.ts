// Generated from Python by `python -m poise.studio.server.typescript`; do not edit.

/** The first that a tab says on every socket: which edits it has sent and does not know the fate of. */
export interface Hello {
  say: "hello";
  number?: number;
  waiting?: string[];
}

/** Apply a command of the project. ``live``: while something is dragged; a quick answer will do. */
export interface Do {
  say: "do";
  number?: number;
  command: Record<string, unknown>;
  live?: boolean;
  edit?: string;
}

/** The drag is over: one step of undo, and the full solution. */
export interface Seal {
  say: "seal";
  number?: number;
}

/** One step back; with a ``gesture``, as if that had never begun, if it is the last that was done. */
export interface Undo {
  say: "undo";
  number?: number;
  gesture?: string;
}

/** One step forward again. */
export interface Redo {
  say: "redo";
  number?: number;
}

/** Write the project, to ``path`` within the workspace if one is given. */
export interface Save {
  say: "save";
  number?: number;
  path?: string;
  force?: boolean;
}

/** Go on with another project or clip of the workspace. */
export interface Open {
  say: "open";
  number?: number;
  path: string;
}

/** Bake to a file of the workspace, its extension the format; over one that exists only with ``force``. */
export interface Export {
  say: "export";
  number?: number;
  path: string;
  options?: Record<string, unknown>;
  force?: boolean;
}

/** Take in, or throw away, what a crash kept from being saved. */
export interface Recover {
  say: "recover";
  number?: number;
  keep: boolean;
}

/** Take a point of a pose, to be pulled about with all of the body; no point: somebody is about to. */
export interface Grab {
  say: "grab";
  number?: number;
  session?: number;
  q?: number[];
  point?: string;
  pins?: string[];
  root?: string;
  balanced?: boolean;
}

/** Pull it to a place [m]; ``final``: it is let go there. */
export interface Pull {
  say: "pull";
  number?: number;
  session: number;
  seq: number;
  place: [number, number, number];
  final?: boolean;
}

/** The frame that is looked at: of long motions what is about it is made first. */
export interface Look {
  say: "look";
  number?: number;
  frame: number;
}

/** Stop what is being computed. */
export interface Cancel {
  say: "cancel";
  number?: number;
}

/** A question that changes nothing; those of ``ANSWERS``. */
export interface Ask {
  say: "ask";
  number?: number;
  question: string;
  about?: Record<string, unknown>;
}

/** The document as it is now. */
export interface State {
  told: "state";
  revision: number;
  document: Record<string, unknown>;
  undoable: number;
  redoable: number;
  modified: boolean;
  path: string;
  recovery?: string;
  number?: number;
  project?: number;
}

/** To a tab that said hello. */
export interface Welcome {
  told: "welcome";
  session: string;
  done?: number[];
  number?: number;
}

/** How the motion on the stage stands to the document: at every change, and each second while somebody is */
export interface Status {
  told: "status";
  standing: Standing;
}

/** What is seen, what was asked for, and what is done about it. */
export interface Standing {
  state?: "compiling" | "draft" | "exact" | "failed" | "partial" | "solving" | "stale" | "stopped";
  revision?: number;
  shown?: number;
  part?: number;
  layer?: string;
  why?: string;
  quiet?: number;
  kernels?: [number, number];
  seconds?: number;
  bypassed?: Record<string, string>;
  checks?: Checks;
  window?: [number, number];
}

/** Everything that layers were asked for, measured on the final motion. */
export interface Checks {
  asked?: number;
  met?: number;
  unsure?: number;
  missed?: Missed[];
}

/** Something that a layer was asked for and that is not so on the motion that is seen. */
export interface Missed {
  layer: string;
  name: string;
  error: number;
  unit: string;
  tolerance: number;
  time: number;
  broken_by?: string;
  reason?: string;
}

/** It is held. */
export interface Grabbed {
  told: "grabbed";
  session: number;
  number?: number;
}

/** Work goes on; ``part`` 1 says that it is over. */
export interface Progress {
  told: "progress";
  what: string;
  part: number;
  kernels?: [number, number];
}

/** A revision's motion has been sent, with what its layers report. */
export interface Solved {
  told: "solved";
  revision: number;
  live: boolean;
  seconds: number;
  met: boolean;
  reports: Record<string, unknown>;
  notices?: string[];
  carried?: string[];
  failures?: Record<string, string>;
  checks?: Checks;
  window?: [number, number];
  number?: number;
}

/** These frames of a revision have been made and sent, before the others. */
export interface Window {
  told: "window";
  revision: number;
  first: number;
  last: number;
}

/** Something could not be done; in words, with the layer it is about if known. */
export interface Problem {
  told: "problem";
  text: string;
  layer?: string;
  number?: number;
}

/** Something was done: ``event`` says what to programs, ``text`` to people. */
export interface Notice {
  told: "notice";
  event: "aside" | "idle" | "restarted" | "saved" | "stopped";
  text: string;
  path?: string;
  number?: number;
}

/** To a question. */
export interface Answer {
  told: "answer";
  question: string;
  value: unknown;
  number?: number;
}

/** Who is on the stage; arrays as in ``looks.py``. */
export interface FigurePacket {
  kind: "figure";
  name: string;
  bodies: BodyName[];
  morphs: string[];
  points: string[];
  places: PointPlace[];
  joints?: JointFact[];
  groups?: MaterialGroup[];
}

/** A body and its parent's number (-1: none). */
export interface BodyName {
  name: string;
  parent: number;
}

/** A named point in the frame of its body [m]. */
export interface PointPlace {
  name: string;
  body: number;
  position: [number, number, number];
}

/** How a body hangs on its parent: enough to pose it without asking anybody. */
export interface JointFact {
  kind: string;
  start: number;
  size: number;
  axis: [number, number, number];
  offset: [number, number, number];
  rest: [number, number, number, number];
  lower: (number | null)[];
  upper: (number | null)[];
  mass: number;
  centre: [number, number, number];
  limb: string;
  side: string;
}

/** A stretch of triangles and their material. */
export interface MaterialGroup {
  start: number;
  count: number;
  image: number;
  roughness: number;
  metalness: number;
  both: boolean;
  cut: boolean;
}

/** Where the body went as a point of it was pulled: array ``poses`` (1, bodies, 7), not lifted. */
export interface PulledPacket {
  kind: "pulled";
  session: number;
  seq: number;
  q: number[];
  com: [number, number, number];
  off: number;
  final?: boolean;
  number?: number;
}

/** Places of all bodies, array ``poses`` (frames, bodies, 7), and weights of the skin's morph targets, */
export interface PosesPacket {
  kind: "poses";
  role: string;
  revision: number;
  first: number;
  total: number;
  fps: number;
  loop: boolean;
  lift: number;
}

/** Per frame: ``com`` (F, 3), ``momentum`` (F, 3), ``spin`` (F, 3), ``inertia`` (F, 3, 3). */
export interface PhysicsPacket {
  kind: "physics";
  revision: number;
  first?: number;
  total?: number;
  mass: number;
  support: [number, number][][];
}

/** Something soft on a bone: ``index`` (T · 3), ``shape`` (F, N, 3) in the frame of ``body`` [m]; and what */
export interface SoftPacket {
  kind: "soft";
  name: string;
  body: number;
  colour: [number, number, number];
  number: number;
  count: number;
  layer?: string;
}

/** Something else in the scene: a solid, with array ``places`` (F, 7), not numbers while it is away. */
export interface PropPacket {
  kind: "prop";
  name: string;
  solid: string;
  size: [number, number, number];
  number: number;
  count: number;
}

/** Start with an unchanged clip. */
export interface LoadLayer {
  do: "load";
  clip: string;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Play clips one after another: trimmed, retimed, looped, mirrored, blended, with feet kept planted. */
export interface AssembleLayer {
  do: "assemble";
  strips: Strip[];
  feet?: boolean;
  onto?: string | null;
  fps?: number | string | null;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** A clip on the track. */
export interface Strip {
  clip: string;
  at?: number | null;
  trim?: [number, number] | null;
  speed?: number;
  loop?: number;
  mirror?: boolean;
  blend?: number | null;
  place?: "as filmed" | "goes on";
}

/** Turn key-frames into motion: poses, pins, centre-of-mass path, inertia, spins. */
export interface KeyLayer {
  do: "key";
  keyframes: Record<string, unknown> | string;
  retime?: boolean;
  fps?: number | string | null;
  start?: number | null;
  end?: number | null;
  grounded?: boolean;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Plan a motion from a template for any body, or of least effort through a few partial key-frames. */
export interface PlanLayer {
  do: "plan";
  modes?: number | null;
  springs?: "loose" | "standing" | "stiff" | null;
  stiffer?: Record<string, number | number[]> | null;
  rayleigh?: [number, number] | null;
  key_weight?: number | null;
  refine?: number | null;
  together?: boolean | null;
  grounded?: boolean | null;
  judge?: boolean;
  fps?: number | string | null;
  scene: string | Record<string, unknown>;
  character?: string | null;
  over?: number | null;
  high?: number | null;
  spin?: number | null;
  route?: [number, number][] | null;
  footsteps?: [number, number][] | null;
  steps?: number | null;
  speed?: number | null;
  to?: [number, number, number] | null;
  side?: "left" | "right" | null;
  seconds?: number | null;
  tempo?: number;
  world?: string | Record<string, unknown> | null;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Simulate a character that moves from key to key, or follows a motion, and stays on time. */
export interface PerformLayer {
  do: "perform";
  script?: string | Record<string, unknown> | null;
  follow?: boolean;
  character?: string | null;
  beats?: number | string | null;
  from_pose?: string | Record<string, unknown> | number[] | null;
  duration?: number | null;
  style?: "lively" | "settled" | "smooth" | "snappy" | number | number[];
  hold?: number;
  look_ahead?: number;
  recovery?: number;
  strength?: number | Record<string, number> | null;
  root?: "fixed" | "free" | "prescribed" | null;
  ground?: boolean | null;
  world?: string | Record<string, unknown> | null;
  disturbances?: (Impulse | Push | Load | Throw | ThrowAt)[];
  control?: "composite" | "full" | "local" | "manual";
  joint_limits?: boolean;
  gravity?: "off" | "on";
  step?: number;
  fps?: number | string | null;
  tolerance?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** A blow: momentum given to a point at once. */
export interface Impulse {
  kind: "impulse";
  time: number;
  point: string;
  impulse: [number, number, number];
}

/** A constant force on a point for a while. */
export interface Push {
  kind: "push";
  start: number;
  end: number;
  point: string;
  force: [number, number, number];
}

/** A weight put on a body at a time, a backpack say; it moves with the body from then on. */
export interface Load {
  kind: "load";
  time: number;
  body: string;
  mass: number;
  place?: [number, number, number];
  radius?: number;
  known?: boolean;
}

/** A ball thrown into the scene; it flies freely from its release on and collides. */
export interface Throw {
  kind: "throw";
  time: number;
  position: [number, number, number];
  velocity: [number, number, number];
  mass?: number;
  radius?: number;
  bounce?: number;
  friction?: number;
  name?: string;
}

/** A ball thrown at a point of the performer: it is where that would be at a time, were nothing thrown. */
export interface ThrowAt {
  kind: "throw at";
  time: number;
  point: string;
  velocity: [number, number, number];
  mass?: number;
  radius?: number;
  bounce?: number;
  friction?: number;
  flight?: number;
  name?: string;
}

/** Change poses and faces of a motion by hand. Changes blend from key to key and fade beyond them. */
export interface RetouchLayer {
  do: "retouch";
  edits?: PoseEdit[];
  morphs?: MorphKey[];
  mode?: "add" | "override";
  held?: HeldPoint[];
  fade?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** What joints are at a time. */
export interface PoseEdit {
  time: number;
  joints: Record<string, number[]>;
  kind?: "breakdown" | "partial" | "pose";
  ease?: "ease-in" | "ease-out" | "hold" | "linear" | "smooth" | "spline";
  arrive?: number | null;
  leave?: number | null;
  share?: number | null;
}

/** Weights of morph targets at a time. */
export interface MorphKey {
  time: number;
  weights: Record<string, number>;
  ease?: "ease-in" | "ease-out" | "hold" | "linear" | "smooth" | "spline";
}

/** A point that stays in place from one time to another. */
export interface HeldPoint {
  point: string;
  at: [number, number];
  to?: [number, number, number] | null;
  fade?: number;
  turn?: boolean;
  muted?: boolean;
}

/** Change a whole motion as little as possible to meet constraints, with feet kept planted. */
export interface AdaptLayer {
  do: "adapt";
  plants?: boolean;
  floor?: boolean | number | Record<string, number> | null;
  exact?: boolean;
  joints?: string[] | null;
  key_spacing?: number | number[] | Record<string, number | number[] | CurveKeys>;
  basis?: "bspline" | "cubic" | "linear";
  ends?: "auto" | "free" | "periodic" | "zero";
  locked?: (number | [number, number])[] | Record<string, (number | [number, number])[]>;
  smoothness?: number;
  displacements?: Displacement[] | null;
  objective?: "joints" | "length" | "mass";
  prices?: Record<string, number>;
  joint_limits?: boolean;
  iterations?: number;
  constraints?: Record<string, unknown>[];
  look?: Look[];
  known?: Record<string, number>;
  move?: PlantMove[];
  within?: [number, number] | null;
  prior?: string | number[] | null;
  prior_weight?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Keys of a curve of their own kind. */
export interface CurveKeys {
  times: number[];
  basis?: "bspline" | "cubic" | "linear";
  ends?: "free" | "periodic" | "zero";
}

/** One curve that is added; several are solved one after the other, each on top of those before. */
export interface Displacement {
  key_spacing?: number | number[] | Record<string, number | number[] | CurveKeys>;
  basis?: "bspline" | "cubic" | "linear";
  joints?: string[] | null;
  ends?: "auto" | "free" | "periodic" | "zero";
  locked?: (number | [number, number])[] | Record<string, (number | [number, number])[]>;
  pull?: number;
  smoothness?: number;
  knees?: number;
}

/** One of the places where feet stand, moved. */
export interface PlantMove {
  plant: number | string;
  by?: [number, number];
  turn?: number;
  lift?: number;
}

/** Transfer a performance to another character. Feet stand where the performer's did, scaled. */
export interface RetargetLayer {
  do: "retarget";
  plants?: boolean;
  floor?: boolean | number | Record<string, number> | null;
  exact?: boolean;
  joints?: string[] | null;
  key_spacing?: number | number[] | Record<string, number | number[] | CurveKeys>;
  basis?: "bspline" | "cubic" | "linear";
  ends?: "auto" | "free" | "periodic" | "zero";
  locked?: (number | [number, number])[] | Record<string, (number | [number, number])[]>;
  smoothness?: number;
  displacements?: Displacement[] | null;
  objective?: "joints" | "length" | "mass";
  prices?: Record<string, number>;
  joint_limits?: boolean;
  iterations?: number;
  onto: string;
  map?: Record<string, string>;
  hands?: boolean;
  grounded?: boolean;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Bend the route of a motion. Steps get longer or shorter; feet stay planted. */
export interface RerouteLayer {
  do: "reroute";
  plants?: boolean;
  floor?: boolean | number | Record<string, number> | null;
  exact?: boolean;
  joints?: string[] | null;
  key_spacing?: number | number[] | Record<string, number | number[] | CurveKeys>;
  basis?: "bspline" | "cubic" | "linear";
  ends?: "auto" | "free" | "periodic" | "zero";
  locked?: (number | [number, number])[] | Record<string, (number | [number, number])[]>;
  smoothness?: number;
  displacements?: Displacement[] | null;
  objective?: "joints" | "length" | "mass";
  prices?: Record<string, number>;
  joint_limits?: boolean;
  iterations?: number;
  turn?: number;
  route?: [number, number][] | null;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Close a motion into a seamless loop, with feet planted across the seam. */
export interface LoopLayer {
  do: "loop";
  plants?: boolean;
  floor?: boolean | number | Record<string, number> | null;
  exact?: boolean;
  joints?: string[] | null;
  key_spacing?: number | number[] | Record<string, number | number[] | CurveKeys>;
  basis?: "bspline" | "cubic" | "linear";
  ends?: "auto" | "free" | "periodic" | "zero";
  locked?: (number | [number, number])[] | Record<string, (number | [number, number])[]>;
  smoothness?: number;
  displacements?: Displacement[] | null;
  objective?: "joints" | "length" | "mass";
  prices?: Record<string, number>;
  joint_limits?: boolean;
  iterations?: number;
  search?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Add weight and follow-through: every frame is the end of a short simulation of the animation. */
export interface LoosenLayer {
  do: "loosen";
  gravity?: "compensated" | "off" | "on";
  root?: "driven" | "prescribed";
  dampers?: "reference" | "rest";
  step?: number;
  order?: 1 | 2;
  device?: "auto" | "cpu" | "cuda" | null;
  tension?: string | number | Record<string, string | number | Spring> | TensionKey[];
  window?: number | number[] | "adaptive" | "auto";
  amplitude?: number | Record<string, number> | AmplitudeKey[];
  contacts?: boolean | null;
  joint_limits?: boolean;
  passive?: boolean;
  clean?: boolean;
  world?: string | Record<string, unknown> | null;
  touching?: string;
  part?: "auto" | "body" | "face";
  firmness?: number | null;
  ratio?: number | null;
  grounded?: boolean;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** One spring: by frequency and damping ratio, or by stiffness and damping. */
export interface Spring {
  frequency?: number | null;
  ratio?: number;
  stiffness?: number | null;
  damping?: number | null;
}

/** A tension at a time. */
export interface TensionKey {
  time: number;
  tension: string | number | Record<string, string | number | Spring>;
}

/** An amplitude at a time. */
export interface AmplitudeKey {
  time: number;
  amplitude: number | Record<string, number>;
}

/** Loosen a motion and still hit its targets at exact times. */
export interface HitLayer {
  do: "hit";
  gravity?: "compensated" | "off" | "on";
  root?: "driven" | "prescribed";
  dampers?: "reference" | "rest";
  step?: number;
  order?: 1 | 2;
  device?: "auto" | "cpu" | "cuda" | null;
  tension?: string | number | Record<string, string | number | Spring> | TensionKey[];
  window?: number | number[] | "adaptive" | "auto";
  amplitude?: number | Record<string, number> | AmplitudeKey[];
  contacts?: boolean | null;
  joint_limits?: boolean;
  passive?: boolean;
  clean?: boolean;
  world?: string | Record<string, unknown> | null;
  touching?: string;
  part?: "auto" | "body" | "face";
  firmness?: number | null;
  ratio?: number | null;
  grounded?: boolean;
  constraints: Record<string, unknown>[];
  width?: number | Bell | null;
  widths?: Record<string, number | Bell>;
  joints?: string[] | null;
  method?: "newton" | "paper";
  iterations?: number;
  accuracy?: number;
  scale?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** A correction over time. */
export interface Bell {
  width?: number;
  kind?: "compact" | "ease" | "gaussian";
  fall?: number | null;
  lead?: number | null;
}

/** Let chains of joints hang and swing: hair, tails, straps, cloth bones. They collide with the body. */
export interface HangLayer {
  do: "hang";
  joints: string[];
  bend?: number | null;
  ratio?: number;
  thickness?: number | null;
  gravity?: "off" | "on";
  friction?: number;
  collide?: boolean;
  world?: string | Record<string, unknown> | null;
  window?: number | "auto";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Attach something soft to a bone: a hat, a cape or a ponytail that sways with the motion. */
export interface WearLayer {
  do: "wear";
  mesh?: string;
  to?: string | null;
  young?: number | null;
  poisson?: number;
  density?: number;
  ratio?: number | null;
  bend?: number | null;
  thickness?: number | null;
  pins?: number[];
  line?: [number, number, number][];
  friction?: number;
  collide?: boolean;
  world?: string | Record<string, unknown> | null;
  offset?: [number, number, number] | null;
  rotation?: [number, number, number, number] | null;
  scale?: number | null;
  frame?: "bone" | "world" | null;
  grip?: number | null;
  cells?: number;
  modes?: number;
  gravity?: "compensated" | "off" | "on";
  colour?: [number, number, number];
  window?: number | "adaptive" | "auto";
  large?: boolean;
  constraints?: Record<string, unknown>[];
  width?: number | null;
  joints?: string[] | null;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Give a motion weight on the ground: the smallest change after which contact forces can carry it. */
export interface GroundLayer {
  do: "ground";
  floor?: number | null;
  world?: string | Record<string, unknown> | null;
  most_force?: number;
  filter?: number | "auto" | "off";
  stretch_flights?: boolean;
  key_spacing?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Repair a motion: wrong speed, pops, limbs, feet that sink, float or slide, flights, spins. */
export interface FixLayer {
  do: "fix";
  floor?: number | null;
  world?: string | Record<string, unknown> | null;
  confirm?: string[];
  filter?: number | "off";
  metrics?: boolean;
  may?: ("body" | "feet" | "flight" | "limits" | "pops" | "spin" | "time")[] | null;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Keep part of a motion. A loop can be cut anywhere, over several cycles too. */
export interface TrimLayer {
  do: "trim";
  start?: number | null;
  end?: number | null;
  frames?: [number, number] | null;
  fit?: boolean;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Change the frame rate of a motion. */
export interface ResampleLayer {
  do: "resample";
  fps: number | string;
  interpolation?: "cubic" | "linear" | "step";
  keep?: "period" | "rate";
  cover?: boolean;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Swap left and right, including the direction of travel. */
export interface MirrorLayer {
  do: "mirror";
  plane?: "x" | "y";
  asymmetry?: number;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Repeat a loop several times. The result travels on and is no longer a loop. */
export interface RepeatLayer {
  do: "repeat";
  cycles: number;
  closing?: boolean;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
}

/** Name, character or output of the project. */
export interface SetField {
  do: "set-project";
  gesture?: string;
  field: string;
  value: string;
}

/** Add a clip, or link a name to another one. */
export interface PutClip {
  do: "put-clip";
  gesture?: string;
  name: string;
  clip: ClipEntry;
}

/** Exactly one of ``file``, ``bundled`` and ``inside`` says where it is. */
export interface ClipEntry {
  file?: string;
  bundled?: string;
  inside?: string;
  sha256?: string;
  read?: Record<string, boolean | number | string> | null;
}

/** Take a clip out that no layer uses. */
export interface DropClip {
  do: "drop-clip";
  gesture?: string;
  name: string;
}

/** The world around the project's motions: a file, surfaces as typed, plain data, or none. */
export interface SetWorld {
  do: "set-world";
  gesture?: string;
  world?: unknown;
}

/** A surface added to the project's world, or put in the place of the one of its name. */
export interface PutSurface {
  do: "put-surface";
  gesture?: string;
  surface: Record<string, unknown>;
}

/** A surface taken out of the project's world. */
export interface DropSurface {
  do: "drop-surface";
  gesture?: string;
  name: string;
}

/** A layer on top, or at a place. */
export interface AddLayer {
  do: "add-layer";
  gesture?: string;
  layer:
    | LoadLayer
    | AssembleLayer
    | KeyLayer
    | PlanLayer
    | PerformLayer
    | RetouchLayer
    | AdaptLayer
    | RetargetLayer
    | RerouteLayer
    | LoopLayer
    | LoosenLayer
    | HitLayer
    | HangLayer
    | WearLayer
    | GroundLayer
    | FixLayer
    | TrimLayer
    | ResampleLayer
    | MirrorLayer
    | RepeatLayer;
  at?: number | null;
}

/** A layer taken out; those that named it as their input go on from what it worked on. */
export interface RemoveLayer {
  do: "remove-layer";
  gesture?: string;
  layer: string;
}

/** A layer to another place, where its kind allows. */
export interface MoveLayer {
  do: "move-layer";
  gesture?: string;
  layer: string;
  to: number;
}

/** Another name, also where others refer to it. */
export interface RenameLayer {
  do: "rename-layer";
  gesture?: string;
  layer: string;
  name: string;
}

/** Another operation in a layer's place: a loosened motion becomes one that hits. Options of both stay. */
export interface Become {
  do: "become";
  gesture?: string;
  layer: string;
  operation: string;
  options?: Record<string, unknown>;
}

/** A value somewhere in a layer: ``muted``, ``tension``, ``constraints/0/target/value``. */
export interface Set {
  do: "set";
  gesture?: string;
  layer: string;
  path: string;
  value: unknown;
}

/** An entry put into a list of a layer: ``constraints/1``. */
export interface Insert {
  do: "insert";
  gesture?: string;
  layer: string;
  path: string;
  value: unknown;
}

/** An entry taken out of a layer; a field so gets its default again. */
export interface Remove {
  do: "remove";
  gesture?: string;
  layer: string;
  path: string;
}

/** Several edits as one step: all or none. */
export interface Group {
  do: "group";
  gesture?: string;
  commands: unknown[];
  label?: string;
}

/** All that carries a clip, as it was found or is known; None: it is found by every layer again. */
export interface PutContacts {
  do: "put-contacts";
  gesture?: string;
  clip: string;
  contacts: ClipContacts | null;
}

/** What carries one clip: its surfaces, and its contacts. */
export interface ClipContacts {
  surfaces?: Record<string, unknown>[] | null;
  contacts?: GivenContact[];
}

/** A part of a body on a surface, from frame to frame of its clip. */
export interface GivenContact {
  part: string;
  start: number;
  end: number;
  surface?: string;
  manner?: "grips" | "hangs" | "lies" | "pivots" | "pushes" | "rolls" | "slides" | "stands";
  place?: number[] | null;
  gap?: number;
  source?: "found" | "given";
  locked?: boolean;
}

/** One contact more, after the others. */
export interface AddContact {
  do: "add-contact";
  gesture?: string;
  clip: string;
  contact: GivenContact;
}

/** Other values for a contact, by its number: ``start``, ``end``, ``manner``, ``locked`` … */
export interface SetContact {
  do: "set-contact";
  gesture?: string;
  clip: string;
  contact: number;
  values: Record<string, unknown>;
}

/** A contact taken out, by its number. */
export interface RemoveContact {
  do: "remove-contact";
  gesture?: string;
  clip: string;
  contact: number;
}

/** A surface that was found is there: no question any more. */
export interface ConfirmSurface {
  do: "confirm-surface";
  gesture?: string;
  clip: string;
  surface: string;
}

/** A camera added, or put in the place of the one of its name. */
export interface PutCamera {
  do: "put-camera";
  gesture?: string;
  name: string;
  camera: FilmCamera;
}

/** A camera: where it stands over time, and whom it goes along with. */
export interface FilmCamera {
  keys: CameraKey[];
  follow?: string;
}

/** Where a camera stands at a time. */
export interface CameraKey {
  time?: number;
  eye: [number, number, number];
  target: [number, number, number];
  fov?: number;
}

/** Another name for a camera, also in the cuts. */
export interface RenameCamera {
  do: "rename-camera";
  gesture?: string;
  camera: string;
  name: string;
}

/** A camera taken out, with the cuts to it. */
export interface DropCamera {
  do: "drop-camera";
  gesture?: string;
  name: string;
}

/** All cuts: which camera is seen from when on. */
export interface SetCuts {
  do: "set-cuts";
  gesture?: string;
  cuts: Cut[];
}

/** From a time on a camera is seen, until the next cut. */
export interface Cut {
  time?: number;
  camera: string;
}

/** Everything that an edit can change. */
export interface Document {
  name?: string;
  character?: string;
  clips?: Record<string, ClipEntry>;
  layers?: (
    | LoadLayer
    | AssembleLayer
    | KeyLayer
    | PlanLayer
    | PerformLayer
    | RetouchLayer
    | AdaptLayer
    | RetargetLayer
    | RerouteLayer
    | LoopLayer
    | LoosenLayer
    | HitLayer
    | HangLayer
    | WearLayer
    | GroundLayer
    | FixLayer
    | TrimLayer
    | ResampleLayer
    | MirrorLayer
    | RepeatLayer
  )[];
  contacts?: Record<string, ClipContacts>;
  world?: string | Record<string, unknown> | null;
  cameras?: Record<string, FilmCamera>;
  cuts?: Cut[];
  output?: string;
}

/** Every name that a document may use here: of Poise, and of the character on the stage. */
export interface Vocabulary {
  operations: Card[];
  tensions: Preset[];
  gravities: string[];
  roots: string[];
  templates: string[];
  shapes: string[];
  styles: string[];
  clips: string[];
  characters: string[];
  scenes: string[];
  plans: string[];
  scripts: string[];
  exports: string[];
  films: string[];
  sizes: string[];
  views: string[];
  backgrounds: string[];
  joints: string[];
  limbs: string[];
  points: string[];
  roles: Record<string, string>;
}

/** An operation. */
export interface Card {
  name: string;
  words: string;
  options: Option[];
  input: string;
  makes: string;
  layer: boolean;
  last: boolean;
  dynamic: boolean;
  follows?: boolean;
}

/** One option of an operation. */
export interface Option {
  name: string;
  line: string;
  holds: string;
  group: string;
  unit?: string;
  required?: boolean;
  default?: unknown;
  optional?: boolean;
  range?: Range;
  slider?: [number, number] | null;
  choices?: Record<string, string>;
  editor?: string;
  when?: Record<string, unknown>;
  expert?: boolean;
  form?: string;
}

/** What a number may be; bounds that are left out are none. */
export interface Range {
  least?: number | null;
  most?: number | null;
  open?: boolean;
}

/** A tension by name. */
export interface Preset {
  name: string;
  frequency: number;
  ratio: number;
}

/** What a motion stands on and pushes against, by frame. */
export interface Ground {
  floor: number;
  support: [number, number][][];
  force: [number, number, number][];
  pressure: ([number, number] | null)[];
  weight: number;
  contacts: Touch[];
  phases: Stretch[];
  notes: string[];
}

/** Something on the floor, from one frame to another. */
export interface Touch {
  part: string;
  start: number;
  end: number;
  points: string[];
}

/** What happens from one frame to another, in words. */
export interface Stretch {
  kind: string;
  start: number;
  end: number;
  words: string;
}

/** What carries a motion. */
export interface Carried {
  clip: string;
  owned: boolean;
  surfaces: SeenSurface[];
  contacts: SeenContact[];
  touches: SeenTouch[];
  pushes: SeenPush[];
  flights: [number, number][];
  colours: Record<string, string>;
  weight: number;
  disc: number;
  command: Record<string, unknown> | null;
}

/** A surface as it is drawn. */
export interface SeenSurface {
  name: string;
  label: string;
  asked: boolean;
  vertices: number[];
  faces: number[];
  edges: number[];
  moves: number[];
}

/** A part of the body on a surface. */
export interface SeenContact {
  part: string;
  surface: string;
  start: number;
  end: number;
  manner: string;
  gap: number;
  asked: boolean;
  locked: boolean;
  found: boolean;
}

/** A patch while it touches: a disc on its surface. */
export interface SeenTouch {
  colour: string;
  start: number;
  places: number[];
}

/** The force on a part, in some frames; between them it changes evenly. */
export interface SeenPush {
  part: string;
  colour: string;
  frames: number[];
  places: number[];
  forces: number[];
}

/** Feet that stand in the motion an adaptation is given, those of its list first. */
export interface Plants {
  layer: string;
  plants: Plant[];
  command: Record<string, unknown> | null;
}

/** A foot that stands. */
export interface Plant {
  id: string;
  name: string;
  number: number;
  start: number;
  end: number;
  place: [number, number, number];
  height: number;
  points: Record<string, [number, number, number]>;
  intervals: Record<string, [number, number]>;
  entry: Record<string, unknown>;
}

/** The path of a tracks layer. */
export interface Segments {
  layer: string;
  segments: Segment[];
  fine: boolean;
  command: Record<string, unknown> | null;
}

/** What the centre of mass does from one key to the next. */
export interface Segment {
  key: number;
  start: number;
  end: number;
  template: string;
  fine: boolean;
  words: string[];
  fixable: boolean;
}

/** What would mend something. */
export interface Mend {
  words: string;
  command: Record<string, unknown> | null;
}

/** Something for a layer's list. */
export interface Entry {
  constraint: Record<string, unknown>;
}

/** A key for a track of poses. */
export interface PoseKey {
  time: number;
  q: number[];
}

/** A pose by joints, each as a key of poses has it. */
export interface Posed {
  joints: Record<string, number[]>;
}

/** All animations of the file that a clip comes from; none where it can hold but one. */
export interface Animations {
  clip: string;
  animations: Animation[];
  chosen: number;
}

/** One of the animations of a file. */
export interface Animation {
  name: string;
  seconds: number;
  joints: number;
}

/** What a file holds. */
export interface Inspected {
  file: string;
  kind: string;
  facts: ClipFacts | null;
  animations: Animation[];
  surfaces?: Record<string, unknown>[];
  entry?: ClipEntry | null;
}

/** A clip in short. */
export interface ClipFacts {
  name: string;
  kind?: string;
  frames?: number;
  fps?: number;
  seconds?: number;
  loop?: boolean;
  character?: string;
  bodies?: number;
  animation?: string;
  skinned?: boolean;
  textures?: number;
  notes?: string[];
  problem?: string;
}

/** The project's clips. */
export interface Clips {
  clips: ClipFacts[];
}

/** A few poses of a clip, evenly over its time, about where it is on average. */
export interface Preview {
  name: string;
  seconds: number;
  frames: number;
  parents: number[];
  poses: number[][];
}

/** Somebody else of the project, to be seen beside who is on the stage. */
export interface Beside {
  layer: string;
  mark: string;
  packed: string;
}

/** Which joint becomes which. */
export interface Pairing {
  source: string;
  target: string;
  onto: string;
  entry: ClipEntry;
  same: boolean;
  pairs: JointPair[];
  left: string[];
  free: string[];
  problem: string;
}

/** Two joints that become one another. */
export interface JointPair {
  source: string;
  target: string;
  how: string;
}

/** Beats of a layer, its keys, and the sound that they come from. */
export interface Music {
  beats: number[];
  tempo: number;
  keys: number[];
  file: string;
  seconds: number;
  low: number[];
  high: number[];
  problem: string;
}

/** A report, to be read. */
export interface Text {
  text: string;
}

/** A file that can be used. */
export interface Read {
  path: string;
  frames: number;
  bodies: number;
}

export type Said =
  | Hello
  | Do
  | Seal
  | Undo
  | Redo
  | Save
  | Open
  | Export
  | Recover
  | Grab
  | Pull
  | Look
  | Cancel
  | Ask;
export type Told =
  | State
  | Welcome
  | Status
  | Grabbed
  | Progress
  | Solved
  | Window
  | Problem
  | Notice
  | Answer;
export type PacketHeader =
  | FigurePacket
  | PulledPacket
  | PosesPacket
  | PhysicsPacket
  | SoftPacket
  | PropPacket;
export type AnyLayer =
  | LoadLayer
  | AssembleLayer
  | KeyLayer
  | PlanLayer
  | PerformLayer
  | RetouchLayer
  | AdaptLayer
  | RetargetLayer
  | RerouteLayer
  | LoopLayer
  | LoosenLayer
  | HitLayer
  | HangLayer
  | WearLayer
  | GroundLayer
  | FixLayer
  | TrimLayer
  | ResampleLayer
  | MirrorLayer
  | RepeatLayer;
export type AnyCommand =
  | SetField
  | PutClip
  | DropClip
  | SetWorld
  | PutSurface
  | DropSurface
  | AddLayer
  | RemoveLayer
  | MoveLayer
  | RenameLayer
  | Become
  | Set
  | Insert
  | Remove
  | Group
  | PutContacts
  | AddContact
  | SetContact
  | RemoveContact
  | ConfirmSurface
  | PutCamera
  | RenameCamera
  | DropCamera
  | SetCuts;
/** What questions are answered with. */
export interface Answers {
  vocabulary: Vocabulary;
  physics: Ground;
  contacts: Carried;
  plants: Plants;
  segments: Segments;
  fix: Mend;
  ground: Mend;
  pose: Entry;
  key: PoseKey;
  posed: Posed;
  animations: Animations;
  inspect: Inspected;
  clips: Clips;
  preview: Preview;
  beside: Beside;
  pairing: Pairing;
  scene: Record<string, unknown>;
  beats: Music;
  script: Record<string, unknown>;
  snap: Mend;
  report: Text;
  check: Record<string, unknown>;
  window: number | null;
  export: string;
  read: Read;
  files: string[];
}
