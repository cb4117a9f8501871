// Proposals and facts as short as a test can say them.
import type { Evidence, MemoryChange } from "../../../../src/domain/changes.ts";
import type { Memory, MemoryDraft } from "../../../../src/domain/memories.ts";
import type { ProposalFacts } from "../../../../src/memory/gate/facts.ts";
import { zoneNamed } from "../../../helpers/time-zone.ts";

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
    timeZone: zoneNamed("UTC"),
    today: "2026-05-04",
    ...extra,
  };
}

/** A conversation: `U: ` the person, `A: ` the assistant, `T: ` a tool. Record ids are positions: `r0`, `r1`, ... */
export interface Talk {
  /** Quotes a piece (default: all) of the turn at a position. */
  quoteOf(at: number, piece?: string): Evidence;
  /** Facts for a model that read the whole conversation. */
  facts(extra?: Partial<ProposalFacts>): ProposalFacts;
}

const SPEAKERS = { U: "user", A: "assistant", T: "tool" } as const;

export function talk(...turns: readonly string[]): Talk {
  const records = turns.map((turn, at) => {
    const by = SPEAKERS[turn.charAt(0) === "A" ? "A" : turn.charAt(0) === "T" ? "T" : "U"];
    return { recordId: `r${at}`, by, text: turn.slice(3), at: SAID_AT + at * 60_000 };
  });
  const texts = new Map(records.map(({ recordId, text }) => [recordId, text]));
  return {
    quoteOf(position, piece) {
      const record = records[position];
      if (record === undefined) throw new Error(`there is no turn ${position}`);
      const { recordId, by, text, at } = record;
      return quote(piece ?? text, { recordId, by, at });
    },
    facts: (extra = {}) =>
      factsFor(create("x"), {
        recordText: (id) => texts.get(id),
        heard: records.map(({ recordId, by }) => ({ recordId, by })),
        ...extra,
      }),
  };
}

/** A new memory as a model writes it: the statement, then why and how. */
export function written(
  statement: string,
  quotes: readonly Evidence[],
  extra: Partial<MemoryDraft> = {},
): Create {
  const body = `${statement}\n\n**Why:** the person said so.\n**How to apply:** in this project.\n`;
  const change = create(statement, quotes, { body, ...extra });
  return { ...change, file: `${change.memory.type}_some_rule.md` };
}
