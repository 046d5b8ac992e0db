// The stage: floor, lights, camera and whatever is put on it. z is up. Draws only when asked.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Lens } from "./lens.ts";
import { Painter } from "./painter.ts";

export interface Theme {
  background: string;
  floor: string;
  lines: string;
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: { background: "#e8eef5", floor: "#f4f6f9", lines: "#c3ccd8" },
  dark: { background: "#1e2228", floor: "#262b33", lines: "#3c4450" },
};

/** How much of the picture is filled by what it is about. */
const FILLED = 0.86;
/** What has not moved for so long is at rest, and drawn in full [ms]. */
const REST = 150;
/** How long a picture may wait for one with new poses [ms]. */
const PATIENCE = 50;
/** And how long what rests may wait for an answer that would move it again [ms]. */
const ANSWER = 1000;
/** An empty stage is shown when nothing has come for so long;
 * and how long the first picture may stay as it is [ms]. */
const EMPTY = 3000;
const SETTLING = 600;

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 500);
  readonly controls: OrbitControls;
  readonly renderer: THREE.WebGLRenderer;
  readonly lens: Lens;
  private readonly sun = new THREE.DirectionalLight("#ffffff", 2.4);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#8b8f98", 1.5);
  private readonly floor: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly shade: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  /** Where the floor is, in a view that has it from its edge. */
  private readonly ground = new THREE.Line(
    new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(-100, 0, 0), new THREE.Vector3(100, 0, 0)]),
    new THREE.LineBasicMaterial(),
  );
  /** What lines on the floor are apart [m]: characters come in metres, centimetres, or as a head alone. */
  private unit = 1;
  private wanted = 0;
  private first = true; // who comes on the stage is shown before all that is said about them
  private dark = true; // nobody has come yet: a picture of the floor alone would only keep them
  private motion = -Infinity; // when something last moved [ms]
  private resting: ReturnType<typeof setTimeout> | undefined;
  private answers = false;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private readonly painter: Painter;
  /** Whether an edit has been made whose motion is still to come. */
  awaited: () => boolean = () => false;
  private before: (() => void)[] = [];
  private readonly watch: ResizeObserver;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.painter = new Painter(canvas);
    this.renderer = this.painter.renderer;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false; // only when something moved, not when the camera did
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(2.6, -3.4, 1.7);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.set(0, 0, 0.9);
    this.controls.maxPolarAngle = 0.53 * Math.PI; // hardly ever from below the floor
    this.lens = new Lens(this.camera, this.controls);
    this.controls.addEventListener("change", () => this.follow());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(512, 512);
    this.sun.shadow.radius = 3;
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(200, 200), floorMaterial());
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.22 }));
    this.shade.receiveShadow = true;
    this.shade.material.depthWrite = false; // a surface as high as the floor is seen through it
    this.shade.position.z = 0.0005;
    this.floor.renderOrder = -2;
    this.shade.renderOrder = -1;
    this.ground.visible = this.ground.frustumCulled = false;
    this.scene.add(this.sun, this.sun.target, this.sky, this.floor, this.shade, this.ground);
    this.light(new THREE.Vector3(0, 0, 0.9), 1.2);
    this.theme("light");
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(canvas.parentElement ?? canvas);
    this.fit();
    this.waiting = setTimeout(() => this.begin(), EMPTY);
  }

  /** What takes long with a first picture is done before anybody comes;
   * who comes will look like the sample. */
  warm(sample: THREE.Mesh): void {
    this.scene.add(sample);
    this.renderer.shadowMap.needsUpdate = true;
    this.painter.warm(this.scene, this.camera);
    this.scene.remove(sample);
    sample.geometry.dispose();
  }

  theme(name: "light" | "dark"): void {
    const theme = THEMES[name];
    this.scene.background = new THREE.Color(theme.background);
    this.scene.fog = new THREE.Fog(theme.background, 12, 60);
    const { uniforms } = this.floor.material;
    uniforms["plain"]!.value.set(theme.floor);
    uniforms["lines"]!.value.set(theme.lines);
    uniforms["far"]!.value.set(theme.background);
    this.shade.material.opacity = name === "dark" ? 0.45 : 0.22;
    this.ground.material.color.set(theme.lines);
    this.draw();
  }

  /** How large what stands here is [m]; the floor's lines suit it. */
  suit(size: number): void {
    this.unit = 10 ** Math.round(Math.log10(Math.max(size, 1e-6) / 1.7));
    this.floor.scale.setScalar(this.unit);
    this.shade.position.z = 0.0005 * this.unit;
    this.floor.material.uniforms["unit"]!.value = this.unit;
  }

  /** Metres that a pixel covers at a place. */
  perPixel(place: THREE.Vector3): number {
    return (
      (2 * Math.tan((0.5 * Math.PI * this.camera.fov) / 180) * this.camera.position.distanceTo(place)) /
      Math.max(1, this.canvas.clientHeight)
    );
  }

  /** Where a place is on the page [px]; undefined behind the camera. */
  onScreen(place: THREE.Vector3): { x: number; y: number } | undefined {
    const box = this.canvas.getBoundingClientRect();
    this.camera.updateMatrixWorld(); // it may have gone elsewhere since the last picture
    const at = place.clone().project(this.camera);
    if (at.z > 1 || at.z < -1) return undefined;
    return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
  }

  /** Light and shadows for things within `reach` of a place. */
  light(centre: THREE.Vector3, reach: number): void {
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(new THREE.Vector3(1.2, -2.4, 3.8).multiplyScalar(reach));
    const side = 1.6 * reach;
    Object.assign(this.sun.shadow.camera, {
      left: -side,
      right: side,
      top: side,
      bottom: -side,
      near: 0.1 * reach,
      far: 12 * reach,
    });
    this.sun.shadow.bias = -0.001;
    this.sun.shadow.normalBias = 0.03 * reach;
    this.sun.shadow.camera.updateProjectionMatrix();
    this.moved();
  }

  /** Shadows are looked for only where a box can cast one: nothing else of the floor need ask. */
  casting(box: THREE.Box3): void {
    const way = this.sun.position.clone().sub(this.sun.target.position);
    const on = new THREE.Box2();
    for (let k = 0; k < 8; k++) {
      const x = k & 1 ? box.min.x : box.max.x;
      const y = k & 2 ? box.min.y : box.max.y;
      const down = Math.max(k & 4 ? box.min.z : box.max.z, 0) / way.z;
      on.expandByPoint(new THREE.Vector2(x - down * way.x, y - down * way.y));
    }
    on.expandByScalar(0.05 * on.getSize(new THREE.Vector2()).length());
    const [middle, size] = [on.getCenter(new THREE.Vector2()), on.getSize(new THREE.Vector2())];
    this.shade.position.set(middle.x, middle.y, this.shade.position.z);
    this.shade.scale.set(size.x, size.y, 1);
  }

  /** Look at a box from where the camera is, so that it fills the view. */
  frame(box: THREE.Box3, direction?: THREE.Vector3): void {
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const way = (direction?.clone() ?? this.camera.position.clone().sub(this.controls.target)).normalize();
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(way, this.distance(box, way));
    this.controls.update();
    this.light(sphere.center, sphere.radius);
    if (this.dark) this.begin();
    this.draw();
  }

  /** How far away, in a direction, all corners of a box are just in the picture,
   * and a little around them [m]. */
  private distance(box: THREE.Box3, way: THREE.Vector3): number {
    const up = FILLED * Math.tan((0.5 * Math.PI * this.camera.fov) / 180);
    const right = new THREE.Vector3().crossVectors(this.camera.up, way).normalize();
    const above = new THREE.Vector3().crossVectors(way, right);
    const centre = box.getCenter(new THREE.Vector3());
    let found = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(
        k & 1 ? box.min.x : box.max.x,
        k & 2 ? box.min.y : box.max.y,
        k & 4 ? box.min.z : box.max.z,
      ).sub(centre);
      const wide = Math.max(
        Math.abs(corner.dot(above)) / up,
        Math.abs(corner.dot(right)) / (up * this.camera.aspect),
      );
      found = Math.max(found, corner.dot(way) + wide);
    }
    return found;
  }

  /** The camera and the light go along. */
  shift(by: THREE.Vector3): void {
    for (const part of [this.sun, this.sun.target]) part.position.add(by);
    this.lens.shift(by);
  }

  /** Whether any of a box is in the picture. */
  sees(box: THREE.Box3): boolean {
    this.camera.updateMatrixWorld();
    const seen = new THREE.Matrix4().multiplyMatrices(
      this.camera.projectionMatrix,
      this.camera.matrixWorldInverse,
    );
    return new THREE.Frustum().setFromProjectionMatrix(seen).intersectsBox(box);
  }

  /** Something to do before each picture is drawn. */
  onDraw(action: () => void): void {
    this.before.push(action);
  }

  /** Something that casts a shadow is elsewhere now. */
  moved(): void {
    this.renderer.shadowMap.needsUpdate = true;
    this.follow();
  }

  /** Draw once at the next chance, however often this is called. Where drawing is slow and something moves,
   * this waits a moment for the picture of the next move: what makes it needs the time. */
  draw(): void {
    if (this.wanted || this.waiting !== undefined) return;
    if (this.hasty) this.waiting = setTimeout(() => this.soon(), PATIENCE);
    else this.soon();
  }

  /** Something is held and goes with the pointer; what hangs on it follows when it has been solved. */
  stir(): void {
    this.motion = Math.max(this.motion, performance.now());
    this.draw();
  }

  drawNow(): void {
    const haste = this.hasty;
    cancelAnimationFrame(this.wanted);
    for (const timer of [this.waiting, this.resting]) clearTimeout(timer);
    this.wanted = 0;
    this.waiting = this.resting = undefined;
    this.answers = false;
    this.haze();
    for (const action of this.before) action();
    const later = this.first
      ? this.scene.children.filter(
          (c) =>
            c.visible && !c.castShadow && c !== this.floor && c !== this.shade && !(c instanceof THREE.Light),
        )
      : [];
    for (const part of later) part.visible = false;
    this.painter.draw(this.scene, this.camera, haste);
    for (const part of later) part.visible = true;
    if (later.length) this.soon();
    this.first = false;
    // In full once nothing moves any more; and again until it is known how long that takes.
    if (haste || !this.painter.pace.known) this.resting = setTimeout(() => this.rest(), haste ? REST : 0);
  }

  /** Draw in full, whatever moves. */
  drawStill(): void {
    this.motion = -Infinity;
    this.drawNow();
  }

  /** Whether pictures are drawn in haste. */
  private get hasty(): boolean {
    const since = performance.now() - this.motion;
    return this.painter.pace.slow && (since < REST || (since < ANSWER && this.awaited()));
  }

  private rest(): void {
    if (this.hasty) this.resting = setTimeout(() => this.rest(), REST / 3);
    else this.soon();
  }

  /** Something moves: a picture of it at the next chance. */
  private follow(): void {
    this.motion = Math.max(this.motion, performance.now());
    // An answer need not wait for the screen's next turn:
    // where drawing takes long it may just make it by then.
    if (!this.hasty || !this.awaited() || this.dark) this.soon();
    else if (!this.answers) {
      this.answers = true;
      queueMicrotask(() => this.answers && this.drawNow());
    }
  }

  private begin(): void {
    this.dark = false;
    this.motion = performance.now() + SETTLING; // in haste: whatever else begins needs the machine as well
    this.soon();
  }

  private soon(): void {
    if (this.dark) return;
    this.wanted ||= requestAnimationFrame(() => this.drawNow());
  }

  /** What is far fades, what is looked at never: distances follow the camera's. */
  private haze(): void {
    const away = this.camera.position.distanceTo(this.controls.target);
    const fog = this.scene.fog as THREE.Fog;
    fog.near = Math.max(12 * this.unit, 2.5 * away);
    fog.far = 5 * fog.near;
    this.floor.material.uniforms["reach"]!.value = 0.5 * fog.near;
    this.lens.depth(this.unit);
    const { level } = this.lens;
    this.floor.visible = this.shade.visible = !level;
    this.ground.visible = level;
    if (level) {
      const way = this.lens.way();
      this.ground.position.set(this.controls.target.x, this.controls.target.y, 0);
      this.ground.rotation.z = Math.atan2(way.y, way.x) + 0.5 * Math.PI;
      this.ground.scale.setScalar(this.unit);
    }
  }

  /** A ray from a place on the screen (client pixels) into the stage. */
  ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  dispose(): void {
    this.watch.disconnect();
    this.controls.dispose();
    cancelAnimationFrame(this.wanted);
    for (const timer of [this.waiting, this.resting]) clearTimeout(timer);
    this.painter.dispose();
  }

  private fit(): void {
    const home = this.canvas.parentElement ?? this.canvas;
    const { clientWidth: width, clientHeight: height } = home;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }
}

