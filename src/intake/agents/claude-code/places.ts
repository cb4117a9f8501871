// Where Claude Code keeps transcripts. Looks at paths only, never at the disk.
import { join } from "node:path";
import type { Homes, Source, WatchRoot } from "../../transcripts/format.ts";

const EXTENSION = ".jsonl";
const SUBAGENT_PREFIX = "agent-";
/**
 * `<key>/<session>.jsonl`. What subagents write lies two folders deeper; nothing is learnt from it, so no sweep
 * enters those folders, of which there may be more than of all others.
 */
const DEPTH = 1;

/** One root for each home: `<home>/projects`. */
export function rootsOf({ claudeHomes }: Homes): readonly WatchRoot[] {
  return claudeHomes.map((agentHome) => ({
    agent: "claude-code",
    path: join(agentHome, "projects"),
    agentHome,
    depth: DEPTH,
  }));
}

/**
 * A session is any `.jsonl` directly in a project folder; names need not be UUIDs. Subagents lie in the session's own
 * folder, in old versions beside the session. `memory/`, `tool-results/` and `*.meta.json` are no transcripts.
 */
export function sourceAt(path: string, root: WatchRoot): Source | undefined {
  const prefix = root.path.endsWith("/") ? root.path : `${root.path}/`;
  if (!path.startsWith(prefix)) return undefined;
  const parts = path.slice(prefix.length).split("/");
  const name = parts.at(-1);
  if (name === undefined || !name.endsWith(EXTENSION) || parts.some(isOdd)) return undefined;
  const stem = name.slice(0, -EXTENSION.length);
  if (stem === "") return undefined;
  const agentFile = stem.startsWith(SUBAGENT_PREFIX);
  if (parts.length === 2)
    return source({ path, root, sessionId: stem, role: agentFile ? "subagent" : "session" });
  const [, session, folder] = parts;
  const nested = parts.length === 4 && folder === "subagents" && agentFile;
  return nested && session !== undefined
    ? source({ path, root, sessionId: session, role: "subagent" })
    : undefined;
}

function isOdd(part: string): boolean {
  return part === "" || part === "." || part === "..";
}

function source(known: Omit<Source, "agent">): Source {
  return { agent: "claude-code", ...known };
}
