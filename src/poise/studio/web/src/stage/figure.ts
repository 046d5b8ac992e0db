// A character on the stage: one mesh bound to its bodies, posed by setting the bodies' places directly.
import * as THREE from "three";
import { floats, type Packet } from "../packet.ts";
import { STRIDE } from "./poses.ts";

export interface LooksHeader {
  name: string;
  bodies: { name: string; parent: number }[];
  morphs: string[];
}

/** Solid as it is; an outline for what lies below; a ghost of another time. */
export type Style = "solid" | "outline" | "ghost";

const ONE = new THREE.Vector3(1, 1, 1);
const place = new THREE.Vector3();
const turn = new THREE.Quaternion();

export class Looks {
  readonly geometry: THREE.BufferGeometry;
  readonly inverses: THREE.Matrix4[];
  readonly bodies: LooksHeader["bodies"];
  readonly morphs: string[];

  constructor(packet: Packet<LooksHeader>) {
    this.bodies = packet.header.bodies;
    this.morphs = packet.header.morphs;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(floats(packet, "position"), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(floats(packet, "normal"), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(linear(packet.arrays["colour"]!.values as Uint8Array), 3));
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(packet.arrays["joints"]!.values as Uint16Array, 4));
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(floats(packet, "weights"), 4));
    geometry.setIndex(new THREE.BufferAttribute(packet.arrays["index"]!.values as Uint32Array, 1));
    if (this.morphs.length) {
      const count = geometry.getAttribute("position").count;
      geometry.morphTargetsRelative = true;
      const dense = (at: string, by: string): THREE.BufferAttribute => {
        const values = new Float32Array(3 * count);
        const changes = floats(packet, by);
        packet.arrays[at]!.values.forEach((vertex, i) => values.set(changes.subarray(3 * i, 3 * i + 3), 3 * vertex));
        return new THREE.BufferAttribute(values, 3);
      };
      geometry.morphAttributes.position = this.morphs.map((_, k) => dense(`morph${k}.at`, `morph${k}.by`));
      geometry.morphAttributes.normal = this.morphs.map((_, k) => dense(`morph${k}.lit`, `morph${k}.turn`));
    }
    this.geometry = geometry;
    const bind = floats(packet, "bind");
    // Rows in Python, columns in three.js.
    this.inverses = this.bodies.map((_, i) => new THREE.Matrix4().fromArray(bind, 16 * i).transpose());
  }
}

export class Figure {
  readonly mesh: THREE.SkinnedMesh;
  private readonly bones: THREE.Bone[];
  private readonly picked = { value: -1 };
  private readonly hovered = { value: -1 };

  constructor(
    readonly looks: Looks,
    style: Style = "solid",
    tint: THREE.ColorRepresentation = "#ffffff",
  ) {
    this.bones = looks.bodies.map(() => new THREE.Bone());
    this.mesh = new THREE.SkinnedMesh(looks.geometry, style === "solid" ? solid(this.picked, this.hovered) : rimmed(tint, style === "ghost" ? 0.1 : 0.03));
    this.mesh.bindMode = THREE.DetachedBindMode;
    this.mesh.bind(new THREE.Skeleton(this.bones, looks.inverses), new THREE.Matrix4());
    this.mesh.frustumCulled = false; // bounds would have to follow the pose
    this.mesh.castShadow = style === "solid";
    this.mesh.receiveShadow = style === "solid";
    this.mesh.renderOrder = style === "solid" ? 0 : 1;
  }

  /** Put every body where a sampled pose (bodies × 7) says; with the weights of the morph targets, if there are any. */
  pose(places: Float32Array, morphs?: ArrayLike<number>): void {
    for (let i = 0; i < this.bones.length; i++) {
      const k = i * STRIDE;
      place.fromArray(places, k);
      turn.fromArray(places, k + 3);
      this.bones[i]!.matrixWorld.compose(place, turn, ONE);
    }
    this.mesh.skeleton.update();
    const weights = this.mesh.morphTargetInfluences;
    if (morphs && weights) for (let k = 0; k < weights.length; k++) weights[k] = morphs[k] ?? 0;
  }

  /** Bodies that stand out: the picked one clearly, the one under the pointer a little; -1 for none. */
  highlight(picked: number, hovered: number): void {
    this.picked.value = picked;
    this.hovered.value = hovered;
  }

  tint(color: THREE.ColorRepresentation): void {
    (this.mesh.material as THREE.MeshLambertMaterial).color.set(color);
  }

  dispose(): void {
    this.mesh.skeleton.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}

/** Lit vertex colours; bodies that stand out glow by how much a vertex belongs to them. */
function solid(picked: { value: number }, hovered: { value: number }): THREE.Material {
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { picked, hovered });
    shader.vertexShader = `uniform float picked, hovered; varying float glow;\n${shader.vertexShader}`.replace(
      "#include <skinning_vertex>",
      `#include <skinning_vertex>
      glow = 0.55 * dot(skinWeight, vec4(equal(skinIndex, vec4(picked)))) + 0.2 * dot(skinWeight, vec4(equal(skinIndex, vec4(hovered))));`,
    );
    shader.fragmentShader = `varying float glow;\n${shader.fragmentShader}`.replace("#include <emissivemap_fragment>", "#include <emissivemap_fragment>\ntotalEmissiveRadiance += min(glow, 0.55) * vec3(0.16, 0.42, 0.85);");
  };
  return material;
}

/** Clear where it is seen from the front, strong at its edges: a shape without weight. */
function rimmed(tint: THREE.ColorRepresentation, fill: number): THREE.Material {
  const material = new THREE.MeshLambertMaterial({ color: tint, transparent: true, depthWrite: false });
  material.onBeforeCompile = (shader) => {
    shader.uniforms["fill"] = { value: fill };
    shader.fragmentShader = `uniform float fill;\n${shader.fragmentShader}`.replace(
      "#include <opaque_fragment>",
      `outgoingLight = diffuse;
      float edge = 1.0 - abs(dot(normalize(vNormal), normalize(vViewPosition)));
      diffuseColor.a = fill + 0.75 * edge * edge * edge;
      #include <opaque_fragment>`,
    );
  };
  return material;
}

/** Vertex colours are linear light in three.js, sRGB in the packet. */
function linear(bytes: Uint8Array): Float32Array {
  const table = Float32Array.from({ length: 256 }, (_, i) => (i / 255 <= 0.04045 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4));
  return Float32Array.from(bytes, (b) => table[b]!);
}
