// Everything the studio shows, as signals: the document and what the server said of it,
// who is on the stage and where.
import { batch, computed, effect, signal } from "@preact/signals";
import { Connection } from "./connection.ts";
import { type Layer, own, type Staged } from "./layer.ts";
import type {
  AnyCommand,
  Card,
  Carried,
  ClipContacts,
  ClipFacts,
  FigurePacket,
  Music,
  PacketHeader,
  PhysicsPacket,
  Plants,
  PosesPacket,
  Segments,
  SoftPacket,
  Solved,
  State,
  Told,
  Vocabulary,
} from "./messages.ts";
import { cardOf } from "./operations.ts";
import { floats, type Packet, unpack } from "./packet.ts";
import { autoKey, Posing } from "./pose/posing.ts";
import { Looks, type LooksHeader } from "./stage/figure.ts";
import type { Handle } from "./stage/handle.ts";
import { Poses, STRIDE } from "./stage/poses.ts";
import type { Prop } from "./stage/prop_mesh.ts";
import { FIRST, type Happening, type Shown, stands, withoutLayer } from "./standing.ts";
import type { Entry } from "./time/entry.ts";
import { type LaneContext, whileDrafted } from "./time/lane_context.ts";
import { Player } from "./time/player.ts";
import { segmentEnds } from "./time/scene_lanes.ts";

export interface Physics {
  header: PhysicsPacket;
  com: Float32Array; // (F × 3) [m]
  momentum: Float32Array; // (F × 3) [kg m/s]
  spin: Float32Array; // (F × 3) about the centre of mass [kg m²/s]
  inertia: Float32Array; // (F × 9) [kg m²]
}

/** Something soft on a bone, its shape at every frame in that bone's frame. */
export interface Soft {
  header: SoftPacket;
  index: Uint32Array;
  shape: Float32Array; // (frames × vertices × 3) [m]
  /** As modelled (vertices × 3) [m]; empty where its points cannot be brought anywhere. */
  rest: Float32Array;
  frames: number;
}

/** A change that is tried: until it is kept or taken back, what was can be looked at. */
export interface Trial {
  title: string;
  before: Poses | undefined;
  undoable: number;
  /** Whether what was is drawn in full, and what is tried as wire. */
  swapped: boolean;
}

export interface Message {
  text: string;
  kind: "problem" | "notice";
  layer?: string;
}

/** A refusal is shown for so long where nothing is done after it [ms]. */
const REFUSED = 15_000;

