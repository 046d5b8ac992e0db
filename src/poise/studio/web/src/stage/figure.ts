// A character on the stage: one mesh bound to its bodies, posed by setting the bodies' places directly.
import * as THREE from "three";
import type { MaterialGroup } from "../messages.ts";
import { floats, type Packet } from "../packet.ts";
import { STRIDE } from "./poses.ts";

export interface LooksHeader {
  name: string;
  bodies: { name: string; parent: number }[];
  morphs: string[];
  /** Triangles by what they wear; none where vertices have all the colour there is. */
  groups?: MaterialGroup[];
}

/** Solid as it is; an outline for what lies below; a ghost of another time. */
export type Style = "solid" | "outline" | "ghost";

/** When what is behind everything is drawn: after the floor, before what is solid. */
export const BEHIND = -1;

/** Blended, but drawn among what is solid: all of that then covers it, however near it is. */
export function behind(material: THREE.Material): void {
  material.transparent = false;
  material.depthWrite = false;
  material.blending = THREE.CustomBlending;
  material.blendSrc = THREE.SrcAlphaFactor;
  material.blendDst = THREE.OneMinusSrcAlphaFactor;
  material.blendSrcAlpha = THREE.OneFactor;
}

/** Of more vertices the graphics card makes shorter work. */
const MOST = 20_000;

const ONE = new THREE.Vector3(1, 1, 1);
const place = new THREE.Vector3();
const turn = new THREE.Quaternion();

export class Looks {
  readonly geometry: THREE.BufferGeometry;
  readonly inverses: THREE.Matrix4[];
  readonly bodies: LooksHeader["bodies"];
  readonly morphs: string[];
  /** The one body that each vertex goes with, where all do and they are not too many. */
  readonly owners: Uint16Array | undefined;
  readonly worn: readonly MaterialGroup[];
  readonly textures: readonly THREE.Texture[];
  /** Done when all pictures can be drawn. */
  readonly dressed: Promise<unknown>;

  constructor(packet: Packet<LooksHeader>) {
    this.bodies = packet.header.bodies;
    this.morphs = packet.header.morphs;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(floats(packet, "position"), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(floats(packet, "normal"), 3));
    geometry.setAttribute(
      "color",
      new THREE.BufferAttribute(linear(packet.arrays["colour"]!.values as Uint8Array), 3),
    );
    geometry.setAttribute(
      "skinIndex",
      new THREE.BufferAttribute(packet.arrays["joints"]!.values as Uint16Array, 4),
    );
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(floats(packet, "weights"), 4));
    geometry.setIndex(new THREE.BufferAttribute(packet.arrays["index"]!.values as Uint32Array, 1));
    if (this.morphs.length) {
      const count = geometry.getAttribute("position").count;
      geometry.morphTargetsRelative = true;
      const dense = (at: string, by: string): THREE.BufferAttribute => {
        const values = new Float32Array(3 * count);
        const changes = floats(packet, by);
        packet.arrays[at]!.values.forEach((vertex, i) => {
          values.set(changes.subarray(3 * i, 3 * i + 3), 3 * vertex);
        });
        return new THREE.BufferAttribute(values, 3);
      };
      geometry.morphAttributes.position = this.morphs.map((_, k) => dense(`morph${k}.at`, `morph${k}.by`));
      geometry.morphAttributes.normal = this.morphs.map((_, k) => dense(`morph${k}.lit`, `morph${k}.turn`));
    }
    this.worn = packet.header.groups ?? [];
    const pictures: Promise<unknown>[] = [];
    this.textures = Object.keys(packet.arrays)
      .filter((name) => name.startsWith("image"))
      .map((_, k) => {
        const texture = new THREE.Texture();
        texture.flipY = false;
        texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
        texture.colorSpace = THREE.SRGBColorSpace;
        const bytes = packet.arrays[`image${k}`]!.values as Uint8Array;
        pictures.push(
          createImageBitmap(new Blob([bytes.slice()])).then((picture) => {
            texture.image = picture;
            texture.needsUpdate = true;
          }),
        );
        return texture;
      });
    this.dressed = Promise.allSettled(pictures);
    if (this.worn.length) {
      geometry.setAttribute("uv", new THREE.BufferAttribute(floats(packet, "uv"), 2));
      this.worn.forEach(({ start, count }, k) => {
        geometry.addGroup(start, count, k);
      });
    }
    this.geometry = geometry;
    this.owners = this.morphs.length ? undefined : owners(geometry);
    const bind = floats(packet, "bind");
    // Rows in Python, columns in three.js.
    this.inverses = this.bodies.map((_, i) => new THREE.Matrix4().fromArray(bind, 16 * i).transpose());
  }
}

