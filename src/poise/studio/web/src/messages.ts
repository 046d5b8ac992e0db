// Generated from Python by `python -m poise.studio.server.typescript`; do not edit.

/** Apply a command of the project. ``live``: while something is dragged; a quick answer will do. */
export interface Do {
  say: "do";
  number?: number;
  command: Record<string, unknown>;
  live?: boolean;
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

/** Work goes on; ``part`` 1 says that it is over. */
export interface Progress {
  told: "progress";
  what: string;
  part: number;
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
  number?: number;
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
  mass: number;
  support: [number, number][][];
}

/** Something soft on a bone: ``index`` (T · 3), ``shape`` (F, N, 3) in the frame of ``body`` [m]. */
export interface SoftPacket {
  kind: "soft";
  name: string;
  body: number;
  colour: [number, number, number];
  number: number;
  count: number;
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

/** A clip as it is. */
export interface SourceLayer {
  kind: "source";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  clip: string;
}

/** Fields of a scene are those of scene files (see ``poise synth``). */
export interface SynthesisLayer {
  kind: "synthesis";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  scene: string | Record<string, unknown>;
  rate?: number | null;
}

/** With poses it starts a motion; without, the motion it is given is the pose at every frame. */
export interface TracksLayer {
  kind: "tracks";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  tracks: Record<string, unknown>;
  rate?: number | string | null;
  fix?: boolean;
}

/** Options are those of ``poise.timing.play``; what is left out has its default there. */
export interface BeatLayer {
  kind: "beat";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  script?: string | Record<string, unknown> | null;
  follow?: boolean;
  perturbations?: (Impulse | Push | Load | Throw)[];
  control?: string | null;
  style?: string | number | null;
  root?: string | null;
  gravity?: [number, number, number] | null;
  limits?: number | Record<string, number> | null;
  step?: number | null;
  fps?: number | string | null;
  duration?: number | null;
  hold?: number | null;
  look_ahead?: number | null;
  recovery?: number | null;
  floor?: boolean | null;
  tolerance?: number | null;
}

/** A hit [N·s]. */
export interface Impulse {
  kind: "impulse";
  time: number;
  point: string;
  impulse: [number, number, number];
}

/** A force for a while [N]. */
export interface Push {
  kind: "push";
  start: number;
  end: number;
  point: string;
  force: [number, number, number];
}

/** A weight put on [kg]. */
export interface Load {
  kind: "load";
  time: number;
  body: string;
  mass: number;
  place?: [number, number, number];
  radius?: number;
  known?: boolean;
}

/** A ball thrown [m, m/s, kg]. */
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

/** Options are those of ``poise.adaptation.adapt``; what is left out has its default there. */
export interface AdaptationLayer {
  kind: "adaptation";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  constraints?: Record<string, unknown>[];
  plants?: boolean;
  keys?: number | number[] | null;
  basis?: string | null;
  joints?: string[] | null;
  ends?: string | null;
  objective?: string | null;
  prices?: Record<string, number> | null;
  smoothness?: number | null;
  limits?: boolean | null;
  floor?: boolean | number | Record<string, number> | null;
  exact?: boolean | null;
}

/** Feet stand where the performer's did, scaled. */
export interface RetargetLayer {
  kind: "retarget";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  onto: string;
  map?: Record<string, string> | null;
  hands?: boolean;
}

/** Options are those of ``poise.fix``. */
export interface FixLayer {
  kind: "fix";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  repairs?: string[] | null;
  floor?: number | null;
}

/** Options are those of ``poise.kinodynamics.loosen``. */
export interface KinodynamicsLayer {
  kind: "kinodynamics";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  tension?: string | number | Record<string, string | number | Spring> | TensionKey[];
  window?: number | string;
  gravity?: string;
  root?: string;
  damping?: string;
  step?: number;
  order?: number;
  obstacles?: ObstacleEntry[];
  touching?: string;
}

/** A tension by frequency and damping ratio, or by stiffness and damping. */
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

/** A box by its half edges, or a ball by its radius; see ``poise.kinodynamics.Obstacle``. */
export interface ObstacleEntry {
  name: string;
  half?: [number, number, number] | null;
  radius?: number | null;
  position?: [number, number, number];
  turn?: [number, number, number];
  path?: PlaceKey[];
  friction?: number;
  bounce?: number;
  muted?: boolean;
}

/** Where an obstacle is at a time. */
export interface PlaceKey {
  time: number;
  position: [number, number, number];
}

/** Follows a kinodynamics layer and does its work anew, so that the loose motion hits. */
export interface TargetsLayer {
  kind: "targets";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  constraints?: Record<string, unknown>[];
  shape?: number | Bell;
  shapes?: Record<string, Bell> | null;
  joints?: string[] | null;
  method?: string;
  iterations?: number;
  accuracy?: number;
}

/** How a correction looks over time; see ``poise.kinodynamics.Shape``. */
export interface Bell {
  width?: number;
  kind?: string;
  fall?: number | null;
  lead?: number | null;
}

/** Options are those of ``poise.kinodynamics.attach``; what is left out has its default there. */
export interface AttachmentLayer {
  kind: "attachment";
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  mesh?: string;
  to?: string;
  young?: number | null;
  poisson?: number | null;
  density?: number | null;
  damping?: number | null;
  offset?: [number, number, number] | null;
  rotation?: [number, number, number, number] | null;
  scale?: number | null;
  frame?: string | null;
  hold?: number | null;
  cells?: number | null;
  modes?: number | null;
  gravity?: string | null;
  colour?: [number, number, number] | null;
  window?: number | string;
  large?: boolean;
  constraints?: Record<string, unknown>[];
  width?: number | null;
  joints?: string[] | null;
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

/** A layer on top, or at a place. */
export interface AddLayer {
  do: "add-layer";
  gesture?: string;
  layer:
    | SourceLayer
    | SynthesisLayer
    | TracksLayer
    | BeatLayer
    | AdaptationLayer
    | RetargetLayer
    | FixLayer
    | KinodynamicsLayer
    | TargetsLayer
    | AttachmentLayer;
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

/** Everything that an edit can change. */
export interface Document {
  name?: string;
  character?: string;
  clips?: Record<string, ClipEntry>;
  layers?: (
    | SourceLayer
    | SynthesisLayer
    | TracksLayer
    | BeatLayer
    | AdaptationLayer
    | RetargetLayer
    | FixLayer
    | KinodynamicsLayer
    | TargetsLayer
    | AttachmentLayer
  )[];
  output?: string;
}

/** Every name that a document may use here: of Poise, and of the character on the stage. */
export interface Vocabulary {
  kinds: Kind[];
  tensions: Preset[];
  gravities: string[];
  roots: string[];
  templates: string[];
  shapes: string[];
  styles: string[];
  clips: string[];
  characters: string[];
  scenes: string[];
  scripts: string[];
  exports: string[];
  joints: string[];
  limbs: string[];
  points: string[];
  roles: Record<string, string>;
}

/** A kind of layer. */
export interface Kind {
  kind: string;
  words: string;
  fields: string[];
  usual: Record<string, unknown>;
  after: string;
  last: boolean;
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

export type Said = Do | Seal | Undo | Redo | Save | Open | Export | Recover | Cancel | Ask;
export type Told = State | Progress | Solved | Problem | Notice | Answer;
export type PacketHeader = FigurePacket | PosesPacket | PhysicsPacket | SoftPacket | PropPacket;
export type AnyLayer =
  | SourceLayer
  | SynthesisLayer
  | TracksLayer
  | BeatLayer
  | AdaptationLayer
  | RetargetLayer
  | FixLayer
  | KinodynamicsLayer
  | TargetsLayer
  | AttachmentLayer;
export type AnyCommand =
  | SetField
  | PutClip
  | DropClip
  | AddLayer
  | RemoveLayer
  | MoveLayer
  | RenameLayer
  | Set
  | Insert
  | Remove
  | Group;
/** What questions are answered with. */
export interface Answers {
  vocabulary: Vocabulary;
  physics: Ground;
  plants: Plants;
  segments: Segments;
  fix: Mend;
  pose: Entry;
  key: PoseKey;
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