export class Store {
  readonly state = signal<State | undefined>(undefined);
  readonly looks = signal<Looks | undefined>(undefined);
  readonly figure = signal<FigurePacket | undefined>(undefined);
  readonly result = signal<Poses | undefined>(undefined);
  /** What is drawn as wire: the motion below what makes it dynamic or, while a fix is on trial,
   * the motion before it. */
  readonly reference = computed<Poses | undefined>(() => this.trial.value?.before ?? this.below.value);
  private readonly below = signal<Poses | undefined>(undefined);
  /** What the layer of edited poses gives, where others are above it. */
  private readonly layered = signal<Poses | undefined>(undefined);
  /** The motion that is posed: of that layer, or of where a new one would go. */
  readonly posed = computed<Poses | undefined>(() => {
    if (this.layered.value) return this.layered.value;
    const loose = this.layers.value.some((l) => !l.muted && cardOf(this.cards.value, l)?.dynamic);
    return loose && this.below.value ? this.below.value : this.result.value;
  });
  readonly posing = new Posing(this);
  readonly physics = signal<Physics | undefined>(undefined);
  readonly soft = signal<Soft[]>([]);
  readonly props = signal<Prop[]>([]);
  readonly lift = signal(0);
  readonly solved = signal<Solved | undefined>(undefined);
  /** What was reported of the motion last made in full. */
  private readonly reported = signal<Solved["reports"]>({});
  /** What is known of the motion that is seen. */
  readonly reports = computed<Solved["reports"]>(() => {
    const { live = false, reports = {} } = this.solved.value ?? {};
    const { state, window = [0, -1] } = this.shown.value.standing;
    if (live) return whileDrafted(this.reported.value, reports);
    // About the playhead a long motion is seen anew before the rest of it is.
    return state === "solving" && window[1] >= window[0]
      ? whileDrafted(this.reported.value, {})
      : this.reported.value;
  });
  /** How the motion stands to the document: the one place that says so. */
  readonly shown = signal<Shown>(FIRST);
  /** Whether what is on the stage is the document as it is now, if only in a quick answer. */
  readonly current = computed(
    () => this.solved.value !== undefined && this.solved.value.revision === this.state.value?.revision,
  );
  /** Work on something that was asked (an export, a check). */
  readonly asked = signal<{ what: string; part: number } | undefined>(undefined);
  /** Whatever is worked on, and how far it has come. */
  readonly progress = computed<{ what: string; part: number } | undefined>(() => {
    if (this.asked.value) return this.asked.value;
    const { state, standing } = this.shown.value;
    return state === "solving" || state === "compiling"
      ? { what: standing.layer ?? "", part: standing.part ?? 0 }
      : undefined;
  });
  readonly messages = signal<Message[]>([]);
  /** Keys, segments and constraints that are selected, by id. */
  readonly selected = signal(new Set<string>());
  /** What can be grabbed on the stage. */
  readonly handles = signal<readonly Handle[]>([]);
  /** The layer that the inspector shows. */
  readonly layer = signal("");
  /** The body that is picked on the stage. */
  readonly body = signal(-1);
  readonly fps = signal(60);
  /** Whether the motion is a loop: after its last frame comes the first again. */
  readonly loops = signal(false);
  readonly player = new Player(1, this.fps);
  readonly layers = computed<Layer[]>(
    () => (this.state.value?.document["layers"] as Layer[] | undefined) ?? [],
  );
  /** What was asked about layers: how their paths fare, what their music is, which feet stand. */
  readonly paths = signal<Record<string, Segments>>({});
  readonly music = signal<Record<string, Music>>({});
  readonly plants = signal<Record<string, Plants>>({});
  /** What carries the motion, as it was asked last; and as the document has it, where it does. */
  readonly carried = signal<Carried | undefined>(undefined);
  readonly owned = computed<ClipContacts | undefined>(() => {
    const kept = this.state.value?.document["contacts"] as Record<string, ClipContacts> | undefined;
    return this.carried.value ? kept?.[this.carried.value.clip] : undefined;
  });
  /** What there is to say of the project's clips. */
  readonly facts = signal<Record<string, ClipFacts>>({});
  /** Layers whose tracks are folded away in the time line. */
  readonly folded = signal(new Set<string>());
  /** A change on trial: what it is compared with, and how many steps of undo there are with it. */
  readonly trial = signal<Trial | undefined>(undefined);
  /** The revision whose plausibility was checked last. */
  readonly checked = signal(-1);
  /** Names that methods know: presets, templates, limbs, points, scenes. */
  readonly vocabulary = signal<Partial<Vocabulary>>({});
  /** What layers can do; none until the server has told. */
  readonly cards = computed<readonly Card[]>(() => this.vocabulary.value.operations ?? []);
  readonly lanes = computed<LaneContext>(() => ({
    fps: this.fps.value,
    frames: this.player.frames.value,
    reports: this.reports.value,
    paths: this.paths.value,
    music: this.music.value,
    plants: this.plants.value,
    clips: this.facts.value,
    folded: this.folded.value,
    cards: this.cards.value,
  }));
  /** Problems that are still so, by the layer they are about: what the server says stays until it is gone,
   * whatever is read or dismissed meanwhile. */
  readonly troubled = computed<Record<string, string>>(() => {
    const { state, layer, why = "", bypassed = {} } = this.shown.value.standing;
    const problems = this.messages.value.filter((m) => m.kind === "problem" && m.layer);
    return Object.fromEntries([
      ...problems.map((m) => [m.layer, withoutLayer(m.text)]),
      ...Object.entries(bypassed).map(([name, reason]) => [name, `left out: ${withoutLayer(reason)}`]),
      ...(state === "failed" && layer ? [[layer, withoutLayer(why)]] : []),
    ]);
  });
  /** How many hints the paths of layers have. */
  readonly hints = computed<Record<string, number>>(() =>
    Object.fromEntries(
      this.layers.value.map((l) => [
        l.name,
        l.muted ? 0 : (this.paths.value[l.name]?.segments.filter((s) => !s.fine).length ?? 0),
      ]),
    ),
  );
  /** When the segments of a layer's scene end [s]. */
  readonly ends = computed(() => (name: string): number[] => {
    const layer: Staged | undefined = this.layers.value.find((l) => l.name === name);
    const segments = own(layer?.scene)?.["segments"] as Entry[] | undefined;
    return segmentEnds(segments ?? [], (this.player.frames.value - 1) / this.fps.value);
  });
  readonly connection: Connection;
  private readonly answers = new Map<number, (value: unknown) => void>();
  private readonly quiet = new Set<number>();

