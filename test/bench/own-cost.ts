// What a measured child says about itself. Imports nothing, so that it costs the child nothing.

/** What a child prints about itself at its end. */
export interface ChildCost {
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** CPU time of this process so far and the most memory it held. */
export function ownCost(): ChildCost {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, rssMb: process.resourceUsage().maxRSS / 1024 };
}
