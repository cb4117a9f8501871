// A memory folder and the words a run may quote, as short as a test can say them: of types that need no reasons.
import type { Evidence } from "../../../../src/domain/changes.ts";
import type { Memory } from "../../../../src/domain/memories.ts";
import { createStage, type Stage, type StageDeps } from "../../../../src/learn/runs/stage.ts";
import type { ProposalFacts } from "../../../../src/memory/gate/facts.ts";
import { zoneNamed } from "../../../helpers/time-zone.ts";

/** What was said; the record id is the key. */
export const SAID: Readonly<Record<string, string>> = {
  r1: "Please always use tabs for indentation in this project",
  r2: "We deploy every Friday with make release from the main branch",
  r3: "The staging dashboard lives at https://grafana.example.test/d/staging",
  r5: "The billing service talks to api-v2 over TLS",
  r4: "I never want force pushes on shared branches",
};

export const TABS = {
  file: "user_tabs.md",
  name: "tabs",
  description: "use tabs for indentation",
  type: "user",
  body: "Always use tabs for indentation in this project.",
  evidence: [{ recordId: "r1", quote: "always use tabs for indentation in this project" }],
} as const;

export const DEPLOY = {
  file: "reference_deploy.md",
  name: "deploy",
  description: "we deploy every Friday from the main branch",
  type: "reference",
  body: "Deploy every Friday with make release from the main branch.",
  evidence: [{ recordId: "r2", quote: "deploy every Friday with make release from the main branch" }],
} as const;

export function memoryOf(file: string, fields: Partial<Memory> = {}): Memory {
  return {
    file,
    name: file.replace(/\.md$/u, "").replaceAll("_", "-"),
    description: `what ${file} is about`,
    type: "reference",
    body: "The build machine stands in the cellar.",
    frontmatter: "ok",
    hash: `hash of ${file}`,
    mtimeMs: Date.UTC(2026, 4, 1),
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin: undefined,
    links: [],
    ...fields,
  };
}

export function factsOf(memories: readonly Memory[] = [], extra: Partial<ProposalFacts> = {}): ProposalFacts {
  return {
    producer: "model",
    memories,
    otherNames: ["MEMORY.md"],
    recordText: (recordId) => (Object.hasOwn(SAID, recordId) ? SAID[recordId] : undefined),
    recordedIds: new Set(),
    removed: { recordIds: new Set(), textHashes: new Map() },
    saidAt: new Map(),
    timeZone: zoneNamed("UTC"),
    today: "2026-05-04",
    ...extra,
  };
}

export function resolve({ recordId, quote }: { recordId: string; quote: string }): Evidence | undefined {
  if (!Object.hasOwn(SAID, recordId)) return undefined;
  const session = { agent: "claude-code", id: "s1", projectId: "p1" } as const;
  return { session, recordId, by: "user", quote, at: Date.UTC(2026, 4, 4, 12) };
}

export function stageOf(
  memories: readonly Memory[] = [],
  { facts = {}, ...deps }: { facts?: Partial<ProposalFacts> } & Partial<Omit<StageDeps, "facts">> = {},
): Stage {
  return createStage({ facts: factsOf(memories, facts), resolve, ...deps });
}