export class Figure {
  readonly mesh: THREE.Mesh;
  private readonly put: (places: Float32Array) => void;
  private readonly drop: () => void;
  private readonly picked = { value: -1 };
  private readonly hovered = { value: -1 };
  private readonly strength = { value: 1 };

  constructor(
    readonly looks: Looks,
    style: Style = "solid",
    tint: THREE.ColorRepresentation = "#ffffff",
  ) {
    const material =
      style === "solid"
        ? looks.worn.length
          ? looks.worn.map((worn) => solid(this.picked, this.hovered, worn, looks.textures[worn.image]))
          : solid(this.picked, this.hovered)
        : rimmed(tint, style === "ghost" ? 0.16 : 0.03, this.strength);
    if (style === "ghost" && !Array.isArray(material)) behind(material);
    [this.mesh, this.put, this.drop] = looks.owners
      ? rigid(looks, looks.owners, material)
      : skinned(looks, material);
    this.mesh.name = "figure";
    this.mesh.frustumCulled = false; // bounds would have to follow the pose
    this.mesh.castShadow = style === "solid";
    this.mesh.receiveShadow = style === "solid";
    this.mesh.renderOrder = { solid: 0, outline: 1, ghost: BEHIND }[style];
  }

  /** Put every body where a sampled pose (bodies × 7) says;
   * with the weights of the morph targets, if there are any. */
  pose(places: Float32Array, morphs?: ArrayLike<number>): void {
    this.put(places);
    const weights = this.mesh.morphTargetInfluences;
    if (morphs && weights) for (let k = 0; k < weights.length; k++) weights[k] = morphs[k] ?? 0;
  }

  /** Bodies that stand out: the picked one clearly, the one under the pointer a little; -1 for none. */
  highlight(picked: number, hovered: number): void {
    this.picked.value = picked;
    this.hovered.value = hovered;
  }

  /** Another colour, and how much of it there is. */
  tint(color: THREE.ColorRepresentation, strength = 1): void {
    (this.mesh.material as THREE.MeshLambertMaterial).color.set(color);
    this.strength.value = strength;
  }

  dispose(): void {
    this.drop();
    for (const material of [this.mesh.material].flat()) material.dispose();
  }
}

/** Next to nothing that looks like a solid figure. */
export function sample(): THREE.Mesh {
  const geometry = new THREE.BufferGeometry();
  for (const [name, size] of [
    ["position", 3],
    ["normal", 3],
    ["color", 3],
    ["skinIndex", 4],
    ["skinWeight", 4],
  ] as const)
    geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * size), size));
  const mesh = new THREE.Mesh(geometry, solid({ value: -1 }, { value: -1 }));
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  return mesh;
}

/** A mesh, how it is put into a pose, and what to let go of in the end. */
type Posed = [THREE.Mesh, (places: Float32Array) => void, () => void];

/** Bound to bodies by weights: the graphics card mixes them. */
function skinned(looks: Looks, material: THREE.Material | THREE.Material[]): Posed {
  const bones = looks.bodies.map(() => new THREE.Bone());
  const mesh = new THREE.SkinnedMesh(looks.geometry, material);
  mesh.bindMode = THREE.DetachedBindMode;
  mesh.bind(new THREE.Skeleton(bones, looks.inverses), new THREE.Matrix4());
  const put = (places: Float32Array) => {
    bones.forEach((bone, i) => {
      bone.matrixWorld.compose(
        place.fromArray(places, i * STRIDE),
        turn.fromArray(places, i * STRIDE + 3),
        ONE,
      );
    });
    mesh.skeleton.update();
  };
  return [mesh, put, () => mesh.skeleton.dispose()];
}

/** Every vertex goes with one body: it is put there once, for the picture and for its shadow,
 * and costs a slow machine half. */
