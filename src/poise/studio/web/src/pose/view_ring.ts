// The ring about a joint that faces the camera, wherever that is when it is grabbed.
import * as THREE from "three";
import { type Handle, minus, type Place, plus } from "../stage/handle.ts";
import { angleAbout } from "../stage/turning.ts";

/** Any direction across an axis. */
export function aside(axis: Place): Place {
  const other = Math.abs(axis[2]) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
  return new THREE.Vector3()
    .crossVectors(new THREE.Vector3(...axis), other)
    .normalize()
    .toArray() as Place;
}

/** `roll` turns what it is about, by a rotation of the world. */
export function viewRing(
  name: string,
  does: string,
  centre: Place,
  radius: number,
  roll: (turn: THREE.QuaternionTuple) => void,
): Handle {
  const made = (axis: Place): Handle => {
    const place = plus(centre, aside(axis), radius);
    return {
      id: `pose:${name}:view`,
      selects: [],
      layers: [],
      kind: "spin",
      name,
      does,
      place,
      times: [-Infinity, Infinity],
      over: "view",
      ring: { centre, radius, axis },
      roll,
      follow: (to) => {
        const angle = angleAbout(axis, minus(place, centre), minus(to, centre));
        roll(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(...axis), angle).toArray());
      },
      edit: () => ({ do: "nothing" }) as never,
    };
  };
  return { ...made([0, 0, 1]), ring: { centre, radius }, facing: made };
}
