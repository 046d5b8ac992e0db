// How a picture gets onto the canvas: in full, with smooth edges; or, where a machine is slow to draw and
// something moves, in haste, with fewer pixels and hard edges. How slow it is is measured now and then, never
// guessed from its name.
import * as THREE from "three";
import { FullScreenQuad } from "three/examples/jsm/postprocessing/Pass.js";

/** A picture in full that takes longer is too slow for what moves;
 * one that takes less is quick again [ms]. */
const SLOW = 12;
const QUICK = 8;
/** A picture in full that takes so long has as many pixels in haste [ms]. */
const EVEN = 10;
const FEWEST = 0.4;
/** Of so many the quickest counts: others may have been disturbed. */
const KEPT = 3;

/** What pictures in full took, and what follows from it. */
export class Pace {
  /** Nothing is known of a machine at first: then it is hurried, which no machine is too slow for. */
  slow = true;
  private readonly taken: number[] = [];
  private due = 1; // the first picture also waits for its shaders

  get known(): boolean {
    return this.taken.length > 1;
  }

  /** Whether the picture that is drawn next is to be timed. */
  timed(): boolean {
    return this.due-- <= 0;
  }

  took(time: number): void {
    this.taken.push(time);
    if (this.taken.length > KEPT) this.taken.shift();
    this.slow = this.least > (this.slow ? QUICK : SLOW);
    // Waiting for a picture costs as much as the picture:
    // what is slow is looked at more often, for it is drawn seldom.
    this.due = !this.known ? 0 : this.slow ? 8 : 120;
  }

  /** Pixels in haste for one in full, along a side. */
  share(ratio: number): number {
    const share = Math.min(1, Math.sqrt(EVEN / Math.max(this.known ? this.least : 4 * EVEN, 1e-3)));
    return Math.max(Math.round(10 * share) / 10, Math.min(1, FEWEST / ratio));
  }

  private get least(): number {
    return Math.min(...this.taken);
  }
}

export class Painter {
  readonly renderer: THREE.WebGLRenderer;
  readonly pace = new Pace();
  private readonly smooth = new THREE.WebGLRenderTarget(1, 1, {
    samples: 4,
    internalFormat: "RGBA8",
    colorSpace: THREE.SRGBColorSpace,
  });
  private readonly copy: FullScreenQuad;
  private readonly size = new THREE.Vector2();
  private readonly pixel = new Uint8Array(4);
  private readonly kept = new Set<object>();

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, preserveDrawingBuffer: false });
    // Colours as on the canvas, so that what is see-through looks the same in full and in haste.
    Object.assign(this.smooth, { isXRRenderTarget: true, resolveDepthBuffer: false });
    const whole = {
      uniforms: { picture: { value: this.smooth.texture } },
      depthTest: false,
      depthWrite: false,
    };
    this.copy = new FullScreenQuad(
      new THREE.ShaderMaterial({
        ...whole,
        vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
        fragmentShader: `
          varying vec2 at;
          uniform sampler2D picture;
          void main() { gl_FragColor = vec4(texture2D(picture, at).rgb, 1.0); }`,
      }),
    );
  }

  draw(scene: THREE.Scene, camera: THREE.Camera, haste: boolean): void {
    const { renderer, smooth } = this;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const wanted = haste ? ratio * this.pace.share(ratio) : ratio;
    if (renderer.getPixelRatio() !== wanted) renderer.setPixelRatio(wanted);
    if (haste) {
      renderer.render(scene, camera);
      this.keep();
      return;
    }
    const timed = this.pace.timed();
    if (timed) this.finish();
    const start = performance.now();
    renderer.getDrawingBufferSize(this.size);
    smooth.setSize(this.size.x, this.size.y);
    renderer.setRenderTarget(smooth);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    this.copy.render(renderer);
    this.keep();
    if (!timed) return;
    this.finish();
    this.pace.took(performance.now() - start);
  }

  /** Shaders are built by a picture of one pixel. */
  warm(scene: THREE.Scene, camera: THREE.Camera): void {
    const { renderer, size } = this;
    renderer.getSize(size);
    renderer.setViewport(0, 0, 1, 1);
    renderer.render(scene, camera);
    renderer.setViewport(0, 0, size.x, size.y);
    this.keep();
  }

  dispose(): void {
    this.smooth.dispose();
    this.copy.material.dispose();
    this.copy.dispose();
    this.renderer.dispose();
  }

  /** A shader is never given up with its last material:
   * marks and hats come and go, and a shader built anew takes time and memory. */
  private keep(): void {
    for (const program of this.renderer.info.programs ?? []) {
      if (this.kept.has(program)) continue;
      this.kept.add(program);
      program.usedTimes++;
    }
  }

  /** Waits until everything is drawn. */
  private finish(): void {
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, this.pixel);
  }
}
