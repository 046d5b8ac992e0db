// The colour of each operation, in Layers and in the time line; what comes from elsewhere is grey.

const COLOURS: Record<string, string> = {
  load: "#7b8794",
  assemble: "#5b7fa6",
  plan: "#9b6bd3",
  key: "#3f8fd6",
  retouch: "#2b6cb0",
  ground: "#8f7a3f",
  perform: "#d6763f",
  adapt: "#3fa66b",
  retarget: "#5f9ea0",
  reroute: "#2f9488",
  loop: "#4a8f52",
  fix: "#6b8e23",
  loosen: "#c94f7c",
  hit: "#d94141",
  wear: "#8a63b8",
  trim: "#a0845c",
  resample: "#a0845c",
  mirror: "#a0845c",
  repeat: "#a0845c",
};

export const colourOf = (operation: string): string => COLOURS[operation] ?? "#888888";
