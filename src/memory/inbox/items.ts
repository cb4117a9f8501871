// What an item of the inbox is, when two say the same, and its form on disk. Pure; trusts nothing it parses.
import type { Evidence, MemoryChange, Producer, RefusalCode } from "../../domain/changes.ts";
import { isFields } from "../../domain/json.ts";
import { INBOX_LIMITS } from "../../domain/limits.ts";
import { MEMORY_TYPES, type ContentHash, type MemoryDraft } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { shortHash } from "../../system/ids.ts";
import { chosenIn, sameFact } from "../files/same-fact.ts";
import { canonicalFile } from "../gate/facts.ts";
import { textHashOf } from "../gate/text-hash.ts";

/**
 * `proposal`: the gate accepted it, and the project's mode leaves the yes to a person. `candidate`: too weak to be saved
 * by itself. `quarantine`: the gate refused it, and a person may know better.
 */
export type ItemKind = "proposal" | "candidate" | "quarantine";

/** Something to keep for a person. */
export interface Offered {
  readonly kind: ItemKind;
  readonly producer: Producer;
  /** Kept, accepted and rejected as a whole. The file of a create is chosen when it is accepted. */
  readonly changes: readonly MemoryChange[];
  /** By file: hash of what each file said that a change is about (`memoryContentHash`). */
  readonly bases?: Readonly<Record<string, ContentHash>>;
  /** Why the gate refused it. */
  readonly refusal?: { readonly reason: RefusalCode; readonly message: string };
  /** Which rule heard a candidate. */
  readonly cue?: string;
}

export interface InboxItem extends Offered {
  /** Stable: the same changes of the same project have the same id, however often they come. */
  readonly id: string;
  readonly since: Instant;
  /** When words for it came last; it expires counted from then. */
  readonly seen: Instant;
}

const LIFE_MS: Readonly<Record<ItemKind, number>> = {
  proposal: INBOX_LIMITS.proposalMs,
  candidate: INBOX_LIMITS.candidateMs,
  quarantine: INBOX_LIMITS.quarantineMs,
};

export function expiresAt({ kind, seen }: Pick<InboxItem, "kind" | "seen">): Instant {
  return seen + LIFE_MS[kind];
}

const ID_CHARS = 8;

export function itemId(projectId: string, { kind, changes }: Offered): string {
  const keys = changes.map(changeKey).toSorted();
  return shortHash(JSON.stringify([projectId, kind, ...keys]), ID_CHARS);
}

/** What a change is about, whatever supports it. */
function changeKey(change: MemoryChange): string {
  const file = change.op === "create" ? "" : canonicalFile(change.file);
  return `${change.op} ${file} ${"memory" in change ? textHashOf(change.memory) : ""}`;
}

/** Tells what says the same. Remembers what it has looked at, so one serves for many questions and is then dropped. */
export interface Comparer {
  sameStatement(a: MemoryDraft, b: MemoryDraft): boolean;
  /** Two changes that a person would call the same: one statement, or the same file confirmed or removed. */
  sameChange(a: MemoryChange, b: MemoryChange): boolean;
}

export function createComparer(): Comparer {
  const known = new WeakMap<MemoryDraft, Looks>();
  const looksOf = (memory: MemoryDraft) => {
    const looks = known.get(memory) ?? { words: plainWords(memory.description), choice: chosenIn(memory) };
    known.set(memory, looks);
    return looks;
  };
  const sameStatement = (a: MemoryDraft, b: MemoryDraft) =>
    a.type === b.type &&
    mayBeSame(looksOf(a), looksOf(b)) &&
    (textHashOf(a) === textHashOf(b) || sameFact(a, b));
  return {
    sameStatement,
    sameChange: (a, b) =>
      "memory" in a && "memory" in b ? sameStatement(a.memory, b.memory) : changeKey(a) === changeKey(b),
  };
}

/** Share of the shorter description's words that statements which say the same have in common, with room to spare. */
const COMMON_SHARE = 0.5;