  constructor(address: string) {
    this.connection = new Connection(
      address,
      (message) => batch(() => this.told(message)),
      (bytes) => batch(() => this.packet(bytes)),
      (text, number) => this.refused(number, text),
    );
    effect(() => {
      if (this.connection.live.value === "lost") this.happens({ kind: "lost", at: Date.now() });
    });
    effect(() => this.happens({ kind: "waiting", count: this.connection.waiting.value }));
  }

  /** Something that changes how things stand. */
  happens(what: Happening): void {
    this.shown.value = stands(this.shown.peek(), what);
  }

  /** Make an edit. Edits of one `gesture` are one step of undo; those that are `live` get a quick answer. */
  edit(command: AnyCommand, live = false): void {
    const data = command as unknown as Record<string, unknown>;
    if (live) this.connection.drag({ command: data });
    else this.connection.say({ say: "do", command: data });
  }

  /** Ask something that changes nothing; undefined where it could not be answered,
   * which is said in words unless `quiet`. */
  ask(question: string, about: Record<string, unknown> = {}, quiet = false): Promise<unknown> {
    const number = this.connection.next();
    return new Promise((resolve) => {
      this.answers.set(number, resolve);
      if (quiet) this.quiet.add(number);
      this.connection.say({ say: "ask", question, about, number });
    });
  }

  /** How many questions are not answered yet. */
  get unanswered(): number {
    return this.answers.size;
  }

  /** Where a body is at a time [m], without the height that the stage lifts everything by. */
  placeOf(body: number, time: number): [number, number, number] | undefined {
    const result = this.result.value;
    const count = this.figure.value?.bodies.length ?? 0;
    if (!result || body < 0 || body >= count) return undefined;
    const frame = Math.min(Math.max(Math.round(time * this.fps.value), 0), result.frames - 1);
    const k = (frame * count + body) * STRIDE;
    return [result.values[k]!, result.values[k + 1]!, result.values[k + 2]! - this.lift.value];
  }

  /** The point that constraints of a body are about. */
  pointOf(body: number): string | undefined {
    return this.figure.value?.bodies[body]?.name;
  }

  note(text: string, kind: Message["kind"] = "notice", layer = ""): void {
    const message: Message = { text, kind, layer };
    this.messages.value = [...this.messages.value.slice(-4), message];
    if (kind === "problem" && !layer)
      setTimeout(() => {
        const rest = this.messages.value.filter((m) => m !== message);
        if (rest.length < this.messages.value.length) this.messages.value = rest;
      }, REFUSED);
  }

  /** Solve what was stopped, failed or is old. */
  goOn(): void {
    this.connection.say({ say: "seal" });
  }

  private told(message: Told): void {
    switch (message.told) {
      case "state":
        if (this.state.value && this.state.value.project !== message.project) this.forget();
        // What was refused is past when something else was done.
        if (message.revision !== this.state.value?.revision)
          this.messages.value = this.messages.value.filter((m) => m.kind !== "problem" || m.layer);
        this.state.value = message;
        // Undone by other means, or gone on from: there is nothing to decide any more.
        if (this.trial.value && message.undoable !== this.trial.value.undoable) this.trial.value = undefined;
        if (!this.layers.value.some((l) => l.name === this.layer.value))
          this.layer.value = this.layers.value.at(-1)?.name ?? "";
        break;
      case "solved":
        this.solved.value = message;
        if (!message.live) this.reported.value = message.reports;
        // What was posed is there now; what is not keyed yet stays to be seen.
        if (!message.live && autoKey.value && !this.connection.held.value) this.posing.drop();
        // What could be solved is no longer in trouble.
        if (this.messages.value.some((m) => m.kind === "problem" && m.layer))
          this.messages.value = this.messages.value.filter((m) => m.kind !== "problem" || !m.layer);
        for (const [layer, why] of Object.entries(message.failures ?? {}))
          this.note(`layer "${layer}" failed and is left out: ${why}`, "problem", layer);
        break;
      case "progress":
        this.asked.value = message.part < 1 ? message : undefined;
        break;
      case "status":
        this.happens({ kind: "status", standing: message.standing, at: Date.now() });
        break;
      case "problem":
        this.refused(message.number ?? 0, message.text, message.layer);
        break;
      case "notice":
        // Stopped before the motion was there: the status line says so, and offers to go on.
        if (message.event === "stopped") this.asked.value = undefined;
        if (message.event === "stopped" && this.shown.value.state === "stopped") break;
        if (message.event !== "idle")
          this.note(message.path ? `${message.text}: ${message.path}` : message.text);
        break;
      case "answer":
        this.answered(message.number ?? 0, message.value);
        this.asked.value = undefined;
        if (message.question === "export") this.note(`exported ${message.value}`);
        break;
    }
  }

