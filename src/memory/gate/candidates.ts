// Statements too weak to be saved by themselves, kept until they are seen again or a person decides.
import { join } from "node:path";
import type { Candidate, Evidence } from "../../domain/changes.ts";
import { MEMORY_TYPES, type MemoryDraft } from "../../domain/memories.ts";
import type { Files } from "../../system/files.ts";
import { appendJsonLines, readJsonLines } from "../../system/json-lines.ts";
import { findSecrets } from "../secrets/scanner.ts";
import { textHashOf } from "./text-hash.ts";

/** About 2,000 candidates of ordinary size; beyond it the older half is forgotten. */
const CANDIDATES_BYTES_MAX = 2 * 1024 * 1024;
/** Of the hash of its text. */
const STATEMENT_CHARS = 12;

/** A stored candidate; `id` is stable, so that a person can name it. */
export interface StoredCandidate extends Candidate {
  readonly id: string;
}

export interface CandidateStore {
  /** Appends those not yet known (same text in the same session); answers how many say what none said before. */
  add(projectId: string, candidates: readonly Candidate[]): number;
  /** Oldest first, one for each session that said it. Damaged lines are left out. */
  list(projectId: string): readonly StoredCandidate[];
  /** What was said in several sessions counts once. */
  count(projectId: string): number;
  /** Forgets what one session said; answers how many there were. */
  forgetSession(projectId: string, sessionId: string): number;
  /** Forgets those that are meant, and what of the file cannot be read; answers how many there were. */
  purge(projectId: string, isMeant: (candidate: StoredCandidate) => boolean): number;
}

/** `candidates/<projectId>.jsonl` below the state folder. */
export function createCandidateStore(deps: {
  readonly files: Files;
  readonly stateDir: string;
}): CandidateStore {
  const { files } = deps;
  const folder = join(deps.stateDir, "candidates");
  const pathOf = (projectId: string) => join(folder, `${projectId}.jsonl`);
  const list = (projectId: string) =>
    readJsonLines(files, { path: pathOf(projectId), maxBytes: 2 * CANDIDATES_BYTES_MAX }).values.flatMap(
      (value) => parseCandidate(value) ?? [],
    );
  const replaceAll = (projectId: string, candidates: readonly StoredCandidate[]) => {
    const lines = candidates.map((candidate) => `${JSON.stringify({ v: 1, ...candidate })}\n`);
    files.replace(pathOf(projectId), lines.join(""));
  };
  return {
    list,
    count: (projectId) => new Set(list(projectId).map(({ id }) => statementOf(id))).size,
    forgetSession(projectId, sessionId) {
      const all = list(projectId);
      const left = all.filter(({ evidence }) => evidence.session.id !== sessionId);
      if (left.length < all.length) replaceAll(projectId, left);
      return all.length - left.length;
    },
    purge(projectId, isMeant) {
      if (files.look(pathOf(projectId)) === undefined) return 0;
      const all = list(projectId);
      const left = all.filter((candidate) => !isMeant(candidate));
      replaceAll(projectId, left);
      return all.length - left.length;
    },
    add(projectId, candidates) {
      const known = new Set(list(projectId).map((candidate) => candidate.id));
      const fresh = new Map<string, Candidate>();
      for (const candidate of candidates) {
        const id = candidateId(candidate);
        if (!known.has(id) && !holdsSecret(candidate)) fresh.set(id, candidate);
      }
      if (fresh.size === 0) return 0;
      files.ensureFolder(folder);
      appendJsonLines(files, {
        path: pathOf(projectId),
        values: [...fresh].map(([id, candidate]) => ({ v: 1, id, ...candidate })),
        maxBytes: CANDIDATES_BYTES_MAX,
      });
      const said = new Set([...known].map(statementOf));
      return new Set([...fresh.keys()].map(statementOf).filter((statement) => !said.has(statement))).size;
    },
  };
}

function candidateId(candidate: Candidate): string {
  return `${textHashOf(candidate.memory).slice(0, STATEMENT_CHARS)}-${textHashOf({ body: candidate.evidence.session.id }).slice(0, 6)}`;
}

/** Of an id: what stands for the text, whichever session said it. */
function statementOf(id: string): string {
  return id.slice(0, STATEMENT_CHARS);
}

function holdsSecret({ memory, evidence }: Candidate): boolean {
  return findSecrets(`${memory.description}\n${memory.body}\n${evidence.quote}`).length > 0;
}

function parseCandidate(value: unknown): StoredCandidate | undefined {
  if (!isFields(value)) return undefined;
  const { id, cue, memory, evidence } = value;
  if (typeof id !== "string" || typeof cue !== "string") return undefined;
  if (!isDraft(memory) || !isEvidence(evidence)) return undefined;
  return { id, cue, memory, evidence };
}

function isDraft(value: unknown): value is MemoryDraft {
  if (!isFields(value)) return false;
  const texts = [value["name"], value["description"], value["body"]];
  return (
    texts.every((text) => typeof text === "string") && MEMORY_TYPES.some((type) => type === value["type"])
  );
}

function isEvidence(value: unknown): value is Evidence {
  if (!isFields(value) || !isFields(value["session"])) return false;
  const texts = [value["recordId"], value["by"], value["quote"], value["session"]["id"]];
  return texts.every((text) => typeof text === "string");
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
