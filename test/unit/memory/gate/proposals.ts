// Proposals and facts as short as a test can say them.
import type { Evidence, MemoryChange } from "../../../../src/domain/changes.ts";
import type { Memory, MemoryDraft } from "../../../../src/domain/memories.ts";
import type { ProposalFacts } from "../../../../src/memory/gate/facts.ts";

/** 2026-05-04 is a Monday. */
export const SAID_AT = Date.UTC(2026, 4, 4, 12);

export function quote(text: string, extra: Partial<Evidence> = {}): Evidence {
  return {
    session: { agent: "claude-code", id: "s1", projectId: "p1" },
    recordId: `record of ${text}`,
    by: "user",
    quote: text,
    at: SAID_AT,
    ...extra,
  };
}

/** A draft whose description and body say the same. */
export function draftOf(text: string, extra: Partial<MemoryDraft> = {}): MemoryDraft {
  return { name: "some-rule", description: text, type: "feedback", body: text, ...extra };
}

export type Create = MemoryChange & { readonly op: "create" };

/** A new memory that says `text`, resting on `quotes` (default: the same words). */
export function create(
  text: string,
  quotes: readonly Evidence[] = [quote(text)],
  extra: Partial<MemoryDraft> = {},
): Create {
  return { op: "create", file: "feedback_some_rule.md", memory: draftOf(text, extra), evidence: quotes };
}

export function memoryOf(file: string, text: string, extra: Partial<Memory> = {}): Memory {
  return {
    file,
    name: file.slice(0, -3).replaceAll("_", "-"),
    description: text,
    type: "feedback",
    body: text,
    frontmatter: "ok",
    hash: `hash of ${file}`,
    mtimeMs: SAID_AT,
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin: undefined,
    links: [],
    ...extra,
  };
}

/** Facts in which every quote stands in a record of its own. */
export function factsFor(change: MemoryChange, extra: Partial<ProposalFacts> = {}): ProposalFacts {
  const texts = new Map(change.evidence.map((item) => [item.recordId, item.quote]));
  return {
    producer: "model",
    memories: [],
    otherNames: [],
    recordText: (recordId) => texts.get(recordId),
    recordedIds: new Set(),
    removed: { recordIds: new Set(), textHashes: new Map() },
    saidAt: new Map(),
    timeZone: "UTC",
    today: "2026-05-04",
    ...extra,
  };
}