interface Looks {
  readonly words: ReadonlySet<string>;
  /** One choice can be put in words that share the two names only. */
  readonly choice: string | undefined;
}

/** The careful comparison takes a millisecond, and every statement is held against all that wait. */
function mayBeSame(a: Looks, b: Looks): boolean {
  if (a.choice !== undefined && a.choice === b.choice) return true;
  const [fewer, more] = a.words.size < b.words.size ? [a.words, b.words] : [b.words, a.words];
  let common = 0;
  for (const word of fewer) if (more.has(word)) common += 1;
  return common >= COMMON_SHARE * fewer.size;
}

/** Letters of scripts that do not separate words count one by one. */
function plainWords(text: string): ReadonlySet<string> {
  const plain = text.normalize("NFKC").toLowerCase();
  return new Set(plain.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[\p{L}\p{M}\p{N}]+/gu));
}

/** The statements an item would make memories of. */
export function statementsIn({ changes }: Pick<Offered, "changes">): readonly MemoryDraft[] {
  return changes.flatMap((change) => ("memory" in change ? [change.memory] : []));
}

export function evidenceIn({ changes }: Pick<Offered, "changes">): readonly Evidence[] {
  return changes.flatMap(({ evidence }) => evidence);
}

/** The same change with the words of another that says the same. The change itself where they add nothing. */
export function grown<C extends MemoryChange>(change: C, more: readonly Evidence[]): C {
  const known = new Set(change.evidence.map(evidenceKey));
  const fresh = more.filter((item) => !known.has(evidenceKey(item)));
  const room = INBOX_LIMITS.evidenceMax - change.evidence.length;
  return fresh.length === 0 || room <= 0
    ? change
    : { ...change, evidence: [...change.evidence, ...fresh.slice(0, room)] };
}

function evidenceKey({ recordId, quote }: Evidence): string {
  return `${recordId} ${quote}`;
}

/** Undefined for what is no item; its line is left out. */
export function parseItem(value: unknown): InboxItem | undefined {
  if (!isFields(value) || value["v"] !== 1) return undefined;
  const { id, kind, producer, changes, bases, refusal, cue, since, seen } = value;
  if (typeof id !== "string" || !isTime(since) || !isTime(seen)) return undefined;
  if (kind !== "proposal" && kind !== "candidate" && kind !== "quarantine") return undefined;
  if (producer !== "offline" && producer !== "model" && producer !== "upkeep") return undefined;
  if (!Array.isArray(changes) || changes.length === 0 || !changes.every(isChange)) return undefined;
  return {
    id,
    kind,
    producer,
    changes,
    since,
    seen,
    ...(isTexts(bases) ? { bases } : {}),
    ...(isRefusal(refusal) ? { refusal } : {}),
    ...(typeof cue === "string" ? { cue } : {}),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isRefusal(value: unknown): value is NonNullable<Offered["refusal"]> {
  return isFields(value) && typeof value["reason"] === "string" && typeof value["message"] === "string";
}

function isTexts(value: unknown): value is Record<string, string> {
  return isFields(value) && Object.values(value).every((each) => typeof each === "string");
}

/** `withdraw` is asked by commands only and never waits. */
const WITH_BASIS: ReadonlySet<unknown> = new Set(["update", "confirm", "delete"]);

function isChange(value: unknown): value is MemoryChange {
  if (!isFields(value) || typeof value["file"] !== "string") return false;
  const { op, basis, memory, evidence } = value;
  if (!Array.isArray(evidence) || !evidence.every(isEvidence)) return false;
  if (op === "create") return isDraft(memory);
  if (!WITH_BASIS.has(op) || typeof basis !== "string") return false;
  return op === "update" ? isDraft(memory) : op !== "delete" || typeof value["reason"] === "string";
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
  const { recordId, by, quote, session, at } = value;
  const texts = [recordId, by, quote, session["id"], session["agent"]];
  return texts.every((text) => typeof text === "string") && (at === undefined || isTime(at));
}
