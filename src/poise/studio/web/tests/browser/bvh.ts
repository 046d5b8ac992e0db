// A small BVH of three joints: enough to be dropped on the window.
export function smallBvh(frames: number): string {
  const joint = (name: string, y: number, inside: string) => `JOINT ${name}\n{\nOFFSET 0 ${y} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n${inside}\n}`;
  const lines = Array.from({ length: frames }, (_, k) => `${(0.01 * k).toFixed(3)} 90 0 0 0 0 ${(20 * Math.sin(0.1 * k)).toFixed(2)} 0 0 0 0 0`);
  return `HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n${joint("Spine", 20, joint("Head", 30, "End Site\n{\nOFFSET 0 20 0\n}"))}\n}\nMOTION\nFrames: ${frames}\nFrame Time: 0.033333\n${lines.join("\n")}\n`;
}