  /** Another project was opened: what was asked and chosen about the one before means nothing any more. */
  private forget(): void {
    this.selected.value = new Set();
    this.body.value = this.checked.value = -1;
    this.paths.value = this.music.value = this.plants.value = {};
    this.carried.value = undefined;
    this.facts.value = {};
    this.trial.value = this.solved.value = undefined;
    this.reported.value = {};
    this.posing.drop();
    this.messages.value = [];
    this.folded.value = new Set();
    this.player.rewind();
  }

  private answered(number: number, value: unknown): void {
    this.answers.get(number)?.(value);
    this.answers.delete(number);
    this.quiet.delete(number);
  }

  private refused(number: number, text: string, layer = ""): void {
    if (this.trial.value && (this.state.value?.undoable ?? 0) < this.trial.value.undoable)
      this.trial.value = undefined;
    if (!this.quiet.has(number)) this.note(text, "problem", layer);
    if (number) this.answered(number, undefined);
  }

  private packet(bytes: ArrayBuffer): void {
    const packet = unpack<PacketHeader>(bytes);
    const header = packet.header;
    if (header.kind === "figure") {
      const nobody = !header.bodies.length;
      this.figure.value = nobody ? undefined : header;
      this.looks.value = nobody ? undefined : new Looks(packet as unknown as Packet<LooksHeader>);
      this.result.value = this.below.value = this.layered.value = this.physics.value = undefined;
      this.posing.drop();
      this.carried.value = undefined;
      if (nobody) this.player.resize(1);
      this.soft.value = [];
      this.props.value = [];
    } else if (header.kind === "pulled") this.posing.pulled(header, floats(packet, "poses"));
    else if (header.kind === "poses" && !header.total)
      (header.role === "layer" ? this.layered : this.below).value = undefined;
    else if (header.kind === "poses") this.poses(header, floats(packet, "poses"), floats(packet, "morphs"));
    else if (header.kind === "soft") this.worn(header, packet);
    else if (header.kind === "prop")
      this.props.value = header.count
        ? [...(header.number > 0 ? this.props.value : []), { header, places: floats(packet, "places") }]
        : [];
    else {
      const before = this.physics.value;
      const read = (name: "com" | "momentum" | "spin" | "inertia") =>
        patched(before?.[name], floats(packet, name), header);
      this.physics.value = {
        header,
        com: read("com"),
        momentum: read("momentum"),
        spin: read("spin"),
        inertia: read("inertia"),
      };
    }
  }

  private worn(header: SoftPacket, packet: Packet<unknown>): void {
    const others = header.number > 0 ? this.soft.value : [];
    if (!header.count) {
      this.soft.value = [];
      return;
    }
    const shape = packet.arrays["shape"]!;
    this.soft.value = [
      ...others,
      {
        header,
        index: packet.arrays["index"]!.values as Uint32Array,
        shape: floats(packet, "shape"),
        rest: packet.arrays["rest"] ? floats(packet, "rest") : new Float32Array(),
        frames: shape.shape[0]!,
      },
    ];
  }

  private poses(header: PosesPacket, values: Float32Array, weights: Float32Array): void {
    const target = { result: this.result, layer: this.layered }[header.role] ?? this.below;
    const bodies = this.figure.value!.bodies.length;
    const known = target.value;
    if (known && known.frames === header.total)
      target.value = values.length ? known.replaced(header.first, values, weights) : known;
    else target.value = new Poses(values.slice(), header.total, bodies, weights.slice());
    if (header.role !== "result") return;
    this.lift.value = header.lift;
    this.fps.value = header.fps;
    this.loops.value = header.loop;
    if (this.player.frames.value !== header.total) this.player.resize(header.total);
  }
}

/** Numbers of all frames: those that came, in place of what was known of them. */
export function patched(
  before: Float32Array | undefined,
  came: Float32Array,
  { first = 0, total = 0 }: { first?: number; total?: number },
): Float32Array {
  if (!before?.length || !total || before.length % total) return came;
  const width = before.length / total;
  if (came.length === before.length || first + came.length / width > total) return came;
  const made = before.slice();
  made.set(came, first * width);
  return made;
}
