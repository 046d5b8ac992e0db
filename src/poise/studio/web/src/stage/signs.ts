// The signs of handles, drawn once each. They differ in shape, not only in colour.
import * as THREE from "three";
import type { HandleKind } from "./handle.ts";

const made = new Map<string, THREE.Texture>();
const PX = 64;

export function sign(kind: HandleKind | "dot" | "anchor", colour: string): THREE.Texture {
  const name = `${kind} ${colour}`;
  let texture = made.get(name);
  if (!texture) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = PX;
    const pen = canvas.getContext("2d")!;
    pen.translate(PX / 2, PX / 2);
    draw(pen, kind, colour);
    texture = new THREE.CanvasTexture(canvas);
    texture.colorSpace = THREE.SRGBColorSpace;
    made.set(name, texture);
  }
  return texture;
}

/** Every sign has a white edge, so that it reads on light and dark, on skin and on clothes. */
function draw(pen: CanvasRenderingContext2D, kind: HandleKind | "dot" | "anchor", colour: string): void {
  const disc = (radius: number, fill: string) => {
    pen.beginPath();
    pen.arc(0, 0, radius, 0, 7);
    pen.fillStyle = fill;
    return pen.fill();
  };
  const shape = (points: [number, number][], fill: string) => {
    pen.beginPath();
    points.forEach(([x, y], k) => {
      k ? pen.lineTo(x, y) : pen.moveTo(x, y);
    });
    pen.closePath();
    pen.lineJoin = "round";
    pen.lineWidth = 8;
    pen.strokeStyle = "#ffffff";
    pen.stroke();
    pen.fillStyle = fill;
    pen.fill();
  };
  switch (kind) {
    case "target":
      disc(29, "#ffffff");
      disc(25, colour);
      disc(17, "#ffffff");
      disc(10, colour);
      break;
    case "keyed":
    case "pin":
      shape(
        [
          [0, -25],
          [25, 0],
          [0, 25],
          [-25, 0],
        ],
        colour,
      );
      if (kind === "pin") disc(7, "#ffffff"); // a key is whole, as in the time line
      break;
    case "centre": // quartered, as centres of mass are drawn
      disc(28, "#ffffff");
      disc(24, "#222222");
      for (const start of [0, Math.PI]) {
        pen.beginPath();
        pen.moveTo(0, 0);
        pen.arc(0, 0, 20, start, start + Math.PI / 2);
        pen.closePath();
        pen.fillStyle = colour;
        pen.fill();
      }
      for (const start of [Math.PI / 2, 1.5 * Math.PI]) {
        pen.beginPath();
        pen.moveTo(0, 0);
        pen.arc(0, 0, 20, start, start + Math.PI / 2);
        pen.closePath();
        pen.fillStyle = "#ffffff";
        pen.fill();
      }
      break;
    case "apex":
      shape(
        [
          [0, -27],
          [16, -8],
          [-16, -8],
        ],
        colour,
      );
      shape(
        [
          [0, 27],
          [16, 8],
          [-16, 8],
        ],
        colour,
      );
      break;
    case "turn":
    case "spin":
      pen.lineWidth = 13;
      pen.strokeStyle = "#ffffff";
      for (const [width, ink] of [
        [14, "#ffffff"],
        [7, colour],
      ] as const) {
        pen.beginPath();
        pen.lineWidth = width;
        pen.strokeStyle = ink;
        pen.arc(0, 0, 19, -0.3, 4.6);
        pen.stroke();
      }
      shape(
        [
          [4, -30],
          [20, -16],
          [0, -8],
        ],
        colour,
      );
      break;
    case "dot":
      disc(22, colour);
      break;
    case "anchor": // a joint that stays: a ground sign
      shape(
        [
          [-20, -4],
          [20, -4],
          [20, 4],
          [-20, 4],
        ],
        colour,
      );
      shape(
        [
          [-4, -24],
          [4, -24],
          [4, 0],
          [-4, 0],
        ],
        colour,
      );
      for (const x of [-16, -4, 8])
        shape(
          [
            [x, 8],
            [x + 8, 8],
            [x + 2, 20],
            [x - 6, 20],
          ],
          colour,
        );
      break;
    case "surface":
      shape(
        [
          [-22, -22],
          [22, -22],
          [22, 22],
          [-22, 22],
        ],
        colour,
      );
      disc(7, "#ffffff");
      break;
    case "size": // a corner, drawn out
      shape(
        [
          [-16, -20],
          [20, -20],
          [20, 16],
          [10, 16],
          [10, -10],
          [-16, -10],
        ],
        colour,
      );
      break;
    case "move": // arrows to four sides
      for (let side = 0; side < 4; side++) {
        shape(
          [
            [0, -29],
            [10, -16],
            [4, -16],
            [4, 4],
            [-4, 4],
            [-4, -16],
            [-10, -16],
          ],
          colour,
        );
        pen.rotate(Math.PI / 2);
      }
      break;
    case "velocity":
      disc(20, "#ffffff");
      disc(16, colour);
      disc(6, "#ffffff");
      break;
    case "plant":
      disc(26, "#ffffff");
      disc(21, colour);
      shape(
        [
          [0, -13],
          [5, 0],
          [0, 13],
          [-5, 0],
        ],
        "#ffffff",
      );
      shape(
        [
          [-13, 0],
          [0, 5],
          [13, 0],
          [0, -5],
        ],
        "#ffffff",
      );
      break;
    default: {
      disc(22, "#ffffff");
      disc(17, colour);
    }
  }
}
