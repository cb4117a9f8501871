// Memories that say exactly the same, and which of them may go. Pure; what is linked by others never goes.
import type { Memory } from "../../domain/memories.ts";
import type { Duplicates, FolderFacts } from "./facts.ts";
import { incomingLinks } from "./links.ts";

export function exactDuplicates(facts: FolderFacts): readonly Duplicates[] {
  const groups = new Map<string, Memory[]>();
  for (const memory of facts.view.memories) {
    const key = keyOf(memory);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [memory]);
    else group.push(memory);
  }
  const several = [...groups.values()].filter((group) => group.length > 1);
  return several.flatMap((group) => decide(group, facts));
}

/** Undefined for what says nothing, and for a header nobody can read: two of them may mean different things. */
function keyOf({ frontmatter, origin, type, description, body }: Memory): string | undefined {
  const said = [description ?? "", body.replaceAll("\r\n", "\n")].map((text) => text.trim());
  if (frontmatter === "malformed" || said.every((text) => text === "")) return undefined;
  return JSON.stringify([origin ?? null, type ?? null, ...said]);
}

function decide(group: readonly Memory[], { view, recordsOf, broughtBack }: FolderFacts): Duplicates[] {
  const links = incomingLinks(view, group);
  const linksTo = ({ file }: Memory) => links.get(file) ?? 0;
  const records = ({ file, evidence }: Memory) => new Set([...evidence, ...(recordsOf.get(file) ?? [])]).size;
  const sorted = group.toSorted(
    (a, b) =>
      linksTo(b) - linksTo(a) ||
      records(b) - records(a) ||
      // What was stated again is as young as that; of two copies the first one stays.
      compare(b.confirmed ?? "", a.confirmed ?? "") ||
      compare(ageOf(a), ageOf(b)) ||
      compare(a.file, b.file),
  );
  const [stays, ...others] = sorted;
  if (stays === undefined) return [];
  const isWanted = group.some(({ file }) => broughtBack.has(file));
  const remains = (memory: Memory) => isWanted || linksTo(memory) > 0;
  const goes = others.filter((memory) => !remains(memory));
  return [{ stays, goes, linked: others.filter(remains), isWanted }];
}

/** ISO time it was last written; sorts as text. */
function ageOf({ confirmed, modified, mtimeMs }: Memory): string {
  const at = new Date(mtimeMs);
  return confirmed ?? modified ?? (Number.isNaN(at.getTime()) ? "" : at.toISOString());
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