/** A floor with lines every metre and finer ones every tenth,
 * fading with distance so that nothing flickers. */
function floorMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    uniforms: {
      unit: { value: 1 },
      reach: { value: 6 },
      plain: { value: new THREE.Color() },
      lines: { value: new THREE.Color() },
      far: { value: new THREE.Color() },
    },
    vertexShader: `
      varying vec3 place;
      void main() {
        vec4 p = modelMatrix * vec4(position, 1.0);
        place = p.xyz;
        gl_Position = projectionMatrix * viewMatrix * p;
      }`,
    fragmentShader: `
      varying vec3 place; uniform vec3 plain, lines, far; uniform float unit, reach;
      float grid(vec2 p, float width) { vec2 w = fwidth(p); vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-5);
        return (1.0 - min(min(d.x, d.y) / width, 1.0)) * clamp(1.0 - 2.0 * max(w.x, w.y), 0.0, 1.0); }
      void main() {
        float away = length(place.xy - cameraPosition.xy);
        float fine = grid(10.0 * place.xy / unit, 1.0) * smoothstep(8.0 * unit, 3.0 * unit, away);
        float line = max(grid(place.xy / unit, 1.6), 0.35 * fine);
        vec3 colour = mix(plain, lines, line);
        gl_FragColor = vec4(mix(colour, far, smoothstep(reach, 7.0 * reach, away)), 1.0);
        #include <colorspace_fragment>
      }`,
    depthWrite: false,
  });
}
