// A BVH of a chain that sways: to be dropped on the window, short or long.
export function chain({ frames, joints }: { frames: number; joints: number }): string {
  let inside = "End Site\n{\nOFFSET 0 10 0\n}";
  for (let k = joints - 1; k > 0; k--)
    inside = `JOINT Link${k}
{
OFFSET 0 ${(160 / joints).toFixed(2)} 0
CHANNELS 3 Zrotation Xrotation Yrotation
${inside}
}`;
  const lines = Array.from({ length: frames }, (_, f) => {
    const turns = Array.from(
      { length: joints - 1 },
      (_, k) => `${(3 * Math.sin(0.05 * f + 0.4 * k)).toFixed(3)} 0 0`,
    );
    return `${(0.1 * f).toFixed(2)} 10 0 0 0 0 ${turns.join(" ")}`;
  });
  return `HIERARCHY
ROOT Hips
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
${inside}
}
MOTION
Frames: ${frames}
Frame Time: 0.033333
${lines.join("\n")}
`;
}
