// Different projects that share one memory folder. Pure.
import type { Warning } from "../../domain/status.ts";

/** Paths named in one message; a shared override can join every project of a person. */
const NAMED_MAX = 20;

export interface Placed {
  readonly root: string;
  readonly memoryDir: string;
}

/** One warning for each folder that belongs to more than one root. */
export function keyCollisions(projects: readonly Placed[]): readonly Warning[] {
  const roots = new Map<string, Set<string>>();
  for (const { root, memoryDir } of projects) {
    const sharing = roots.get(memoryDir) ?? new Set();
    roots.set(memoryDir, sharing.add(root));
  }
  return [...roots]
    .filter(([, sharing]) => sharing.size > 1)
    .map(([dir, sharing]) => warn(dir, [...sharing]));
}

function warn(dir: string, roots: readonly string[]): Warning {
  const sorted = [...roots].sort();
  const rest = sorted.length - NAMED_MAX;
  const named = sorted.slice(0, NAMED_MAX).join(", ");
  return {
    code: "key_collision",
    message: `${roots.length} projects share the memory folder ${dir}: ${named}${rest > 0 ? ` and ${rest} more` : ""}`,
    fix: "give one of them its own folder: autoMemoryDirectory in its .claude/settings.local.json",
  };
}