function rigid(looks: Looks, owner: Uint16Array, material: THREE.Material | THREE.Material[]): Posed {
  const geometry = looks.geometry.clone();
  const [rest, lit] = ["position", "normal"].map(
    (name) => looks.geometry.getAttribute(name).array as Float32Array,
  ) as [Float32Array, Float32Array];
  const [position, normal] = ["position", "normal"].map((name) =>
    (geometry.getAttribute(name) as THREE.BufferAttribute).setUsage(THREE.DynamicDrawUsage),
  ) as [THREE.BufferAttribute, THREE.BufferAttribute];
  const [placed, normals] = [position.array as Float32Array, normal.array as Float32Array];
  const body = new THREE.Matrix4();
  const put = (places: Float32Array) => {
    let e = body.elements;
    for (let v = 0, last = -1; v < owner.length; v++) {
      const i = owner[v]!;
      if (i !== last)
        e = body
          .compose(place.fromArray(places, i * STRIDE), turn.fromArray(places, i * STRIDE + 3), ONE)
          .multiply(looks.inverses[i]!).elements;
      last = i;
      const k = 3 * v;
      const [x, y, z, a, b, c] = [rest[k]!, rest[k + 1]!, rest[k + 2]!, lit[k]!, lit[k + 1]!, lit[k + 2]!];
      for (let j = 0; j < 3; j++) {
        placed[k + j] = e[j]! * x + e[4 + j]! * y + e[8 + j]! * z + e[12 + j]!;
        normals[k + j] = e[j]! * a + e[4 + j]! * b + e[8 + j]! * c;
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  };
  return [new THREE.Mesh(geometry, material), put, () => geometry.dispose()];
}

function owners(geometry: THREE.BufferGeometry): Uint16Array | undefined {
  const weights = geometry.getAttribute("skinWeight");
  const joints = geometry.getAttribute("skinIndex");
  if (weights.count > MOST) return undefined;
  const found = new Uint16Array(weights.count);
  for (let v = 0; v < found.length; v++) {
    if (weights.getX(v) < 0.999) return undefined;
    found[v] = joints.getX(v);
  }
  return found;
}

/** Lit vertex colours; bodies that stand out glow by how much a vertex belongs to them. */
function solid(
  picked: { value: number },
  hovered: { value: number },
  worn?: MaterialGroup,
  map?: THREE.Texture,
): THREE.Material {
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0 });
  if (worn) {
    material.roughness = Math.max(worn.roughness, 0.3); // there is no room around it to be mirrored
    material.metalness = Math.min(worn.metalness, 0.3);
    if (worn.both) material.side = THREE.DoubleSide;
    if (worn.cut) material.alphaTest = 0.5;
    if (map) material.map = map;
  }
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { picked, hovered });
    shader.vertexShader = `
      uniform float picked, hovered;
      varying float glow;
      #ifndef USE_SKINNING
      attribute vec4 skinIndex, skinWeight;
      #endif
      ${shader.vertexShader}`.replace(
      "#include <skinning_vertex>",
      `#include <skinning_vertex>
      glow = 0.55 * dot(skinWeight, vec4(equal(skinIndex, vec4(picked))))
        + 0.2 * dot(skinWeight, vec4(equal(skinIndex, vec4(hovered))));`,
    );
    shader.fragmentShader = `varying float glow;\n${shader.fragmentShader}`.replace(
      "#include <emissivemap_fragment>",
      "#include <emissivemap_fragment>\ntotalEmissiveRadiance += min(glow, 0.55) * vec3(0.16, 0.42, 0.85);",
    );
  };
  return material;
}

/** Clear where it is seen from the front, strong at its edges: a shape without weight. */
function rimmed(tint: THREE.ColorRepresentation, fill: number, strength: { value: number }): THREE.Material {
  const material = new THREE.MeshLambertMaterial({ color: tint, transparent: true, depthWrite: false });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { fill: { value: fill }, strength });
    shader.fragmentShader = `uniform float fill, strength;\n${shader.fragmentShader}`.replace(
      "#include <opaque_fragment>",
      `outgoingLight = diffuse;
      float edge = 1.0 - abs(dot(normalize(vNormal), normalize(vViewPosition)));
      diffuseColor.a = strength * (fill + 0.75 * edge * edge * edge);
      #include <opaque_fragment>`,
    );
  };
  return material;
}

/** Vertex colours are linear light in three.js, sRGB in the packet. */
function linear(bytes: Uint8Array): Float32Array {
  const table = Float32Array.from({ length: 256 }, (_, i) =>
    i / 255 <= 0.04045 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4,
  );
  return Float32Array.from(bytes, (b) => table[b]!);
}
